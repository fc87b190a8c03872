"""An answer that came as a stream of events, although none was asked for: its pieces joined to one completion."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from medreview.llm.bounded_json import NotJsonError, decode

END: Final = "data: [DONE]"
"""The last line of a stream, by which a server may leave the connection open."""
TYPE: Final = "text/event-stream"
MOST_EVENTS: Final = 200_000
"""Of one stream; an event is a token or so, and no model writes as many."""
_LINE: Final = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_STARTS: Final = ("data:", "event:", "id:", ": ", ":\n", "retry:")


def is_event_stream(content_type: str, text: str) -> bool:
    """Whether a body is a stream of events, by its type or, where that is wrong, by its first line."""
    return content_type.strip().lower().startswith(TYPE) or text.lstrip("\ufeff\r\n ").startswith(_STARTS)


def completion_of(text: str) -> dict[str, Any]:
    """The chat completion that the events make up, in the form in which it comes whole.

    An event with a whole message, or with an error, is taken as it is. Raises
    :class:`~medreview.llm.bounded_json.NotJsonError` when an event is no JSON, or the stream has no end: neither the
    last line nor a reason why the model stopped.
    """
    told: dict[str, list[str]] = {"content": [], "refusal": []}
    annotations: list[Any] = []
    beside: dict[str, Any] = {}
    finish: Any = None
    usage: Any = None
    ended = False
    for data in _events(text):
        if data == "[DONE]":
            ended = True
            break
        event = decode(data)
        if not isinstance(event, Mapping):
            continue
        if event.get("error"):
            return dict(event)
        usage = event.get("usage") or usage
        beside |= {name: event[name] for name in ("citations", "search_results") if event.get(name)}
        choice = _choice(event)
        if isinstance(choice.get("message"), Mapping):
            return dict(event)
        delta = choice.get("delta")
        for name, pieces in told.items():
            piece = delta.get(name) if isinstance(delta, Mapping) else None
            if isinstance(piece, str):
                pieces.append(piece)
        more = delta.get("annotations") if isinstance(delta, Mapping) else None
        annotations += more if isinstance(more, list) else []
        finish = choice.get("finish_reason") or finish
    if not ended and finish is None:
        raise NotJsonError("The stream of events broke off.")
    message: dict[str, Any] = {name: "".join(pieces) for name, pieces in told.items()}
    message |= {"annotations": annotations} if annotations else {}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage, **beside}


def _events(text: str) -> Iterator[str]:
    """The data of each event. A line that begins an object is an event by itself, also without the empty line."""
    lines: list[str] = []
    count = 0
    for found in _LINE.finditer(text.lstrip("\ufeff")):
        line = found[1]
        is_data = line.startswith("data:")
        data = line.removeprefix("data:").removeprefix(" ")
        if lines and (not line.strip() or (is_data and data.startswith(("{", "[DONE]")))):
            count += 1
            if count > MOST_EVENTS:
                raise NotJsonError(f"It is a stream of more than {MOST_EVENTS:,} events.", bound=True)
            yield "\n".join(lines).strip()
            lines = []
        if is_data:
            lines.append(data)
    if lines:
        yield "\n".join(lines).strip()


def _choice(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first answer of an event; the last event, with the count of tokens, has none."""
    choices = event.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and choice.get("index", 0) == 0:
            return choice
    return {}
