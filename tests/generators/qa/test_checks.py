"""Each rule on a drafted item, shown by one change to an item that is valid."""

import pytest

from medreview.generators.qa_checks import check_item, clashes_with
from medreview.units.qa import TYPES
from medreview.units.stored import NewPassage
from tests.support.qa_samples import chapter, recorded

OF_TYPE = {
    "true_false": "P10",
    "list": "P3",
    "multiple_choice": "P9",
    "short": "P1",
    "short_inverse": "P7",
    "multi_hop": "P5",
    "multi_hop_inverse": "P6",
}
SHORT = "the same dose of adrenaline is injected again"


def codes(kind: str, **change: object) -> tuple[str, ...]:
    name = OF_TYPE[kind]
    return check_item(kind, {**recorded(f"qa_{kind}")[name], **change}, NewPassage(chapter()[name])).codes


@pytest.mark.parametrize("kind", TYPES)
def test_a_good_item_of_each_type_is_valid_and_knows_where_its_quote_stands(kind):
    name = OF_TYPE[kind]
    value = recorded(f"qa_{kind}")[name]
    done = check_item(kind, value, NewPassage(chapter()[name], "book"))
    assert done.codes == ()
    assert chapter()[name][slice(*done.value.span)] == (value["quotes"][0] if "quotes" in value else value["quote"])
    assert done.value.passage == NewPassage(chapter()[name]).passage_id


