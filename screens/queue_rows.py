"""The queue pane's rows: statements in the order of the queue, and a row for each response that has several in turn."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from medreview.review.deciding import Deciding
from medreview.review.layout.cells import fit, width
from medreview.review.queue_entry import QueueEntry
from medreview.screens.glyphs import glyph
from medreview.screens.layout import QUEUE_COLUMNS
from medreview.screens.widgets.painted import Row

_KEPT: Final = 2_000
"""Lines kept once read."""


class QueueRows:
    """Maps rows of the pane to places in the queue. Nothing but the names of the responses is read beforehand.

    A response whose statements follow each other has a row of its own above them, which counts the labels that are not
    stale; a single statement names its response itself.
    """

    def __init__(self, session: Deciding) -> None:
        self._session = session
        self._places: list[int] = []  # -n - 1 for the heading of the run that starts at place n
        self._row_of: list[int] = []
        self._heading_of: list[int | None] = []
        self._runs: dict[int, int] = {}
        self._read: dict[int, QueueEntry] = {}
        place = 0
        for _, run in groupby(session.queue.responses):
            length = len(list(run))
            heading = len(self._places) if length > 1 else None
            if heading is not None:
                self._places.append(-place - 1)
                self._runs[place] = length
            for _ in range(length):
                self._row_of.append(len(self._places))
                self._heading_of.append(heading)
                self._places.append(place)
                place += 1

    def __len__(self) -> int:
        return len(self._places)

    def row_of(self, place: int) -> int:
        """The row of a place in the queue."""
        return self._row_of[place] if self._row_of else 0

    def heading(self, row: int) -> int | None:
        """The row of the response that a statement's row belongs to, if it has one."""
        place = self._places[row] if row < len(self._places) else -1
        return self._heading_of[place] if place >= 0 else None

    def row(self, index: int) -> Row:
        """One row, read from the study when it comes into sight."""
        place = self._places[index]
        return self._response(-place - 1) if place < 0 else self._statement(place)

    def _response(self, place: int) -> Row:
        session = self._session
        listed = self._listed(place)
        length = self._runs[place]
        units: Sequence[str] = session.queue.units[place : place + length]
        decided = sum(session.state_of(unit) == "decided" and not session.stale(unit) for unit in units)
        progress = f"{length} ✓" if decided == length else f"{decided}/{length}"
        model = "" if any(map(session.hides, units)) else listed.model
        return [(f"{listed.group}  ", "title"), (model, "dim"), ("", "fill"), (f" {progress} ", "dim")]

    def _statement(self, place: int) -> Row:
        session = self._session
        unit = session.queue.units[place]
        listed = self._listed(place)
        alone = self._heading_of[place] is None
        name = f"{listed.group} " if alone and listed.group != listed.name else "  "
        label = session.label_of(unit)
        if label is not None:
            stale = "STALE " if session.stale(unit) else ""
            words = session.asks.level_named(label).name
            return [(name, "dim"), (f"{glyph(label)} {listed.name} ", ""), (stale, "badge"), (words, "dim")]
        if session.state_of(unit) == "deferred":
            return [(name, "dim"), (f"… {listed.name} ", ""), ("deferred", "dim")]
        if session.hides(unit) or not listed.badges:
            return [(name, "dim"), (f"  {listed.name}", "")]
        head = f"· {listed.name} "
        room = QUEUE_COLUMNS - 2 - len(name) - len(head)
        return [(name, "dim"), (head, ""), (fit(listed.badges, min(room, width(listed.badges))), "badge")]

    def _listed(self, place: int) -> QueueEntry:
        found = self._read.get(place)
        if found is None:
            if len(self._read) > _KEPT:
                self._read.clear()
            found = self._read[place] = self._session.listed(place)
        return found
