"""Figures of agreement in rows: value and interval, with a bar where there is room; and the confusion matrix."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from medreview.review.cell_width import fit, fit_words, width
from medreview.review.why_flagged import short
from medreview.review.wrapping import WrapTable
from medreview.screens.widgets.painted import Row, StyledText
from medreview.stats.formulas.estimate import FEW_ITEMS, brief, percent
from medreview.text import counted, in_words
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.review.live_agreement import GroupView


_NAME: Final = 11
_WORDS: Final = 20
_MOST_BAR: Final = 61
_LEAST_BAR: Final = 21
_BEYOND: Final = " kappa, AC1: agreement beyond chance; 0 is what chance gives, 1 is all"
"""What the two are, in a row of the narrowest terminals."""


def sentence(view: "GroupView", judges: str) -> str:
    """The agreement as a sentence: of how many, how chosen, on how many both say the same, how sure that is."""
    figure, group = view.agreement, view.group
    if not figure.n:
        return f"None of your labels here stands beside a verdict of {judges}."
    if figure.value is None:
        return f"There is no figure: {figure.reason}"
    chosen = {True: "drawn at random", False: "chosen, not drawn at random", None: ""}[group.drawn]
    seen = "" if group.drawn and group.mode == "blind" else f"decided {_SEEN[group.mode]},"
    joint = f" {'but' if group.drawn else 'and'} " if chosen and seen else ""
    who = "they" if group.mode == "assisted" and view.judge is None else judges
    same = sum(view.table[place][place] for place in range(len(view.table)))
    ends = (figure.low, figure.high)
    between = "-".join(percent(end, 0).removesuffix("%") for end in ends if end is not None)
    sure = f" ({between}%)" if between else ""
    few = f": too few to say more, {FEW_ITEMS} are wanted" if figure.n < FEW_ITEMS else ""
    return f"Of {figure.n:,} {chosen}{joint}{seen} {who} agreed with you on {same:,}{sure}{few}."


_SEEN: Final = {"blind": "blind", "assisted": "with the judges in sight"}


def estimate_rows(view: "GroupView", columns: int) -> list[Row]:
    """Agreement, kappa and AC1, each with its interval as a bar from 0 to 1, or why it is missing; what they are."""
    bar = min(_MOST_BAR, columns - _NAME - _WORDS - 3)
    named = (("agreement", view.agreement), ("kappa", view.kappa), ("AC1", view.ac1))
    rows: list[Row] = []
    if bar >= _LEAST_BAR and any(figure.low is not None for _, figure in named):
        rows.append([(" " * (_NAME + _WORDS), ""), (_axis(bar), "dim")])
    for name, figure in named:
        told = brief(figure)
        said = fit(told, _WORDS) if figure.low is not None else f"{told}  " if figure.value is not None else ""
        row: Row = [(fit(f" {name}", _NAME), "title"), (said, "title")]
        if figure.low is not None and figure.high is not None:
            line = interval_bar(figure.low, figure.value or 0.0, figure.high, bar) if bar >= _LEAST_BAR else ""
            rows.append([*row, (line, "")])
            continue
        head = "" if "no interval" in (figure.reason or "").lower() else "no interval: " if said else "no figure: "
        begin = _NAME + width(said)
        lines = wrapped(f"{head}{figure.reason}", columns - begin + 1, "dim")
        rows += [
            [*(row if not number else [(" " * begin, "")]), (line.lstrip(), "dim")]
            for number, ((line, _),) in enumerate(lines)
        ]
    return [*rows, [(_BEYOND, "dim")]]


def interval_bar(low: float, value: float, high: float, cells: int) -> str:
    """An interval between 0 and 1 drawn in so many cells; what lies below 0 begins with ``<``."""
    ends = [min(cells - 1, max(0, round(end * (cells - 1)))) for end in (low, value, high)]
    drawn = ["·"] * cells
    drawn[ends[0] : ends[2] + 1] = "─" * (ends[2] + 1 - ends[0])
    drawn[ends[0]], drawn[ends[2]] = "├", "┤"
    drawn[ends[1]] = "●"
    if low < 0:
        drawn[0] = "<"
    return "".join(drawn)


def left_out_words(view: "GroupView") -> str:
    """How many labels are in no figure and why, in one sentence; ``""`` when all are."""
    number = sum(count for _, count in view.left_out)
    several = len(view.left_out) > 1
    why = ", ".join(f"{count:,} {short(reason)}" if several else short(reason) for reason, count in view.left_out)
    return f"left out {number:,}: {why}" if number else ""


def wrapped(text: str, columns: int, style: str, most: int = 99) -> list[Row]:
    """A sentence in rows with a margin; what has no room ends in dots."""
    shown = visible(" ".join(text.split()))
    lines = [shown[start:end].rstrip() for start, end in WrapTable(shown, max(1, columns - 2)).rows]
    if len(lines) > most:
        lines = [*lines[: most - 1], fit_words(f"{lines[most - 1]} …", columns - 2)] if most else []
    return [[(f" {line}", style)] for line in lines]


def caution_rows(cautions: Sequence[str], columns: int, most: int) -> list[Row]:
    """The cautions on the figures, the gravest first, in at most so many rows."""
    rows: list[Row] = []
    for number, words in enumerate(cautions):
        more = wrapped(f"! {words}", columns, "badge")
        if len(rows) + len(more) > most:
            rest = len(cautions) - number
            note: Row = [(f" ! and {counted(rest, 'caution')} more: there is room in a taller terminal", "badge")]
            return [*rows[: most - 1], note] if most else []
        rows += more
    return rows


def _axis(cells: int) -> str:
    marks = [" "] * cells
    for place, word in ((0.0, "0"), (0.5, ".5"), (1.0, "1")):
        at = min(cells - len(word), max(0, round(place * (cells - 1)) - len(word) // 2))
        marks[at : at + len(word)] = word
    return "".join(marks)


_SAME: Final = "▓"
_OTHER: Final = "▒"
"""What fills a cell in which both say the same, and one in which they do not."""
_NONE: Final = "·"
_WIDEST: Final = 18
_YOU_FROM: Final = 70
"""Columns from which each of my labels is said to be mine."""
_JUDGES: Final = 16
_ALL: Final = 7
"""Cells of the sums at the end of a row."""


class Cell(NamedTuple):
    """A place in the matrix: my label, the judges'."""

    row: int
    column: int


