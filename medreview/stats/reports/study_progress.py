"""How far a reviewer is, and at what pace."""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Final

from medreview.labels import HALLUCINATION
from medreview.stats.reports.reviewer_labels import ReviewerLabel
from medreview.stats.reports.selection import EVERYTHING, Selection
from medreview.study.counts import DIFFERING, OF_KIND, Counts, count_statements, whose_states
from medreview.study.unit_ids import STATEMENT

_STANDING: Final = f"""SELECT mine.unit, mine.state, {DIFFERING} AS differs
FROM standing AS mine LEFT JOIN verdict AS v ON v.statement_id = mine.unit
WHERE reviewer = ? AND pass = ? AND {OF_KIND}"""
_HALLUCINATIONS: Final = """SELECT unit, label FROM decision_current
WHERE reviewer = ? AND pass = ? AND axis = 'hallucination'
      AND unit NOT IN (SELECT statement_id FROM retired_statement)"""
_OTHER_UNITS: Final = """SELECT substr(unit, 1, instr(unit, ':') - 1) AS kind, count(DISTINCT unit)
FROM decision_current WHERE reviewer = ? AND pass = ? AND instr(unit, ':') GROUP BY kind"""
_TIMES: Final = """SELECT unit, json_extract(payload, '$.active_ms') AS ms FROM decision_first
WHERE reviewer = ? AND pass = ? AND axis = 'evidence' AND ms IS NOT NULL"""


@dataclass(frozen=True)
class Standing:
    """Counts of statements. ``total`` = ``decided`` + ``deferred`` + ``open``.

    ``disagreements`` are decisions that differ from the judges' verdict as they stand now; ``changed_after_reveal``
    blind labels that the reviewer changed on seeing the judges; ``after_totals`` blind labels given after figures
    of the judges had been read; ``hallucinations`` current types of that axis;
    ``other_units``: how many units of each other kind, in the whole study, the reviewer has labelled on any axis;
    ``minutes`` the median of the active time of ``timed`` first decisions.
    """

    total: int
    decided: int
    deferred: int
    open: int
    disagreements: int
    changed_after_reveal: int
    after_totals: int
    hallucinations: Mapping[str, int]
    other_units: Mapping[str, int]
    minutes: float | None
    timed: int


def standing(
    reader: sqlite3.Connection,
    reviewer: str,
    labels: Mapping[str, ReviewerLabel],
    pass_no: int = 1,
    only: Selection = EVERYTHING,
) -> Standing:
    """Count what stands for a reviewer in one pass; ``labels`` are those of the statements in ``only``."""
    who = (reviewer, pass_no)
    named = Counter(row["label"] for row in reader.execute(_HALLUCINATIONS, who) if only.holds(row["unit"]))
    times = [row["ms"] for row in reader.execute(_TIMES, who) if only.holds(row["unit"])]
    rows = [
        row for row in reader.execute(_STANDING, whose_states(reviewer, STATEMENT, pass_no)) if only.holds(row["unit"])
    ]
    total = count_statements(reader) if only.statements is None else len(only.statements)
    return Standing(
        **Counts.of(total, Counter(row["state"] for row in rows))._asdict(),
        disagreements=sum(bool(row["differs"]) for row in rows),
        changed_after_reveal=sum(label.changed_after_reveal for label in labels.values()),
        after_totals=sum(label.after_totals for label in labels.values()),
        hallucinations={label.level: named[label.level] for label in HALLUCINATION if label.level in named},
        other_units=dict(reader.execute(_OTHER_UNITS, who).fetchall()),
        minutes=median(times) / 60_000 if times else None,
        timed=len(times),
    )
