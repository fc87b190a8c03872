"""Where a reviewer left off: the queue as it was then, and the place in it."""

from dataclasses import dataclass

from medreview.errors import UserError
from medreview.review.bookmark import last_bookmark
from medreview.review.queue import Queue, open_queue
from medreview.study import Study
from medreview.units.registry import unit_name


@dataclass(frozen=True, slots=True)
class LastPlace:
    """A queue that is not empty, and where in it the reviewer was.

    ``position`` counts from 0 and is ``None``, and ``name`` (R07 S3) empty, when that statement is no longer in it.
    """

    queue: Queue
    name: str
    position: int | None

    @property
    def words(self) -> str:
        """Queue, place, filter: ``triage: flagged, R07 S3, 12 of 63, filter model=atlas-2``."""
        queue = self.queue
        size = len(queue.units)
        title = queue.kind.title + (", blind" if queue.mode == "blind" and queue.kind.mode == "open" else "")
        place = f"{self.name}, {self.position + 1} of {size}" if self.position is not None else f"{size} in it"
        return ", ".join([title, place, *([f"filter {queue.filter}"] if queue.filter else [])])


def last_place(study: Study, reviewer: str) -> LastPlace | None:
    """Where the reviewer was last; ``None`` before the first time, and when nothing is left in that queue."""
    last = last_bookmark(study.reader, reviewer)
    if last is None:
        return None
    try:
        queue = open_queue(study, last.queue, reviewer, filter=last.filter, blind=last.mode == "blind")
    except UserError:  # an earlier version knew this queue or filter
        return None
    if not queue.units:
        return None
    position = queue.units.index(last.unit) if last.unit in queue.units else None
    return LastPlace(queue, unit_name(study.reader, last.unit) if position is not None else "", position)
