"""Every setting with its value and where that comes from, and all that is wrong with them: for ``medreview config``."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from medreview.config import ENVIRONMENT, SETTINGS, Config, config_of, read_file
from medreview.config_file import named
from medreview.configured import Untrusted, authorities_of, network_of, prompts_of, without_password
from medreview.errors import UserError
from medreview.next_step import command
from medreview.redaction import redact
from medreview.setting import is_under
from medreview.settings_files import is_own
from medreview.settings_places import find_configs

Origin = Literal["default", "own", "here"]
"""Where a value comes from: nobody set it, the user's own file, or the one in the working folder."""


@dataclass(frozen=True, slots=True)
class SettingValue:
    """One setting as it holds now.

    ``value`` and ``default`` are as they may be shown, no password or key among them; ``used`` is false for what comes
    from a file that was not trusted yet.
    """

    name: str
    value: str
    default: str
    origin: Origin
    file: str
    used: bool
    help: str


@dataclass(frozen=True, slots=True)
class ConfigReport:
    """All settings. ``own`` and ``here`` are the two files, ``""`` if missing; ``untrusted`` what of the latter is not
    used; ``problems`` a sentence for each mistake, of which any stops other commands.

    ``environment``: the variables that are read, each with its ``name``, whether it ``is_set``, and ``help``; never its
    value.
    """

    own: str
    here: str
    settings: tuple[SettingValue, ...]
    environment: tuple[dict[str, Any], ...]
    untrusted: tuple[str, ...]
    problems: tuple[str, ...]


def report() -> ConfigReport:
    """The settings as they are now. A file with a mistake does not count: no command would use it."""
    paths = find_configs()
    problems: list[str] = []
    whole = []
    for path in paths:
        try:
            file = read_file(path)
        except UserError as error:
            problems.append(str(error))
            continue
        problems += file.problems
        whole += [] if file.problems else [file]
    config = config_of(whole)
    own = next((path for path in paths if is_own(path)), None)
    return ConfigReport(
        own=str(own or ""),
        here=next((str(path) for path in paths if path != own), ""),
        settings=tuple(_values(config)),
        environment=tuple(_variables(config)),
        untrusted=tuple(config.untrusted),
        problems=(*problems, *_problems_in_use(config)),
    )


def explanation(name: str) -> dict[str, str]:
    """The explanation of one setting, by its full name, or of an environment variable, in words.

    Raises :class:`UserError` if it does not exist.
    """
    found = report()
    told = dict.fromkeys(("name", "help", "more", "allowed", "default", "now", "trust", "example", "page"), "")
    variable = next((one for one in found.environment if one["name"] == name), None)
    if variable:
        now = "set" if variable["is_set"] else "not set"
        more = "A variable of the environment."
        return told | {"name": name, "help": variable["help"], "more": more, "default": "not set", "now": now}
    one = named(name)
    values = {value.name: value for value in found.settings}
    inner = sum(full.startswith(f"{name}.") for full in values)
    now = _now(values[name]) if name in values else f"{inner} set" if inner else "the default"
    return told | {
        "name": name,
        "help": one.help,
        "more": one.more,
        "allowed": one.allowed,
        "default": one.when_unset,
        "now": now,
        "trust": "in a folder's file it counts only once that is trusted" if one.guarded else "",
        "example": command("config", "set", name, one.example) if one.example else "",
        "page": f"docs/{one.page}" if one.page else "",
    }


def _now(value: SettingValue) -> str:
    if value.origin == "default":
        return "the default"
    return f"{value.value}, from {value.file}" + ("" if value.used else ", not trusted and not used")


def as_shown(value: Any) -> str:
    """A value as TOML would have it, without passwords and keys; ``""`` for none."""
    if value is None or value == "" or value == {}:
        return ""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {as_shown(it)}" for key, it in value.items()) + "}"
    if isinstance(value, str):
        return json.dumps(redact(without_password(value)), ensure_ascii=False)
    return json.dumps(value)


def _values(config: Config) -> Iterator[SettingValue]:
    for name in SETTINGS:
        inner = [full for full in config.origins if full.startswith(f"{name}.")]
        for full in inner or [name]:
            one = named(full)
            file = config.origins.get(full)
            value = _value(config, one.keys)
            yield SettingValue(
                name=full,
                value="" if value == {} else as_shown(value),
                default=one.when_unset,
                origin="default" if file is None else "own" if is_own(file) else "here",
                file=str(file or ""),
                used=not is_under(full, config.untrusted),
                help=one.help,
            )


def _value(config: Config, keys: tuple[str, ...]) -> Any:
    first, *rest = keys
    value = getattr(config, first)
    for key in rest:
        value = value[key] if isinstance(value, Mapping) else getattr(value, key)
    return value


def _variables(config: Config) -> Iterator[dict[str, Any]]:
    for name, help in ENVIRONMENT.items():
        yield {"name": name, "is_set": bool(os.environ.get(name)), "help": help}
    wanted: dict[str, list[str]] = {}
    for judge in (*config.judges.values(), *config.models.values()):
        if judge.api_key_env:
            wanted.setdefault(judge.api_key_env, []).append(judge.name)
    for name, judges in wanted.items():
        is_set = bool(os.environ.get(name, "").strip())
        yield {"name": name, "is_set": is_set, "help": f"The key of {', '.join(judges)}."}


def _problems_in_use(config: Config) -> Iterator[str]:
    """Mistakes that commands would find on using a setting: addresses, the proxy, prompts, the user's own words."""
    from medreview.evidence.terms import vocabulary
    from medreview.judges.prompts import load_prompt, prompt_names

    uses = (
        lambda: network_of(config),
        lambda: [load_prompt(task, prompts_of(config)) for task in prompt_names()],
        lambda: vocabulary(config.synonyms_file),
        lambda: authorities_of(config),
    )
    for use in uses:
        try:
            use()
        except Untrusted:
            pass  # known, named, and not used
        except UserError as error:
            yield str(error)
