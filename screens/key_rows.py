"""The two rows of keys: what may be done with the unit on the screen, and nothing that would be refused."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from medreview.labels import FLAG_AXES
from medreview.review.actions import Action, is_verdict, shown_key
from medreview.review.cell_width import width
from medreview.screens.widgets.painted import FILL, Row, StyledText

Hint = tuple[str, str]
"""A key as it is shown, and its words."""

_OPEN: Final = (
    "reveal", *FLAG_AXES, "hallucination", "axes", "view", "note", "category", "findings", "defer", "source_next",
    "mark_next", "reference", "judge_next", "add", "next_open", "tag",
)  # fmt: skip
_DECIDED: Final = (
    "reveal", *FLAG_AXES, "next_open", "hallucination", "axes", "view", "note", "category", "findings", "delete_span",
    "source_next", "mark_next", "reference", "judge_next", "add", "tag",
)  # fmt: skip
"""What the second row offers before and after the decision, the most needed first. The rest is behind the last two."""

ALWAYS: Final = ("palette", "help")
"""The end of the second row, at every width."""

_IF_WORDED: Final = ("view", "reference", *FLAG_AXES)
"""What is offered only where :attr:`Hints.words` says what it brings."""

_NOTHING: Final = ("", "nothing is decided here")
"""Where no label can be given: the study is open for reading only, or the queue is empty."""

_MOST: Final = 7
"""Keys of the second row beside these: more are not read."""

_GAPS: Final = (3, 2, 1)


class Hints(NamedTuple):
    """What the keys do with the unit on the screen.

    ``offered``: the actions that are not refused. ``words``: of a key where they are not the table's, such as what
    ``v`` brings. ``accept``: what ``a`` takes over, empty where it is off; ``off`` says why, if that is worth a word.
    ``decided``: I have given a label. ``outputs``: how many outputs are to be ranked.
    """

    offered: frozenset[str] = frozenset()
    words: tuple[tuple[str, str], ...] = ()
    accept: str = ""
    off: str = ""
    decided: bool = False
    outputs: int = 0


def offered(table: Mapping[str, Action], refusal: Callable[[str], str], hints: Hints) -> frozenset[str]:
    """Of the actions that the rows can show with these hints, those that are not refused."""
    named = {*_DECIDED} if hints.decided else {*_OPEN}
    asked = [*named.difference(_IF_WORDED).union(name for name, _ in hints.words), *ALWAYS, *filter(is_verdict, table)]
    return frozenset(name for name in asked if name in table and not refusal(name))


class KeyRows:
    """The two rows of a table of actions: the same for many units, and so made once."""

    def __init__(self, table: Mapping[str, Action]) -> None:
        self._table = table
        self._made_for: tuple[object, ...] = ()
        self._rows: list[Row] = []

    def rows(self, columns: int, hints: Hints) -> list[Row]:
        """As :func:`key_rows`."""
        asked = (columns, hints)
        if asked != self._made_for:
            self._made_for, self._rows = asked, key_rows(self._table, columns, hints)
        return self._rows


def key_rows(table: Mapping[str, Action], columns: int, hints: Hints) -> list[Row]:
    """Verdicts above, then ``a`` with its object where there is room; the handful of this state below, and at its end
    what leads to everything else."""
    verdicts = [_hint(table, name) for name in table if is_verdict(name) and name != "accept" and name in hints.offered]
    if places := [shown_key(table[name].keys[0]) for name in table if name.startswith("place_")]:
        last = places[min(hints.outputs or len(places), len(places)) - 1]
        verdicts = [(f"{places[0]}-{last}", "next best output, from best to worst")] if hints.outputs else []
    accept = (
        [(shown_key(table["accept"].keys[0]), f"accept: {hints.accept}")]
        if hints.accept and "accept" in hints.offered
        else []
    )
    off = [("", f"no {shown_key(table['accept'].keys[0])}: {hints.off}")] if hints.off else []
    words = {**dict.fromkeys(_IF_WORDED, ""), **dict(hints.words)}
    rest = [
        (shown_key(table[name].keys[0]), words.get(name, table[name].hint))
        for name in (_DECIDED if hints.decided else _OPEN)
        if name in hints.offered and words.get(name, table[name].hint)
    ]
    above = _taken(verdicts, 1) + _taken(accept or off, 1) + 3 <= columns
    first = _row(verdicts or [_NOTHING], (accept or off) if above else [], columns)
    always = [_hint(table, name) for name in ALWAYS if name in table]
    return [first, _row([*([] if above else accept), *rest[:_MOST]], [], columns, always)]


def undo_key(table: Mapping[str, Action]) -> Row:
    """The key that takes an act back, as it stands beside the receipt."""
    return [*_pieces(_hint(table, "undo")), (" ", "")]


def _hint(table: Mapping[str, Action], name: str) -> Hint:
    return shown_key(table[name].keys[0]), table[name].hint


def _taken(hints: Sequence[Hint], gap: int) -> int:
    return sum(_width(hint) + gap for hint in hints)


def _width(hint: Hint) -> int:
    key, words = hint
    return width(key) + width(words) + bool(key and words)


def _row(left: Sequence[Hint], apart: Sequence[Hint], columns: int, right: Sequence[Hint] = ()) -> Row:
    """``left`` and, after a wider gap, ``apart``, evenly spaced, as many as fit before ``right``, which is at the end
    in any case."""
    end = _taken(right, 2) + 1 if right else 0
    room = columns - 1 - end
    everything = [*left, *apart]
    gap = next((gap for gap in _GAPS if _taken(everything, gap) + (3 if apart else 0) <= room), 2 if right else 1)
    pieces: list[StyledText] = [(" ", "")]
    for number, hint in enumerate(everything):
        lead = 0 if not number else gap + 3 if number == len(left) else gap
        if lead + _width(hint) > room:
            continue
        pieces += [(" " * lead, ""), *_pieces(hint)]
        room -= lead + _width(hint)
    if right:
        pieces.append(("", FILL))
        for hint in right:
            pieces += [("  ", ""), *_pieces(hint)]
        pieces.append((" ", ""))
    return pieces


def _pieces(hint: Hint) -> list[StyledText]:
    key, words = hint
    return [(key, "key"), (f" {words}", "")] if key else [(words, "dim")]
