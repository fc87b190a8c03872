"""Changing one value in a text of TOML, with all else left as it stands: comments, order, spaces."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

_COMMENT: Final = re.compile(r"\s*(?:#|$)")
_HEADING: Final = re.compile(r"\[(?!\[)[^\n]*\](?=\s*(?:#|$))")


def with_value(content: str, keys: Sequence[str], value: Any) -> str:
    """The text with a value: in its old place, at the end of its table, or in a new table at the end of the text.

    Raises ``ValueError`` where the text is written in a way in which that cannot be done, or is no TOML.
    """
    wanted = _set(tomllib.loads(content), keys, value)
    added = "" if isinstance(value, Mapping) else _line_added(content, keys, value)
    return added if _says(added, wanted) else _right(_put(content, keys, value), wanted)


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


def _put(content: str, keys: Sequence[str], value: Any) -> str:
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
    """What is told without tables that hold nothing: with its last value a table may go."""
    found = {key: _filled(value) if isinstance(value, Mapping) else value for key, value in told.items()}
    return {key: value for key, value in found.items() if value != {}}


def _set(told: Mapping[str, Any], keys: Sequence[str], value: Any) -> dict[str, Any]:
    first, *rest = keys
    if not rest:
        return {**told, first: value}
    below = told.get(first, {})
    if not isinstance(below, Mapping):
        raise ValueError(f"{first!r} is no table")
    return {**told, first: _set(below, rest, value)}


def _dropped(told: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    first, *rest = keys
    if rest:
        return {**told, first: _dropped(told[first], rest)}
    return {name: value for name, value in told.items() if name != first}
