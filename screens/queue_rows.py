"""The queue pane: how far the queue is; of each unit name, state, why it is flagged, and its first words."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from medreview.review.cell_width import fit_words, width
from medreview.review.queue_kinds import IN_ORDER
from medreview.review.session import ReviewSession
from medreview.review.shown_unit import QueueEntry
from medreview.review.why_flagged import badges_in, short
from medreview.screens.layout import QUEUE_COLUMNS
from medreview.screens.review_rows import glyph
from medreview.screens.widgets.painted import Row, StyledText
from medreview.study.ids import STATEMENT
from medreview.units.statement import STATEMENT_ASKS
from medreview.visible import visible

NARROWEST: Final = 24
"""Columns of the pane at least."""
BESIDE: Final = 80
"""Columns that it leaves to the texts at least, however wide the reviewer makes it."""
STEP: Final = 6
"""Columns by which a key makes it wider or narrower."""
_WIDE: Final = 64
_WIDE_FROM: Final = 190
"""Columns of a terminal from which the pane takes so many of them for the statements' words."""
_POINTER: Final = 2
_LEAST: Final = 14
"""Cells from which on the first words of a unit are worth reading."""
_BAR: Final = (6, 16)
"""Cells of the bar at least, and at most."""
_KEPT: Final = 2_000
"""Lines kept once read."""


def pane_columns(columns: int, longest: int) -> int:
    """How wide the pane is in a terminal of so many columns by itself: as its longest flag asks, within bounds; with
    some of the statements' words where the texts have room enough."""
    most = columns * 2 // 7
    return max(QUEUE_COLUMNS, min(longest + 1, most), min(_WIDE, most) if columns >= _WIDE_FROM else 0)


def within(columns: int, wanted: int) -> int:
    """A width that the reviewer wants, as far as it leaves the texts their room."""
    return max(NARROWEST, min(wanted, columns - BESIDE))


