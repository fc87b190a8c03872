"""The records of JSON and JSON Lines, with the line of each record.

JSON is an array, one object, or an object that holds records: in a list, by their ids, or as a table by its columns.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord, NamedRow, open_text
from medreview.storable import is_too_deep

_TEXTS: Final = frozenset({"question", "prompt", "response", "answer", "output", "completion", "text"})
"""An object with a text of such a name is a record, whatever lists it holds."""
NESTING: Final = frozenset({"answers", "responses", "outputs", "completions", "generations"})
"""Members of a record with several answers."""
CONTEXTS: Final = ("contexts", "retrieved_contexts", "retrieval_context", "source_nodes", "source_documents")
"""Members that hold what an answer was given to read; no list of its citations has such a name."""
PARTS: Final = frozenset(
    {
        "citations", "references", "sources", "pages", "documents", "passages", "context", "data_points",
        "search_results", "key_facts", *CONTEXTS,
    }
)  # fmt: skip
"""Objects, and lists of them, that are a part of one record."""


def is_record(value: Any) -> bool:
    """Whether a value is an object with a question or an answer of its own."""
    return isinstance(value, dict) and any(
        name.casefold() in _TEXTS and isinstance(text, str) for name, text in value.items()
    )


def is_table(value: Mapping[str, Any]) -> bool:
    """Whether an object has a list, or an object by row numbers, for each column, all of one length."""
    columns = list(value.values())
    if len(columns) < 2 or not any(name.casefold() in _TEXTS for name in value):
        return False
    if all(isinstance(column, list) for column in columns):
        return len({len(column) for column in columns}) == 1
    return all(isinstance(column, dict) and column.keys() == columns[0].keys() for column in columns)


def records_in(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The records of an object.

    Those of a table by its columns; objects by their ids, which they get as ``id``; those of the only list or object
    in it (``{"data": {"records": [...]}}``); or the object itself.
    """
    if is_record(value):
        yield value
    elif is_table(value):
        yield from _rows(value)
    elif _by_id(value):
        yield from ({"id": name, **record} for name, record in value.items())
    elif inner := _wrapped(value):
        for record in inner if isinstance(inner, list) else [inner]:
            yield from records_in(record)
    else:
        yield value


