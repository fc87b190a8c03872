"""What a model's words name of a closed item, and whether that is the key."""

import pytest

from medreview.units.qa import QAItem, with_letters
from medreview.units.qa_key import key_of, overlap, read_choice

CHOICE = QAItem(
    "multiple_choice", "Q?", with_letters(["Vancomycin", "Linezolid", "Cefazolin", "Oral vancomycin"]), ("Linezolid",)
)
LIST = QAItem(
    "list", "Q?", with_letters(["Vancomycin", "Linezolid", "Ceftriaxone", "Cefazolin"]), ("Vancomycin", "Linezolid")
)
STATEMENT = QAItem("true_false", "S.", answers=("True",))
OWN_WORDS = QAItem("list", "Q?", answers=("Iron", "Zinc oxide"))
NUMBERED = QAItem("multiple_choice", "Q?", (("1", "Iron"), ("2", "Zinc")), ("Zinc",))


def named(item: QAItem, answer: str) -> str:
    """What is read, in one word: letters in order, or how nothing was."""
    read = read_choice(item, answer)
    return " ".join(sorted(read.chosen)) if read.how == "read" else read.how


@pytest.mark.parametrize(
    ("item", "read_as", "answers"),
    [
        (CHOICE, "B", ["B", "b", "B.", "(B)", "Answer: B.", "The answer is B", "**B**", "B: Linezolid", "Option B",
                       "The correct answer is (B) Linezolid.", "Linezolid", "I would give linezolid.", "I think it's B",
                       "Answer: B because A is nephrotoxic", "B) Linezolid, since A) vancomycin is not tolerated",
                       "A patient gets linezolid", "A first thought was A. Final answer: B"]),
        (CHOICE, "D", ["Oral vancomycin", "D"]),
        (CHOICE, "A B", ["A and B", "A, B"]),
        (CHOICE, "unread", ["B. Cefazolin", "not linezolid", "E", "Because", "linezolid is better than vancomycin",
                            "Both are fine", "It depends."]),
        (CHOICE, "refused", ["I cannot answer this question.", "I'm sorry.", "As an AI I give no advice",
                             "There is not enough information."]),
        (CHOICE, "empty", ["", "  ", "**"]),
        (LIST, "A B", ["A, B", "A and B", "AB", "A. Vancomycin\nB. Linezolid", "- A\n- B", "Answers: A, B.",
                       '["A", "B"]', "Vancomycin and linezolid", "The right ones are (A) and (B)", "1. A\n2. B",
                       "Vancomycin (A), Linezolid (B)", "a, b"]),
        (LIST, "A", ["A", "Vancomycin", "A\nB is toxic"]),
        (LIST, "unread", ["Vancomycin, linezolid; not cefazolin", "None of them"]),
        (STATEMENT, "True", ["True", "true.", "T", "Yes", "The answer is true", "It is correct.", "Correct."]),
        (STATEMENT, "False", ["False", "F", "No", "The statement is not true.", "It is incorrect.", "Answer: False",
                              "False. It would be true of adults.", "not entirely correct"]),
        (STATEMENT, "unread", ["No, it's true", "This is true of adults and false of children",
                               "There is no evidence that it is true", "Perhaps."]),
        (OWN_WORDS, "iron zinc oxide", ["1. Iron\n2. Zinc oxide", "Iron and zinc oxide.", "Answer: iron, zinc oxide"]),
        (OWN_WORDS, "refused", ["I cannot answer."]),
        (NUMBERED, "2", ["2", "2. Zinc", "(2)", "Answer: 2", "zinc"]),
    ],
)  # fmt: skip
def test_one_rule_a_type_reads_letters_words_and_refusals(item, read_as, answers):
    assert {answer: named(item, answer) for answer in answers} == dict.fromkeys(answers, read_as)


def test_the_key_is_read_as_an_answer_is_and_one_that_no_option_has_is_none():
    assert [key_of(one) for one in (CHOICE, LIST, STATEMENT, OWN_WORDS)] == [
        {"B"}, {"A", "B"}, {"True"}, {"iron", "zinc oxide"},
    ]  # fmt: skip
    assert key_of(QAItem("multiple_choice", "Q?", with_letters(["a", "b"]), ("c",))) == frozenset()
    assert key_of(QAItem("true_false", "Q?", answers=("Maybe",))) == frozenset()


def test_a_list_is_as_near_as_its_options_overlap():
    key = key_of(LIST)
    assert [overlap(frozenset(given), key) for given in ("AB", "A", "ABC", "CD", "")] == [1, 2 / 3, 0.8, 0, 0]


@pytest.mark.parametrize(
    "odd", ["(" * 3_000, "A" * 5_000, "A, " * 3_000, "\ud800 B" * 50, " \n" * 4_000, "not " * 3_000]
)
def test_no_answer_takes_for_ever(odd):
    for item in (CHOICE, LIST, STATEMENT, OWN_WORDS):
        assert read_choice(item, odd).how in ("read", "refused", "unread", "empty")
