"""The records in a JSON object: itself, objects by their ids, or a table by its columns."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

_TEXTS: Final = frozenset({"question", "prompt", "response", "answer", "output", "completion", "text"})
"""An object with a text of such a name is a record, whatever lists it holds."""
NESTING: Final = frozenset({"answers", "responses", "outputs", "completions", "generations"})
"""Members of a record with several answers."""
PARTS: Final = frozenset(
    {"citations", "references", "sources", "pages", "documents", "passages", "contexts", "search_results", "key_facts"}
)
"""Lists of objects that are a part of one record."""


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
    """The only object or list of objects in an object without a text of more than a word."""
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
