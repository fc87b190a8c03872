"""OpenAI's chat completions and the many copies of them: each of ``choices`` is an answer.

Azure has passages of one's own data beside the message (``[doc1]``), Mistral references among the parts of the text,
Groq the results of its searches, OpenRouter passages in its annotations, Perplexity and xAI a list of addresses.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.json_rows import DECODER
from medreview.exchange.producers.given import (
    Cite,
    Given,
    NoAnswerError,
    Producer,
    SourceText,
    after_thinking,
    asked,
    cited_as,
    items,
    member,
    object_at,
    text_at,
    texts_in,
)

_REASONING: Final = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
_CHUNK: Final = "chat.completion.chunk"


def _detect(value: Any) -> bool:
    choices = member(value, "choices")
    if not isinstance(choices, list) or value.get("object") == _CHUNK:
        return False
    return value.get("object") in ("chat.completion", "text_completion") or any(map(_is_choice, items(choices)))


def _is_choice(choice: dict[str, Any]) -> bool:
    message = choice.get("message")
    if isinstance(message, dict):
        return "content" in message or "role" in message
    return isinstance(choice.get("text"), str) and not {"finish_reason", "stop_reason", "logprobs"}.isdisjoint(choice)


def _records(value: Any, request: Any) -> Iterator[Given]:
    choices = items(value["choices"])
    if not choices:
        raise NoAnswerError("has no answer: its list of choices is empty")
    question, turns = asked(member(request, "messages") or member(request, "prompt"))
    for at, choice in enumerate(choices):
        message = choice.get("message")
        message = message if isinstance(message, dict) else {"content": choice.get("text")}
        answer = _Answer(message, request)
        answer.take_beside(message)
        answer.take_list(value, message)
        index = choice.get("index")
        yield Given(
            response=answer.text,
            question=question,
            turns=turns,
            id=text_at(value, "id"),
            choice=(index if isinstance(index, int) else at) if len(choices) > 1 else None,
            model=text_at(value, "model"),
            created=value.get("created"),
            finish="refusal" if answer.refused else choice.get("finish_reason") or choice.get("stop_reason"),
            cites=answer.cites,
            texts=answer.texts,
            left=answer.left,
            extra={"provider": value["provider"]} if text_at(value, "provider") else {},
        )


class _Answer:
    """The text of one message, and what it cites."""

    def __init__(self, message: dict[str, Any], request: Any) -> None:
        self.text, self.refused = "", False
        self.cites: list[Cite] = []
        self.texts: list[SourceText] = []
        self.left = ["reasoning"] if any(message.get(name) for name in _REASONING) else []
        self.left += ["tool call"] * len(items(message.get("tool_calls")))
        content = message.get("content")
        if isinstance(content, list):
            self._take_parts(content, request)
        else:
            self.text = text_at(message, "content") or text_at(message, "audio", "transcript")
        if not self.text and text_at(message, "refusal"):
            self.text, self.refused = text_at(message, "refusal"), True
        whole = self.text
        self.text = after_thinking(whole)
        self._cut = len(whole) - len(self.text)
        if self._cut and self.left[:1] != ["reasoning"]:
            self.left.insert(0, "reasoning")
        self.cites = [self._moved(cite) for cite in self.cites]

    def _moved(self, cite: Cite) -> Cite:
        if cite.start is None or cite.end is None:
            return cite
        return cite._replace(start=cite.start - self._cut, end=cite.end - self._cut)

    def _take_parts(self, parts: list[Any], request: Any) -> None:
        """The parts of a text; a reference (Mistral) stands behind what it proves, or holds it."""
        known = _tool_results(request) if any(text_at(part, "type") == "reference" for part in parts) else {}
        for part in parts:
            kind = text_at(part, "type")
            if kind == "thinking":
                self.left.insert(0, "reasoning")
            elif kind == "refusal":
                self.text, self.refused = self.text + text_at(part, "refusal"), True
            else:
                begin = len(self.text)
                self.text += text_at(part, "text") if isinstance(part, dict) else "".join(texts_in(part))
                names = part.get("reference_ids") if kind == "reference" else ()
                for name in names if isinstance(names, list) else ():
                    for cited, title, text in known.get(str(name), ()):
                        self.cites.append(Cite(cited, title, begin, len(self.text)))
                        self.texts.append(SourceText(cited, text, title))

    def take_beside(self, message: dict[str, Any]) -> None:
        """What a message cites: annotations, passages of one's own data (Azure), results of searches (Groq)."""
        for one in items(message.get("annotations")):
            inner = object_at(one, "url_citation") or one
            self._add(inner, *_range(inner))
        passages = _own_data(message)
        marked = re.search(r"\[doc\d+\]", self.text) is not None
        for number, one in enumerate(passages, 1):
            cited = cited_as(text_at(one, "url"), text_at(one, "filepath") or text_at(one, "title"))
            title = text_at(one, "title") or text_at(one, "filepath")
            marks = [Cite(cited, title, mark.start(), mark.end(), mark[0])
                     for mark in re.finditer(rf"\[doc{number}\]", self.text)]  # fmt: skip
            if cited and (marks or not marked):
                self.cites += marks or [Cite(cited, title)]
                self.texts.append(SourceText(cited, text_at(one, "content"), title))
        for tool in items(message.get("executed_tools")):
            self.left.append("tool call")
            for one in items(member(tool, "search_results", "results")):
                self._add(one)
        told = member(message, "provider_specific_fields", "citations")  # of Anthropic and others, by LiteLLM
        for group in told if isinstance(told, list) else ():
            for one in items(group if isinstance(group, list) else [group]):
                says = text_at(one, "supported_text")
                self._add(one, 0 if says else None, 0 if says else None, says)

    def take_list(self, value: dict[str, Any], message: dict[str, Any]) -> None:
        """The addresses beside the answer, in the order of its marks ``[1]``, and passages of them."""
        results = items(value.get("search_results"))
        listed = next((one for one in (value.get("citations"), message.get("citations")) if isinstance(one, list)), [])
        known = {text_at(one, "url"): one for one in results}
        urls = [one if isinstance(one, str) else text_at(one, "url") for one in listed] or list(known)
        marks = [int(mark) for mark in re.findall(r"\[(\d{1,3})\]", self.text)]
        numbered = bool(marks) and max(marks) <= len(urls)
        for number, url in enumerate(urls, 1):
            one = known.get(url, {"url": url})
            cited = self._add(one)
            if numbered and cited:
                self.cites[-1] = self.cites[-1]._replace(number=number)

    def _add(self, one: dict[str, Any], start: int | None = None, end: int | None = None, says: str = "") -> str:
        """Cite a source that is told as an object; ``""`` where that names none."""
        title = text_at(one, "title")
        cited = cited_as(text_at(one, "url") or text_at(one, "source"), title or text_at(one, "document_title"))
        passage = next(filter(None, (text_at(one, name) for name in _PASSAGES)), "")
        quote = text_at(one, "cited_text")
        if cited:
            self.cites.append(self._moved(Cite(cited, title, start, end, says, quote)))
            if passage:
                self.texts.append(SourceText(cited, passage, title))
        return cited


