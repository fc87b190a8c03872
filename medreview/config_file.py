"""Settings by their full names: written into a file, where all else stays, and shown with their origin and mistakes.

Full names are those that commands take: ``theme``, ``keys.defer``, ``judges.NAME.model``.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from medreview.atomic_output import atomic_output, write_new
from medreview.config import (
    ENVIRONMENT,
    SETTINGS,
    Config,
    SettingsFile,
    config_of,
    guarded_settings,
    read_file,
    told_in,
)
from medreview.configured import Untrusted, authorities_of, network_of, prompts_of, without_password
from medreview.errors import UserError
from medreview.llm.settings import SETTINGS as JUDGE
from medreview.next_step import command
from medreview.redaction import redact
from medreview.review.actions import REVIEW, shown_key
from medreview.setting import MODEL_TABLES, NUMBER, SERVICES, SWITCH, TABLE, WHOLE, Setting, did_you_mean, is_under
from medreview.settings_files import TABLES, is_own, is_trusted, own_folder, problems, trust
from medreview.settings_places import FILE_NAME, LARGEST, config_folder, find_configs, is_there

_COMMENT: Final = re.compile(r"\s*(?:#|$)")
_HEADING: Final = re.compile(r"\[(?!\[)[^\n]*\](?=\s*(?:#|$))")


def with_value(content: str, keys: Sequence[str], value: Any) -> str:
    """The text with a value: in its old place, at the end of its table, or in a new table at the end of the text.

    Raises ``ValueError`` if the text is not TOML, or is written in a way in which that cannot be done.
    """
    wanted = _set(tomllib.loads(content), keys, value)
    added = "" if isinstance(value, Mapping) else _line_added(content, keys, value)
    return added if _says(added, wanted) else _right(_put_value(content, keys, value), wanted)


def without_value(content: str, keys: Sequence[str]) -> str:
    """The text without a value or table that is there; raises ``ValueError`` as :func:`with_value`."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    wanted = _dropped(tomllib.loads(content), keys)
    try:
        document = tomlkit.parse(content)
        table: Any = document
        for key in keys[:-1]:
            table = table[key]
        del table[keys[-1]]
        return _right(tomlkit.dumps(document), wanted)
    except TOMLKitError as error:
        raise ValueError("this value cannot be taken out") from error


