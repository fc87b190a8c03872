"""The two rows of keys, made from the table of actions: as many hints as the terminal has room for."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from medreview.review.actions import Action, is_verdict, shown_key
from medreview.review.layout.cells import width
from medreview.screens.widgets.painted import Row, StyledText

_FIRST: Final = ("hallucination", "category", "add", "note", "defer", "dispute")
_SECOND: Final = (
    ("source_previous", "source_next"),
    ("mark_next", "mark_previous"),
    ("undo",),
    ("help",),
    ("view",),
    ("judge_next",),
    ("next_open",),
    ("search",),
    ("filter",),
    ("switch",),
    ("reference",),
    ("whole_page",),
    ("figures",),
    ("feedback",),
    ("badly_parsed",),
    ("pane",),
    ("copy",),
    ("leave",),
    ("delete_span",),
)
"""What the second row shows, the most needed first: on a small screen the rest is in the help."""


class Hints(NamedTuple):
    """What the unit on the screen has for the keys.

    ``idle``: actions that would do nothing here. ``view``: the word for what stands beside the text, where it is not
    the table's. ``outputs``: how many outputs are to be ranked.
    """

    idle: frozenset[str] = frozenset()
    view: str = ""
    outputs: int = 0


_NO_HINTS: Final = Hints()


class KeyRows:
    """The two rows of a table of actions: the same for most units, and so made once."""

    def __init__(self, table: Mapping[str, Action]) -> None:
        self._table = table
        self._made_for: tuple[object, ...] = ()
        self._rows: list[Row] = []

    def rows(self, columns: int, blind: bool, panes: bool, unit: Hints) -> list[Row]:
        """As :func:`key_rows`."""
        asked = (columns, blind, panes, unit)
        if asked != self._made_for:
            self._made_for, self._rows = asked, key_rows(self._table, columns, blind, panes, unit)
        return self._rows


def key_rows(table: Mapping[str, Action], columns: int, blind: bool, panes: bool, unit: Hints = _NO_HINTS) -> list[Row]:
    """Verdicts and ``a`` above, everything else below; a wide terminal takes the flags into the first row."""
    verdicts = [_hint(table, (name,)) for name in table if is_verdict(name) and name != "accept"]
    if places := [shown_key(table[name].keys[0]) for name in table if name.startswith("place_")]:
        last = places[min(unit.outputs or len(places), len(places)) - 1]
        verdicts = [(f"{places[0]}-{last}", "next best output, from best to worst")]
    accept = [] if blind or "accept" in unit.idle else [_hint(table, ("accept",))]
    flags = [_hint(table, (name,)) for name in _FIRST if name in table]
    hidden = {"figures", "judge_next"} if blind else set()
    hidden |= {"view"} if panes else {"pane"}
    hidden |= unit.idle
    rest = [_hint(table, names) for names in _SECOND if names[0] not in hidden and names[0] in table]
    if unit.view:
        keys, words = _hint(table, ("view",))
        rest = [(key, unit.view if (key, word) == (keys, words) else word) for key, word in rest]
    first = [*verdicts, *accept]
    if _taken(first, 2) + _taken(flags, 2) + 6 <= columns:
        return [_row(verdicts, columns, (*accept, *flags)), _row(rest, columns)]
    return [_row(verdicts, columns, tuple(accept)), _row([*flags, *rest], columns)]


def _hint(table: Mapping[str, Action], names: tuple[str, ...]) -> tuple[str, str]:
    keys = " ".join(shown_key(table[name].keys[0]) for name in names)
    return keys, table[names[0]].hint


def _taken(hints: list[tuple[str, str]], gap: int) -> int:
    return sum(width(keys) + 1 + width(words) + gap for keys, words in hints)


def _row(hints: list[tuple[str, str]], columns: int, right: tuple[tuple[str, str], ...] = ()) -> Row:
    """The hints that fit, two columns apart if there is room for all of them, else one; ``right`` after a wider gap."""
    everything = [*hints, *right]
    gap = 2 if _taken(everything, 2) + (3 if right else 0) <= columns else 1
    pieces: list[StyledText] = [(" ", "")]
    room = columns - 1
    for number, (keys, words) in enumerate(everything):
        lead = 0 if not number else max(gap, min(4, room)) if number == len(hints) else gap
        short = words == "help"  # every program explains itself at its question mark
        needed = lead + width(keys) + (0 if short else 1 + width(words))
        if needed > room:
            continue
        pieces += [(" " * lead, ""), (keys, "key"), ("" if short else f" {words}", "")]
        room -= needed
    return pieces
