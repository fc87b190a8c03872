"""promptfoo's results: one for each test, prompt and provider."""

import json
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.producers.evaluated import asked_by
from medreview.exchange.producers.given import Given, NoAnswerError, Producer, items, member, text_at, texts_in

_KEPT: Final = ("score", "success", "namedScores", "vars")


def _detect(value: Any) -> bool:
    return any(_is_result(one) for one in _results(value)[:1])


def _results(value: Any) -> list[dict[str, Any]]:
    """The results of a whole output, of the ``results`` in it, or one that stands alone in a line."""
    inner = member(value, "results")
    listed = inner if isinstance(inner, list) else member(inner, "results")
    return items(listed) or ([value] if isinstance(value, dict) else [])


def _is_result(value: dict[str, Any]) -> bool:
    return "provider" in value and "prompt" in value and ("response" in value or "error" in value) and "vars" in value


def _records(value: Any, request: Any) -> Iterator[Given]:
    when = member(value, "results", "timestamp") or member(value, "timestamp")
    for result in _results(value):
        if not _is_result(result):
            raise NoAnswerError("has a result without a provider, a prompt or a response")
        question, turns = asked_by(text_at(result, "prompt", "raw") or member(result, "prompt"))
        output = member(result, "response", "output")
        text = "\n".join(texts_in(output)) or _written(output)
        failed = text_at(result, "response", "error")
        test = text_at(result, "testIdx")
        reason = text_at(result, "gradingResult", "reason")
        refused = member(result, "response", "isRefusal") is True
        yield Given(
            response=text,
            question=question,
            turns=turns,
            id=text_at(result, "id") or "-".join(filter(None, (test, text_at(result, "promptIdx")))),
            question_id=test,
            model=text_at(result, "provider", "id") or text_at(result, "provider"),
            created=when,
            finish="failed" if failed else "refusal" if refused else member(result, "response", "finishReason"),
            extra={name: result[name] for name in _KEPT if result.get(name) not in (None, {}, "")}
            | ({"reason": reason} if reason else {})
            | ({"error": failed} if failed else {}),
        )


def _written(output: Any) -> str:
    """An answer that came as an object, as its JSON; ``""`` for one that says nothing."""
    says = isinstance(output, dict) and any(isinstance(one, str) and one.strip() for one in output.values())
    return json.dumps(output, ensure_ascii=False) if says else ""


PRODUCER = Producer("promptfoo", "results of promptfoo's evaluations, as JSON or JSON lines", _detect, _records)
