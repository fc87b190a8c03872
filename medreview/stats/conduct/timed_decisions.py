"""A reviewer's first decisions on statements, in order, with the time they took and what there was to be read."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from medreview.labels import Via
from medreview.units.held_facts import Mode

PAUSE: Final = timedelta(minutes=30)
"""Between two decisions, from which on the later one is of another sitting."""

_DECISIONS: Final = """
SELECT d.unit, d.at_utc, d.block, d.mode, d.label, d.snapshot,
       json_extract(d.payload, '$.via') AS via, json_extract(d.payload, '$.judge_verdict') AS judges,
       json_extract(d.payload, '$.active_ms') AS active_ms, json_extract(d.payload, '$.keys') AS keys,
       length(s.text) AS statement,
       json_extract(e.highlights, '$[0][1]') - json_extract(e.highlights, '$[0][0]') AS best,
       EXISTS (SELECT 1 FROM citation AS c JOIN source AS u USING (source_id)
               JOIN snapshot_content AS n ON n.snapshot_id = u.current_snapshot
               WHERE c.response_id = s.response_id AND n.readable) AS readable
FROM decision_first AS d JOIN statement_standing AS s ON s.statement_id = d.unit
LEFT JOIN evidence AS e ON e.statement_id = d.unit AND e.snapshot_id = d.snapshot
WHERE d.reviewer = ? AND d.pass = ? AND d.axis = 'evidence' ORDER BY d.event_id"""


class Labelled(Protocol):
    """A reviewer's label on a statement as every figure takes it: how it was given, and what it is now."""

    @property
    def response_id(self) -> str:
        """The response of the statement."""

    @property
    def mode(self) -> Mode:
        """Blind or assisted."""

    @property
    def current(self) -> str:
        """The label as it stands."""


@dataclass(frozen=True, slots=True)
class TimedDecision:
    """The first decision on a statement. ``mode``: blind or assisted, as every figure takes the label.

    ``label``: what was said then. ``judges``: their common verdict at that time, ``""`` for none, be it shown or not.
    ``seconds`` of active time and ``keys`` are ``None`` where none were recorded (from Python, from a file).
    ``random_order``: it was met in a queue in random order. ``characters``: of the statement and the best passage of
    the page on the screen. ``page``: whether one was on the screen; ``readable``: whether the response has one.
    """

    unit: str
    response_id: str
    at: datetime
    queue: str
    random_order: bool
    mode: Mode
    label: str
    current: str
    judges: str
    via: Via
    seconds: float | None
    keys: int | None
    characters: int
    page: bool
    readable: bool

    @property
    def supported(self) -> bool:
        """Whether it says that the statement is supported."""
        return self.label == "supported"

    @property
    def as_judges(self) -> bool | None:
        """Whether it says what the judges say; ``None`` where they had no common verdict."""
        return self.label == self.judges if self.judges else None


def timed_decisions(
    reader: sqlite3.Connection, reviewer: str, labels: Mapping[str, Labelled], pass_no: int = 1
) -> list[TimedDecision]:
    """Those of the statements in ``labels``, in the order in which they were made."""
    return [
        TimedDecision(
            unit=row["unit"],
            response_id=labels[row["unit"]].response_id,
            at=datetime.fromisoformat(row["at_utc"]),
            queue=row["block"],
            random_order=row["mode"] == "blind",
            mode=labels[row["unit"]].mode,
            label=row["label"],
            current=labels[row["unit"]].current,
            judges=row["judges"] or "",
            via=row["via"],
            seconds=None if row["active_ms"] is None else row["active_ms"] / 1000,
            keys=row["keys"],
            characters=row["statement"] + (row["best"] or 0),
            page=row["snapshot"] is not None,
            readable=bool(row["readable"]),
        )
        for row in reader.execute(_DECISIONS, (reviewer, pass_no))
        if row["unit"] in labels
    ]


def stretches(decisions: Sequence[TimedDecision]) -> list[list[TimedDecision]]:
    """What was decided in one queue without a long pause: a sitting, or the part of it in one queue."""
    found: list[list[TimedDecision]] = []
    for decision in decisions:
        last = found[-1][-1] if found else None
        if last is not None and last.queue == decision.queue and decision.at - last.at < PAUSE:
            found[-1].append(decision)
        else:
            found.append([decision])
    return found
