"""Every kind of unit by name. A new kind is a module and an entry here."""

import sqlite3
from typing import Final

from medreview.labels import label_words
from medreview.study.unit_ids import kind_of
from medreview.units.answer import Answer
from medreview.units.asks import STATEMENT, Asks
from medreview.units.fact_vote import FactVotes
from medreview.units.kind import UnitKind
from medreview.units.pair import Pair
from medreview.units.qa import QA
from medreview.units.question import Question
from medreview.units.ranking import Ranking
from medreview.units.reference import ReferenceKind
from medreview.units.revision import Revision
from medreview.units.statement_view import load_name
from medreview.units.suggestion import Suggestion
from medreview.units.whole_response import WholeResponse

_EVERY: Final[tuple[UnitKind, ...]] = (
    Pair(),
    WholeResponse(),
    ReferenceKind(),
    QA(),
    Question(),
    Revision(),
    Answer(),
    Suggestion(),
    FactVotes(),
    Ranking(),
)
KINDS: Final[dict[str, UnitKind]] = {kind.name: kind for kind in _EVERY}
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
