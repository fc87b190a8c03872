"""Columns of a file that became nothing in the study, and the field that each could be mapped to."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from medreview.exchange.imports.field_mapping import normalise_column
from medreview.exchange.imports.rows import Row

LIKE: Final[Mapping[str, re.Pattern[str]]] = {
    "citations": re.compile(
        r"cit(?:ed|ation|es)|ref(?:s|erence)|source|link|url|doi|pmid|bibliograph|attribut|evidence"
    ),
    "question": re.compile(r"question|prompt|query|instruction"),
    "response": re.compile(r"response|answer|output|completion|generat"),
    "model": re.compile(r"model|system|llm|engine|assistant"),
    "origin": re.compile(r"dataset|domain|topic|category|specialt|subject|field"),
    "id": re.compile(r"(?:\b|_)(?:id|uid|uuid|key|index)\Z|\A[qs]id\Z"),
    "facts": re.compile(r"fact|must_have|rubric|criteri"),
}
"""Field -> the column names that speak for it."""

_CITES: Final = re.compile(r"https?://|\bwww\.|\b10\.\d{4,9}/|\bpmc?(?:id)?[\s:]*\d|\barxiv\b", re.IGNORECASE)
_SHORT: Final = 200
"""Characters; a longer text names neither a model nor an origin."""


@dataclass(frozen=True, slots=True)
class UnusedColumn:
    """A column that no field was made of; ``field``: the one that it looks like, ``""`` for none that is missing."""

    column: str
    field: str


class UnusedColumns:
    """Collects the columns with a value that no record used. ``fields``: those that a column could be mapped to."""

    def __init__(self, fields: Collection[str]) -> None:
        self._fields = fields
        self._values: dict[str, Any] = {}
        self._used: set[str] = set()
        self._filled: set[str] = set()

    def add(self, row: Row, used: Collection[str], filled: Collection[str]) -> None:
        """Take up a record, the columns that it used, and the fields that it has now."""
        self._used.update(used)
        self._filled.update(filled)
        for column, value in row.values.items():
            if value in (None, "", [], {}) or column in self._used:
                continue
            if column not in self._values or (
                _fits("citations", value) and not _fits("citations", self._values[column])
            ):
                self._values[column] = value

    def found(self) -> list[UnusedColumn]:
        """What was never used, in the order in which it came."""
        rest = {column: value for column, value in self._values.items() if column not in self._used}
        found, taken = [], set(self._filled)
        for column, value in rest.items():
            field = self._field(column, value, taken)
            found.append(UnusedColumn(column, field))
            taken.update({field} - {"citations"})  # these may be in several columns, anything else in one
        return found

    def _field(self, column: str, value: Any, taken: Collection[str]) -> str:
        name = normalise_column(column)
        for field, pattern in LIKE.items():
            if field in self._fields and field not in taken and pattern.search(name) and _fits(field, value):
                return field
        return ""


def _fits(field: str, value: Any) -> bool:
    if field == "citations":
        return _CITES.search(str(value)) is not None
    if field == "facts":
        return isinstance(value, list)
    if field in ("question", "response"):
        return isinstance(value, str)
    return isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) <= _SHORT
