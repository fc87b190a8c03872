"""How far a reviewer is and at which pace, in lines for the page of figures."""

import sqlite3
from statistics import median
from typing import Final

from medreview.study.counts import load_counts
from medreview.words import counted

LAST: Final = 100
"""Decisions that a pace is told from, the newest."""
_LEAST: Final = 5

_NEWEST: Final = """
SELECT json_extract(payload, '$.active_ms') FROM event
WHERE reviewer = ? AND pass = ? AND kind = 'decide' AND axis = 'evidence' AND json_extract(payload, '$.active_ms') > 0
ORDER BY seq DESC LIMIT ?"""


def pace_lines(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1) -> list[str]:
    """What is decided, deferred and open; then the time at work for a decision (the middle one of the last ones), and
    what is open at that pace. The second line needs five decisions with a time."""
    counts = load_counts(reader, reviewer, pass_no)
    total = counted(counts.total, "statement")
    lines = [f"{counts.decided:,} of {total} decided, {counts.deferred:,} deferred, {counts.open:,} open"]
    times = [row[0] for row in reader.execute(_NEWEST, (reviewer, pass_no, LAST))]
    if len(times) < _LEAST:
        return lines
    each = median(times) / 1000
    told = f"The last {counted(len(times), 'decision')} took {each:.0f} seconds each in the middle"
    left = counts.open * each / 60
    if not counts.open:
        return [*lines, f"{told}."]
    rest = f"{left / 60:.0f} hours" if left >= 90 else counted(max(1, round(left)), "minute")
    return [*lines, f"{told}; the {counts.open:,} open ones would take {rest} at that pace."]
