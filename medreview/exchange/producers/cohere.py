"""Cohere's chat, version 2 (``message``) and 1 (``text``): stretches in characters, and documents that mostly have no
address."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from medreview.exchange.producers.given import (
    Cite,
    Given,
    Producer,
    SourceText,
    asked,
    cited_as,
    items,
    member,
    text_at,
)


def _detect(value: Any) -> bool:
    if not isinstance(value, dict) or "choices" in value:
        return False
    if isinstance(value.get("text"), str) and ("generation_id" in value or "response_id" in value):
        return "finish_reason" in value or "citations" in value or "meta" in value
    message = value.get("message")
    return (
        isinstance(member(message, "content"), list)
        and member(message, "role") == "assistant"
        and text_at(value, "finish_reason").isupper()
    )


def _records(value: Any, request: Any) -> Iterator[Given]:
    answer = _v2(value) if isinstance(value.get("message"), dict) else _v1(value)
    question, turns = asked(member(request, "messages"))
    if said := text_at(request, "message"):
        question, turns = said, asked(member(request, "chat_history"))[1]
        turns = [*turns, *_last(member(request, "chat_history"))]
    elif not question:
        question, turns = asked(items(value.get("chat_history")))
    answer.question, answer.turns = question, turns
    answer.model = text_at(value, "model") or text_at(request, "model")
    answer.finish = value.get("finish_reason")
    yield answer


def _last(history: Any) -> list[Any]:
    """The turns of a history from its last question on, which :func:`asked` takes for the question."""
    question, before = asked(history)
    everything = asked([*items(history), {"role": "user", "content": "."}])[1]
    return everything[len(before) :] if question else []


def _v2(value: dict[str, Any]) -> Given:
    text, begins, left = "", [], []
    for part in items(value["message"]["content"]):
        begins.append(len(text))
        if part.get("type") == "text" or (part.get("type") is None and "text" in part):
            text += text_at(part, "text")
        else:
            left.append("reasoning")
    cites, texts = [], []
    for one in items(value["message"].get("citations")):
        at = one.get("content_index")
        begin = begins[at] if isinstance(at, int) and 0 <= at < len(begins) else 0
        if one.get("type") in ("THINKING_CONTENT", "PLAN"):
            continue
        for source in items(one.get("sources")):
            told = source.get("document") or source.get("tool_output")
            cite, given = _source(text_at(source, "id"), told if isinstance(told, dict) else {})
            cites.append(_at(cite, one, begin))
            texts.append(given)
    left += ["tool call"] * len(items(value["message"].get("tool_calls")))
    return Given(response=text, id=text_at(value, "id"), cites=cites, texts=texts, left=left)


def _v1(value: dict[str, Any]) -> Given:
    documents = {text_at(one, "id"): one for one in items(value.get("documents"))}
    cites, texts = [], []
    for one in items(value.get("citations")):
        names = one.get("document_ids")
        for name in names if isinstance(names, list) else ():
            cite, given = _source(str(name), documents.get(str(name), {}))
            cites.append(_at(cite, one, 0))
            texts.append(given)
    left = ["tool call"] * len(items(value.get("tool_calls")))
    name = text_at(value, "response_id") or text_at(value, "generation_id")
    return Given(response=value["text"], id=name, cites=cites, texts=texts, left=left)


def _at(cite: Cite, citation: Mapping[str, Any], begin: int) -> Cite:
    start, end = citation.get("start"), citation.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        return cite
    return cite._replace(start=start + begin, end=end + begin, says=text_at(citation, "text"))


_ABOUT: Final = ("id", "title", "url", "timestamp", "tool_name", "source")


def _source(name: str, document: Mapping[str, Any]) -> tuple[Cite, SourceText]:
    """A document by its address, else by its title and id; its text is in ``text`` or ``snippet``, or all it holds."""
    title = text_at(document, "title")
    shown = f"{title} ({name})" if title and name else title or name
    text = text_at(document, "text") or text_at(document, "snippet") or text_at(document, "content")
    if not text:
        rest = {key: value for key, value in document.items() if key not in _ABOUT}
        text = "\n".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in rest.values())
    cited = cited_as(text_at(document, "url"), shown)
    return Cite(cited, title), SourceText(cited, text, title or name)


def _fold(events: list[Any]) -> Any:
    """The whole answer is in the last event of version 1; in version 2 it comes in pieces."""
    found = items(events)
    for event in reversed(found):
        if event.get("event_type") == "stream-end" and isinstance(event.get("response"), dict):
            return event["response"]
    if any(event.get("event_type") == "text-generation" for event in found):
        text = "".join(text_at(event, "text") for event in found if event.get("event_type") == "text-generation")
        name = next((text_at(event, "generation_id") for event in found if "generation_id" in event), "")
        cited = [one for event in found for one in items(event.get("citations"))]
        return {"text": text, "generation_id": name, "citations": cited, "finish_reason": "interrupted"}
    begun = next((event for event in found if event.get("type") == "message-start"), None)
    if begun is None:
        return None
    parts: dict[str, dict[str, Any]] = {}
    citations: list[Any] = []
    finish = "INTERRUPTED"
    for event in found:
        told = member(event, "delta", "message")
        if event.get("type") in ("content-start", "content-delta"):
            piece = member(told, "content")
            part = parts.setdefault(str(event.get("index")), {"type": "text", "text": ""})
            part["type"] = text_at(piece, "type") or ("thinking" if "thinking" in (piece or {}) else part["type"])
            part["text"] += text_at(piece, "text")
        elif event.get("type") == "citation-start":
            citations += items(one if isinstance(one := member(told, "citations"), list) else [one])
        elif event.get("type") == "message-end":
            finish = text_at(event, "delta", "finish_reason") or finish
    message = {"role": "assistant", "content": list(parts.values()), "citations": citations}
    return {"id": text_at(begun, "id"), "message": message, "finish_reason": finish}


PRODUCER = Producer("Cohere", "answers of Cohere's chat, versions 1 and 2", _detect, _records, _fold)
