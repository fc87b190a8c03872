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
from medreview.units.asks import STATEMENT

_ROOM: Final = QUEUE_COLUMNS - 2
_LEAST: Final = 8
"""Cells that are left for the name of what a unit is part of, or it is left out."""

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
        self._made: dict[int, tuple[tuple[object, ...], Row]] = {}
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
        room = _ROOM - width(progress) - 2
        group = fit(listed.group, min(room, width(listed.group)))
        return [
            (group, "title"),
            (fit(f"  {model}", max(0, room - width(group))), "dim"),
            ("", "fill"),
            (f" {progress} ", "dim"),
        ]

    def _statement(self, place: int) -> Row:
        """The row of a unit, made again when it stands elsewhere."""
        session = self._session
        unit, listed = session.queue.units[place], self._listed(place)
        label = session.label_of(unit)
        stands = (listed, label, label is not None and session.stale(unit), session.state_of(unit), session.hides(unit))
        found = self._made.get(place)
        if found is None or found[0] != stands:
            if len(self._made) > _KEPT:
                self._made.clear()
            found = self._made[place] = stands, self._unit_row(place, listed)
        return found[1]

    def _unit_row(self, place: int, listed: QueueEntry) -> Row:
        session = self._session
        unit = session.queue.units[place]
        before, name, group = self._named(listed, alone=self._heading_of[place] is None)
        label = session.label_of(unit)
        if label is not None:
            stale = "STALE " if session.stale(unit) else ""
            words = session.asks.level_named(label).name
            row: Row = [(before, "dim"), (f"{glyph(label)} {name} ", ""), (stale, "badge"), (words, "dim")]
        elif session.state_of(unit) == "deferred":
            row = [(before, "dim"), (f"… {name} ", ""), ("deferred", "dim")]
        elif session.hides(unit) or not listed.badges:
            row = [(before, "dim"), (f"  {name}", "")]
        else:
            head = f"· {name} "
            room = _ROOM - width(before) - width(head)
            row = [(before, "dim"), (head, ""), (fit(listed.badges, min(room, width(listed.badges))), "badge")]
        room = _ROOM - sum(width(text) for text, _ in row)
        return [*row, (fit(f"  {group}", min(room, width(group) + 2)), "dim")] if group and room > _LEAST else row

    def _named(self, listed: QueueEntry, *, alone: bool) -> tuple[str, str, str]:
        """What stands before the glyph, the name after it, and what it is part of where that stands behind the label.

        Under its heading, and behind it, a name goes without what it begins with there (``R10 S1 [1]``, ``C01 F1``).
        """
        group, first = listed.group, listed.group.partition(" ")[0]
        short = listed.name.removeprefix(f"{first} ")
        if not alone:
            return "  ", short, ""
        if short != listed.name or self._session.asks is STATEMENT:
            return f"{first} ", short, ""
        return "", listed.name, group if group != listed.name else ""

    def _listed(self, place: int) -> QueueEntry:
        found = self._read.get(place)
        if found is None:
            if len(self._read) > _KEPT:
                self._read.clear()
            found = self._read[place] = self._session.listed(place)
        return found
