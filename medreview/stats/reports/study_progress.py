"""How far a reviewer is, and at what pace."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Final

from medreview.labels import HALLUCINATION
from medreview.stats.reports.reviewer_labels import ReviewerLabel

_DIFFERING: Final = """
SELECT count(*) FROM standing AS m JOIN verdict AS v ON v.statement_id = m.unit
WHERE m.reviewer = ? AND m.pass = ? AND m.state = 'decided' AND v.verdict IS NOT NULL AND m.label <> v.verdict"""


@dataclass(frozen=True)
class Standing:
    """Counts of statements. ``total`` = ``decided`` + ``deferred`` + ``open``.

    ``disagreements`` are decisions that differ from the judges' verdict as they stand now; ``changed_after_reveal``
    blind labels that the reviewer changed on seeing the judges; ``hallucinations`` current types of that axis;
    ``minutes`` the median of the active time of ``timed`` first decisions.
    """

    total: int
    decided: int
    deferred: int
    open: int
    disagreements: int
    changed_after_reveal: int
    hallucinations: Mapping[str, int]
    minutes: float | None
    timed: int


def standing(
    reader: sqlite3.Connection, reviewer: str, labels: Mapping[str, ReviewerLabel], pass_no: int = 1
) -> Standing:
    """Count what stands for a reviewer in one pass."""
    who = (reviewer, pass_no)
    total = reader.execute("SELECT count(*) FROM statement").fetchone()[0]
    states = dict(
        reader.execute("SELECT state, count(*) FROM standing WHERE reviewer = ? AND pass = ? GROUP BY state", who)
        .fetchall()
    )  # fmt: skip
    named = dict(
        reader.execute(
            """SELECT label, count(*) FROM decision_current
               WHERE reviewer = ? AND pass = ? AND axis = 'hallucination' GROUP BY label""",
            who,
        ).fetchall()
    )
    times = [
        row[0]
        for row in reader.execute(
            """SELECT json_extract(payload, '$.active_ms') AS ms FROM decision_first
               WHERE reviewer = ? AND pass = ? AND axis = 'evidence' AND ms IS NOT NULL""",
            who,
        )
    ]
    done, put_off = states.get("decided", 0), states.get("deferred", 0)
    return Standing(
        total=total,
        decided=done,
        deferred=put_off,
        open=total - done - put_off,
        disagreements=reader.execute(_DIFFERING, who).fetchone()[0],
        changed_after_reveal=sum(
            label.current != label.label for label in labels.values() if label.group.mode == "blind"
        ),
        hallucinations={label.level: named[label.level] for label in HALLUCINATION if label.level in named},
        minutes=median(times) / 60_000 if times else None,
        timed=len(times),
    )
