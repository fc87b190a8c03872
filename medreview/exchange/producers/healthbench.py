"""HealthBench: a conversation, the answer that a physician wrote to its last turn, and the rubric of a good one.

The answers of models that the physician worked from stand beside it. What the rubric gives points for are key facts.
The file of its meta-evaluation has an answer of a model and one criterion a line, with what physicians said of it.
"""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.fact_records import FactLabel
from medreview.exchange.producers.given import Given, NoAnswerError, Producer, asked, items, member, rest, text_at

_IDEAL: Final = "ideal_completions_data"
_FIELDS: Final = ("prompt", "prompt_id", _IDEAL)


_GRADED: Final = ("prompt", "prompt_id", "completion", "completion_id", "rubric", "binary_labels",
                  "anonymized_physician_ids")  # fmt: skip


def _detect(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("prompt"), list)
        and (("prompt_id" in value and isinstance(value.get("rubrics"), list)) or _is_graded(value))
    )


def _is_graded(value: dict[str, Any]) -> bool:
    return isinstance(value.get("rubric"), str) and isinstance(value.get("binary_labels"), list)


def _records(value: Any, request: Any) -> Iterator[Given]:
    return _graded(value) if _is_graded(value) else _example(value)


def _graded(value: Any) -> Iterator[Given]:
    """A completion with one criterion."""
    question, turns = asked(value["prompt"])
    fact, physicians = text_at(value, "rubric").strip(), value.get("anonymized_physician_ids")
    named = zip(physicians if isinstance(physicians, list) else (), value["binary_labels"], strict=False)
    yield Given(
        response=text_at(value, "completion"),
        question=question,
        turns=turns,
        id=text_at(value, "completion_id"),
        facts=[(fact, "other")],
        graded=[
            FactLabel(fact, who, "present" if met else "absent")
            for who, met in named
            if isinstance(who, str) and who.strip() and isinstance(met, bool)
        ],
        question_id=text_at(value, "prompt_id"),
        extra=rest(value, *_GRADED),
    )


def _example(value: Any) -> Iterator[Given]:
    """The physician's answer to a prompt, then those of models."""
    question, turns = asked(value["prompt"])
    name, ideal = text_at(value, "prompt_id"), text_at(value, _IDEAL, "ideal_completion")
    references = member(value, _IDEAL, "ideal_completions_ref_completions")
    written = [("physician", ideal), *_of_models(references)]
    answers = [(model, text) for model, text in written if text.strip()]
    if not answers:
        raise NoAnswerError("has a prompt of HealthBench and no completion of it")
    wanted = [one for one in items(value["rubrics"]) if _points(one) > 0]
    for number, (model, text) in enumerate(answers):
        yield Given(
            response=text,
            question=question,
            turns=turns,
            id=name if model == "physician" else f"{name}-{model}",
            model=model,
            facts=[] if number else [(text_at(one, "criterion"), "other") for one in wanted],
            correct=ideal,
            question_id=name,
            extra=rest(value, *_FIELDS) | {"group": text_at(value, _IDEAL, "ideal_completions_group")},
        )


def _of_models(references: Any) -> list[tuple[str, str]]:
    texts = references if isinstance(references, list) else []
    return [(f"reference-{number}", text) for number, text in enumerate(texts, 1) if isinstance(text, str)]


def _points(rubric: dict[str, Any]) -> float:
    points = rubric.get("points")
    return points if isinstance(points, int | float) else 0


PRODUCER = Producer(
    "HealthBench", "its examples: the physician's answer, those of models, the rubric as key facts", _detect, _records
)
