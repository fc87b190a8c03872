"""What the parts of a cut statement cite: a marker behind the whole speaks for the part before the cut, too."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from medreview.citations.markers import Marker
from medreview.study.statement_edits import SPLIT, Edit, fold

_ENDS: Final = re.compile(r"[.!?][)\]\"'”’]*$")
_APART: Final = 2


class CutStatements:
    """The parts that edits cut statements of one response into."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._first = fold(edits).first if edits else {}

    def markers(self, statement_id: str, own: Mapping[str, Sequence[Marker]]) -> Sequence[Marker]:
        """A statement's own markers; of a part that has none and ends within a sentence, those that come next in what
        it was cut from, side by side."""
        if own[statement_id]:
            return own[statement_id]
        edit = self._first.get(statement_id)
        if edit is None or edit.kind != SPLIT:
            return ()
        before, behind = edit.made
        if statement_id != before.statement_id:
            return self.markers(edit.replaced[0], own) if self._is_before(edit.replaced[0]) else ()
        if _ENDS.search(before.text) or behind.statement_id not in own:
            return ()
        return _side_by_side(self.markers(behind.statement_id, own))

    def _is_before(self, statement_id: str) -> bool:
        """Whether it is itself the part before a cut, so that something of its sentence comes behind it."""
        edit = self._first.get(statement_id)
        return edit is not None and edit.kind == SPLIT and edit.made[0].statement_id == statement_id


def _side_by_side(markers: Sequence[Marker]) -> Sequence[Marker]:
    """The first of them and those that follow it at once."""
    for number, (one, following) in enumerate(pairwise(markers), 1):
        if following.start - one.end > _APART:
            return markers[:number]
    return markers
