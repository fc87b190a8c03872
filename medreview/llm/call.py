"""A request to a judge and what became of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from medreview.llm.settings import JudgeSettings
from medreview.text import sha256

Status = Literal["ok", "unparsable", "truncated", "refused", "timeout", "error", "skipped"]
Rung = Literal["json_schema", "json_object", "plain", ""]

STATUSES: Final[tuple[Status, ...]] = ("ok", "unparsable", "truncated", "refused", "timeout", "error", "skipped")


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: the messages as they are sent, and the flat JSON schema that the answer must satisfy."""

    task: str
    prompt_id: str
    prompt_sha256: str
    messages: tuple[Mapping[str, str], ...]
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request. Anything but ``ok`` is an abstention: there is no value, and never a guessed label.

    ``unparsable``: no object that satisfies the schema, also after one repair turn. ``truncated``: the answer or,
    unseen, the prompt was cut. ``refused``: the model or a filter declined. ``timeout``: no whole answer in time.
    ``error``: the server or the way to it failed. ``skipped``: not asked, because this judge is dead or the request
    is over its context.
    """

    status: Status
    value: Mapping[str, Any] | None
    """The validated object when ``ok``."""
    raw: str
    """What the model wrote, whole, for every status that has any."""
    error: str
    """One sentence, without keys; ``""`` when ``ok``."""
    prompt_tokens: int | None
    completion_tokens: int | None
    """As the server counted, over all tries that it answered; ``None`` when it never said."""
    latency_ms: int
    """From the first try to the end of the last, waits between tries included; not the wait for a free place."""
    cost: float | None
    """By the configured prices; ``None`` without prices or counts."""
    tries: int
    """HTTP requests sent, repair turns and retries included."""
    rung: Rung
    """How the form of the answer was asked for; ``""`` when nothing was sent."""
    cached: bool
    cache_key: str


def cache_key(settings: JudgeSettings, ask: Ask) -> str:
    """SHA-256 over host, model, parameters, prompt, schema and messages: the same question to the same model."""
    told = {
        "base_url": settings.base_url.rstrip("/"),
        "model": settings.model,
        "params": dict(settings.params),
        "prompt": ask.prompt_sha256,
        "schema": ask.schema,
        "messages": [dict(message) for message in ask.messages],
    }
    return sha256(json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":")))
