"""What other reviewers said of a unit: what of it may be seen, and whether it has been."""

import sqlite3
from typing import Final, NamedTuple

BLOCK: Final = "conflicts"
"""The beginning of the names of the queues in which reviewers see each other's labels."""


class OthersNote(NamedTuple):
    """Another reviewer's current note on a unit, and when it was written."""

    reviewer: str
    text: str
    at_utc: str


_NOTES: Final = """SELECT reviewer, json_extract(payload, '$.text') AS text, at_utc, max(event_id) FROM event_live
WHERE unit = ?1 AND reviewer <> ?2 AND kind = 'note' AND pass = 1 GROUP BY reviewer ORDER BY reviewer"""

_OWN: Final = """SELECT EXISTS (SELECT 1 FROM standing
                WHERE unit = ?1 AND reviewer = ?2 AND pass = ?3 AND state = 'decided')
       AND NOT EXISTS (SELECT 1 FROM kept_blind WHERE unit = ?1 AND reviewer = ?2 AND pass = ?3 AND NOT seen)"""

_SEEN: Final = f"""SELECT EXISTS (SELECT 1 FROM event WHERE unit = ?1 AND reviewer = ?2
                AND (block GLOB '{BLOCK}*' OR kind = 'adjudicate'))
       OR EXISTS (SELECT 1 FROM event AS l JOIN event AS d ON d.unit = ?1 AND d.reviewer <> ?2
                  AND d.kind IN ('decide', 'revise', 'note') AND d.event_id < l.event_id
                  WHERE l.kind = 'look' AND l.reviewer = ?2 AND json_extract(l.payload, '$.shown') = 'labels')"""


def others_notes(reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int = 1) -> tuple[OthersNote, ...]:
    """The other reviewers' notes on a unit, by name, as far as the reviewer may see them.

    That is once the unit is decided and, if it was decided blind, its machines were shown: a note may tell what they
    say. Of a study that came without notes there are none.
    """
    if not reader.execute(_OWN, (unit, reviewer, pass_no)).fetchone()[0]:
        return ()
    found = reader.execute(_NOTES, (unit, reviewer)).fetchall()
    return tuple(OthersNote(row["reviewer"], row["text"], row["at_utc"]) for row in found if row["text"])


def saw_others(reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int = 1) -> bool:
    """Whether the reviewer has seen another's label or note of a unit: a label given now is not independent of it.

    In a queue of conflicts, in a list of them, or as a note beside the unit once that was decided.
    """
    if reader.execute(_SEEN, (unit, reviewer)).fetchone()[0]:
        return True
    return bool(others_notes(reader, unit, reviewer, pass_no))
