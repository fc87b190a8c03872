"""Right labels that figures may tell: of units that are decided, and whose block is shown where that was blind.

All of them are told to the study's owner, who asks for that; it is on record (the look ``gold``).
"""

import json
import sqlite3
from dataclasses import dataclass
from typing import Final

_GOLD: Final = "g.axis = ?1 AND (?2 = '' OR (g.unit >= ?2 || ':' AND g.unit < ?2 || ';'))"
_TOLD: Final = f"""
SELECT g.unit, g.label, g.spans FROM gold AS g
WHERE {_GOLD} AND (?3 OR (g.unit IN (SELECT unit FROM standing WHERE state = 'decided')
                          AND g.unit NOT IN (SELECT unit FROM kept_blind WHERE NOT seen)))"""


@dataclass(frozen=True, slots=True)
class ToldGold:
    """``labels`` and the ``places`` of the right spans by unit, of what may be told; ``silent`` counts the others."""

    labels: dict[str, str]
    places: dict[str, list[tuple[int, int]]]
    silent: int


def told_gold(reader: sqlite3.Connection, axis: str, kind: str = "", *, every: bool = False) -> ToldGold:
    """The gold of an axis; of the units of one ``kind``, other than the statement, where that is given.

    ``every``: whoever has decided what.
    """
    rows = reader.execute(_TOLD, (axis, kind, every)).fetchall()
    every = reader.execute(f"SELECT count(*) FROM gold AS g WHERE {_GOLD}", (axis, kind)).fetchone()[0]
    return ToldGold(
        {row["unit"]: row["label"] for row in rows},
        {row["unit"]: [(span["start"], span["end"]) for span in json.loads(row["spans"])] for row in rows},
        every - len(rows),
    )
