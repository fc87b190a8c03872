"""Right labels that figures may tell: of units that are decided, and whose block is shown where that was blind."""

import json
import sqlite3
from dataclasses import dataclass
from typing import Final

_TOLD: Final = """
SELECT g.unit, g.label, g.spans FROM gold AS g
WHERE g.axis = ? AND g.unit IN (SELECT unit FROM standing WHERE state = 'decided')
      AND g.unit NOT IN (SELECT unit FROM kept_blind WHERE NOT seen)"""


@dataclass(frozen=True, slots=True)
class ToldGold:
    """``labels`` and the ``places`` of the right spans by unit, of what may be told; ``silent`` counts the others."""

    labels: dict[str, str]
    places: dict[str, list[tuple[int, int]]]
    silent: int


def told_gold(reader: sqlite3.Connection, axis: str) -> ToldGold:
    """The gold of an axis."""
    rows = reader.execute(_TOLD, (axis,)).fetchall()
    every = reader.execute("SELECT count(*) FROM gold WHERE axis = ?", (axis,)).fetchone()[0]
    return ToldGold(
        {row["unit"]: row["label"] for row in rows},
        {row["unit"]: [(span["start"], span["end"]) for span in json.loads(row["spans"])] for row in rows},
        every - len(rows),
    )
