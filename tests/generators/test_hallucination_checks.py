"""Which planted answers may be used, by type: each rule by an answer that breaks it."""

import pytest

from medreview.generators.hallucinations import entails, hallucination_faults, planted_spans
from medreview.text import Span
from tests.support.planted_answers import CONTEXT, CORRECT, FACT, GOOD, QUESTION


@pytest.mark.parametrize("kind", GOOD)
def test_an_answer_that_does_what_its_type_says_is_valid(kind):
    assert hallucination_faults(kind, GOOD[kind], QUESTION, CORRECT) == ()


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"answer": "  "}, "empty"),
        ({"how": ""}, "no_explanation"),
        ({"answer": CORRECT, "spans": [CORRECT]}, "correct_answer_again"),
        ({"answer": QUESTION, "spans": [QUESTION]}, "question_again"),
        ({"answer": " ".join([FACT["answer"]] * 20)}, "too_long"),
        ({"answer": f"{FACT['answer']} (This is a hallucinated answer.)"}, "gives_itself_away"),
        ({"answer": f"The correct answer is no. {FACT['answer']}"}, "gives_itself_away"),
        ({"spans": []}, "no_span"),
        ({"spans": ["words that stand nowhere in it"]}, "span_not_in_answer"),
    ],
)  # fmt: skip
def test_what_no_answer_may_be_has_its_code_whatever_the_type(kind, change, code):
    assert code in hallucination_faults(kind, GOOD[kind] | change, QUESTION, CORRECT)


@pytest.mark.parametrize(
    ("kind", "change", "codes"),
    [
        ("fact", {"answer": "Better not. Paracetamol is preferred.", "spans": ["Paracetamol is preferred."]},
         ("entailed_by_correct_answer",)),
        # One span that says something else is enough.
        ("fact", {"answer": f"{FACT['answer']} Paracetamol is preferred.",
                  "spans": [*FACT["spans"], "Paracetamol is preferred."]}, ()),
        ("input", FACT | {"answer": "Ibuprofen is safe in the last weeks of pregnancy, so take it.",
                          "spans": ["Ibuprofen is safe in the last weeks of pregnancy"]}, ("keeps_to_question",)),
        ("input", {"answer": "Paracetamol is usually preferred.", "spans": ["Paracetamol"]}, ("nothing_else_named",)),
        ("context", {"spans": CONTEXT["spans"][1:]}, ("no_clash_within",)),
        ("context", {"spans": [CONTEXT["spans"][0], "Paracetamol is usually preferred"]}, ("no_clash_within",)),
        ("context", {"answer": "Ibuprofen is not taken late. Ibuprofen can be taken at any time.",
                     "spans": ["Ibuprofen is not taken late", "Ibuprofen can be taken at any time"]},
         ("rest_not_kept",)),
    ],
)  # fmt: skip
def test_each_type_has_its_own_rules(kind, change, codes):
    assert hallucination_faults(kind, GOOD[kind] | change, QUESTION, CORRECT) == codes


def test_a_word_that_the_correct_answer_has_itself_gives_nothing_away():
    correct = f"{CORRECT} An incorrect dose does harm."
    value = FACT | {"answer": f"{FACT['answer']} An incorrect dose does little."}
    assert hallucination_faults("fact", value, QUESTION, correct) == ()


@pytest.mark.parametrize(
    ("text", "span", "said"),
    [
        (CORRECT, "Paracetamol is usually preferred.", True),
        (CORRECT, "Ibuprofen should not be taken in the third trimester.", True),
        (CORRECT, "Ibuprofen should be taken in the third trimester.", False),
        ("Give 5 mg of apixaban twice daily.", "Twice daily, give 5 mg of apixaban.", True),
        ("Give 5 mg of apixaban twice daily.", "Twice daily, give 10 mg of apixaban.", False),
        ("Cool the burn for 20 minutes. Put no ice on it.", "Put ice on the burn for 20 minutes.", False),
        ("Give 5 mg of apixaban twice daily.", "Grapefruit doubles its level.", False),
    ],
)
def test_what_a_text_entails_is_told_by_its_words_and_numbers(text, span, said):
    assert entails(text, span) is said


def test_spans_are_places_of_the_stripped_answer():
    value = {"answer": "  One two. Three.\n", "spans": [" Three. ", "two"]}
    assert planted_spans(value) == [Span(9, 15), Span(4, 7)]


def test_a_span_whose_words_stand_in_an_earlier_span_is_the_next_place_with_them():
    value = {"answer": "Never take two. Take care. Then take two.", "spans": ["Never take two", "take two"]}
    assert planted_spans(value) == [Span(0, 14), Span(32, 40)]
