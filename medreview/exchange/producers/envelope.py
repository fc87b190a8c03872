"""What stands around the answer of an API: a log's request and response, a line of a batch, a question beside it."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from medreview.exchange.imports.json_rows import DECODER
from medreview.exchange.producers.container import Events, events_in
from medreview.exchange.producers.given import NoAnswerError, items, member, text_at

_CAME: Final = ("response", "output", "modelOutput", "response_body", "responseBody", "completion", "result", "body",
                "raw_response", "answer")  # fmt: skip
_SENT: Final = ("request", "input", "modelInput", "request_body", "requestBody", "prompt", "messages", "params",
                "kwargs", "question", "query")  # fmt: skip
"""Members of a log that hold what came, and what was sent."""
_BODIES: Final = ("body", "json", "inputBodyJson", "outputBodyJson", "content", "parsed_body")
_IDS: Final = ("custom_id", "recordId", "key", "requestId", "request_id", "id")
_LISTS: Final = ("results", "data", "responses", "records", "items", "logs")
_MODELS: Final = ("modelId", "model", "model_name")
_TIMES: Final = ("created_at", "timestamp", "created", "processed_time")


class Enclosed(NamedTuple):
    """An answer as its API gave it, the request before it (``None`` where it is not there), and what stands around
    both: an id, a model and a time, ``""`` for none."""

    body: Any
    request: Any
    id: str
    model: str = ""
    created: Any = ""


def enclosed(value: Any, requests: Mapping[str, Any]) -> Enclosed | None:
    """What is in an envelope; ``None`` for any other value.

    ``requests``: what was sent, by the id of a batch. Raises :class:`NoAnswerError` for a service's error.
    """
    if not isinstance(value, dict):
        return None
    name = _id_of(value)
    came = _came(value)
    if not {"custom_id", "recordId", "key"}.isdisjoint(value) or {"request", "status"} <= value.keys():
        _refuse_error(value, came)
    if came is None:
        return None
    sent = next((value[one] for one in _SENT if value.get(one)), None)
    request = _body(sent) if isinstance(sent, dict) else {"messages": sent} if isinstance(sent, str | list) else None
    body = came["message"] if came.get("type") == "succeeded" and "message" in came else _body(came)
    return Enclosed(
        body,
        requests.get(name) or request,
        name,
        next((text_at(place, one) for one in _MODELS for place in (value, request) if text_at(place, one)), ""),
        next((value[one] for one in _TIMES if isinstance(value.get(one), str | int | float)), ""),
    )


def listed(value: Any) -> list[dict[str, Any]]:
    """The records of an object that is a list of them with something about all; none of any other."""
    return next((found for name in _LISTS if (found := items(value, name))), [])


def _id_of(value: Mapping[str, Any]) -> str:
    return next((text_at(value, name) for name in _IDS if text_at(value, name)), "")


def _came(value: Mapping[str, Any]) -> Any:
    """The answer of a log, be it JSON in a text, the text of a stream or a list of chunks; ``None`` for none."""
    for name in _CAME:
        found = value.get(name)
        if isinstance(found, str) and found.lstrip()[:5] in ("data:", "event"):
            return {"body": Events(events_in(found))}
        found = _unfolded(found)
        if isinstance(found, dict) or items(found):
            return found if isinstance(found, dict) else {"body": found}
    return None


def _unfolded(value: Any) -> Any:
    """JSON that stands in a text; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return DECODER.decode(value)
        except (ValueError, RecursionError):
            return value
    return value


def _body(value: dict[str, Any]) -> Any:
    """What was sent or came, out of what a logger puts around it."""
    if not {"choices", "messages", "candidates", "contents"}.isdisjoint(value):
        return value
    found = (_unfolded(value.get(name)) for name in _BODIES if name != "content" or "type" not in value)
    return next((inner for inner in found if isinstance(inner, dict | Events) or items(inner)), value)


def _refuse_error(value: Mapping[str, Any], came: Any) -> None:
    """Raise :class:`NoAnswerError` for a line of a batch that the service did not answer."""
    error = value.get("error") or member(came, "error")
    status = member(came, "status_code")
    if isinstance(came, dict) and came.get("type") in ("errored", "canceled", "expired"):
        raise NoAnswerError(f"has no answer: the batch says {came['type']}")
    if error or (isinstance(status, int) and status >= 400) or (not came and "request" in value):
        said = (
            member(error, "message|code|errorMessage") or error
            or member(came, "body.error.message") or status or value.get("status")
        )  # fmt: skip
        raise NoAnswerError(f"has no answer: the service reported an error ({str(said)[:80]})")


def request_of(value: Any) -> tuple[str, Any] | None:
    """The id and the body of a line of a batch's input, ``None`` for anything else."""
    if not isinstance(value, dict) or not {"response", "result", "modelOutput"}.isdisjoint(value):
        return None
    name = _id_of(value)
    inner = next((value[one] for one in ("body", "params", "request", "modelInput") if value.get(one)), None)
    return (name, inner) if name and isinstance(inner, dict) else None
