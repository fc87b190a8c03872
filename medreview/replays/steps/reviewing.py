"""What waits for people: units to decide, and the share that a second one annotates."""

import json
import sqlite3
from dataclasses import dataclass
from typing import Final

from medreview.next_step import command
from medreview.replays.replay import Given, Outcome, Step
from medreview.replays.sample_labels import take_labels
from medreview.review.second_annotation import drawn, set_share, share_progress, shares
from medreview.study.unit_ids import STATEMENT
from medreview.units.registry import KINDS

_STATEMENTS: Final = "SELECT statement_id AS unit FROM statement_standing"
_BY_ANYBODY: Final = "SELECT unit FROM standing WHERE pass = 1 AND state = 'decided'"
_DECIDED: Final = """SELECT reviewer, count(*) FROM standing
WHERE pass = 1 AND state = 'decided' AND unit IN (SELECT unit FROM ({})) GROUP BY reviewer ORDER BY reviewer"""


def rows_of(kind: str) -> str:
    """SQL with a column ``unit``: the units of a kind."""
    return _STATEMENTS if kind == STATEMENT else KINDS[kind].rows


def decided_by(reader: sqlite3.Connection, kind: str) -> dict[str, int]:
    """How many units of a kind each person has decided."""
    return {row[0]: row[1] for row in reader.execute(_DECIDED.format(rows_of(kind)))}


@dataclass(frozen=True, slots=True)
class Review(Step):
    """``kind``: of unit; ``queue``: where the reviewer meets them. ``of``: what they are, in the plural.

    ``waits``: what there must be before.
    """

    name: str
    about: str
    kind: str
    queue: str
    of: str
    waits: str

    def run(self, given: Given) -> Outcome:
        """Say how far people are; the replay goes on with what does not need them."""
        reader = given.study.reader
        new = take_labels(given.study, *given.labels, self.kind) if given.labels else 0
        query = f"SELECT count(DISTINCT unit) FROM ({rows_of(self.kind)})"
        every = int(reader.execute(query).fetchone()[0])
        if not every:
            return Outcome("waits", self.waits)
        people = decided_by(reader, self.kind)
        decided = int(reader.execute(f"{query} WHERE unit IN ({_BY_ANYBODY})").fetchone()[0])
        by = f" (by {', '.join(f'{name} {count:,}' for name, count in people.items())})" if people else ""
        words = f"{decided:,} of {every:,} {self.of} decided{by}"
        if new:
            return Outcome("did", f"{words}; {new} labels of invented annotators taken in")
        if decided == every:
            return Outcome("done", words)
        return Outcome("waits", words, command("review", given.study.path, "--queue", self.queue))


@dataclass(frozen=True, slots=True)
class SecondAnnotator(Step):
    """A share of the units of a kind, drawn by permanent numbers, goes to a second person, who sees no label of the
    first."""

    name: str
    about: str
    kind: str
    rate: float
    of: str
    waits: str

    def run(self, given: Given) -> Outcome:
        """Set the share, unless it is as high already; say how far the second person is."""
        reader = given.study.reader
        if not reader.execute(f"SELECT EXISTS ({rows_of(self.kind)})").fetchone()[0]:
            return Outcome("waits", self.waits)
        share = shares(reader).get(self.kind)
        new = share is None or share.rate < self.rate
        if share is None or share.rate < self.rate:
            share = set_share(given.study, given.reviewer, self.kind, self.rate)
        told = share_progress(reader, given.study.meta("study_id"), share, given.reviewer)
        twice = _twice(reader, drawn(reader, given.study.meta("study_id"), share))
        words = f"{share.rate:.0%} drawn: {told.drawn} of {told.units:,} {self.of}, {twice} decided by two people"
        if twice >= told.drawn:
            return Outcome("did" if new else "done", words)
        queue = "share" if self.kind == STATEMENT else f"share_{self.kind}"
        return Outcome("waits", words, command("review", given.study.path, "--queue", queue))


def _twice(reader: sqlite3.Connection, units: list[str]) -> int:
    query = """SELECT count(*) FROM (SELECT unit FROM standing WHERE pass = 1 AND state = 'decided'
               AND unit IN (SELECT value FROM json_each(?)) GROUP BY unit HAVING count(*) > 1)"""
    return int(reader.execute(query, (json.dumps(units),)).fetchone()[0])
