"""A request to a judge, its response format, and its answer.

Structured output and parameters are negotiated with a server: what it rejects is not sent again.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from medreview.llm.settings import JudgeSettings
from medreview.storable import storable_text
from medreview.text import sha256

Status = Literal["ok", "unparsable", "truncated", "refused", "timeout", "error", "skipped"]
ResponseFormat = Literal["json_schema", "json_object", "plain", ""]

STATUSES: Final[tuple[Status, ...]] = ("ok", "unparsable", "truncated", "refused", "timeout", "error", "skipped")

ENDED: Final[tuple[Status, ...]] = ("ok", "unparsable", "truncated", "refused")
"""Statuses of questions that a model has answered, usably or not; with the others it has said nothing."""


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One request: the messages as sent, and the flat JSON schema that the answer must satisfy."""

    task: str
    prompt_id: str
    prompt_sha256: str
    messages: tuple[Mapping[str, str], ...]
    schema: Mapping[str, Any]
    attempt: int = 1
    """Counted from 1: after an answer that satisfies the schema and is still unusable, the same is asked again."""
    about: str = ""
    """What it is about, for people and for recorded answers; neither sent nor part of the key."""
    repair: bool = True
    """Whether an answer of another form is sent back once, to be mended; no part of the key."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The outcome of a request. Anything but ``ok`` is an abstention: there is no value, and never a guessed label.

    ``unparsable``: no object that satisfies the schema, even after one repair turn. ``truncated``: the answer or,
    silently, the prompt was truncated. ``refused``: the model or a content filter declined. ``timeout``: no complete
    answer in time. ``error``: the server or the connection failed. ``skipped``: not sent, because the circuit breaker
    is open or the request exceeds the context window.
    """

    status: Status
    value: Mapping[str, Any] | None = None
    """The validated object when ``ok``."""
    raw: str = ""
    """The model's complete output, for every status with any."""
    error: str = ""
    """One sentence, without keys; ``""`` when ``ok``."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    """As reported by the server, summed over all tries that it answered; ``None`` when it reported nothing."""
    latency_ms: int = 0
    """From the start of the first try to the end of the last, backoff included, queueing for a slot excluded."""
    cost: float | None = None
    """By the configured prices; ``None`` without prices or token counts."""
    tries: int = 0
    """HTTP requests sent, repair turns and retries included."""
    rung: ResponseFormat = ""
    """The response format of the last request; ``""`` when nothing was sent."""
    cached: bool = False
    cache_key: str = ""
    kept: int = 0
    """Of ``tries``: came back as a completion."""
    declined: int = 0
    """Of ``tries``: the server answered with an error, or there was no connection to it, so that nothing is paid. The
    rest was lost: it may have been answered, and paid."""
    label_probabilities: Mapping[str, float] = field(default_factory=dict)
    """How probable each label was (``llm.label_probability``); empty where the server does not say."""
    repairable: bool = False
    """Whether a repair turn that names the problem may help."""


def params_of(params: Mapping[str, Any], request: JudgeRequest) -> dict[str, Any]:
    """The parameters to send: each further attempt has the next seed, or a server with a fixed one repeats itself."""
    seed = params.get("seed")
    further = request.attempt - 1
    return {**params, "seed": seed + further} if further and isinstance(seed, int) else dict(params)


def cache_key(settings: JudgeSettings, request: JudgeRequest) -> str:
    """SHA-256 over base URL, model, parameters, prompt, schema, messages and, from the second on, the attempt: equal
    for the same question to the same model."""
    identity: dict[str, Any] = {
        "base_url": settings.base_url.rstrip("/"),
        "model": settings.model,
        "params": dict(settings.params),
        "prompt": request.prompt_sha256,
        "schema": request.schema,
        "messages": [dict(message) for message in request.messages],
    }
    if request.attempt > 1:  # or an unusable text would be returned for ever
        identity["attempt"] = request.attempt
    return sha256(json.dumps(identity, sort_keys=True, ensure_ascii=False, separators=(",", ":")))


FORMATS: Final[tuple[ResponseFormat, ...]] = ("json_schema", "json_object", "plain")
_NEW_NAME: Final = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_NO_PROBABILITIES: Final = (
    "Its server gives no log probabilities of the label, so that no score is stored; `samples` in its settings "
    "measures one by asking several times."
)
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")


class FormatNegotiator:
    """The strictest response format and the parameters that the server of a judge has not rejected.

    The formats, from strict to loose, are those of ``FORMATS``; the table ``llm_call`` has them in its column ``rung``.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        self._model = settings.model
        self._asks_probabilities = bool(settings.params.get("logprobs") or settings.params.get("top_logprobs"))
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

    def without_probabilities(self) -> None:
        """The server gave no log probabilities though the settings ask for them: said once."""
        if self._asks_probabilities and _NO_PROBABILITIES not in self.changes:
            self.changes.append(_NO_PROBABILITIES)

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
