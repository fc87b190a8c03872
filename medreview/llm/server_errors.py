"""Classification of a server's errors: retry, change the request, or give up; with a sentence for each."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal

from medreview.llm.completion import has_choice
from medreview.llm.transport import Reply
from medreview.storable import storable_text

Kind = Literal[
    "transient", "rate_limit", "format", "parameter", "bad_request", "overflow", "refused", "invalid_output",
    "unreadable", "request", "permanent",
]  # fmt: skip

_FORM: Final = re.compile(r"response_?format|json_?schema|json_?object|structured.?output|guided|grammar", re.I)
_UNSUPPORTED: Final = re.compile(
    r"unsupported|not support|n['’]t support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed"
    r"|extra_forbidden|extra inputs|not available|incompatible",
    re.I,
)
_OVERFLOW: Final = re.compile(
    r"context.?length|context.?size|context.?window|maximum context|too many tokens|prompt is too long"
    r"|exceeds? the .*context",
    re.I,
)
_FILTERED: Final = re.compile(r"content.?filter|content.?management|content.?policy|flagged|moderation", re.I)
# llama.cpp: an answer that reaches the length limit before its JSON is complete is reported as a server error.
_INVALID_OUTPUT: Final = re.compile(r"model produced output that does not match", re.I)
_QUOTA: Final = re.compile(r"insufficient.?(?:quota|funds|balance|credit)", re.I)
_TRANSIENT: Final = frozenset({408, 409, 425})
_BAD_REQUEST: Final = frozenset({400, 404, 415, 422, 501})
_LONGEST_MESSAGE: Final = 300
_LONGEST_PAUSE: Final = 31 * 86_400
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error of a kind; ``parameter`` is the one that the server rejects, ``wait`` the requested pause in seconds.

    ``transient``: worth a retry. ``rate_limit``: the same, and it concerns all requests. ``format``: the server does
    not support the response format. ``bad_request``: the request is invalid for an unknown reason. ``overflow``: the
    prompt exceeds the context window. ``refused``: a content filter declined. ``invalid_output``: the model answered,
    but the server could not parse its output. ``unreadable``: the answer goes over a bound. ``request``: this request
    fails, others may not. ``permanent``: every other request would fail, too.
    """

    kind: Kind
    sentence: str
    parameter: str = ""
    wait: float | None = None
    may_be_paid: bool = False
    """It came with status 200 and without an error: the model may have answered, in a way that cannot be read."""


def diagnose(reply: Reply, parameters: Collection[str]) -> ServerError | None:
    """The error in a reply to a request with these parameters; ``None`` for a chat completion."""
    if reply.status == 200 and has_choice(reply.data):
        return None
    if reply.status == 200 and reply.problem:
        return ServerError("unreadable", f"The answer cannot be read. {reply.problem}", may_be_paid=True)
    status, message, named = _message(reply)
    wait = _retry_after(reply)
    if reply.status == 200 and not message:
        return ServerError("transient", _unusable(reply), wait=wait, may_be_paid=not _is_page(reply))
    sentence = f"The server answered {status}" + (f": {message}" if message else _page_hint(reply))
    if status in {401, 402} or _QUOTA.search(message):
        return ServerError("permanent", sentence)
    if status in {400, 403} and _FILTERED.search(message):
        return ServerError("refused", sentence)
    if status in {400, 413, 422} and _OVERFLOW.search(message):
        return ServerError("overflow", sentence)
    if _INVALID_OUTPUT.search(message):
        return ServerError("invalid_output", sentence)
    if status in _BAD_REQUEST or status == 500:
        if _FORM.search(f"{message} {named}"):
            return ServerError("format", sentence)
        parameter = _parameter(message, named, parameters)
        if parameter and _UNSUPPORTED.search(message):
            return ServerError("parameter", sentence, parameter)
    if status == 429 or (status == 503 and wait is not None):
        return ServerError("rate_limit", sentence, wait=wait)
    if status in _TRANSIENT or status >= 500:
        return ServerError("transient", sentence, wait=wait)
    return ServerError("bad_request" if status in {400, 422} else "request", sentence)


def _message(reply: Reply) -> tuple[int, str, str]:
    """Status, message and named parameter. Some services send their errors with status 200."""
    data = reply.data
    error = data.get("error", data.get("detail", data)) if isinstance(data, dict) else None
    if isinstance(error, dict):
        code = error.get("code")
        inner = code if isinstance(code, int) and 400 <= code < 600 else 500
        status = inner if reply.status == 200 else reply.status
        message = " ".join(_as_text(error.get(name)) for name in ("message", "code", "type") if error.get(name))
        if reply.status == 200 and not message:
            return 200, "", ""
        return status, _shortened(message), _as_text(error.get("param"))
    if reply.status == 200:
        return (500, _shortened(error), "") if isinstance(error, str) else (200, "", "")
    if error is None and _is_page(reply):
        return reply.status, "", ""
    return reply.status, _shortened(_as_text(error) if error is not None else reply.text), ""


def _as_text(value: Any) -> str:
    """A message as text. Of validation errors the location is kept, the input that they repeat is dropped."""
    if isinstance(value, list):
        return "; ".join(map(_as_text, value[:5]))
    if isinstance(value, dict):
        place = value.get("loc")
        where = ".".join(map(str, place)) + ": " if isinstance(place, list) else ""
        return f"{where}{value.get('msg', value.get('message', ''))} {value.get('type', '')}".strip()
    return str(value) if isinstance(value, str | int) else ""


def _shortened(text: str) -> str:
    words = _CONTROLS.sub(" ", text[: 4 * _LONGEST_MESSAGE]).split()
    return storable_text(" ".join(words)[:_LONGEST_MESSAGE])


def _parameter(message: str, named: str, parameters: Collection[str]) -> str:
    for name in sorted(parameters, key=len, reverse=True):
        if named == name or re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", message):
            return name
    return ""


def _page_hint(reply: Reply) -> str:
    return " with a web page; check `base_url`." if _is_page(reply) else "."


def _is_page(reply: Reply) -> bool:
    return "<html" in reply.text[:2000].lower() or "text/html" in reply.headers.get("content-type", "")


def _unusable(reply: Reply) -> str:
    if _is_page(reply):
        return "A web page came back in place of an answer; check `base_url`."
    if reply.data is None:
        return "The server's answer is not JSON." if reply.text.strip() else "The answer is empty."
    return "The server's answer holds no message."


def _retry_after(reply: Reply) -> float | None:
    """Seconds from ``Retry-After-Ms`` or ``Retry-After``, which may be a number or a date.

    ``None`` also where these have passed, or are more than a month: no server means that.
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        header = reply.headers.get(name, "").strip()
        if not header:
            continue
        try:
            seconds = float(header) * scale
        except ValueError:
            try:
                date = parsedate_to_datetime(header)
            except (ValueError, TypeError, OverflowError):
                continue
            seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
        if 0 <= seconds <= _LONGEST_PAUSE:
            return seconds
    return None
