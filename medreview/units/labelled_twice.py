"""What a reviewer labelled in both passes: the agreement with oneself rests on it."""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from medreview.labels import same_label
from medreview.units.held_facts import Mode

PASS_NO: Final = 2
"""The second pass."""

_SECOND: Final = """SELECT unit, axis, label, max(event_id) FROM main_live
WHERE reviewer = ? AND pass = ? AND kind = 'decide' GROUP BY unit, axis"""
_FIRST: Final = "SELECT label, mode FROM reviewer_label WHERE reviewer = ? AND pass = 1 AND unit = ? AND axis = ?"


@dataclass(frozen=True, slots=True)
class Twice:
    """A unit that a reviewer labelled in both passes; ``mode``: whether the first label was given blind."""

    unit: str
    axis: str
    first: str
    second: str
    mode: Mode

    @property
    def same(self) -> bool:
        """Whether both labels are the same."""
        return same_label(self.axis, self.first, self.second)


def labelled_twice(reader: sqlite3.Connection, reviewer: str, units: Collection[str] | None = None) -> list[Twice]:
    """The labels of both passes, on the axis of each unit's kind, of some units or of all.

    Of the first pass the one that every figure takes; of the second the one that was given before the judges were shown
    in it, whatever was known of them from the first.
    """
    found = []
    for row in reader.execute(_SECOND, (reviewer, PASS_NO)).fetchall():
        if units is not None and row["unit"] not in units:
            continue
        first = reader.execute(_FIRST, (reviewer, row["unit"], row["axis"])).fetchone()
        if first is not None:
            found.append(Twice(row["unit"], row["axis"], first["label"], row["label"], first["mode"]))
    return found
