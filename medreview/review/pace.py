"""How far a reviewer is and at which pace, in lines for the page of figures."""

import sqlite3
from statistics import median
from typing import Final

from medreview.study.counts import OF_KIND, Counts, count_statements, load_states, prefix_of
from medreview.units.asks import STATEMENT, Asks
from medreview.units.registry import count_units
from medreview.words import counted

LAST: Final = 100
"""Decisions that a pace is told from, the newest."""
_LEAST: Final = 5

_NEWEST: Final = f"""
SELECT json_extract(payload, '$.active_ms') FROM event
WHERE reviewer = ? AND pass = 1 AND kind = 'decide' AND axis = ? AND {OF_KIND}
      AND json_extract(payload, '$.active_ms') > 0
ORDER BY seq DESC LIMIT ?"""


def pace_lines(reader: sqlite3.Connection, reviewer: str, asks: Asks = STATEMENT) -> list[str]:
    """What of the units of a kind is decided, deferred and open; then the time at work for a decision, and what is open
    at that pace. The second line needs five decisions with a time."""
    whole = count_statements(reader) if asks is STATEMENT else count_units(reader, asks.name)
    counts = Counts.of(whole, load_states(reader, reviewer, asks.name))
    total = counted(counts.total, asks.noun)
    lines = [f"{counts.decided:,} of {total} decided, {counts.deferred:,} deferred, {counts.open:,} open"]
    values = (reviewer, asks.axis, prefix_of(asks.name), LAST)
    times = [row[0] for row in reader.execute(_NEWEST, values)]
    if len(times) < _LEAST:
        return lines
    each = median(times) / 1000
    told = f"The last {counted(len(times), 'decision')} took {each:.0f} seconds each (median)"
    left = counts.open * each / 60
    if not counts.open:
        return [*lines, f"{told}."]
    rest = f"{left / 60:.0f} hours" if left >= 90 else counted(max(1, round(left)), "minute")
    return [*lines, f"{told}; the {counts.open:,} open ones would take {rest} at that pace."]
