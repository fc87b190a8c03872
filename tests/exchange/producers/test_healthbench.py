"""HealthBench: conversations, the answers of a physician and of models, rubrics as key facts, and their grading."""

from typing import Any

from medreview.study import Study
from medreview.units.stored import load_reference
from tests.exchange.producers.conftest import Bring, Brought, lines

ASKED = "And if she cannot swallow?"
IDEAL = "Then give diazepam rectally or midazolam into the cheek, and call an ambulance after five minutes."
OF_MODELS = ("Lay her on her side.", "Call an ambulance.")


def example(**more: Any) -> dict[str, Any]:
    return {
        "example_tags": ["theme:emergency_referrals"],
        "ideal_completions_data": {
            "ideal_completion": IDEAL,
            "ideal_completions_group": "Group 2",
            "ideal_completions_ref_completions": list(OF_MODELS),
        },
        "prompt": [
            {"role": "user", "content": "My daughter is having a seizure."},
            {"role": "assistant", "content": "How long has it lasted?"},
            {"role": "user", "content": ASKED},
        ],
        "prompt_id": "p-1",
        "rubrics": [
            {"criterion": "Advises to call an ambulance.", "points": 9, "tags": ["axis:accuracy"]},
            {"criterion": "Suggests to put a spoon into her mouth.", "points": -8, "tags": ["axis:accuracy"]},
        ],
        "canary": "none",
        **more,
    }


def facts(study: Study) -> list[str]:
    return [row[0] for row in study.reader.execute("SELECT text FROM key_fact ORDER BY ordinal")]


def test_the_physicians_answer_and_the_models_stand_after_their_conversation(bring: Bring) -> None:
    found = bring(lines(example()), "healthbench.jsonl")
    assert [(one.id, one.model, one.text) for one in found.answers] == [
        ("p-1", "physician", IDEAL),
        ("p-1-reference-1", "reference-1", "Lay her on her side."),
        ("p-1-reference-2", "reference-2", "Call an ambulance."),
    ]
    assert {one.question for one in found.answers} == {ASKED}
    assert found.answers[0].turns == [
        ("user", "My daughter is having a seizure."),
        ("assistant", "How long has it lasted?"),
    ]
    assert found.answers[0].extra["example_tags"] == ["theme:emergency_referrals"]
    assert found.told.producer == "HealthBench"


def test_what_the_rubric_gives_points_for_are_key_facts_and_the_ideal_answer_is_the_correct_one(bring: Bring) -> None:
    found = bring(lines(example()), "healthbench.jsonl")
    assert facts(found.study) == ["Advises to call an ambulance."]
    assert load_reference(found.study.reader, ASKED) == IDEAL
    assert (found.told.facts, found.told.correct, found.told.odd) == (1, 3, [])
    assert found.answers[0].extra["rubrics"][1]["points"] == -8


def test_a_prompt_that_nobody_answered_is_named_and_left_out(bring: Bring) -> None:
    found = bring(lines(example(), example(prompt_id="p-2", ideal_completions_data=None)), "healthbench.jsonl")
    assert len(found.answers) == 3
    assert [(one.line, one.reason) for one in found.told.bad] == [
        (2, "has a prompt of HealthBench and no completion of it")
    ]


def grading(completion: str, rubric: str, *labels: bool) -> dict[str, Any]:
    return {
        "prompt": [{"role": "user", "content": ASKED}],
        "completion": completion,
        "rubric": rubric,
        "binary_labels": list(labels),
        "anonymized_physician_ids": [f"doctor-{number}" for number, _ in enumerate(labels, 1)],
        "category": "cluster:emergency_referrals",
        "completion_id": "c-1",
        "prompt_id": "p-1",
    }


def labels(brought: Brought) -> list[tuple[str, str, str]]:
    rows = brought.study.reader.execute(
        "SELECT reviewer, json_extract(payload, '$.label'), k.text FROM event JOIN key_fact AS k"
        " ON unit LIKE '%' || k.key_fact_id WHERE kind = 'decide' ORDER BY k.ordinal, reviewer"
    )
    return [tuple(row) for row in rows]


def test_what_physicians_said_of_a_completion_are_their_labels_on_its_key_facts(bring: Bring) -> None:
    found = bring(
        lines(grading(IDEAL, "Calls for help.", True, False), grading(IDEAL, "Asks for the dose.", False)), "meta.jsonl"
    )
    assert (found.answer.id, found.answer.question, found.answer.text) == ("c-1", ASKED, IDEAL)
    assert labels(found) == [
        ("doctor-1", "present", "Calls for help."),
        ("doctor-2", "absent", "Calls for help."),
        ("doctor-1", "absent", "Asks for the dose."),
    ]
    assert found.told.labels == 3
