"""The settings of one model: the table ``[judges.NAME]`` or ``[models.NAME]`` of ``medreview.toml``."""

import ipaddress
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args
from urllib.parse import urlsplit

from medreview.errors import UserError
from medreview.redaction import redact
from medreview.setting import MODEL_TABLES, about, did_you_mean, settings_in

_ENVIRONMENT: Final = re.compile(r"[A-Z_][A-Z0-9_]*")
_RESERVED: Final = frozenset(
    {"model", "messages", "response_format", "stream", "n", "tools", "tool_choice", "functions", "extra_headers",
     "headers"}
)  # fmt: skip
_OF_A_BATCH: Final = frozenset({"file", "purpose", "limit", "after"})
_NAMES_A_KEY: Final = re.compile(
    r"(?:.*[-_])?(?:api|access|auth|secret|private|client)[-_]?(?:key|token|secret)|(?:proxy[-_])?authorization|key|token"
    r"|secret|password|bearer|credentials?",
    re.IGNORECASE,
)
LONGEST_NAME: Final = 200
"""Characters of a judge's name and of its model's."""
MOST_SAMPLES: Final = 50
_LONGEST_HOST: Final = 253
_AS_IT_IS: Final = re.compile(r"[\w./:@+-]+")
Role = Literal["judge", "model"]
TABLES: Final[Mapping[Role, str]] = dict(zip(get_args(Role), MODEL_TABLES, strict=True))
"""The table of the settings that holds those of a role."""
_LEFT_TO_RIGHT: Final = frozenset({"L", "EN", "ES", "ET", "CS", "ON", "WS", "NSM"})


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """A model behind a base URL. It never contains a key, only the name of the environment variable with it."""

    name: str
    model: str = field(metadata=about("The model, as the server calls it.", example="gpt-4.1"))
    base_url: str = field(
        metadata=about(
            "The address that speaks the OpenAI protocol, without a user name, `?` or `#`.",
            more="llama.cpp listens at :8080/v1, vLLM at :8000/v1, Ollama at :11434/v1.",
            example="http://localhost:8000/v1",
        )
    )
    api_key_env: str = field(
        default="",
        metadata=about(
            "The environment variable with the key; without it no key is sent.",
            more="Its name in capitals; a key never stands in the file.",
            unset="no key",
            example="OPENAI_API_KEY",
        ),
    )
    params: Mapping[str, Any] = field(
        default_factory=dict,
        metadata=about(
            "Sent unchanged with every request: temperature, max_tokens, seed. No other parameter is sent.",
            unset="none",
            example="{temperature = 0, max_tokens = 1000}",
        ),
    )
    price_input: float | None = field(
        default=None,
        metadata=about(
            "Per million prompt tokens, in your currency.", unset="no cost is given", example="2.0", least=0
        ),
    )
    price_output: float | None = field(
        default=None,
        metadata=about("Per million completion tokens.", unset="no cost is given", example="8.0", least=0),
    )
    concurrency: int = field(default=4, metadata=about("Maximum number of concurrent requests.", example="8", above=0))
    context_tokens: int = field(
        default=128_000,
        metadata=about(
            "Context window: maximum tokens of prompt and answer together.",
            more="A longer source is split with overlap.",
            example="32000",
            above=0,
        ),
    )
    samples: int = field(
        default=1,
        metadata=about(
            "How often each question of source verification is asked: the share of answers is its score.",
            more="Needs a temperature above 0.",
            example="5",
            least=1,
            most=MOST_SAMPLES,
        ),
    )
    timeout: float = field(
        default=120.0,
        metadata=about("Seconds for one request, from its start to the last byte of the reply.", example="30", above=0),
    )
    batch_fields: Mapping[str, Any] = field(
        default_factory=dict,
        metadata=about(
            "Sent with a batch: as form fields with its file, and as the query of all other requests.",
            more="LiteLLM needs it to know the model.",
            unset="none",
            example='{model = "gpt-4.1"}',
        ),
    )
    settings_file: str = field(default="", compare=False)
    """The file that these were read from; ``""`` where they were given in Python."""
    role: Role = field(default="judge", compare=False)
    """What it is called: it judges, or as a model it writes what is judged."""
    recorded: Path | None = field(default=None, compare=False)
    """A folder of recorded answers (``RecordedModel``), instead of a server: nothing is sent."""

    @property
    def host(self) -> str:
        """The host and, if given, the port: ``localhost:8000``. Never a user name or password.

        ``recorded`` where answers are recorded.
        """
        if self.recorded:
            return "recorded"
        parts = urlsplit(self.base_url)
        name = parts.hostname or ""
        name = f"[{name}]" if ":" in name else name
        return f"{name}:{parts.port}" if parts.port else name

    @property
    def is_local(self) -> bool:
        """Whether requests stay on this machine: the host is a loopback address, ``localhost`` or missing."""
        if self.recorded:
            return True
        name = (urlsplit(self.base_url).hostname or "").rstrip(".").lower()
        if name == "localhost":  # names below it are put to a name server by some systems
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False

    @property
    def key(self) -> str:
        """The key from the environment; ``""`` when none is configured or none is set."""
        return os.environ.get(self.api_key_env, "").strip() if self.api_key_env else ""


