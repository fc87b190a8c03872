"""What stands around the answer of an API: a log's request and response, a line of a batch, a list of answers."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from medreview.exchange.producers.given import member
from medreview.exchange.producers.producer import NoAnswerError

_PAIRS: Final = (
    ("request", "response"), ("input", "output"), ("modelInput", "modelOutput"), ("request_body", "response_body"),
    ("prompt", "completion"), ("requestBody", "responseBody"), ("kwargs", "response"),
)  # fmt: skip
"""Members of a log that hold what was sent and what came."""
_BODIES: Final = ("body", "json", "inputBodyJson", "outputBodyJson", "content")
_IDS: Final = ("custom_id", "recordId", "key", "requestId", "request_id")


class Enclosed(NamedTuple):
    """An answer as its API gave it, the request before it (``None`` where it is not there) and the id around both."""

    body: Any
    request: Any
    id: str


def enclosed(value: Any, requests: Mapping[str, Any]) -> Enclosed | None:
    """What is in an envelope; ``None`` for a value that is none.

    ``requests``: what was sent, by the id of a batch. Raises :class:`NoAnswerError` for a service's error.
    """
    if not isinstance(value, dict):
        return None
    name = next((str(value[key]) for key in _IDS if isinstance(value.get(key), str | int)), "")
    if "custom_id" in value and (isinstance(value.get("response"), dict) or value.get("error")):
        _refuse_error(value.get("error"), member(value, "response", "status_code"))
        return Enclosed(member(value, "response", "body"), requests.get(name), name)
    if "custom_id" in value and isinstance(value.get("result"), dict):
        result = value["result"]
        if result.get("type") != "succeeded":
            raise NoAnswerError(f"has no answer: the batch says {result.get('type')}")
        return Enclosed(result.get("message"), requests.get(name), name)
    for sent, came in _PAIRS:
        if isinstance(value.get(sent), dict) and isinstance(value.get(came), dict | list):
            return Enclosed(_body(value[came]), _body(value[sent]), name)
    return None


def _body(value: Any) -> Any:
    """What was sent or came, out of what a logger puts around it."""
    inner = next((inner for name in _BODIES if isinstance(inner := member(value, name), dict)), None)
    return value if inner is None or "choices" in value or "messages" in value else inner


def _refuse_error(error: Any, status: Any) -> None:
    if error or (isinstance(status, int) and status >= 400):
        said = member(error, "message") or member(error, "code") or status
        raise NoAnswerError(f"has no answer: the service reported an error ({str(said)[:80]})")


def request_of(value: Any) -> tuple[str, Any] | None:
    """The id and the body of a line of a batch's input, ``None`` for anything else."""
    if not isinstance(value, dict) or "response" in value or "result" in value or "modelOutput" in value:
        return None
    for inner in ("body", "params", "request", "modelInput"):
        if isinstance(value.get(inner), dict):
            name = next((str(value[key]) for key in _IDS if isinstance(value.get(key), str | int)), "")
            return (name, value[inner]) if name else None
    return None
