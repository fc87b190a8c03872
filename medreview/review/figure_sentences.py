"""What moves while one decides, in sentences: how far the reviewer is, and what came since the last look at figures.

They hold nothing of the judges but how often they agree, which the page of figures shows as well.
"""

import sqlite3
from typing import TYPE_CHECKING, Final, NamedTuple

from medreview.study.counts import OF_KIND, prefix_of
from medreview.text import counted
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.review.live_agreement import GroupView, ShownFigures
    from medreview.review.queue import Queue

_SINCE: Final = f"""
SELECT DISTINCT unit FROM event NOT INDEXED
WHERE seq > ? AND reviewer = ? AND pass = 1 AND kind = 'decide' AND {OF_KIND}"""


class Moved(NamedTuple):
    """What a reviewer is at: the open ``queue``, the ``noun`` of its units, and what was decided ``since`` figures were
    looked at last in this sitting."""

    queue: "Queue | None"
    noun: str
    since: frozenset[str]


def since_look(reader: sqlite3.Connection, reviewer: str, kind: str, seq: int) -> frozenset[str]:
    """Units of a kind that the reviewer decided on after an event."""
    return frozenset(row[0] for row in reader.execute(_SINCE, (seq, reviewer, prefix_of(kind))))


def queue_sentence(moved: Moved, figures: "ShownFigures") -> str:
    """``You have decided 12 of 31 statements in “triage: flagged”.``; ``""`` where no queue is open that has a name."""
    queue = moved.queue
    if queue is None or not queue.units or queue.among is not None:
        return ""
    labelled = figures.labelled
    done = sum(unit in labelled for unit in queue.units)
    return f"You have decided {done:,} of {counted(len(queue.units), moved.noun)} in “{visible(queue.kind.title)}”."


def since_sentence(moved: Moved, figures: "ShownFigures", view: "GroupView", who: str) -> str:
    """What the units decided since the last look did to the figures that are shown; ``""`` without any."""
    if not moved.since:
        return ""
    both, same = figures.met(moved.since, view.group, view.scale, view.judge)
    told = f"on {same:,} of {both:,} that count here {who} agreed with you" if both else "none of it counts here"
    return f"Since the last look: {len(moved.since):,} decided; {told}."