def progress_row(session: ReviewSession, columns: int) -> Row:
    """``TRIAGE ███░░░░░ 12/31 ~19 min``: how much of the queue is decided, and how long the rest takes at the pace of
    this sitting, as soon as that is known."""
    size, done = len(session.queue.units), session.done_here
    title = session.queue.kind.title.partition(":")[0].upper()
    if done is None:
        return [(f" {fit_words(title, columns - 2)}", "title")]
    minutes = session.pace.minutes(size - done) if done < size else None
    tally = f" {done}/{size}" + (f" ~{minutes} min" if minutes else "")
    least, most = _BAR
    shown = fit_words(title, max(4, columns - width(tally) - least - 3))
    room = min(most, columns - width(shown) - width(tally) - 3)
    if room < least:
        return [(f" {shown}", "title"), (tally, "")]
    filled = max(done > 0, done * room // size) if size else 0
    return [(f" {shown} ", "title"), ("█" * filled, "own"), ("░" * (room - filled), "rule"), (tally, "")]


def flag_words(badges: str) -> str:
    """The gravest reason for a flag in a few words."""
    return short(badges_in(badges)[0]) if badges else ""


class QueueRows:
    """Maps rows of the pane to places in the queue. Nothing but the names of the responses is read beforehand.

    In a queue that goes response by response, one whose statements follow each other has a row of its own above them,
    which counts the labels that are not stale. Elsewhere each statement names its response itself.
    """

    def __init__(self, session: ReviewSession, columns: int) -> None:
        self._session = session
        self.columns = columns
        """Of the pane."""
        self._flags = 0
        """Cells of the longest flag in sight, behind which the words of all statements begin."""
        self._places: list[int] = []  # -n - 1 for the heading of the run that starts at place n
        self._row_of: list[int] = []
        self._heading_of: list[int | None] = []
        self._runs: dict[int, int] = {}
        self._read: dict[int, QueueEntry] = {}
        self._made: dict[int, tuple[tuple[object, ...], Row]] = {}
        queue, place = session.queue, 0
        headed = queue.kind.unit != STATEMENT or (queue.kind.order == IN_ORDER and queue.mode == "open")
        for _, run in groupby(queue.responses):
            length = len(list(run))
            heading = len(self._places) if headed and length > 1 else None
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

    def place_of(self, row: int) -> int:
        """The place in the queue of a row; of a response's row, that of its first unit."""
        place = self._places[row]
        return place if place >= 0 else -place - 1

    def heading(self, row: int) -> int | None:
        """The row of the response that a statement's row belongs to, if it has one."""
        place = self._places[row] if row < len(self._places) else -1
        return self._heading_of[place] if place >= 0 else None

    def measure(self, rows: Iterable[int]) -> int:
        """Columns that these rows, which are in sight, need for the name and the flag of each."""
        places = [place for row in rows if row < len(self) and (place := self._places[row]) >= 0]
        self._flags = max((width(self._flag(place)) for place in places), default=0)
        names = (sum(map(width, self._named(place, self._listed(place)))) for place in places)
        return _POINTER + 4 + max(names, default=0) + self._flags

    def row(self, index: int) -> Row:
        """One row, read from the study when it comes into sight."""
        place = self._places[index]
        return self._response(-place - 1) if place < 0 else self._unit(place)

    def _flag(self, place: int) -> str:
        hidden = self._session.hides(self._session.queue.units[place])
        return "" if hidden else flag_words(self._listed(place).badges)

    def _response(self, place: int) -> Row:
        session = self._session
        listed = self._listed(place)
        length = self._runs[place]
        units: Sequence[str] = session.queue.units[place : place + length]
        decided = sum(session.state_of(unit) == "decided" and not session.stale(unit) for unit in units)
        progress = f"{length} ✓" if decided == length else f"{decided}/{length}"
        model = "" if any(map(session.hides, units)) else visible(listed.model)
        room = self.columns - _POINTER - width(progress) - 2
        group = fit_words(listed.group, room)
        return [
            (group, "title"),
            (f"  {fit_words(model, room - width(group) - 2)}" if room - width(group) > _LEAST else "", "dim"),
            ("", "fill"),
            (f" {progress} ", "dim"),
        ]

    def _unit(self, place: int) -> Row:
        """The row of a unit, made again when it stands elsewhere or the pane has another width."""
        session = self._session
        unit, listed = session.queue.units[place], self._listed(place)
        label = session.label_of(unit)
        stale, state = label is not None and session.stale(unit), session.state_of(unit)
        stands = (listed, label, stale, state, session.hides(unit), self.columns, self._flags)
        found = self._made.get(place)
        if found is None or found[0] != stands:
            if len(self._made) > _KEPT:
                self._made.clear()
            found = self._made[place] = stands, self._made_row(place, listed)
        return found[1]

    def _made_row(self, place: int, listed: QueueEntry) -> Row:
        session = self._session
        unit = session.queue.units[place]
        before, name = self._named(place, listed)
        label, state, stale = session.label_of(unit), session.state_of(unit), ""
        row: list[StyledText] = [(before, "dim")]
        if label is not None:
            stale = "STALE " if session.stale(unit) else ""
            words = session.asks.level_named(label).name
            row += [(f"{glyph(label)} ", "own"), (f"{name}  ", "dim"), (stale, "badge"), (words, "dim")]
        elif state == "deferred":
            row += [("… ", "own"), (f"{name}  ", "dim"), ("deferred", "dim")]
        else:
            flag = self._flag(place)
            room = self.columns - _POINTER - width(before) - 2 - width(name) - 3
            row += [("· " if flag else "  ", ""), (f"{name}  ", "dim" if flag else ""), (fit_words(flag, room), "")]
        said = width(stale) + width(row[-1][0])
        lead = " " * max(2 if said else 0, self._flags + 2 - said if self._flags else 0)
        room = self.columns - _POINTER - sum(width(text) for text, _ in row) - 1 - len(lead)
        words = visible(" ".join(listed.text.split()))
        if room >= max(_LEAST, width(words.partition(" ")[0]) + 1):
            row.append((f"{lead}{fit_words(words, room)}", "dim"))
        return row

    def _named(self, place: int, listed: QueueEntry) -> tuple[str, str]:
        """What stands before the glyph, and the name after it.

        Under its heading a name goes without what it begins with there (``R10 S1 [1]``, ``C01 F1``).
        """
        group = listed.group.partition(" ")[0]
        short_name = listed.name.removeprefix(f"{group} ")
        if self._heading_of[place] is not None:
            return "  ", short_name
        if short_name != listed.name or self._session.asks is STATEMENT_ASKS:
            return "", f"{group} {short_name}"
        return "", listed.name if listed.group in ("", listed.name) else f"{listed.name}  {listed.group}"

    def _listed(self, place: int) -> QueueEntry:
        found = self._read.get(place)
        if found is None:
            if len(self._read) > _KEPT:
                self._read.clear()
            found = self._read[place] = self._session.listed(place)
        return found
