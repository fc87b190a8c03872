"""OpenAI's Responses API, also as Azure, xAI and Perplexity's agent have it.

``output`` holds reasoning, calls of tools, what these found, and messages.
"""

import re
from collections.abc import Iterator
from typing import Any

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.imports.listed_citations import document_entry
from medreview.exchange.producers.given import Cite, Given, Producer, SourceText, asked, items, member, text_at


def _detect(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("output"), list)
        and (value.get("object") == "response" or any(item.get("type") == "message" for item in items(value["output"])))
    )


def _records(value: Any, request: Any) -> Iterator[Given]:
    text, cites, refused = "", [], False
    left, texts = [], []
    found: dict[str, dict[str, Any]] = {}
    for item in items(value["output"]):
        if item.get("type") != "message":
            kind = text_at(item, "type")
            found |= {text_at(one, "id"): one for one in items(item.get("results")) if text_at(one, "url")}
            left.append("tool call" if kind.endswith("_call") else kind.replace("_", " "))
            texts += [
                SourceText(document_entry(text_at(one, "filename")), text_at(one, "text"), text_at(one, "filename"))
                for one in items(item.get("results"))
                if text_at(one, "filename")
            ]
            continue
        content = item.get("content")
        for part in [{"text": content}] if isinstance(content, str) else items(content):
            text += "\n\n" if text else ""
            cites += [_cite(one, len(text)) for one in items(part.get("annotations"))]
            text += text_at(part, "text") or text_at(part, "refusal")
            refused = refused or part.get("type") == "refusal"
    for number in dict.fromkeys(re.findall(r"\[(\d{1,3})\]", text)) if not cites else ():
        one = found.get(number, {})
        if url := text_at(one, "url"):
            cites.append(Cite(url, text_at(one, "title"), number=int(number)))
            texts.append(SourceText(url, text_at(one, "snippet"), text_at(one, "title")))
    question, turns = asked(member(request, "input"))
    prompt = text_at(request, "instructions") or text_at(value, "instructions")
    why = member(value, "incomplete_details", "reason")
    yield Given(
        response=text,
        question=question,
        turns=[*([Turn("system", prompt)] if prompt else []), *turns],
        id=text_at(value, "id"),
        model=text_at(value, "model"),
        created=value.get("created_at"),
        finish="refusal" if refused else why or value.get("status"),
        cites=cites,
        texts=[one for one in texts if any(cite.cited == one.cited for cite in cites)],
        left=left,
    )


def _cite(annotation: dict[str, Any], offset: int) -> Cite:
    """An annotation; its offsets are those of its part, which begins at ``offset`` of the answer."""
    inner = annotation.get(str(annotation.get("type")), annotation)
    inner = inner if isinstance(inner, dict) else annotation
    title = text_at(inner, "title") or text_at(inner, "filename")
    cited = text_at(inner, "url") or (document_entry(title) if title else "")
    start, end = member(inner, "start_index"), member(inner, "end_index")
    if isinstance(start, int) and isinstance(end, int) and end > start:
        return Cite(cited, title, start + offset, end + offset)
    at = member(inner, "index")
    return (
        Cite(cited, title, at + offset, at + offset)
        if isinstance(at, int) and text_at(inner, "filename")
        else Cite(cited, title)
    )


def _fold(events: list[Any]) -> Any:
    """The whole response is in the last event; of a stream that was cut, the pieces that came."""
    for event in reversed(events):
        if isinstance(member(event, "response", "output"), list) and event.get("type") in _LAST:
            return event["response"]
    pieces = [text_at(event, "delta") for event in items(events) if event.get("type") == "response.output_text.delta"]
    begun = next((event["response"] for event in items(events) if event.get("type") == "response.created"), None)
    if not isinstance(begun, dict) or not pieces:
        return None
    message = {"type": "message", "content": [{"type": "output_text", "text": "".join(pieces)}]}
    return {**begun, "output": [message], "status": "incomplete"}


_LAST = ("response.completed", "response.incomplete", "response.failed")

PRODUCER = Producer(
    "OpenAI Responses",
    "answers of the Responses API, also of Azure, xAI and Perplexity's agent",
    _detect,
    _records,
    _fold,
)