def _rows(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    first = next(iter(table.values()))
    for place in first if isinstance(first, dict) else range(len(first)):
        yield {name: column[place] for name, column in table.items()}


def _by_id(value: Mapping[str, Any]) -> bool:
    """Whether all members are records, or objects with the same names."""
    records = list(value.values())
    if not records or not all(isinstance(record, dict) for record in records):
        return False
    if not {name.casefold() for name in value}.isdisjoint(_TEXTS | NESTING | PARTS):
        return False
    return any(map(is_record, records)) or (len(records) > 1 and all(r.keys() == records[0].keys() for r in records))


def _wrapped(value: Mapping[str, Any]) -> dict[str, Any] | list[dict[str, Any]] | None:
    """The only object or list of objects in an object without a text of more than a word; of a turn of a conversation
    none."""
    if not {name.casefold() for name in value}.isdisjoint(("role", "sender")):
        return None
    held = [
        (name, member)
        for name, member in value.items()
        if isinstance(member, dict | list) or (isinstance(member, str) and len(member.split()) > 1)
    ]
    if len(held) != 1 or held[0][0].casefold() in _TEXTS | NESTING | PARTS:
        return None
    inner = held[0][1]
    if isinstance(inner, list):
        return inner if inner and all(isinstance(item, dict) for item in inner) else None
    return inner if isinstance(inner, dict) and inner else None


_LONGEST_LINE: Final = 1 << 26
"""Characters of one record in a line; a record with the texts of its pages has a few million."""
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]|[^\s"\[\]{},]+', re.DOTALL)
_TOO_MUCH: Final = "is JSON with a number too long or lists too deep to read"
_KINDS: Final = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


class _TwiceError(ValueError):
    """An object names a member twice, with two values."""


@dataclass(frozen=True, slots=True)
class _Unread:
    """Stands for a value in the place where it is; ``reason`` is half a sentence."""

    reason: str


def _members_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        for name, value in pairs:
            if found[name] != value:
                raise _TwiceError(f"names {name[:40]!r} twice, with two values")
    return found


DECODER: Final = json.JSONDecoder(parse_constant=lambda name: None, object_pairs_hook=_members_once)
"""``NaN``, as tables of numbers write a cell that is empty, is nothing."""


def read_jsonl(path: Path) -> Iterator[NamedRow | BadRecord]:
    """One object a line; blank lines are skipped, an invalid line becomes a :class:`BadRecord`.

    A file that begins as an array, or as an object over several lines, is read like ``read_json``.
    """
    with open_text(path) as file:
        first = next((line.strip() for line in file if line.strip()), "")
    if first in ("[", "{") or first.startswith(("[{", "[ {")):
        yield from read_json(path)
        return
    with open_text(path) as file:
        for number, line in _lines(file):
            if line is None:
                yield BadRecord(number, f"is longer than {_LONGEST_LINE:,} characters")
                continue
            if not line.strip():
                continue
            try:
                yield _row(number, DECODER.decode(line))
            except json.JSONDecodeError as error:
                yield BadRecord(number, f"is not complete JSON ({_lower(error.msg)} at character {error.colno})")
            except _TwiceError as error:
                yield BadRecord(number, str(error))
            except (ValueError, RecursionError):
                yield BadRecord(number, _TOO_MUCH)


def read_json(path: Path) -> Iterator[NamedRow | BadRecord]:
    """The records of a JSON file.

    These are the elements of the array, or of a list of objects in the object, or what ``records_in`` finds in it: the
    object itself, when it has a question or an answer of its own, or no list but such as belong to a record
    (``citations``, ``references``). Several values one after the other are accepted like JSON Lines. The file is parsed
    as a whole. Raises :class:`UserError` with the line when it is truncated or not JSON.
    """
    with open_text(path) as file:
        text = file.read()
    try:
        found = list(_values(text))
    except json.JSONDecodeError as error:
        raise _broken(path, text, error) from error
    except _TwiceError as error:
        raise UserError(f"{path} {error}; mend it there.") from error
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"{path} holds a number too long or lists too deep to read; write it in a simpler form."
        ) from error
    line = reached = 0
    for position, value in found:
        line += text.count("\n", reached, position)
        reached = position
        yield _row(line + 1, value)


def written_out(text: str) -> Any:
    """The list or object that the cell of a table holds as JSON, or as Python writes it; any other text as it is."""
    if text.strip()[:1] not in ("[", "{"):
        return text
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        found = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return text
    return found if isinstance(found, list | dict) else text


def kind_of(value: Any) -> str:
    """The type of a JSON value in words."""
    return _KINDS.get(type(value), "nothing")


def _lines(file: TextIO) -> Iterator[tuple[int, str | None]]:
    """The lines with their numbers; ``None`` for one that is too long to be held."""
    number = 0
    while line := file.readline(_LONGEST_LINE):
        number += 1
        if len(line) < _LONGEST_LINE or line.endswith("\n"):
            yield number, line
            continue
        while (rest := file.readline(_LONGEST_LINE)) and not rest.endswith("\n"):
            pass
        yield number, None


def _row(line: int, value: Any) -> NamedRow | BadRecord:
    if isinstance(value, _Unread):
        return BadRecord(line, value.reason)
    if not isinstance(value, dict):
        return BadRecord(line, f"is {kind_of(value)}, not an object")
    return BadRecord(line, _TOO_MUCH) if is_too_deep(value) else NamedRow(line, value)


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """(offset, value) of every record."""
    position = _skip(text, 0)
    while position < len(text):
        if text[position] == "[":
            elements, position = _elements(text, position)
            yield from elements
        elif text[position] == "{":
            start = position
            members, lists, position = _members(text, position)
            inner = _inner(members, lists)
            if not inner and any(isinstance(value, _Unread) for held in lists.values() for _, value in held):
                raise ValueError(_TOO_MUCH)
            yield from inner or ((start, record) for record in records_in(members))
        else:
            raise json.JSONDecodeError("Expecting an array or an object", text, position)
        position = _skip(text, position)


