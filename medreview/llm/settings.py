"""One configured judge: the table ``[judges.NAME]`` of ``medreview.toml``."""

import ipaddress
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Final
from urllib.parse import urlsplit

from medreview.errors import UserError

_ENVIRONMENT: Final = re.compile(r"[A-Z_][A-Z0-9_]*")
_OURS: Final = frozenset(
    {"model", "messages", "response_format", "stream", "n", "tools", "tool_choice", "functions", "extra_headers"}
)
_TYPES: Final[Mapping[str, tuple[tuple[type, ...], str]]] = {
    "model": ((str,), "a text"),
    "base_url": ((str,), "a text"),
    "api_key_env": ((str,), "a text"),
    "params": ((dict,), "a table"),
    "price_input": ((int, float), "a number"),
    "price_output": ((int, float), "a number"),
    "concurrency": ((int,), "a whole number"),
    "context_tokens": ((int,), "a whole number"),
    "timeout": ((int, float), "a number"),
}


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """A model behind an address. A key is never held here: only the name of the environment variable that has it."""

    name: str
    model: str
    base_url: str
    api_key_env: str = ""
    """The environment variable with the key; ``""``: no key is sent."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """Sent with every request as they are: temperature, max_tokens, ... Nothing is sent that is not named here."""
    price_input: float | None = None
    """Per million prompt tokens, in the reviewer's currency."""
    price_output: float | None = None
    """Per million completion tokens."""
    concurrency: int = 4
    """Requests under way at once."""
    context_tokens: int = 128_000
    """The most tokens that prompt and answer may have together."""
    timeout: float = 120.0
    """Seconds for one request, from start to the last byte."""

    @property
    def host(self) -> str:
        """The host and, when it is named, the port: ``localhost:8000``. Never a user name or password."""
        parts = urlsplit(self.base_url)
        name = parts.hostname or ""
        name = f"[{name}]" if ":" in name else name
        return f"{name}:{parts.port}" if parts.port else name

    @property
    def is_local(self) -> bool:
        """Whether what is asked stays on this machine: the host is a loopback address or ``localhost``."""
        name = (urlsplit(self.base_url).hostname or "").rstrip(".").lower()
        if name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False

    @property
    def key(self) -> str:
        """The key from the environment; ``""`` when none is configured or none is set."""
        return os.environ.get(self.api_key_env, "").strip() if self.api_key_env else ""


def judges_from(tables: Mapping[str, Any], where: object) -> dict[str, JudgeSettings]:
    """The judges of the tables ``[judges.NAME]``; ``where`` is the file, for messages.

    Raises :class:`UserError` naming the judge and the key that is unknown, missing or wrong. Values are never
    repeated: one of them may be a key that does not belong there.
    """
    return {name: _judge(name, told, f"In the settings {where}, judge {name!r}") for name, told in tables.items()}


def _judge(name: str, told: Any, place: str) -> JudgeSettings:
    if not isinstance(told, dict):
        raise UserError(f"{place} must be a table [judges.{name}] with `model` and `base_url`.")
    if not name.strip() or not name.isprintable() or name == "offline":
        raise UserError(f"{place} needs another name; 'offline' is the judge without a model.")
    if {"api_key", "key", "token"} & told.keys():
        raise UserError(f"{place} holds a key; put it into an environment variable and name that as `api_key_env`.")
    for key, value in told.items():
        if key not in _TYPES:
            raise UserError(f"{place} has an unknown key {key!r}; known are {', '.join(_TYPES)}.")
        kinds, wanted = _TYPES[key]
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise UserError(f"{place}: {key!r} must be {wanted}.")
    for item in fields(JudgeSettings):
        if (
            item.name != "name"
            and item.default is MISSING
            and item.default_factory is MISSING
            and not told.get(item.name)
        ):
            raise UserError(f"{place}: {item.name!r} is missing.")
    settings = JudgeSettings(name=name, **told)
    _check(settings, place)
    return settings


def _check(settings: JudgeSettings, place: str) -> None:
    try:
        parts = urlsplit(settings.base_url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"\s", settings.base_url) or parts.username is not None or parts.query or parts.fragment:
        raise UserError(
            f"{place}: 'base_url' must be an address such as https://api.openai.com/v1 or http://localhost:8000/v1, "
            "without a user name, `?` or `#`."
        )
    if settings.api_key_env and not _ENVIRONMENT.fullmatch(settings.api_key_env):
        raise UserError(f"{place}: 'api_key_env' must name an environment variable in capitals, not hold the key.")
    for key in settings.params:
        if key in _OURS:
            raise UserError(f"{place}: {key!r} cannot stand under `params`; medreview sets it.")
    for key in ("concurrency", "context_tokens", "timeout"):
        if not 0 < getattr(settings, key) < float("inf"):
            raise UserError(f"{place}: {key!r} must be above 0.")
    for key in ("price_input", "price_output"):
        if not 0 <= (getattr(settings, key) or 0) < float("inf"):
            raise UserError(f"{place}: {key!r} must not be below 0.")


def choose(judges: Mapping[str, JudgeSettings], names: Iterable[str]) -> list[JudgeSettings]:
    """The judges of these names, in their order, each once; raises :class:`UserError` naming those there are."""
    chosen = dict.fromkeys(names)
    for name in chosen:
        if name not in judges:
            there = f"there are: {', '.join(judges)}" if judges else "the settings have no table [judges.NAME]"
            raise UserError(f"There is no judge {name!r}; {there}.")
    return [judges[name] for name in chosen]


def keep_local(judges: Iterable[JudgeSettings]) -> None:
    """Raise :class:`UserError` when one of the judges is not on this machine: for ``--local-only``."""
    away = [f"{judge.name} ({judge.host})" for judge in judges if not judge.is_local]
    if away:
        raise UserError(f"--local-only: not on this machine: {', '.join(away)}. Nothing was sent.")


def leaves_for(judges: Iterable[JudgeSettings]) -> str:
    """A sentence that names where texts go outside this machine; ``""`` when they stay."""
    away = [judge for judge in judges if not judge.is_local]
    if not away:
        return ""
    hosts = ", ".join(sorted({judge.host for judge in away}))
    bare = any(judge.base_url.lower().startswith("http://") for judge in away)
    return (
        f"Questions, statements and sources leave this machine for {hosts}{', unencrypted' if bare else ''}. They must "
        "not hold what identifies a patient; --local-only refuses this."
    )