def place(told: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    """The keys that lead to a full name such as ``judges.near.model``; ``None`` when nothing is there.

    A key may have dots of its own.
    """
    for key, value in told.items():
        if key == name:
            return (key,)
        if name.startswith(f"{key}.") and isinstance(value, Mapping):
            below = place(value, name.removeprefix(f"{key}."))
            if below is not None:
                return (key, *below)
    return None


def _put_value(content: str, keys: Sequence[str], value: Any) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(content)
        table: Any = document
        for depth, key in enumerate(keys[:-1]):
            if key not in table:
                table[key] = tomlkit.table(is_super_table=depth < len(keys) - 2)
            table = table[key]
        table[keys[-1]] = value
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise ValueError("this value cannot be put in") from error


def _line_added(content: str, keys: Sequence[str], value: Any) -> str:
    """The text with a line more where the table ends: after its last value, and above the comments of the next one.

    (``tomlkit`` puts it below these.) ``""`` where that table does not stand under a heading of its own.
    """
    import tomlkit

    lines = content.splitlines(keepends=True)
    headings: list[tuple[int, tuple[str, ...]]] = [(-1, ())]
    headings += ((number, path) for number, line in enumerate(lines) if (path := _heading(line)))
    begin = next((number for number, path in headings if path == tuple(keys[:-1])), None)
    if begin is None:
        return ""
    end = next((number for number, _ in headings if number > begin), len(lines))
    filled = [number for number in range(begin + 1, end) if not _COMMENT.match(lines[number])]
    before_all = begin < 0 and not filled
    at = _below_head(lines, end) if before_all else (filled[-1] if filled else begin) + 1
    ending = "\r\n" if "\r\n" in content else "\n"
    added = [line + ending for line in tomlkit.dumps({keys[-1]: value}).splitlines()]
    if before_all and at < len(lines):
        added.append(ending)
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += ending
    return "".join([*lines[:at], *added, *lines[at:]])


def _below_head(lines: Sequence[str], end: int) -> int:
    """The line below what is said of the whole text, and above what is said of its first table."""
    if end == len(lines):
        return end
    return next((number + 1 for number in reversed(range(end)) if not lines[number].strip()), 0)


def _heading(line: str) -> tuple[str, ...]:
    """The keys of a table's heading, ``("judges", "near")`` of ``[judges.near]``; ``()`` for any other line."""
    if not _HEADING.match(line.strip()):
        return ()
    try:
        table = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while table:
        [(key, table)] = table.items()
        path.append(key)
    return tuple(path)


def _right(made: str, wanted: Mapping[str, Any]) -> str:
    if not _says(made, wanted):
        raise ValueError("this value cannot be changed in place")
    return made


def _says(made: str, wanted: Mapping[str, Any]) -> bool:
    try:
        return _filled(tomllib.loads(made)) == _filled(wanted)
    except tomllib.TOMLDecodeError:
        return False


def _filled(told: Mapping[str, Any]) -> dict[str, Any]:
    """The values without empty tables: a table may go with its last value."""
    found = {key: _filled(value) if isinstance(value, Mapping) else value for key, value in told.items()}
    return {key: value for key, value in found.items() if value != {}}


def _set(told: Mapping[str, Any], keys: Sequence[str], value: Any) -> dict[str, Any]:
    first, *rest = keys
    if not rest:
        return {**told, first: value}
    below = told.get(first, {})
    if not isinstance(below, Mapping):
        raise ValueError(f"{first!r} is not a table")
    return {**told, first: _set(below, rest, value)}


def _dropped(told: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    first, *rest = keys
    if rest:
        return {**told, first: _dropped(told[first], rest)}
    return {name: value for name, value in told.items() if name != first}


_SWITCHES: Final = {"true": True, "false": False}


def named(name: str) -> Setting:
    """The setting of this full name; raises :class:`UserError` with the nearest name there is."""
    table, _, rest = name.partition(".")
    if table in SETTINGS and not rest:
        return SETTINGS[table]
    if table in MODEL_TABLES:
        judge, _, field = rest.rpartition(".")
        if judge and field in JUDGE:
            return JUDGE[field]._replace(name=name, keys=(table, judge, field))
        if not judge or not did_you_mean(field, JUDGE):  # else a name is mistyped, and no judge's name has a dot
            told = "One model, as a table with `model` and `base_url`."
            return _entry(table, Setting(told, name=rest, kind=TABLE, example='{model = "m", base_url = "http://..."}'))
    inner = {one.name: one for one in inner_settings()}
    if name in inner:
        return inner[name]
    every = [*SETTINGS, *inner, *ENVIRONMENT]
    if table in MODEL_TABLES:
        every = [f"{table}.{rest.rpartition('.')[0]}.{field}" for field in JUDGE]
    raise UserError(f"There is no setting {name!r}{did_you_mean(name, every)}; `{command('config')}` shows them all.")


def every_name() -> list[str]:
    """The names of all settings but those of single judges and models."""
    return [*(name for name, one in SETTINGS.items() if one.kind != TABLE), *(one.name for one in inner_settings())]


def value_of(one: Setting, text: str) -> Any:
    """The value that a text on the command line stands for; raises :class:`UserError`, which never repeats it: it may
    be a key that does not belong there."""
    kind = one.kind
    try:
        if kind == SWITCH:
            return _SWITCHES[text.strip().lower()]
        if kind == WHOLE:
            return int(text)
        if kind == NUMBER:
            return int(text) if text.strip().isdecimal() else float(text)
        if kind == TABLE:
            found = tomllib.loads(f"value = {text}")
            if list(found) != ["value"] or not isinstance(found["value"], dict):
                raise ValueError
            return found["value"]
    except (KeyError, ValueError, RecursionError):
        example = f", such as {one.example}" if one.example else ""
        raise UserError(f"{one.name!r} must be {one.allowed}{example}; nothing was changed.") from None
    return text


def inner_settings() -> Iterator[Setting]:
    """The settings in the tables ``[keys]``, ``[services]``, ``[references]`` and ``[semantic]``."""
    for action in REVIEW:
        default = ", ".join(map(shown_key, action.keys))
        yield _entry("keys", Setting(action.help, name=action.id, default=default, example="F9"))
    for service in SERVICES:
        told = f"Where {service} is asked, in place of its public address."
        yield _entry("services", Setting(told, name=service, example=f"https://mirror.example/{service}"))
    for setting in TABLES["references"].values():
        yield _entry("references", setting)
    for setting in TABLES["semantic"].values():
        yield setting._replace(name=f"semantic.{setting.name}", keys=("semantic", setting.name))


def _entry(table: str, setting: Setting) -> Setting:
    """The setting with its full name, and with what is said of its table."""
    of = SETTINGS[table]
    return setting._replace(
        name=f"{table}.{setting.name}", keys=(table, setting.name), more=of.more, page=of.page, guarded=of.guarded,
        unset="" if setting.default else of.unset,
    )  # fmt: skip


def file_to_write(here: bool) -> Path:
    """The settings file of the working folder, or the user's own."""
    return Path(FILE_NAME) if here else config_folder() / FILE_NAME


def set_values(path: Path, values: Sequence[tuple[Setting, Any]]) -> bool:
    """Write values into a settings file, made if it is missing; whether trust in it went on with them.

    A file that was trusted, or says nothing yet of where texts and keys go, is trusted with what its user writes there.
    Raises :class:`UserError` where the file would have a mistake that it did not have before, and writes nothing then.
    """
    before = _read(path)
    content = before.content
    with _in_place(path):
        for one, value in values:
            content = with_value(content, one.keys, value)
    return _put(before, content)


def unset(path: Path, name: str) -> bool:
    """Remove a setting, a whole table, or a key that is not a setting from a settings file; as :func:`set_values`."""
    before = _read(path)
    keys = place(before.told, name)
    if keys is None:
        raise UserError(f"{named(name).name!r} is not set in {path}; nothing was changed.")
    with _in_place(path):
        content = without_value(before.content, keys)
    return _put(before, content)


def _read(path: Path) -> SettingsFile:
    return read_file(path) if is_there(path) or path.exists() else SettingsFile(path, "", {})


def _put(before: SettingsFile, content: str) -> bool:
    path = before.path
    told = told_in(content, path)
    new = [problem for problem in problems(told, SETTINGS, path) if problem not in before.problems]
    if new:
        raise UserError(f"{new[0]} Nothing was changed.")
    if len(content.encode()) > LARGEST:
        raise UserError(f"The settings {path} would have more than {LARGEST:,} bytes; nothing was changed.")
    trusted = not guarded_settings(before.told) or is_trusted(path, before.content)
    if path.parent == config_folder():
        own_folder()
    with atomic_output(path, b"") as partial:  # of whatever a user began it with
        write_new(partial, content)
        if _read(path).content != before.content:
            raise UserError(f"{path} was changed meanwhile by another program; nothing was written. Do it again.")
    if not trusted or is_own(path) or not guarded_settings(told):
        return False
    trust(path, content)
    return True


@contextmanager
def _in_place(path: Path) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise UserError(
            f"The settings {path} are written in a way that cannot be changed here ({error}); change them in an editor."
        ) from error


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
