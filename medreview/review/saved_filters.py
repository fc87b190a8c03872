"""Filters that a reviewer saved by name: a queue and what narrows it, to be opened again from the first screen."""

import sqlite3
from datetime import UTC, datetime
from typing import Final, NamedTuple

from medreview.errors import UserError
from medreview.review.queue import Queue, open_queue
from medreview.review.queue_kinds import Mode
from medreview.storable import storable_text
from medreview.study import Study

LONGEST: Final = 40
"""Characters of a name."""
MOST: Final = 50
"""Saved filters of one reviewer."""


class SavedFilter(NamedTuple):
    """A queue by name, how it is shown, and what narrows it."""

    name: str
    queue: str
    filter: str
    mode: Mode

    @property
    def title(self) -> str:
        """What the screen calls its queue."""
        from medreview.review.unit_queues import ALL

        return next((kind.title for kind in ALL if kind.name == self.queue), self.queue)


class FilterLine(NamedTuple):
    """A saved filter as it stands now: how many units it keeps, how many of them are open. ``wrong``: why it cannot be
    opened, as a sentence; ``hidden``: its counts would tell what the judges think."""

    saved: SavedFilter
    size: int = 0
    open: int = 0
    wrong: str = ""
    hidden: bool = False


def saved_filters(reader: sqlite3.Connection, reviewer: str) -> list[SavedFilter]:
    """Those of a reviewer, by name."""
    rows = reader.execute(
        "SELECT name, queue, filter, mode FROM saved_filter WHERE reviewer = ? ORDER BY name", (reviewer,)
    )
    return [SavedFilter(*row) for row in rows]


def save_filter(study: Study, reviewer: str, name: str, queue: Queue) -> SavedFilter:
    """Save a queue with its filter under a name; one that has the name is replaced.

    Raises :class:`UserError` for a name that is none, a queue without a filter, and one filter too many.
    """
    name = " ".join(storable_text(name).split())
    if not name or len(name) > LONGEST:
        raise UserError(f"A saved filter has a name of 1 to {LONGEST} characters: save NAME.")
    if not queue.filter:
        raise UserError("This queue is not narrowed; filter it first, then save the filter by a name.")
    there = [saved.name for saved in saved_filters(study.reader, reviewer)]
    if name not in there and len(there) >= MOST:
        raise UserError(f"There are {MOST} saved filters already; delete one first.")
    new = SavedFilter(name, queue.kind.name, queue.filter, queue.mode)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    study.write(
        lambda connection: connection.execute(
            "INSERT OR REPLACE INTO saved_filter VALUES (?, ?, ?, ?, ?, ?)",
            (reviewer, new.name, new.queue, new.filter, now, new.mode),
        )
    )
    return new


def delete_filter(study: Study, reviewer: str, name: str) -> None:
    """Delete a saved filter. Raises :class:`UserError` naming those that there are, when there is none of this name."""
    there = [saved.name for saved in saved_filters(study.reader, reviewer)]
    if name not in there:
        known = f"; there are {', '.join(there)}" if there else ""
        raise UserError(f"There is no saved filter {name!r}{known}.")
    study.write(
        lambda connection: connection.execute(
            "DELETE FROM saved_filter WHERE reviewer = ? AND name = ?", (reviewer, name)
        )
    )


def open_saved(study: Study, reviewer: str, saved: SavedFilter) -> Queue:
    """The queue of a saved filter as it stands now. Raises :class:`UserError` where it cannot be opened any more."""
    return open_queue(study, saved.queue, reviewer, filter=saved.filter, blind=saved.mode == "blind")


def filter_lines(study: Study, reviewer: str, *, blind: bool) -> tuple[FilterLine, ...]:
    """The saved filters of a reviewer, counted; ``blind``: as long as a blind block is open, which hides what tells."""
    return tuple(_line(study, reviewer, saved, blind) for saved in saved_filters(study.reader, reviewer))


def _line(study: Study, reviewer: str, saved: SavedFilter, blind: bool) -> FilterLine:
    try:
        queue = open_saved(study, reviewer, saved)
    except UserError as error:  # a kind of unit or filter that this version does not know
        return FilterLine(saved, wrong=str(error))
    if blind and queue.kind.tells:
        return FilterLine(saved, hidden=True)
    decided = {
        row[0]
        for row in study.reader.execute(
            "SELECT unit FROM standing WHERE reviewer = ? AND pass = ?", (reviewer, queue.kind.pass_no)
        )
    }
    return FilterLine(saved, len(queue.units), sum(unit not in decided for unit in queue.units))
