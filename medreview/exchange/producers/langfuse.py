"""Langfuse's exports of traces: what went into the outermost run and came out of it, what was retrieved, the scores."""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.imports.json_rows import DECODER
from medreview.exchange.producers.evaluated import asked_by, contexts, scores
from medreview.exchange.producers.given import Given, Producer, items, member, role_of, text_at, texts_in

_ASKED: Final = ("question", "query", "input", "user_input", "prompt", "text", "args")
_SAID: Final = ("answer", "output", "response", "result", "completion", "content", "text")
_WRITTEN: Final = 3
"""How often a value may be written out as JSON inside of JSON."""


def _detect(value: Any) -> bool:
    return any("input" in trace and "output" in trace for trace in _traces(value)[:1])


def _traces(value: Any) -> list[dict[str, Any]]:
    """The traces of a value, each with its observations: of a page of the API, of a file, or one that stands alone."""
    if listed := [one for one in items(member(value, "data")) if "htmlPath" in one]:
        return listed
    if isinstance(trace := member(value, "trace"), dict) and "observations" in value:
        return [{**trace, "observations": value["observations"]}]
    return [value] if isinstance(value, dict) and "htmlPath" in value else []


def _records(value: Any, request: Any) -> Iterator[Given]:
    for trace in _traces(value):
        runs = items(trace.get("observations"))
        written = [run for run in runs if run.get("type") == "GENERATION" and run.get("output")]
        outermost = next((one for one in (trace, *written[-1:]) if one.get("output")), trace)
        question, turns = _asked(_decoded(outermost.get("input")))
        retrieved = [
            _decoded(run.get("output"))
            for run in runs
            if run.get("type") == "RETRIEVER" or "retriev" in text_at(run, "name")
        ]
        found = [contexts(member(one, "documents") or one) for one in retrieved]
        yield Given(
            response=_said(_decoded(outermost.get("output"))),
            question=question,
            turns=turns,
            id=text_at(trace, "id"),
            model=next((name for run in reversed(written) if (name := text_at(run, "model"))), ""),
            created=trace.get("timestamp"),
            cites=list({cite.cited: cite for cites, _ in found for cite in cites}.values()),
            texts=[text for _, texts in found for text in texts],
            left=[text_at(run, "type").casefold() or "run" for run in runs],
            extra={
                name: told
                for name, told in (
                    ("name", trace.get("name")),
                    ("tags", trace.get("tags")),
                    ("session", trace.get("sessionId")),
                    ("scores", scores(trace.get("scores"))),
                )
                if told
            },
        )


def _decoded(value: Any) -> Any:
    """A value that may be written out as JSON, perhaps more than once."""
    for _ in range(_WRITTEN):
        if not isinstance(value, str) or value.strip()[:1] not in ('"', "[", "{"):
            break
        try:
            value = DECODER.decode(value)
        except (ValueError, RecursionError):
            break
    return value


def _asked(sent: Any) -> tuple[str, list[Any]]:
    found = member(sent, "messages") or next((sent[name] for name in _ASKED if member(sent, name)), None) or sent
    messages = [one for one in items(found) if "role" in one or "type" in one]
    question, turns = asked_by(messages or found)
    return question or "\n".join(texts_in(found)), turns


def _said(came: Any) -> str:
    """The text that came out: alone, in an object under a name for it, or the assistant's last message."""
    if message := member(came, "choices", 0, "message"):
        return "\n".join(texts_in(member(message, "content")))
    messages = items(member(came, "messages") or came)
    spoken = [one for one in messages if role_of(one.get("role") or one.get("type")) == "assistant"]
    found = spoken[-1].get("content") if spoken else next((came[name] for name in _SAID if member(came, name)), came)
    return _said(found) if isinstance(found, dict) and found is not came else "\n".join(texts_in(found))


PRODUCER = Producer("Langfuse", "traces that Langfuse exports as JSON", _detect, _records)
