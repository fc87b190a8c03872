"""Negotiation of structured output and parameters with a server: what it rejects is not sent again."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from medreview.llm.call import JudgeRequest, ResponseFormat, params_of
from medreview.llm.settings import JudgeSettings
from medreview.storable import storable_text

FORMATS: Final[tuple[ResponseFormat, ...]] = ("json_schema", "json_object", "plain")
_NEW_NAME: Final = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")


class FormatNegotiator:
    """The strictest response format and the parameters that the server of a judge has not rejected.

    The formats, from strict to loose, are those of ``FORMATS``; the table ``llm_call`` has them in its column ``rung``.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        self._model = settings.model
        self._step = 0
        self._proven = -1
        self.params: dict[str, Any] = dict(settings.params)
        """The parameters to send."""
        self.changes: list[str] = []
        """What was changed, a sentence each, for the reviewer."""

    @property
    def rung(self) -> ResponseFormat:
        """The response format to request."""
        return FORMATS[self._step]

    def body(self, request: JudgeRequest, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """The body of the HTTP request."""
        sent = [{name: storable_text(text) for name, text in message.items()} for message in messages]
        body: dict[str, Any] = {"model": self._model, "messages": sent}
        body |= params_of(self.params, request)
        response_format = response_format_of(request, self.rung)
        if response_format:
            body["response_format"] = response_format
        return body

    def accepted(self, rung: ResponseFormat) -> None:
        """The server answered a request with this response format."""
        self._proven = max(self._proven, FORMATS.index(rung))

    def step_down(self, rung: ResponseFormat, *, sure: bool) -> bool:
        """Fall back to the next looser format; whether the request is worth another try.

        ``sure``: the server named the response format as the reason. Otherwise a format that has worked before is kept.
        Requests that were in flight when another one fell back are just retried.
        """
        step = FORMATS.index(rung)
        if step < self._step:
            return True
        if step == len(FORMATS) - 1 or (not sure and self._proven >= 0):
            return False
        self._step = step + 1
        self.changes.append(f"{rung} was not taken; {self.rung} is used.")
        return True

    def drop(self, name: str, sent: Mapping[str, Any]) -> bool:
        """Omit a parameter from now on, or send it by its alternative name; whether that changes anything."""
        if name not in sent:
            return False
        if name in self.params:
            value = self.params.pop(name)
            other = _NEW_NAME.get(name)
            if other and not any(other in change for change in self.changes):
                self.params[other] = value
                self.changes.append(f"{name} was not taken; it is sent as {other}.")
            else:
                self.changes.append(f"{name} was not taken and is left out.")
        return True


def response_format_of(request: JudgeRequest, rung: ResponseFormat) -> dict[str, Any] | None:
    """The value of ``response_format`` in a request; ``None`` for ``plain``, where only the prompt asks for JSON."""
    if rung == "json_schema":
        name = _NOT_IN_A_NAME.sub("_", request.task)[:64] or "answer"
        return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": dict(request.schema)}}
    return {"type": "json_object"} if rung == "json_object" else None