SETTINGS: Final = settings_in(JudgeSettings)
"""What can stand in a table ``[judges.NAME]`` or ``[models.NAME]``, by name."""


def models_from(tables: Mapping[str, Any], where: object, role: Role) -> dict[str, JudgeSettings]:
    """The judges of the tables ``[judges.NAME]``, or the models of ``[models.NAME]``, by ``role``; ``where`` is the
    file, for messages.

    Raises :class:`UserError` naming the judge and the setting that is unknown, missing or wrong. Values are never
    repeated: one of them may be an API key that does not belong there.
    """
    return {name: _model(name, table, where, role) for name, table in tables.items()}


def _model(name: str, table: Any, file: object, role: Role) -> JudgeSettings:
    where = f"In the settings {file}, {role} {name!r}"
    if not isinstance(table, dict):
        raise UserError(f"{where} must be a table [{TABLES[role]}.{name}] with `model` and `base_url`.")
    if {"api_key", "key", "token"} & table.keys():
        raise UserError(f"{where} holds a key; put it into an environment variable and name that as `api_key_env`.")
    for key, value in table.items():
        if key not in SETTINGS:
            near = did_you_mean(key, SETTINGS)
            raise UserError(f"{where} has an unknown key {key!r}{near}; known are {', '.join(SETTINGS)}.")
        if misfit := SETTINGS[key].misfit(value):
            raise UserError(f"{where}: {key!r} {misfit}.")
    for setting in SETTINGS.values():
        if setting.required and not table.get(setting.name):
            raise UserError(f"{where}: {setting.name!r} is missing.")
    settings = JudgeSettings(name=name, settings_file=str(file), role=role, **table)
    check_settings(settings, where)
    return settings


