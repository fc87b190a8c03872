"""What a server's error means: try again, ask otherwise, or give up, and the sentence for it."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal

from medreview.llm.completion import has_choice
from medreview.llm.parse import sound
from medreview.llm.transport import Reply

Kind = Literal["again", "busy", "form", "parameter", "unclear", "overflow", "refused", "unfit", "request", "dead"]

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
# llama.cpp: an answer that came to the length limit before its JSON was whole is an error of the server.
_UNFIT: Final = re.compile(r"model produced output that does not match", re.I)
_SPENT: Final = re.compile(r"insufficient.?(?:quota|funds|balance|credit)", re.I)
_TRANSIENT: Final = frozenset({408, 409, 425})
_ASKED_WRONGLY: Final = frozenset({400, 404, 415, 422, 501})
_SAID: Final = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """``parameter`` names what the server does not take; ``wait`` is the pause that it asks for, in seconds.

    ``again``: worth another try. ``busy``: the same, and others fare no better just now. ``form``: the answer's form
    cannot be asked for in this way. ``unclear``: the request is at fault and nothing says how. ``unfit``: the model
    did answer, and the server could make nothing of it. ``dead``: no other request would fare better.
    """

    kind: Kind
    sentence: str
    parameter: str = ""
    wait: float | None = None


def diagnose(reply: Reply, parameters: Collection[str]) -> Fault | None:
    """What is wrong with a reply to a request with these parameters; ``None`` when it is a chat completion."""
    if reply.status == 200 and has_choice(reply.data):
        return None
    status, said, named = _said(reply)
    wait = _wait(reply)
    if reply.status == 200 and not said:
        return Fault("again", _unusable(reply), wait=wait)
    sentence = f"The server answered {status}" + (f": {said}" if said else _page(reply))
    if status in {401, 402} or _SPENT.search(said):
        return Fault("dead", sentence)
    if status in {400, 403} and _FILTERED.search(said):
        return Fault("refused", sentence)
    if status in {400, 413, 422} and _OVERFLOW.search(said):
        return Fault("overflow", sentence)
    if _UNFIT.search(said):
        return Fault("unfit", sentence)
    if status in _ASKED_WRONGLY or status == 500:
        if _FORM.search(f"{said} {named}"):
            return Fault("form", sentence)
        parameter = _parameter(said, named, parameters)
        if parameter and _UNSUPPORTED.search(said):
            return Fault("parameter", sentence, parameter)
    if status == 429 or (status == 503 and wait is not None):
        return Fault("busy", sentence, wait=wait)
    if status in _TRANSIENT or status >= 500:
        return Fault("again", sentence, wait=wait)
    return Fault("unclear" if status in {400, 422} else "request", sentence)


def _said(reply: Reply) -> tuple[int, str, str]:
    """Status, message and named parameter. Some services send their errors with status 200."""
    data = reply.data
    error = data.get("error", data.get("detail", data)) if isinstance(data, dict) else None
    if isinstance(error, dict):
        code = error.get("code")
        inner = code if isinstance(code, int) and 400 <= code < 600 else 500
        status = inner if reply.status == 200 else reply.status
        said = " ".join(_flat(error.get(name)) for name in ("message", "code", "type") if error.get(name))
        if reply.status == 200 and not said:
            return 200, "", ""
        return status, _short(said), _flat(error.get("param"))
    if reply.status == 200:
        return (500, _short(error), "") if isinstance(error, str) else (200, "", "")
    if error is None and _is_page(reply):
        return reply.status, "", ""
    return reply.status, _short(_flat(error) if error is not None else reply.text), ""


def _flat(value: Any) -> str:
    """A message in words. Validation errors name the place; what was sent, which they repeat, is left out."""
    if isinstance(value, list):
        return "; ".join(map(_flat, value[:5]))
    if isinstance(value, dict):
        place = value.get("loc")
        where = ".".join(map(str, place)) + ": " if isinstance(place, list) else ""
        return f"{where}{value.get('msg', value.get('message', ''))} {value.get('type', '')}".strip()
    return str(value) if isinstance(value, str | int) else ""


def _short(text: str) -> str:
    return sound(" ".join(text[: 4 * _SAID].split())[:_SAID])


def _parameter(said: str, named: str, parameters: Collection[str]) -> str:
    for name in sorted(parameters, key=len, reverse=True):
        if named == name or re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", said):
            return name
    return ""


def _page(reply: Reply) -> str:
    return " with a web page; check `base_url`." if _is_page(reply) else "."


def _is_page(reply: Reply) -> bool:
    return "<html" in reply.text[:2000].lower() or "text/html" in reply.headers.get("content-type", "")


def _unusable(reply: Reply) -> str:
    if _is_page(reply):
        return "A web page came back in place of an answer; check `base_url`."
    if reply.data is None:
        return "What came back is not JSON." if reply.text.strip() else "What came back is empty."
    return "The server's answer holds no message."


def _wait(reply: Reply) -> float | None:
    """Seconds from ``Retry-After-Ms`` or ``Retry-After``, which may be a number or a date."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        told = reply.headers.get(name, "").strip()
        if not told:
            continue
        try:
            seconds = float(told) * scale
        except ValueError:
            try:
                date = parsedate_to_datetime(told)
            except ValueError:
                continue
            seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
        if seconds == seconds:
            return max(0.0, seconds)
    return None