def _elements(text: str, position: int) -> tuple[list[tuple[int, Any]], int]:
    """The elements of the array at an offset with their offsets, and the offset of its end."""
    found: list[tuple[int, Any]] = []
    position = _skip(text, position + 1)
    if text[position : position + 1] == "]":
        return found, position + 1
    while True:
        value, end = _element(text, position)
        found.append((position, value))
        position, ended = _next(text, end, "]")
        if ended:
            return found, position


def _element(text: str, position: int) -> tuple[Any, int]:
    """The value at an offset and the offset of its end; one that cannot be read costs itself."""
    try:
        value, end = DECODER.raw_decode(text, position)
    except json.JSONDecodeError:
        raise
    except _TwiceError as error:
        return _Unread(str(error)), _end(text, position)
    except (ValueError, RecursionError):
        return _Unread(_TOO_MUCH), _end(text, position)
    return value, end


def _end(text: str, position: int) -> int:
    """Where the value at an offset ends, found without reading it."""
    depth = 0
    for token in _TOKEN.finditer(text, position):
        depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        if depth == 0:
            return token.end()
    raise json.JSONDecodeError("Expecting the end of a list", text, len(text))


def _members(text: str, position: int) -> tuple[dict[str, Any], dict[str, list[tuple[int, Any]]], int]:
    """The members of the object at an offset, the list members with their elements' offsets, and the end."""
    members: dict[str, Any] = {}
    lists: dict[str, list[tuple[int, Any]]] = {}
    position = _skip(text, position + 1)
    if text[position : position + 1] == "}":
        return members, lists, position + 1
    while True:
        if text[position : position + 1] != '"':
            raise json.JSONDecodeError("Expecting a name in double quotes", text, position)
        key, end = DECODER.raw_decode(text, position)
        end = _skip(text, end)
        if text[end : end + 1] != ":":
            raise json.JSONDecodeError("Expecting ':'", text, end)
        position = _skip(text, end + 1)
        if key in members:
            raise _TwiceError(f"names {key[:40]!r} twice")
        if text[position : position + 1] == "[":
            lists[key], end = _elements(text, position)
            members[key] = [value for _, value in lists[key]]
        else:
            members[key], end = DECODER.raw_decode(text, position)
        position, ended = _next(text, end, "}")
        if ended:
            return members, lists, position


def _next(text: str, position: int, closing: str) -> tuple[int, bool]:
    """After a value: the offset after ``closing`` and True, or after a comma and False."""
    position = _skip(text, position)
    mark = text[position : position + 1]
    if mark == closing:
        return position + 1, True
    if mark != ",":
        raise json.JSONDecodeError(f"Expecting ',' or '{closing}'", text, position)
    return _skip(text, position + 1), False


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _inner(members: dict[str, Any], lists: dict[str, list[tuple[int, Any]]]) -> list[tuple[int, Any]]:
    """The list of an object that holds the records, if it has one: the first with a question or an answer, else the
    first of objects."""
    if is_record(members) or is_table(members):
        return []
    inner = [found for key, found in lists.items() if key not in PARTS and any(isinstance(e[1], dict) for e in found)]
    return next((found for found in inner if any(is_record(value) for _, value in found)), (inner or [[]])[0])


def _broken(path: Path, text: str, error: json.JSONDecodeError) -> UserError:
    end = len(text.rstrip())
    if error.pos >= end or error.msg.startswith("Unterminated string"):
        line = text.count("\n", 0, end) + 1
        return UserError(f"{path} is cut off at line {line}: it ends in the middle of a record; copy or save it again.")
    return UserError(
        f"{path} is not JSON: line {error.lineno}, character {error.colno}, {_lower(error.msg)}; mend it there."
    )


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
