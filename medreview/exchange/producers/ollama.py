"""Ollama's own API (``/api/chat`` and ``/api/generate``), whose stream is one JSON object a line."""

from collections.abc import Iterator
from typing import Any

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.producers.given import Given, Producer, after_thinking, asked, items, member, text_at


def _detect(value: Any) -> bool:
    return isinstance(member(value, "done"), bool) and "model" in value and _is_piece(value)


def _is_piece(value: dict[str, Any]) -> bool:
    return isinstance(value.get("response"), str) or isinstance(member(value, "message", "content"), str)


def _records(value: Any, request: Any) -> Iterator[Given]:
    whole = text_at(value, "message", "content") or text_at(value, "response")
    text = after_thinking(whole)
    thought = text != whole or text_at(value, "thinking") or text_at(value, "message", "thinking")
    question, turns = asked(member(request, "messages") or member(request, "prompt"))
    prompt = text_at(request, "system")
    yield Given(
        response=text,
        question=question,
        turns=[*([Turn("system", prompt)] if prompt else []), *turns],
        model=text_at(value, "model"),
        created=value.get("created_at"),
        finish=value.get("done_reason") or ("stop" if value["done"] else "interrupted"),
        left=(["reasoning"] if thought else []) + ["tool call"] * len(items(member(value, "message", "tool_calls"))),
    )


def _fold(events: list[Any]) -> Any:
    pieces = [event for event in items(events) if _detect(event)]
    if not pieces or pieces[0]["done"]:
        return None
    message = {
        name: "".join(text_at(piece, "message", name) or text_at(piece, at) for piece in pieces)
        for name, at in (("content", "response"), ("thinking", "thinking"))
    }
    return pieces[-1] | {"model": pieces[0]["model"], "message": message}


PRODUCER = Producer("Ollama", "answers of Ollama's own API, also as a stream", _detect, _records, _fold)
