"""A conflict on the review screen: both labels where else the judges stand; all else is as in every queue."""

from typing import Final

from textual.geometry import Region

from medreview.labels import axis_words, is_own
from medreview.review.adjudicating import ConflictSession
from medreview.review.cell_width import fit_words
from medreview.review.conflicts import Conflict, ConflictingLabel
from medreview.screens.review_rows import STYLE, glyph
from medreview.screens.widgets.painted import Row, StyledText, cells, wrapped
from medreview.text import in_words
from medreview.visible import visible

_LABEL_ROWS: Final = 3
"""In one column, rows that the labels take at most; one row more is for what was said beside them."""

_PANEL_ROWS: Final = 12


class ConflictRows:
    """Draws the reviewers' labels in the place of what machines say."""

    def __init__(self, session: ConflictSession) -> None:
        self._session = session

    def height(self, columns: int, *, one: bool, otherwise: int) -> int:
        """Rows that the labels take; side by side at least as many as what machines say takes ``otherwise``."""
        return len(self._label_rows(columns)) + 1 if one else max(_PANEL_ROWS, otherwise)

    def rows(self, region: Region, *, one: bool) -> list[Row]:
        """For the region of what machines say."""
        return self._bar(region.width) if one else self._panel(region.width)[: region.height]

    def _bar(self, columns: int) -> list[Row]:
        """Each reviewer's label, what settled them; then reasons and notes."""
        found = self._session.conflicts
        rows = self._label_rows(columns)
        if not found:
            return [*rows, []]
        said = "   ".join(filter(None, (_beside(given) for conflict in found for given in conflict.labels)))
        words = visible(" ".join(said.split())) or "no reasons, no notes"
        return [*rows, [("   ", ""), (fit_words(words, columns - 4), "")]]

    def _label_rows(self, columns: int) -> list[Row]:
        """All labels in one row, with their times if there is room, else in as many rows as they need."""
        if not self._session.conflicts:
            return [[("── nobody differs here any more ", "dim"), ("─", "rule fill")]]
        timed, plain = self._labels(timed=True), self._labels(timed=False)
        rows: list[list[StyledText]] = [[]]
        for pieces in timed if sum(map(cells, timed)) <= columns else plain:
            if rows[-1] and len(rows) < _LABEL_ROWS and cells(rows[-1]) + cells(pieces) > columns:
                rows.append([])
            rows[-1] += pieces
        return [[*row, ("─", "rule fill")] for row in rows]

    def _labels(self, *, timed: bool) -> list[list[StyledText]]:
        groups: list[list[StyledText]] = []
        for conflict in self._session.conflicts:
            axis = "" if conflict.axis == self._session.asks.axis else f"{axis_words(conflict.axis)}: "
            for given in conflict.labels:
                when = f" {_time(given)} " if timed else " "
                who: StyledText = (f"{axis}{visible(given.reviewer)} ", "dim")
                groups.append([("── ", "rule"), who, *self._label(conflict, given.label), (when, "dim")])
            groups.append(self._settled(conflict))
        return groups

    def _panel(self, columns: int) -> list[Row]:
        """The same as a list: label, time, reason and note of each."""
        rows: list[Row] = [[(" ── reviewers ", "rule"), ("─", "rule fill"), (" ", "")]]
        for conflict in self._session.conflicts:
            if conflict.axis != self._session.asks.axis:
                rows.append([(f" {axis_words(conflict.axis)}", "dim")])
            for given in conflict.labels:
                told = "" if given.independent else " · knew another's"
                rows.append([(f" {visible(given.reviewer)}  ", ""), *self._label(conflict, given.label),
                             (f"  {_time(given)} · {given.mode}{told}", "dim")])  # fmt: skip
                rows += wrapped(_beside(given, named=False), columns, "dim", lead="   ")[:3]
            if settled := self._settled(conflict):
                rows.append([(" ", ""), *settled[1:]])
        if len(rows) == 1:
            rows.append([(" nobody differs here any more", "dim")])
        return rows

    def _label(self, conflict: Conflict, label: str) -> list[StyledText]:
        words = self._session.words_on(conflict.axis, label)
        if is_own(conflict.axis):  # a level called "none" is no verdict, and has no sign of one
            return [(words.upper(), "title")]
        sign = "" if conflict.axis == "rank" or glyph(label) == label else f"{glyph(label)} "
        return [(f"{sign}{words.upper()}", f"{STYLE.get(label, '')} title".strip())]

    def _settled(self, conflict: Conflict) -> list[StyledText]:
        settled = conflict.settled
        if settled is None:
            return []
        again = "" if settled.stands else ", open again"
        return [("── ", "rule"), ("settled: ", "own" if settled.stands else "badge"),
                *self._label(conflict, settled.label), (f" by {visible(settled.reviewer)}{again} ", "dim")]  # fmt: skip


def _time(given: ConflictingLabel) -> str:
    return given.at_utc[5:16].replace("T", " ")


def _beside(given: ConflictingLabel, *, named: bool = True) -> str:
    """Reason, the text that goes with the label, and note of one reviewer."""
    text = f"“{given.text}”" if given.text else ""
    said = "; ".join(filter(None, (in_words(given.reason), text, given.note)))
    return f"{given.reviewer}: {said}" if said and named else said
