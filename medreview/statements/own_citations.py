"""What a statement cites itself: the one place that says so, for the order of sources, triage, figures and export.

``MARKED_BY`` is the version of the rules for markers, which every study that is opened is asked for.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from medreview.text import Span

MARKED_BY: Final = "markers-2"
"""Name and version of these rules, stored with every response that they were applied to."""


Numbers = Mapping[str, tuple[int, ...]]
"""By source, the response's own numbers of it, ascending: two numbers may be one source."""


class OwnCitations(NamedTuple):
    """What a statement cites, in the order of its text.

    ``sources``: the ids of the sources, each once. ``numbers``: the numbers it uses, also those that stand for nothing
    in the response's list. ``marked``: whether any statement of the response cites a source; where none does, nobody
    can say what this one cites. ``listed``: the response's own numbers.
    """

    sources: tuple[str, ...]
    numbers: tuple[int, ...]
    marked: bool
    listed: Numbers

    def cites(self, source_id: str) -> bool | None:
        """Whether the statement cites a source; ``None`` where the response has no markers."""
        return source_id in self.sources if self.marked else None

    def numbers_of(self, source_id: str) -> tuple[int, ...]:
        """The response's own numbers of a source: those that the statement uses first, then ascending."""
        return tuple(sorted(self.listed.get(source_id, ()), key=lambda number: (number not in self.numbers, number)))

    def number_of(self, source_id: str) -> int | None:
        """The number to show for a source: the one that the statement uses, else the lowest; ``None`` without one."""
        return next(iter(self.numbers_of(source_id)), None)


def own_citations(reader: sqlite3.Connection, statement_id: str) -> OwnCitations:
    """What one statement cites. Raises ``LookupError`` for an unknown one."""
    found = reader.execute("SELECT response_id FROM statement WHERE statement_id = ?", (statement_id,)).fetchone()
    if found is None:
        raise LookupError(f"there is no statement {statement_id}")
    return next(own for each, own in of_response(reader, found[0]) if each == statement_id)


def numbering(reader: sqlite3.Connection, response_id: str) -> OwnCitations:
    """The response's own numbers of its sources, beside no statement."""
    listed = reader.execute(f"{_NUMBERS} WHERE response_id = ? ORDER BY number", (response_id,)).fetchall()
    return OwnCitations((), (), False, _listed(listed))


def of_response(reader: sqlite3.Connection, response_id: str) -> list[tuple[str, OwnCitations]]:
    """What each statement of a response cites, with its id, in the order of the statements."""
    rows = reader.execute(f"{_MARKERS} WHERE s.response_id = ? {_ORDER}", (response_id,)).fetchall()
    listed = reader.execute(f"{_NUMBERS} WHERE response_id = ? ORDER BY number", (response_id,)).fetchall()
    return _statements(rows, listed)


def every_statement(reader: sqlite3.Connection) -> Iterator[tuple[str, OwnCitations]]:
    """What each statement of the study cites, with its id, response by response."""
    numbers = reader.execute(f"{_NUMBERS} ORDER BY response_id, number").fetchall()
    listed = {response_id: list(rows) for response_id, rows in groupby(numbers, itemgetter("response_id"))}
    every = reader.execute(f"{_MARKERS} WHERE {_STANDS} {_ORDER}")
    for response_id, rows in groupby(every, itemgetter(0)):
        yield from _statements(list(rows), listed.get(response_id, []))


_MARKERS = """SELECT s.response_id, s.statement_id, m.number, m.source_id
              FROM statement AS s LEFT JOIN marker AS m USING (statement_id)"""
_STANDS = "NOT EXISTS (SELECT 1 FROM retired_statement AS x WHERE x.statement_id = s.statement_id)"
_ORDER = "ORDER BY s.response_id, s.ordinal, m.ordinal"
_NUMBERS = "SELECT response_id, number, source_id FROM own_number"


def _statements(rows: list[sqlite3.Row], numbers: list[sqlite3.Row]) -> list[tuple[str, OwnCitations]]:
    listed, marked = _listed(numbers), False
    found: dict[str, tuple[dict[str, None], dict[int, None]]] = {}
    for _, statement_id, number, source_id in rows:
        sources, used = found.get(statement_id) or found.setdefault(statement_id, ({}, {}))
        if source_id is not None:
            sources[source_id], marked = None, True
        if number is not None:
            used[number] = None
    return [
        (statement_id, OwnCitations(tuple(sources), tuple(used), marked, listed))
        for statement_id, (sources, used) in found.items()
    ]


def _listed(numbers: list[sqlite3.Row]) -> Numbers:
    listed: dict[str, tuple[int, ...]] = {}
    for row in numbers:
        listed[row["source_id"]] = (*listed.get(row["source_id"], ()), row["number"])
    return listed


def shares(places: Iterable[Span], claim: Span) -> bool:
    """Whether a statement and a stretch of its response that cites share half of the shorter of the two."""
    shared = length = 0
    for place in places:
        shared += place.overlap(claim)
        length += place.end - place.start
    return shared > 0 and 2 * shared >= min(length, claim.end - claim.start)
