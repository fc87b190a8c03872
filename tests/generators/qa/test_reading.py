"""What models put around an item is taken off, and what is left is an item of its type."""

import pytest

from medreview.generators.qa_checks import clean, draft_of


@pytest.mark.parametrize(
    ("written", "bare"),
    [
        ("**Answer:** 5 mg", "5 mg"),
        ("Question: What is it?", "What is it?"),
        ("```\nWhat is it?\n```", "What is it?"),
        ("Step 1: Digoxin is cleared.", "Digoxin is cleared."),
        ("Option A: warfarin", "warfarin"),
        ("(B) warfarin", "warfarin"),
        ("3. warfarin", "warfarin"),
        ("- warfarin", "warfarin"),
        ("“warfarin”", "warfarin"),
        ("c)", "c"),
        ("True or false: Aspirin thins.", "Aspirin thins."),
        ("two\n  lines", "two lines"),
        ("", ""),
        ("- " * 9 + "much", "- - - - much"),
    ],
)
def test_labels_letters_fences_and_quotes_are_taken_off(written, bare):
    assert clean(written) == bare


@pytest.mark.parametrize(
    "text",
    ["Vitamin D: how much?", "5 to 10 mg", "A 5 mg tablet", "1.5 mg", "Step-down therapy", "Q10: a coenzyme",
     "**a** and **b**", "Answers to stress", "D-dimer", "I. v. fluids", "E. coli", "B lymphocytes"],
)  # fmt: skip
def test_what_belongs_to_the_words_stays(text):
    assert clean(text) == text


def test_an_answer_by_its_letter_is_the_text_of_the_option():
    options = ["A. one", "B. two", "C. three", "D. E. coli"]
    value = {"quote": " q ", "question": "Which?", "options": options, "answers": ["A", "C)", "A", "D. E. coli"]}
    draft = draft_of("list", value, "g1")
    assert draft.item.options == (("A", "one"), ("B", "two"), ("C", "three"), ("D", "E. coli"))
    assert draft.item.answers == ("one", "three", "E. coli")
    assert (draft.quotes, draft.item.passage) == (("q",), "g1")


def test_a_statement_and_the_reasoning_of_an_inverse_item_go_where_the_reviewer_sees_them():
    truth = draft_of("true_false", {"quote": "q", "statement": "Statement: It is so.", "answer": "true"}, "g1").item
    assert (truth.question, truth.answers) == ("It is so.", ("True",))
    value = {"quote": "q", "question": "Why?", "answer": "a", "wrong_answer": "w", "wrong_reasoning": "r", "flaw": "f"}
    inverse = draft_of("short_inverse", value, "g1").item
    assert (inverse.wrong_answer, inverse.wrong_steps, inverse.flaw, inverse.steps) == ("w", ("r",), "f", ())
