"""What a reviewer decided and noted, newest first, of all kinds of unit: listed and searched.

While a unit waits in the second pass, its labels and notes of the first are left out: they would be seen.
"""

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from medreview.labels import AXES, label_words
from medreview.review.decision import describe
from medreview.review.repeat_annotation import due_units
from medreview.review.unit_queues import ALL
from medreview.study.own_axes import own_axes
from medreview.units.registry import unit_name

Listed = Literal["decisions", "notes"]
"""What is listed: labels and what was put off; or the notes that stand."""

_AT_A_TIME: Final = 64
_KEPT: Final = 4_096
_TITLES: Final = {kind.name: kind.title for kind in ALL}

_WANTED: Final[dict[Listed, str]] = {
    "decisions": "e.kind IN ('decide', 'revise', 'defer')",
    "notes": """e.kind = 'note' AND json_extract(e.payload, '$.text') <> '' AND NOT EXISTS (
    SELECT 1 FROM event_live AS l WHERE l.unit = e.unit AND l.reviewer = e.reviewer AND l.pass = e.pass
    AND l.kind = 'note' AND l.event_id > e.event_id)""",
}

_EVENTS: Final = """FROM event_live AS e
WHERE e.reviewer = ?1 AND {wanted} AND (e.pass > 1 OR e.unit NOT IN (SELECT value FROM json_each(?2)))"""

_SEARCHED: Final = """SELECT e.event_id, e.at_utc, coalesce(e.axis, '') || '/' || coalesce(e.label, '') AS label, lower(
    coalesce(s.text, u.text, '') || ' ' || coalesce(e.label, e.kind) || ' '
    || coalesce(json_extract(e.payload, '$.text'), '')
    || coalesce(' R' || printf('%02d', r.ordinal), '') || coalesce(' S' || s.ordinal, '')) AS words
FROM (SELECT *, substr(unit, instr(unit, ':') + 1) AS id {events}) AS e
LEFT JOIN statement AS s ON s.statement_id = iif(instr(e.id, ':'), substr(e.id, 1, instr(e.id, ':') - 1), e.id)
LEFT JOIN response AS r
    ON r.response_id = coalesce(s.response_id, iif(instr(e.id, ':'), substr(e.id, 1, instr(e.id, ':') - 1), e.id))
LEFT JOIN unit AS u ON u.unit_id = e.unit"""
"""Derived units begin with the id of the statement or response that they are made of."""

_ENTRY: Final = """SELECT e.event_id, e.unit, e.kind, e.axis, e.payload, e.block, e.mode, e.at_utc, e.pass, EXISTS (
    SELECT 1 FROM event_live AS l WHERE l.unit = e.unit AND l.reviewer = e.reviewer AND l.pass = e.pass
    AND l.kind IN ('decide', 'revise', 'defer') AND l.axis IS e.axis AND l.event_id > e.event_id) AS replaced,
    coalesce((SELECT text FROM statement WHERE statement_id = e.unit),
             (SELECT text FROM unit WHERE unit_id = e.unit), '') AS text
FROM event AS e WHERE e.event_id IN (SELECT value FROM json_each(?))"""


@dataclass(frozen=True, slots=True)
class PastAct:
    """One line of the history: on which ``unit``, its ``name`` (R07 S3) and first ``text``, what was ``said``, ``when``
    (local time) and in which queue. ``replaced``: a later word on the same axis counts."""

    event_id: str
    unit: str
    name: str
    text: str
    said: str
    when: datetime
    queue: str
    blind: bool
    pass_no: int
    replaced: bool


class History:
    """The acts of one reviewer, newest first, read from the study page by page; ``query``: those with all its words.

    A word is looked for in the text of the unit, its name, the label, the note and the day (``2026-03-14``).
    """

    def __init__(
        self, reader: sqlite3.Connection, reviewer: str, listed: Listed = "decisions", query: str = ""
    ) -> None:
        self._reader = reader
        self._read: dict[int, PastAct] = {}
        waiting = due_units(reader, reviewer)
        self.withheld = len(waiting)
        """Units that are left out, because they wait in the second pass."""
        events = _EVENTS.format(wanted=_WANTED[listed])
        values: list[str] = [reviewer, json.dumps(waiting)]
        select = f"SELECT e.event_id {events}"
        if query.strip():
            select = f"SELECT event_id FROM ({_SEARCHED.format(events=events)}) AS e WHERE "
            conditions = []
            for word in query.lower().split():
                at = len(values) + 1
                conditions.append(
                    f"(instr(words, ?{at}) OR instr(at_utc, ?{at}) = 1 "
                    f"OR label IN (SELECT value FROM json_each(?{at + 1})))"
                )
                values += [word, json.dumps(_labels_with(reader, word))]
            select += " AND ".join(conditions)
        self._ids = [str(row[0]) for row in reader.execute(f"{select} ORDER BY e.event_id DESC", values)]

    def __len__(self) -> int:
        return len(self._ids)

    def act(self, index: int) -> PastAct:
        """One of them, counted from 0; those around it are read with it."""
        if index not in self._read:
            first = index // _AT_A_TIME * _AT_A_TIME
            if len(self._read) > _KEPT:
                self._read.clear()
            page = self._ids[first : first + _AT_A_TIME]
            rows = {row["event_id"]: row for row in self._reader.execute(_ENTRY, (json.dumps(page),))}
            self._read |= {first + place: self._act(rows[event]) for place, event in enumerate(page)}
        return self._read[index]

    def _act(self, row: sqlite3.Row) -> PastAct:
        payload = json.loads(row["payload"])
        said = payload["text"] if row["kind"] == "note" else describe(row["kind"], row["payload"], row["unit"])
        return PastAct(
            event_id=row["event_id"],
            unit=row["unit"],
            name=unit_name(self._reader, row["unit"]),
            text=row["text"],
            said=said,
            when=datetime.fromisoformat(row["at_utc"]).astimezone(),
            queue=_TITLES.get(row["block"] or "", row["block"] or ""),
            blind=row["mode"] == "blind",
            pass_no=row["pass"],
            replaced=bool(row["replaced"]) and row["kind"] != "note",
        )


def _labels_with(reader: sqlite3.Connection, word: str) -> list[str]:
    """Labels, as axis and level, whose name has a word; of a study's own axes single levels, with the axis's name."""
    named = {axis: {label.level: label_words(axis, label.level) for label in levels} for axis, levels in AXES.items()}
    for axis, own in own_axes(reader).items():
        named[axis] = {label.level: f"{own.name} {label.name}" for label in own.levels}
    return [
        f"{axis}/{level}" for axis, levels in named.items() for level, name in levels.items() if word in name.lower()
    ]
