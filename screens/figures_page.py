"""The page of figures: how often reviewer and judges agree, as a table whose cells lead to their statements."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from textual.app import ComposeResult

from medreview.errors import UserError
from medreview.judges.votes import VotingJudge
from medreview.review.actions import Action, shown_key
from medreview.review.cell_width import fit_words, width
from medreview.review.live_agreement import GroupView, Moved, ShownFigures, queue_sentence, since_sentence
from medreview.screens.figure_rows import (
    Cell,
    caution_rows,
    estimate_rows,
    left_out_words,
    matrix_rows,
    sentence,
    wrapped,
)
from medreview.screens.key_screen import Key, KeyScreen
from medreview.screens.last_rows import foot_rows
from medreview.screens.widgets.lines import LinesView
from medreview.screens.widgets.painted import Row
from medreview.stats.formulas.estimate import brief
from medreview.stats.reports.reviewer_labels import LEVELS, Group, Scale
from medreview.text import counted, in_words
from medreview.visible import visible

_WIDE: Final = 130
"""Columns from which the other groups, progress and pace stand beside."""
_LEFT: Final = 100
_TOGETHER: Final = "the judges"
_COUNTED: Final = "Your labels are"
_HINTS: Final = ("items", "cell", "group", "scale", "judge", "pin", "back", "keys")
_HINTS_OF_NOTHING: Final = ("back", "keys")
_FOOT: Final = 3
_HEAD: Final = 2


@dataclass(frozen=True, slots=True)
class FiguresPlace:
    """What is shown of the figures, and the cell that the cursor is on.

    ``group`` is ``None`` for the first there is; then the ``scale`` is the finest on which anything meets there.
    """

    group: Group | None = None
    scale: Scale = LEVELS
    judge: VotingJudge | None = None
    cell: Cell = field(default=Cell(0, 0))


class FiguresScreen(KeyScreen[None]):
    """``figures`` gives them as they stand, for a judge or all; ``None`` while those are counted for the first time.

    ``moved``: what came since the last look; ``beside`` says how far the reviewer is and at which pace, ``below`` what
    else there is to know. ``open_cell`` opens what a cell counts, or raises why it cannot; ``pin`` keeps a group in
    sight, or no longer, and says which.
    ``nothing``: what to say where there is no figure.
    """

    def __init__(
        self,
        figures: Callable[[VotingJudge | None], ShownFigures | None],
        moved: Moved,
        beside: Callable[[], Sequence[str]],
        below: Sequence[str],
        open_cell: Callable[[FiguresPlace, Sequence[str]], None],
        pin: Callable[[FiguresPlace], str],
        actions: Mapping[str, Action],
        *,
        place: FiguresPlace = FiguresPlace(),
        nothing: str,
    ) -> None:
        super().__init__()
        self._figures = figures
        self._moved = moved
        self._beside = beside
        self._below = below
        self._open_cell = open_cell
        self._pin = pin
        self._actions = actions
        self._action_of = {key: action.id for action in actions.values() for key in action.keys}
        self._place = place
        self._nothing = nothing
        self._said = ""
        self._head = LinesView(id="page-head")
        self._body = LinesView(id="list")
        self._foot = LinesView(id="home-foot")

    def compose(self) -> ComposeResult:
        """Title, figures, keys."""
        yield from (self._head, self._body, self._foot)

    def paint(self) -> None:
        """Everything again: a key may have changed every figure."""
        columns, height = self.app.size
        figures = self._figures(None)
        self._settle(figures)
        shown = self._figures(self._place.judge)
        view = self._view(shown)
        self._head.show(self._head_rows(figures, columns))
        self._body.show(self._body_rows(shown, view, columns, height - _HEAD - _FOOT))
        said = self._said or (self._cell_words(view) if view and view.agreement.n else "")
        keys = _key_row(self._actions, columns, _HINTS if figures is None or figures.groups else _HINTS_OF_NOTHING)
        self._foot.show(foot_rows([[("─", "rule fill")], keys], said, "", False, columns))

    def answer(self, key: Key) -> bool:
        """Move in the table, show other figures, open a cell, or go back."""
        self._said = ""
        name = self._action_of.get(key.name) or self._action_of.get(key.said)
        try:
            return self._perform(name)
        except UserError as error:
            self._said = str(error)
        return False

    # Within

    def _perform(self, name: str | None) -> bool:
        match name:
            case "figures_leave":
                self.app.close_figures()
            case "figures_help":
                self.app.show_help(figures_first=True)
            case "figures_glossary":
                self.app.show_glossary()
            case "figures_down":
                self._move(1, 0)
            case "figures_up":
                self._move(-1, 0)
            case "figures_right":
                self._move(0, 1)
            case "figures_left":
                self._move(0, -1)
            case "figures_next_group":
                self._next_group()
            case "figures_scale":
                self._turn_scale()
            case "figures_next_judge":
                self._turn_judge(1)
            case "figures_previous_judge":
                self._turn_judge(-1)
            case "figures_pin":
                self._said = self._pin(self._place)
            case "figures_open":
                return self._open()
        return False

    def _settle(self, figures: ShownFigures | None) -> None:
        """Stay on what there is: the group that was asked for may have lost its last label."""
        if figures is None or not figures.groups:
            return
        place = self._place
        group = place.group if place.group in figures.groups else figures.groups[0]
        judge = place.judge if place.judge in figures.columns else figures.columns[0]
        scale = place.scale if place.group and place.scale in figures.scales else figures.scale_of(group)
        self._place = replace(place, group=group, scale=scale, judge=judge)

    def _view(self, figures: ShownFigures | None) -> GroupView | None:
        place = self._place
        if figures is None or place.group is None or place.group not in figures.groups:
            return None
        return figures.view(place.group, place.scale, place.judge)

    def _next_group(self) -> None:
        figures = self._figures(None)
        if figures is not None and figures.groups and self._place.group in figures.groups:
            groups = figures.groups
            self._place = replace(self._place, group=groups[(groups.index(self._place.group) + 1) % len(groups)])

    def _turn_judge(self, by: int) -> None:
        figures = self._figures(None)
        turn = figures.columns if figures is not None else ()
        if turn:
            at = turn.index(self._place.judge) if self._place.judge in turn else 0
            self._place = replace(self._place, judge=turn[(at + by) % len(turn)])

    def _turn_scale(self) -> None:
        figures = self._figures(None)
        scales = figures.scales if figures is not None else ()
        if self._place.scale in scales:
            at = scales.index(self._place.scale)
            self._place = replace(self._place, scale=scales[(at + 1) % len(scales)], cell=Cell(0, 0))

    def _move(self, down: int, right: int) -> None:
        last = len(self._place.scale.labels) - 1
        cell = self._place.cell
        moved = Cell(min(last, max(0, cell.row + down)), min(last, max(0, cell.column + right)))
        self._place = replace(self._place, cell=moved)

    def _open(self) -> bool:
        """Open the statements that the cell counts."""
        place = self._place
        figures = self._figures(place.judge)
        if figures is None:
            raise UserError("The labels are still being counted.")
        if place.group is None or place.group not in figures.groups:
            raise UserError(self._nothing)
        labels = place.scale.labels
        units = figures.in_cell(
            place.group, place.scale, place.judge, labels[place.cell.row], labels[place.cell.column]
        )
        if not units:
            raise UserError("This cell counts nothing.")
        self._open_cell(place, units)
        return True

    # Drawing

    def _head_rows(self, figures: ShownFigures | None, columns: int) -> list[Row]:
        place = self._place
        if figures is None or place.group is None or place.group not in figures.groups:
            return [[(" Figures", "title")], [("─", "rule fill")]]
        groups = figures.groups
        turn = f"{groups.index(place.group) + 1}/{len(groups)} "
        judge = _judge_words(place.judge)
        title = f" Figures: {place.group.title}"
        room = columns - width(title) - width(place.scale.title) - width(turn) - 7
        row: Row = [
            (title, "title"),
            (f" · {place.scale.title} · {fit_words(judge, max(4, room))}", ""),
            ("", "fill"),
            (turn, "dim"),
        ]
        return [row, [("─", "rule fill")]]

    def _body_rows(self, figures: ShownFigures | None, view: GroupView | None, columns: int, height: int) -> list[Row]:
        if figures is None:
            what = f"What {_judge_words(self._place.judge)} said of your labels is" if self._place.judge else _COUNTED
            return [[], *wrapped(f"{what} being counted …", columns, "dim")]
        room = columns if columns < _WIDE else columns - _LEFT - 3
        beside = [row for words in self._beside() for row in wrapped(words, room, "")]
        below = [row for words in self._below for row in ([], *wrapped(words, room, "dim"))]
        if view is None:
            return [*beside, [], *wrapped(self._nothing, columns, ""), *below]
        if columns < _WIDE:
            rows = self._figure_rows(figures, view, columns, height)
            return [*rows, *(below if len(rows) + len(below) <= height else [])]
        right: list[Row] = [*self._group_rows(figures, room), [], *beside, *below]
        left = self._figure_rows(figures, view, _LEFT, height)
        return [
            [*_padded(left[y] if y < len(left) else [], _LEFT), ("│ ", "rule"), *(right[y] if y < len(right) else [])]
            for y in range(height)
        ]

    def _figure_rows(self, figures: ShownFigures, view: GroupView, columns: int, height: int) -> list[Row]:
        """Sentences, the matrix, the figures in it, what they are of, cautions; without room for all, empty rows go."""
        rows = self._every_figure_row(figures, view, columns)
        places = [place for place, row in enumerate(rows) if not row]
        while len(rows) > height and places:
            del rows[places.pop()]
        return [*rows, *caution_rows(view.cautions, columns, height - len(rows))]

    def _every_figure_row(self, figures: ShownFigures, view: GroupView, columns: int) -> list[Row]:
        judges = "the judges" if view.judge is None else _judge_words(view.judge)
        told = [queue_sentence(self._moved, figures), sentence(view, judges)]
        if not told[0] and self.app.size.width < _WIDE:
            told[0] = f"{self._beside()[0]}."
        told.append(since_sentence(self._moved, figures, view, judges))
        used, clusters = view.agreement.n, view.kappa.clusters
        within = f", in {counted(clusters, view.kappa.cluster)}" if clusters else ""
        which = "first blind labels" if view.group.mode == "blind" else "of your labels"
        judged = _judge_words(view.judge, "judges")
        table: list[Row] = [
            *matrix_rows(view.scale.labels, view.table, self._place.cell, judged, columns),
            [],
            *estimate_rows(view, columns),
            [],
        ]  # fmt: skip
        return [
            *(row for words in told if words for row in wrapped(words, columns, "title")),
            [],
            *(table if used else []),  # of nothing there is no table
            [(f" {view.labels:,} {which}, {used:,} of them in the figures{within}", "")],
            *wrapped(left_out_words(view), columns, "dim", 2),
        ]

    def _group_rows(self, figures: ShownFigures, columns: int) -> list[Row]:
        """Every group in two rows: what it is, and its figures on this scale."""
        rows: list[Row] = [[("ALL GROUPS", "title")]]
        for group in figures.groups:
            view = figures.view(group, self._place.scale, self._place.judge)
            here = "▸ " if group == self._place.group else "  "
            rows.append(
                [(f"{here}{group.title}", "title" if here.strip() else ""), (f"  n = {view.agreement.n:,}", "dim")]
            )
            told = f"    {brief(view.agreement)}  kappa {brief(view.kappa)}"
            rows.append([(fit_words(told, columns), "")])
        return rows

    def _cell_words(self, view: GroupView) -> str:
        """What the cell at the cursor says, in words."""
        cell, labels = self._place.cell, [in_words(label) for label in view.scale.labels]
        count = view.table[cell.row][cell.column]
        of = sum(view.table[cell.row])
        said = f"you {labels[cell.row]}, {_judge_words(view.judge)} {labels[cell.column]}"
        return f"{said}: {count:,} of {of:,}" + (" · Enter" if count else "")


def _judge_words(judge: VotingJudge | None, together: str = _TOGETHER) -> str:
    return visible(judge.title) if judge else together


def _padded(row: Row, cells: int) -> Row:
    """A row of exactly so many cells, where another one stands beside it."""
    room = cells - sum(width(visible(text)) for text, _ in row)
    return [*row, (" " * max(0, room), "")]


def _key_row(actions: Mapping[str, Action], columns: int, shown: Sequence[str]) -> Row:
    """As many of the keys as have room, each hint once."""
    hints: dict[str, list[str]] = {}
    for action in actions.values():
        hints.setdefault(action.hint, []).append(shown_key(action.keys[0]))
    pieces: list[tuple[str, str]] = []
    room = columns - 1
    for hint in shown:
        of_hint = hints.get(hint, [])
        keys = ("" if all(len(key) == 1 for key in of_hint) else " ").join(of_hint)
        if hint == "keys" and width(keys) + width(hint) + 3 > room:
            hint = ""  # every program explains itself at its question mark
        needed = width(keys) + width(hint) + 3
        if keys and needed <= room:
            pieces += [(f" {keys}", "key"), (f" {hint} ", "")]
            room -= needed
    return pieces