def matrix_rows(
    labels: Sequence[str], table: Sequence[Sequence[int]], cursor: Cell, judges: str, columns: int
) -> list[Row]:
    """The matrix with its sums: my labels in rows, the ``judges``' in columns; a cell that counts is filled to its
    ends."""
    names = [in_words(label) for label in labels]
    sums = [sum(column) for column in zip(*table, strict=True)]
    you = "you " if columns >= _YOU_FROM else ""
    said = f"{fit(judges, min(width(judges), _JUDGES))}: "
    head = max(*(width(name) + width(you) + 2 for name in names), width(said) + 1)
    least = [len(f"{count:,}") + 6 for count in sums]
    wide, titles, total = _columns(names, least, columns - head, len(f"{sum(sums):,}") + 2)
    rows: list[Row] = []
    for number, line in enumerate(zip(*titles, strict=True)):
        lead = said.rjust(head) if number == len(titles[0]) - 1 else " " * head
        last = f"{'all':>{total}}" if number == len(titles[0]) - 1 and total else ""
        rows.append([(lead, "dim"), *((word.center(room), "title") for word, room in zip(line, wide, strict=True)),
                     (last, "dim")])  # fmt: skip
    for place, (name, counts) in enumerate(zip(names, table, strict=True)):
        row: list[StyledText] = [(fit(f" {you}{name}", head), "title")]
        for column, (count, room) in enumerate(zip(counts, wide, strict=True)):
            row += _cell(count, room, agrees=place == column, here=cursor == (place, column))
        rows.append([*row, (f"{sum(counts):>{total},}" if total else "", "dim")])
    below = ((f"{count:,}".center(room), "dim") for count, room in zip(sums, wide, strict=True))
    return [*rows, [(fit(" all", head), "dim"), *below, (f"{sum(sums):>{total},}" if total else "", "dim")]]


def _columns(
    names: Sequence[str], least: Sequence[int], room: int, total: int
) -> tuple[list[int], list[list[str]], int]:
    """The width of each column, the lines above it, and cells for the sums beside them: 0 where there is no room.

    ``least``: what the counts need.

    A name of two words stands in two lines where that is needed.
    """
    lines, total = [[name] for name in names], max(_ALL, total)
    if sum(max(width(name) + 2, low) for name, low in zip(names, least, strict=True)) + total > room:
        most = max(len(name.split()) for name in names)
        lines = [[""] * (most - len(name.split())) + name.split() for name in names]
    wide = [max(*(width(word) + 2 for word in words), low) for words, low in zip(lines, least, strict=True)]
    total = total if sum(wide) + total <= room else 0
    even = min(_WIDEST, (room - total) // len(names))
    return [even] * len(names) if even >= max(wide) else wide, lines, total


def _cell(count: int, room: int, *, agrees: bool, here: bool) -> list[StyledText]:
    """A count in its cell, filled to both ends; brackets where the cursor is."""
    left, right = ("[", "]") if here else (" ", " ")
    if not count:
        return [(left, "title"), (_NONE.center(room - 2), "dim"), (right, "title")]
    told = f" {count:,} "
    fill = _SAME if agrees else _OTHER
    before = (room - 2 - len(told)) // 2
    behind = room - 2 - len(told) - before
    style = f"{'title' if agrees else ''} {'caret' if here else ''}".strip()
    return [(left, "title"), (fill * before, ""), (told, style), (fill * behind, ""), (right, "title")]
