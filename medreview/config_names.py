"""The full names of settings, as commands take them: ``theme``, ``keys.defer``, ``judges.NAME.model``."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from medreview.config import ENVIRONMENT, SETTINGS
from medreview.errors import UserError
from medreview.llm.settings import SETTINGS as JUDGE
from medreview.next_step import command
from medreview.review.actions import REVIEW, shown_key
from medreview.setting import (
    MODEL_TABLES,
    NUMBER,
    SERVICES,
    SWITCH,
    TABLE,
    TEXT,
    WHOLE,
    About,
    Kind,
    Setting,
    did_you_mean,
)
from medreview.settings_checks import SEMANTIC

_JUDGE: Final = '{model = "llama-3.3-70b", base_url = "http://localhost:8000/v1"}'
_SWITCHES: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Named:
    """A setting under its full name, and the keys of TOML that lead to it."""

    name: str
    keys: tuple[str, ...]
    setting: Setting


def named(name: str) -> Named:
    """The setting of this full name; raises :class:`UserError` with the nearest name there is."""
    table, _, rest = name.partition(".")
    if table in SETTINGS and not rest:
        return Named(name, (table,), SETTINGS[table])
    if table in MODEL_TABLES:
        judge, _, field = rest.rpartition(".")
        if judge and field in JUDGE:
            return Named(name, (table, judge, field), JUDGE[field])
        if not judge or not did_you_mean(field, JUDGE):  # else a name is mistyped, and no judge's name has a dot
            told = "One model, as a table with `model` and `base_url`."
            return Named(
                name, (table, rest), _entry(table, rest, TABLE, told, '{model = "m", base_url = "http://..."}')
            )
    inner = {one.name: one for one in _inner()}
    if name in inner:
        return Named(name, (table, rest), inner[name])
    every = [*SETTINGS, *inner, *ENVIRONMENT]
    if table in MODEL_TABLES:
        every = [f"{table}.{rest.rpartition('.')[0]}.{field}" for field in JUDGE]
    raise UserError(f"There is no setting {name!r}{did_you_mean(name, every)}; `{command('config')}` shows them all.")


def value_of(one: Named, text: str) -> Any:
    """The value that a text on the command line stands for; raises :class:`UserError`, which never repeats it: it may
    be a key that does not belong there."""
    kind = one.setting.kind
    try:
        if kind is SWITCH:
            return _SWITCHES[text.strip().lower()]
        if kind is WHOLE:
            return int(text)
        if kind is NUMBER:
            return int(text) if text.strip().isdecimal() else float(text)
        if kind is TABLE:
            found = tomllib.loads(f"value = {text}")
            if list(found) != ["value"] or not isinstance(found["value"], dict):
                raise ValueError
            return found["value"]
    except (KeyError, ValueError, RecursionError):
        example = f", such as {one.setting.about.example}" if one.setting.about.example else ""
        raise UserError(f"{one.name!r} must be {one.setting.allowed}{example}; nothing was changed.") from None
    return text


def _inner() -> Iterator[Setting]:
    """What can stand in the tables ``[keys]``, ``[services]``, ``[references]`` and ``[semantic]``."""
    for action in REVIEW:
        default = ", ".join(map(shown_key, action.keys))
        yield _entry("keys", action.id, TEXT, action.help, "F9", default)
    for service in SERVICES:
        told = f"Where {service} is asked, in place of its public address."
        yield _entry("services", service, TEXT, told, f"https://mirror.example/{service}")
    told = "The file of works that references are held against; a list of several is written by hand."
    yield _entry("references", "library", TEXT, told, "guideline-group.json")
    yield _entry("references", "online", SWITCH, "Whether `run` looks references up at the services, too.", "true")
    for setting in SEMANTIC.values():
        yield setting._replace(name=f"semantic.{setting.name}")


def _entry(table: str, name: str, kind: Kind, help: str, example: str, default: str = "") -> Setting:
    of = SETTINGS[table].about
    unset = "" if default else of.unset
    about = About(help, of.more, unset, example, of.page, (), of.guarded)
    return Setting(f"{table}.{name}", kind, default or None, False, about)
