"""Every kind of unit by name. A new kind is a module and an entry here."""

import sqlite3
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

from medreview.labels import label_words
from medreview.study.unit_ids import kind_of
from medreview.units.asks import STATEMENT, Asks
from medreview.units.statement_view import load_name

if TYPE_CHECKING:
    from medreview.units.kind import UnitKind

_EVERY: Final = {
    "pair": ("pair", "Pair"),
    "response": ("whole_response", "WholeResponse"),
    "reference": ("reference", "ReferenceKind"),
    "qa": ("qa", "QA"),
    "question": ("question", "Question"),
    "revision": ("revision", "Revision"),
    "answer": ("answer", "Answer"),
    "suggestion": ("suggestion", "Suggestion"),
    "fact": ("fact_vote", "FactVotes"),
    "ranking": ("ranking", "Ranking"),
}
"""By name: the module of a kind and its class there."""


class _Kinds(Mapping[str, "UnitKind"]):
    """One object of each kind, loaded when it is first asked for: who reviews statements waits for no other."""

    def __init__(self) -> None:
        self._made: dict[str, UnitKind] = {}

    def __getitem__(self, name: str) -> "UnitKind":
        if name not in self._made:
            module, kind = _EVERY[name]
            self._made[name] = getattr(import_module(f"medreview.units.{module}"), kind)()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in _EVERY

    def __iter__(self) -> Iterator[str]:
        return iter(_EVERY)

    def __len__(self) -> int:
        return len(_EVERY)


KINDS: Final[Mapping[str, "UnitKind"]] = _Kinds()
"""In the order of the first screen; the statement, which has its own queues, stands before them."""


def asks_of(unit: str) -> Asks:
    """What is asked of a unit, by its id."""
    return KINDS.get(kind_of(unit), STATEMENT)


def unit_name(reader: sqlite3.Connection, unit: str) -> str:
    """What the screen calls a unit among all (``R07 S3``, ``Q12``); empty for one that the study does not have."""
    kind = KINDS.get(kind_of(unit))
    if kind is None:
        return load_name(reader, unit)
    try:
        return kind.load(reader, unit).name
    except KeyError:
        return ""


def words_on(reader: sqlite3.Connection, unit: str, axis: str, label: str) -> str:
    """A label on a unit as the screen says it beside the unit: an order in places there, not in stored numbers."""
    kind = KINDS.get(kind_of(unit))
    if kind is None or axis != kind.axis:
        return label_words(axis, label)
    return kind.label_words(kind.load(reader, unit), label)


def kinds_in(reader: sqlite3.Connection) -> dict[str, int]:
    """The kinds, other than the statement, that a study has units of, and how many."""
    return {kind: count for kind in KINDS if (count := count_units(reader, kind))}


def count_units(reader: sqlite3.Connection, kind: str) -> int:
    """How many units of a kind, other than the statement, the study has."""
    return int(reader.execute(f"SELECT count(*) FROM ({KINDS[kind].rows})").fetchone()[0])
