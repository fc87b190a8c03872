"""Gemini and Vertex: each of ``candidates`` is an answer, whose stretches are counted in bytes; an interaction has
``outputs``."""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.answer_records import Turn
from medreview.exchange.imports.listed_citations import document_entry
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
    texts_in,
)


def _detect(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    candidates = items(value.get("candidates"))
    if any(isinstance(member(one, "content", "parts"), list) or _finish(one) for one in candidates):
        return True
    if value.get("object") == "interaction" and isinstance(value.get("outputs"), list):
        return True
    return bool(_camel(value.get("promptFeedback") or value.get("prompt_feedback"), "blockReason"))


def _finish(candidate: dict[str, Any]) -> str:
    return text_at(candidate, "finishReason") or text_at(candidate, "finish_reason")


def _camel(value: Any, *path: str | int) -> Any:
    """A member of a value, whose names the API writes ``likeThis`` and its library for Python ``like_this``."""
    for step in path:
        found = member(value, step)
        if found is None and isinstance(step, str):
            found = member(value, re.sub(r"([A-Z])", lambda capital: "_" + capital[0].lower(), step))
        value = found
    return value


def _said(value: Any, *path: str | int) -> str:
    return text_at({"said": _camel(value, *path)}, "said")


def _records(value: Any, request: Any) -> Iterator[Given]:
    yield from [_interaction(value, request)] if "outputs" in value else _generated(value, request)


def _interaction(value: dict[str, Any], request: Any) -> Given:
    text, cites, left = "", [], []
    for part in items(value["outputs"]):
        kind = text_at(part, "type")
        left += ["reasoning"] * (kind == "thought") + ["tool call"] * kind.endswith("_call")
        for one in items(part.get("annotations")) if kind == "text" else ():
            start, end = one.get("start_index"), one.get("end_index")
            cite = Cite(cited_as(text_at(one, "url"), text_at(one, "title")), text_at(one, "title"))
            if isinstance(start, int) and isinstance(end, int) and end > start:
                cite = cite._replace(start=len(text) + start, end=len(text) + end)
            cites.append(cite)
        text += text_at(part, "text") if kind == "text" else ""
    question, turns = asked(member(request, "input"))
    return Given(
        response=text,
        question=question,
        turns=turns,
        id=text_at(value, "id"),
        model=text_at(value, "model"),
        created=value.get("created"),
        finish=value.get("status"),
        cites=cites,
        left=left,
    )


def _generated(value: Any, request: Any) -> Iterator[Given]:
    question, turns = asked(_camel(request, "contents"))
    prompt = "\n".join(texts_in(_camel(request, "systemInstruction")))
    candidates = items(value.get("candidates"))
    for at, candidate in enumerate(candidates or [{}]):
        answer = _Answer(candidate)
        index = candidate.get("index")
        blocked = not candidates or (not answer.text and _said(value, "promptFeedback", "blockReason"))
        yield Given(
            response=answer.text,
            question=question,
            turns=[*([Turn("system", prompt)] if prompt.strip() else []), *turns],
            id=_said(value, "responseId"),
            choice=(index if isinstance(index, int) else at) if len(candidates) > 1 else None,
            model=_said(value, "modelVersion"),
            created=_camel(value, "createTime"),
            finish="refusal" if blocked else _finish(candidate).rpartition(".")[2],
            cites=answer.cites,
            texts=answer.texts,
            left=answer.left,
        )


class _Answer:
    """The text of one candidate, and what it cites."""

    def __init__(self, candidate: dict[str, Any]) -> None:
        self.text = ""
        self.left: list[str] = []
        self.cites: list[Cite] = []
        self.texts: list[SourceText] = []
        for part in items(member(candidate, "content", "parts")):
            if part.get("thought"):
                self.left += ["reasoning"] if text_at(part, "text") else []
            elif "text" in part:
                self.text += text_at(part, "text")
            elif _camel(part, "functionCall") is not None or _camel(part, "toolCall") is not None:
                self.left.append("tool call")
        self._take_grounding(_camel(candidate, "groundingMetadata"))
        found = _camel(candidate, "citationMetadata")
        for one in items(member(found, "citationSources") or member(found, "citations")):
            cited = cited_as(text_at(one, "uri"), text_at(one, "title"))
            start, end = one.get("startIndex", one.get("start_index", 0)), one.get("endIndex", one.get("end_index"))
            if isinstance(start, int) and isinstance(end, int) and cited:
                self.cites.append(Cite(cited, text_at(one, "title"), *_characters(self.text, start, end)))

    def _take_grounding(self, grounding: Any) -> None:
        """What stretches are grounded on; a source that no stretch names is one of the whole answer."""
        sources = [_source(chunk) for chunk in _list(_camel(grounding, "groundingChunks"))]
        self.texts = [text for _, text in sources if text is not None and text.text]
        named: set[int] = set()
        for support in items(_camel(grounding, "groundingSupports")):
            segment = _camel(support, "segment")
            start, end = _camel(segment, "startIndex") or 0, _camel(segment, "endIndex")
            wanted = (start, end) if isinstance(start, int) and isinstance(end, int) else (None, None)
            for at in _list(_camel(support, "groundingChunkIndices")):
                if isinstance(at, int) and 0 <= at < len(sources):
                    named.add(at)
                    self.cites.append(
                        sources[at][0]._replace(start=wanted[0], end=wanted[1], says=_said(segment, "text"))
                    )
        self.cites += [cite for at, (cite, _) in enumerate(sources) if at not in named]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _characters(text: str, start: int, end: int) -> tuple[int, int]:
    """Places in characters of places in bytes."""
    data = text.encode()
    return tuple(len(data[: max(0, at)].decode(errors="ignore")) for at in (start, end))  # type: ignore[return-value]


def _source(chunk: Any) -> tuple[Cite, SourceText | None]:
    """A page of the web or of maps, which has an address; or a passage of one's own files, which may have one."""
    for kind in ("web", "maps"):
        if isinstance(inner := member(chunk, kind), dict):
            title = text_at(inner, "title")
            return Cite(cited_as(text_at(inner, "uri"), title), title), None
    inner = _camel(chunk, "retrievedContext")
    title, uri = _said(inner, "title"), _said(inner, "uri")
    for one in items(_camel(inner, "customMetadata")):
        told = _said(one, "stringValue")
        uri = told if told.startswith(("https://", "http://")) else uri
    text = _said(inner, "text") or _said(inner, "ragChunk", "text")
    cited = cited_as(uri, title) or (document_entry("", text) if text.strip() else "")
    return Cite(cited, title), SourceText(cited, text, title)


def _fold(events: list[Any]) -> Any:
    """One answer of its chunks: all but the last have no end, and they share an id."""
    chunks = [event for event in items(events) if _detect(event) or _camel(event, "usageMetadata")]
    if not any(map(_detect, chunks)) or len({_said(chunk, "responseId") for chunk in chunks} - {""}) > 1:
        return None
    ends = [any(_finish(one) for one in items(chunk.get("candidates"))) for chunk in chunks]
    if len(chunks) > 1 and any(ends[:-2]):
        return None
    found: dict[int, dict[str, Any]] = {}
    for chunk in chunks:
        for candidate in items(chunk.get("candidates")):
            index = candidate.get("index")
            one = found.setdefault(index if isinstance(index, int) else 0, {"content": {"parts": []}})
            one["content"]["parts"] += items(member(candidate, "content", "parts"))
            one |= {name: told for name, told in candidate.items() if told and name != "content"}
    for one in found.values():
        one.setdefault("finishReason", _finish(one) or _UNENDED)
    return {**chunks[0], **chunks[-1], "candidates": [one for _, one in sorted(found.items())]}


_UNENDED: Final = "interrupted"


PRODUCER = Producer("Gemini", "answers of the Gemini API and of Vertex AI", _detect, _records, _fold)
