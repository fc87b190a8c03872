"""Wrong options that are easy to tell, or not wrong, and others in their place; questions that are asked already."""

import pytest

from medreview.generators.qa_checks import check_replacements, class_of, likeness, weak_options
from medreview.generators.qa_items import is_duplicate
from medreview.units.qa import QAItem, with_letters

PASSAGE = (
    "Thiazide diuretics make the kidneys hold back lithium. Ibuprofen raises the lithium level as well. The level of "
    "lithium is measured 5 days after a new dose, at 12 hours after the last tablet."
)


def item(*options: str) -> QAItem:
    return QAItem("multiple_choice", "Why?", with_letters(options), (options[0],), passage="g1")


@pytest.mark.parametrize(
    ("right", "weak"),
    [
        ("The kidneys hold back lithium", "Thirst"),  # too far
        ("The kidneys hold back lithium", "The kidneys held back lithium"),  # too near
        ("The kidneys hold back lithium", "The kidneys hold back lithium 5 mg"),  # of another class
        ("Naproxen", "Ibuprofen"),  # the passage speaks of it
        ("5 days", "12 hours"),  # another unit, and in the passage
        ("5 days", "5 mg"),
    ],
)
def test_an_option_too_far_too_near_of_another_class_or_in_the_passage_is_weak(right, weak):
    assert weak_options(item(right, weak), PASSAGE) == [weak]


@pytest.mark.parametrize(
    ("right", "strong"),
    [
        ("The kidneys hold back lithium", "The liver breaks down lithium"),
        ("5 days", "15 days"),
        ("Factor II", "Factor V"),
        ("Factor VII", "Factor VIII"),
        ("Amiodarone", "Dronedarone"),
    ],
)
def test_one_of_the_same_kind_that_differs_by_its_words_or_numeral_is_not(right, strong):
    assert weak_options(item(right, strong), PASSAGE) == []


def test_the_first_good_replacements_take_the_places_of_the_weak_options():
    asked = item("The kidneys hold back lithium", "Thirst", "The liver breaks down lithium", "Sunlight")
    new = ["A) The gut takes up lithium", "Thirst", "The liver breaks down lithium.", "(B) The bones give off lithium"]
    value = {"reason": "r", "replacements": [*new, "The lungs hold back lithium"]}
    done = check_replacements(value, asked, ["Thirst", "Sunlight"], PASSAGE)
    assert done.codes == ()
    assert [text for _, text in done.value.options] == [
        "The kidneys hold back lithium",
        "The gut takes up lithium",
        "The liver breaks down lithium",
        "The bones give off lithium",
    ]
    assert done.value.answers == asked.answers


def test_too_few_good_ones_are_invalid_with_what_was_wrong_with_the_others():
    asked = item("The kidneys hold back lithium", "Thirst", "Sunlight")
    value = {"reason": "r", "replacements": ["The gut takes up lithium", "Cold", "The gut takes up lithium"]}
    found = check_replacements(value, asked, ["Thirst", "Sunlight"], PASSAGE)
    assert found.codes == ("distractor_too_far", "option_twice")
    long = {"replacements": ["The kidneys hold back lithium and " + "sodium " * 30]}
    assert check_replacements(long, asked, ["Thirst"], PASSAGE).codes == ("option_length",)
    assert check_replacements({"replacements": []}, asked, ["Thirst"], PASSAGE).codes == ("few_distractors",)


def test_options_have_a_likeness_and_a_class():
    assert likeness("Warfarin", "warfarin.") == 1
    assert likeness("Warfarin", "Thirst") < 0.4
    texts = ("5 mg", "0.5 g", "12 hours", "five times", "apixaban", "chronic hepatitis", "the liver wall")
    classes = ["amount in mg", "amount in mg", "amount in h", "number", "medicine", "condition", "text"]
    assert list(map(class_of, texts)) == classes


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Which of these clotting factors depend on vitamin K?", "Which clotting factors depend on vitamin K?", True),
        ("How much adrenaline is given?", "How much adrenaline is given then?", True),
        ("What is done at an INR of 5?", "What is done at an INR of 8?", False),
        ("Why is warfarin stopped?", "Why is heparin stopped?", False),
    ],
)
def test_a_question_is_asked_already_when_its_words_are_nearly_those_and_its_numbers_are(one, other, same):
    assert is_duplicate(one, [other]) is same
    assert not is_duplicate(one, [])
