"""A request to a judge, and its answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from medreview.llm.settings import JudgeSettings
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
    """Counted from 1: after an answer that satisfies the schema and is no good all the same, the same is asked anew."""
    about: str = ""
    """What it is about, for people and for recorded answers (``llm.recorded``); neither sent nor part of the key."""
    repair: bool = True
    """Whether an answer of another form is sent back once, to be mended; no part of the key."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a request. Anything but ``ok`` is an abstention: there is no value, and never a guessed label.

    ``unparsable``: no object that satisfies the schema, even after one repair turn. ``truncated``: the answer or,
    silently, the prompt was truncated. ``refused``: the model or a content filter declined. ``timeout``: no complete
    answer in time. ``error``: the server or the connection failed. ``skipped``: not sent, because the circuit breaker
    is open or the request exceeds the context window.
    """

    status: Status
    value: Mapping[str, Any] | None
    """The validated object when ``ok``."""
    raw: str
    """The model's complete output, for every status with any."""
    error: str
    """One sentence, without keys; ``""`` when ``ok``."""
    prompt_tokens: int | None
    completion_tokens: int | None
    """As reported by the server, summed over all tries that it answered; ``None`` when it reported nothing."""
    latency_ms: int
    """From the start of the first try to the end of the last, backoff included, queueing for a slot excluded."""
    cost: float | None
    """By the configured prices; ``None`` without prices or token counts."""
    tries: int
    """HTTP requests sent, repair turns and retries included."""
    rung: ResponseFormat
    """The response format of the last request; ``""`` when nothing was sent."""
    cached: bool
    cache_key: str
    kept: int = 0
    """Of ``tries``: came back as a completion."""
    declined: int = 0
    """Of ``tries``: came back as an error of the server. The rest was lost: it may have been answered, and paid."""


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
