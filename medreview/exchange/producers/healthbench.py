"""HealthBench: a conversation, the answer that a physician wrote to its last turn, and the rubric of a good one.

The answers of models that the physician worked from stand beside it. What the rubric gives points for are key facts.
"""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.producers.given import Given, asked, items, member, rest, text_at
from medreview.exchange.producers.producer import NoAnswerError, Producer

_IDEAL: Final = "ideal_completions_data"
_FIELDS: Final = ("prompt", "prompt_id", _IDEAL)


def _detect(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "prompt_id" in value
        and isinstance(value.get("prompt"), list)
        and isinstance(value.get("rubrics"), list)
    )


def _records(value: Any, request: Any) -> Iterator[Given]:
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