_PASSAGES: Final = ("content", "snippet", "cited_text", "text")


def _range(annotation: dict[str, Any]) -> tuple[int | None, int | None]:
    start, end = annotation.get("start_index"), annotation.get("end_index")
    return (start, end) if isinstance(start, int) and isinstance(end, int) and end > start else (None, None)


def _own_data(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The passages of one's own data that Azure shows; earlier ones stand as JSON in the message of a tool."""
    found = items(member(message, "context", "citations"))
    for one in items(member(message, "context", "messages")):
        found = found or items(member(_json_in(one.get("content")), "citations"))
    return found


def _json_in(text: Any) -> Any:
    try:
        return DECODER.decode(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return None


def _tool_results(request: Any) -> dict[str, list[tuple[str, str, str]]]:
    """By number: address, title and text of what tools gave to the model."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for message in items(member(request, "messages")):
        given = _json_in("".join(texts_in(message.get("content")))) if message.get("role") == "tool" else None
        given = next(filter(None, (member(given, name) for name in ("results", "documents"))), given)
        numbered = enumerate(given) if isinstance(given, list) else given.items() if isinstance(given, dict) else ()
        for number, one in numbered:
            title = text_at(one, "title")
            text = next(filter(None, ("\n".join(_words(member(one, name))) for name in _SNIPPETS)), "")
            if cited := cited_as(text_at(one, "url"), title or text_at(one, "source")):
                found.setdefault(text_at(one, "id") or str(number), []).append((cited, title, text))
    return found


_SNIPPETS: Final = ("text", "content", "snippets", "snippet", "description")


def _words(value: Any) -> list[str]:
    return [text for item in value for text in _words(item)] if isinstance(value, list) else texts_in(value)


def _fold(events: list[Any]) -> Any:
    """The answer whose pieces these are; one that has no end was cut."""
    pieces = [event for event in items(events) if isinstance(event.get("choices"), list)]
    if not any(event.get("object") == _CHUNK or _deltas(event) for event in pieces):
        return None
    whole: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    for event in pieces:
        for name in ("id", "model", "created", "provider"):
            whole.setdefault(name, event.get(name)) if event.get(name) else None
        whole |= {name: event[name] for name in ("citations", "search_results") if event.get(name)}
        for choice in items(event["choices"]):
            index = choice.get("index")
            one = choices.setdefault(index if isinstance(index, int) else 0, {"message": {}, "finish_reason": ""})
            one["finish_reason"] = choice.get("finish_reason") or one["finish_reason"]
            _append(one["message"], object_at(choice, "delta") or {"content": choice.get("text")})
    return whole | {
        "object": "chat.completion",
        "choices": [
            {"index": at, "message": one["message"], "finish_reason": one["finish_reason"] or "interrupted"}
            for at, one in sorted(choices.items())
        ],
    }


def _deltas(event: dict[str, Any]) -> bool:
    return any(isinstance(choice.get("delta"), dict) for choice in items(event["choices"]))


def _append(message: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add a piece to a message: texts are joined, as are lists; of anything else the last one stays."""
    for name, piece in delta.items():
        before = message.get(name)
        if name == "role" or piece is None:
            continue
        if isinstance(before, str) and isinstance(piece, list):
            before = [{"type": "text", "text": before}]
        if isinstance(before, list) and isinstance(piece, str):
            piece = [{"type": "text", "text": piece}]
        joined = isinstance(before, str | list) and type(before) is type(piece)
        message[name] = before + piece if joined else piece


PRODUCER = Producer(
    "chat completions",
    "answers of OpenAI's chat completions and of the many APIs that copy them: Azure, DeepSeek, Groq, Mistral, "
    "OpenRouter, Perplexity, xAI, LiteLLM, vLLM, LM Studio, Ollama",
    _detect,
    _records,
    _fold,
)
