"""The rows of reviewers.csv: one for every reviewer."""

import sqlite3
from collections.abc import Iterator, Sequence

from medreview.exchange.files.event_payload import Cell
from medreview.study.backgrounds import backgrounds
from medreview.units.gold_results import told_results

_DECIDED = "SELECT count(*) FROM standing WHERE reviewer = ? AND state = 'decided'"


def reviewer_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """By name."""
    for name, said, at in list(backgrounds(reader)):
        gold = told_results(reader, name)
        wrong = [one for one in gold if not one.right]
        yield (
            name,
            said.role or None,
            said.years,
            said.specialty or None,
            said.words or None,
            at or None,
            reader.execute(_DECIDED, (name,)).fetchone()[0],
            len(gold) - len(wrong),
            len(wrong),
            sum(one.gold.attention for one in wrong),
        )
