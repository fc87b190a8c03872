"""Ragas: data sets and results with what was asked, read, answered and expected, and annotations of its metrics."""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.imports.json_rows import is_table, records_in
from medreview.exchange.producers.conversation import each_answer
from medreview.exchange.producers.evaluated import contexts
from medreview.exchange.producers.given import Conversation, Given, Producer, items, member, role_of, text_at, texts_in

_USED: Final = ("user_input", "response", "retrieved_contexts", "reference", "id")


def _detect(value: Any) -> bool:
    return any(_is_row(row) for row, _ in _rows(value)[:1])


def _is_row(row: dict[str, Any]) -> bool:
    asked = row.get("user_input")
    return (isinstance(asked, str) and isinstance(row.get("response"), str)) or bool(items(asked))


def _rows(value: Any) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each sample, and what an annotation says of it."""
    if not isinstance(value, dict):
        return []
    if "user_input" in value:
        return [(row, {}) for row in (records_in(value) if is_table(value) else [value])]
    if isinstance(member(value, "metric_input"), dict):
        return [(value["metric_input"], {"metric_output": value.get("metric_output")})]
    annotated = [(name, one) for name, listed in value.items() for one in items(listed) if "metric_input" in one]
    return [(one["metric_input"], {name: one.get("metric_output")}) for name, one in annotated
            if isinstance(one["metric_input"], dict)]  # fmt: skip


def _records(value: Any, request: Any) -> Iterator[Given]:
    for row, told in _rows(value):
        if not _is_row(row):
            continue
        cites, texts = contexts(row.get("retrieved_contexts"), "retrieved_contexts")
        asked = row["user_input"]
        answers = (
            [Given(response=text_at(row, "response"), question=asked)]
            if isinstance(asked, str)
            else list(each_answer(map(_said, items(asked)), Conversation()))
        )
        for number, one in enumerate(answers, 1):
            name = text_at(row, "id")
            one.id = f"{name}-{number}" if name and len(answers) > 1 else name
            one.cites, one.texts, one.correct = cites, texts, text_at(row, "reference")
            one.extra = {
                key: kept for key, kept in row.items() if key not in _USED and kept not in (None, "", [])
            } | told
            yield one


def _said(message: dict[str, Any]) -> Turn | Given:
    role = role_of(message.get("type") or message.get("role"))
    text = "\n".join(texts_in(message.get("content")))
    return Given(response=text) if role == "assistant" and text.strip() else Turn(role, text)


PRODUCER = Producer("Ragas", "samples, results and annotations of Ragas", _detect, _records)