def check_settings(settings: JudgeSettings, where: str) -> None:
    """Raise :class:`UserError`, which begins with ``where``, for a name, address or value that cannot be used."""
    name = settings.name
    if not _can_be_shown(name) or name == "offline":
        raise UserError(f"{where} needs another name; 'offline' is the judge without a model.")
    if not _can_be_shown(settings.model):
        raise UserError(f"{where}: 'model' must be a name on one line, of at most {LONGEST_NAME} characters.")
    try:
        parts = urlsplit(settings.base_url)
        in_order = settings.base_url.isprintable() and not re.search(r"[\s\\]", settings.base_url)
        host = parts.hostname or ""
        usable = in_order and parts.scheme in {"http", "https"} and 0 < len(host) <= _LONGEST_HOST and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.username is not None or parts.query or parts.fragment:
        raise UserError(
            f"{where}: 'base_url' must be an address such as https://api.openai.com/v1 or http://localhost:8000/v1, "
            "without a user name, `?` or `#`."
        )
    if settings.api_key_env and not _ENVIRONMENT.fullmatch(settings.api_key_env):
        raise UserError(f"{where}: 'api_key_env' must name an environment variable in capitals, not hold the key.")
    for key in settings.params:
        if key in _RESERVED:
            raise UserError(f"{where}: {key!r} cannot stand under `params`; medreview sets it.")
    try:
        json.dumps(settings.params, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise UserError(
            f"{where}: `params` hold a value that no server can be sent as JSON, such as a date, `nan` or `inf`."
        ) from None
    sent = {**settings.params, **settings.batch_fields}
    if _holds_key(sent, settings.key) or _holds_key(urlsplit(settings.base_url).path, settings.key):
        raise UserError(
            f"{where} holds what looks like a key under `params`, `batch_fields` or in `base_url`, and would store and "
            "show it; put it into an environment variable and name that as `api_key_env`."
        )
    if any(not isinstance(value, str) or name in _OF_A_BATCH for name, value in settings.batch_fields.items()):
        raise UserError(
            f"{where}: `batch_fields` hold texts, and none of {', '.join(sorted(_OF_A_BATCH))}, which medreview sets."
        )
    for setting in SETTINGS.values():
        value = getattr(settings, setting.name)
        if misfit := setting.out_of_range(value if isinstance(value, int | float) else None):
            raise UserError(f"{where}: {setting.name!r} {misfit}.")
    if settings.samples > 1 and settings.params.get("temperature") == 0:
        raise UserError(f"{where}: 'samples' needs a temperature above 0, or every answer is the same.")


def _can_be_shown(name: str) -> bool:
    return bool(name.strip()) and name.isprintable() and len(name) <= LONGEST_NAME


def as_told(text: str) -> str:
    """A text of a settings file in a sentence that says where texts and keys go, which it must not be able to continue.

    Anything but letters, digits and signs of names and addresses is in quotes, with escapes for all that is not shown
    as it stands, right-to-left letters among it: they would change the order of what stands beside them.
    """
    left_to_right = all(unicodedata.bidirectional(sign) in _LEFT_TO_RIGHT for sign in text)
    if _AS_IT_IS.fullmatch(text) and left_to_right:
        return text
    return json.dumps(text, ensure_ascii=not (left_to_right and text.isprintable()))


def _holds_key(value: Any, key: str) -> bool:
    """Whether there is a key in it: by the name of a setting, by its look, or because it is the one in use."""
    if isinstance(value, Mapping):
        named = any(isinstance(inner, str) and inner and _NAMES_A_KEY.fullmatch(name) for name, inner in value.items())
        return named or any(_holds_key(inner, key) for inner in value.values())
    if isinstance(value, list):
        return any(_holds_key(inner, key) for inner in value)
    return isinstance(value, str) and redact(value, key) != value


def choose(judges: Mapping[str, JudgeSettings], names: Iterable[str], role: Role = "judge") -> list[JudgeSettings]:
    """The judges with these names, in this order, without duplicates; raises :class:`UserError` for an unknown one."""
    chosen = dict.fromkeys(names)
    for name in chosen:
        if name not in judges:
            there = f"there are: {', '.join(judges)}" if judges else f"the settings have no table [{TABLES[role]}.NAME]"
            raise UserError(f"There is no {role} {name!r}; {there}.")
    return [judges[name] for name in chosen]


def keep_local(judges: Iterable[JudgeSettings]) -> None:
    """Raise :class:`UserError` when one of the judges is not on this machine: for ``--local-only`` (``local_only``)."""
    remote = [f"{judge.name} ({judge.host})" for judge in judges if not judge.is_local]
    if remote:
        raise UserError(
            f"Not on this machine, as --local-only (local_only) asks: {', '.join(remote)}. Nothing was sent."
        )


def model_at_host(judge: JudgeSettings) -> str:
    """``MODEL at HOST``: the name under which what a model measured is stored."""
    return f"{as_told(judge.model)} at {as_told(judge.host)}"


def told_of(judge: JudgeSettings) -> str:
    """``NAME: MODEL at HOST``."""
    return f"{as_told(judge.name)}: {model_at_host(judge)}"


def _through(judge: JudgeSettings) -> str:
    """The proxy of the environment on the way to a judge, without its password; judges on this machine have none."""
    if judge.is_local:
        return ""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(judge.base_url)
    found = getproxies()
    proxy = found.get(parts.scheme) or found.get("all", "")
    if not proxy or proxy_bypass(parts.netloc):
        return ""
    return f", through the proxy {as_told(proxy.rpartition('@')[2].rpartition('//')[2])} of the environment"


def where_texts_go(judges: Iterable[JudgeSettings], what: str = "Questions, statements and sources go") -> list[str]:
    """What is said before anything is sent: for each judge the host, the model, the variable with the key, and the file
    that says so; also of judges on this machine, since what listens there may send on."""
    judges = list(judges)
    lines = [f"{what} to:"]
    for judge in judges:
        if judge.recorded:
            lines.append(f"  {told_of(judge)}: recorded answers that were written for the demo; nothing is sent")
            continue
        place = "on this machine" if judge.is_local else "outside this machine"
        plain = ", unencrypted" if not judge.is_local and judge.base_url.lower().startswith("http://") else ""
        key = f"with the key in {judge.api_key_env}" if judge.api_key_env else "without a key"
        file = f", as {judge.settings_file} says" if judge.settings_file else ""
        lines.append(f"  {told_of(judge)}, {place}{plain}{_through(judge)}, {key}{file}")
    if any(judge.is_local and not judge.recorded for judge in judges):
        lines.append("A server on this machine may send them on.")
    if not all(judge.is_local for judge in judges):
        lines.append("They must not hold what identifies a patient; --local-only (local_only) refuses what is outside.")
    return lines