@pytest.mark.parametrize(
    ("kind", "change", "code"),
    [
        ("short", {"question": ""}, "no_question"),
        ("short", {"question": "5 mg? " * 3_000}, "too_long"),
        ("short", {"answer": ""}, "no_answer"),
        ("short", {"question": "After how long is adrenaline injected again in anaphylaxis."}, "no_question_mark"),
        ("short", {"question": "After how long?"}, "question_length"),
        ("short", {"question": "According to the passage, when is adrenaline injected again in anaphylaxis?"},
         "points_at_text"),
        ("short", {"question": "Is adrenaline injected again after 5 minutes of anaphylaxis?"}, "answer_in_question"),
        ("short", {"question": "What is the capital of France and of its islands?"}, "not_about_passage"),
        ("short", {"quote": ""}, "no_quote"),
        ("short", {"quote": "When anaphylaxis does not improve within 50 minutes, " + SHORT + "."}, "quote_altered"),
        ("short", {"quote": "Bees are the cause of anaphylaxis in half of all patients."}, "quote_absent"),
        ("short", {"answer": "After 15 minutes"}, "number_not_in_passage"),
        ("short", {"answer": "0.5 mg"}, "number_not_in_quote"),
        ("short", {"answer": "When the ambulance arrives at home"}, "answer_not_in_passage"),
        ("short", {"answer": "After 5 minutes " * 15}, "answer_length"),
        ("short", {"quote": "Adrenaline (epinephrine) is the first treatment of anaphylaxis.", "answer": "The thigh"},
         "quote_off_topic"),
        ("list", {"options": ["Factor II", "Factor V", "Factor VII"]}, "list_shape"),
        ("list", {"answers": ["Factor II"]}, "list_shape"),
        ("list", {"answers": ["Factor II", "Factor XIII"]}, "answer_no_option"),
        ("list", {"answers": ["Factor II", "Factor V"]}, "answer_not_in_passage"),
        ("list", {"options": ["Factor II", "factor ii.", "Factor VII", "Factor IX", "Factor X"]}, "option_twice"),
        ("list", {"options": ["Factor II", "Factor VII", "Factor IX", "Factor X", "All of the above"]},
         "option_all_of_these"),
        ("list", {"options": ["Factor II", "Factor VII", "Factor IX", "Factor X", *(f"Factor {n}" for n in "ABCDE")]},
         "too_many_parts"),
        ("list", {"options": ["Factor II", "Factor VII", "Factor IX", "Factor X", "word " * 26]}, "option_length"),
        ("multiple_choice", {"options": ["The kidneys hold back lithium", "Thirst", "Sunlight"]}, "choice_shape"),
        ("multiple_choice", {"answer": "Thirst"}, "answer_not_in_passage"),
        ("true_false", {"statement": "Are the neutrophils of who takes clozapine counted at once?"},
         "statement_is_question"),
        ("true_false", {"statement": "It is false that clozapine with a fever calls for a count of neutrophils."},
         "answer_in_question"),
        ("true_false", {"statement": "Who takes clozapine and has a fever has the neutrophils counted at once."},
         "false_but_in_passage"),
        ("true_false", {"answer": "true", "statement": "Clozapine cannot suppress the making of neutrophils."},
         "true_but_contradicted"),
        ("true_false", {"answer": "true", "statement": "Clozapine and smoking and coffee affect enzymes in livers."},
         "true_but_not_in_passage"),
        ("true_false", {"answer": "true", "statement": "With clozapine and a fever 900 neutrophils are counted."},
         "number_not_in_passage"),
        ("true_false", {"quote": "Clozapine can suppress the making of neutrophils.",
                        "statement": "A fever with a sore throat is common."},
         "quote_off_topic"),
        ("multi_hop", {"steps": ["Furosemide lowers the potassium."]}, "few_steps"),
        ("multi_hop", {"quotes": ["Digoxin is cleared by the kidneys."]}, "steps_cite_one_sentence"),
        ("multi_hop", {"quotes": ["Digoxin is cleared", "is cleared by the kidneys."]}, "steps_cite_one_sentence"),
        ("multi_hop", {"quotes": []}, "no_quote"),
        ("multi_hop", {"steps": ["word " * 61, "Furosemide lowers the potassium."]}, "step_length"),
        ("short_inverse", {"wrong_answer": ""}, "inverse_incomplete"),
        ("short_inverse", {"flaw": ""}, "inverse_incomplete"),
        ("short_inverse", {"wrong_reasoning": ""}, "no_wrong_reasoning"),
        ("short_inverse", {"wrong_answer": "No: it narrows the airways less often, but the risk is not gone"},
         "wrong_answer_is_right"),
        ("short_inverse", {"wrong_answer": "No: the risk is not gone."}, "wrong_answer_fits"),
        ("short_inverse", {"wrong_answer": "Free of risk for the airways"}, "wrong_answer_in_question"),
        ("short_inverse", {"flaw": "Propranolol is older than that."}, "flaw_of_something_else"),
        ("short_inverse", {"wrong_reasoning": "So: the flaw is in the airways.", "flaw": "The flaw is in the airways."},
         "flaw_given_away"),
        ("short_inverse", {"flaw": "airways " * 81}, "flaw_length"),
        ("multi_hop_inverse", {"wrong_steps": ["Angiotensin receptor blockers leave bradykinin alone."]},
         "wrong_steps_are_right"),
    ],
)  # fmt: skip
def test_each_rule_names_what_is_wrong(kind, change, code):
    assert code in codes(kind, **change)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("After 15 minutes", "After 5 minutes"),
        ("The kidneys excrete more lithium", "The kidneys do not excrete more lithium"),
        ("The potassium rises", "The potassium falls"),
        ("Ibuprofen speeds up the clearance of lithium", "The kidneys hold back lithium"),
        ("Yes, it is safe", "No, it is not safe"),
    ],
)
def test_a_number_a_direction_a_no_or_another_cause_is_a_clash(wrong, right):
    assert clashes_with(wrong, right, f"{right} in such patients. They are seen again.")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("After 5 minutes", "5 minutes later"),
        ("The lithium level rises in such patients", "It rises"),
        ("The kidneys hold back lithium", "The kidneys hold back lithium and sodium"),
    ],
)
def test_what_the_passage_says_or_the_right_answer_in_other_words_is_none(wrong, right):
    passage = "The kidneys hold back lithium and sodium. The lithium level rises in such patients 5 minutes later."
    assert not clashes_with(wrong, right, passage)
