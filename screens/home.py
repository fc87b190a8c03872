"""The first screen of a study: its queues, its responses, and how far they are decided."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.geometry import Offset
from textual.widget import Widget

from medreview.errors import UserError
from medreview.review.home_actions import HOME
from medreview.review.overview import Overview, ResponseLine
from medreview.review.palette import Palette, PaletteEntry
from medreview.review.queue import FilterLine
from medreview.screens.home_rows import (
    PREPARE_ROWS,
    Entrance,
    draft_row,
    figure_rows,
    head_rows,
    more_drafts_row,
    place_row,
    prepare_rows,
    queue_row,
    response_row,
    saved_row,
    warning_row,
)
from medreview.screens.key_screen import LEAVES_NOTHING, Key, KeyScreen
from medreview.screens.last_rows import LISTED_ROWS, PaletteDialog, foot_rows, palette_dialog
from medreview.screens.widgets.lines import LinesView, RowsView
from medreview.screens.widgets.painted import Row

if TYPE_CHECKING:
    from medreview.review.home_figures import HomeFigures

_ACTION_OF = {key: action.id for action in HOME for key in action.keys}
_MOST_RESPONSES = 200
_FIGURES_AFTER = 0.3
"""Seconds after the first frame, once, until figures are counted: opening a queue at once does not wait for it."""
_TALL = 30
"""Rows under which figures leave the commands one row."""
_FOOT = 3


class HomeScreen(KeyScreen[None]):
    """Counts and queues; Enter or a capital opens one.

    ``look`` counts the study again, ``responses`` lists the first of them with their progress.
    """

    def __init__(
        self,
        look: Callable[[], Overview],
        responses: Callable[[int], list[ResponseLine]],
        *,
        reviewer: str,
        study: Path,
        palette: Callable[[], Palette],
        judge: str = "",
        notice: str = "",
    ) -> None:
        super().__init__()
        self._overview = look()
        self._palette = palette
        self._line: PaletteDialog | None = None
        self._responses = responses(_MOST_RESPONSES)
        self._reviewer = reviewer
        self._study = study
        self._judge = judge
        self._said = notice
        self._figures: HomeFigures | None = None
        self._asks = self._overview.asks_background
        self._rows, self._entrances = self._lines()
        self._head = LinesView(id="head")
        self._list = RowsView(id="list")
        self._prepare = LinesView(id="prepare")
        self._foot = LinesView(id="home-foot")
        self._to_keep = False

    def compose(self) -> ComposeResult:
        """Counts, the list, commands, keys."""
        yield from (self._head, self._list, self._prepare, self._foot)

    def on_mount(self) -> None:
        """Point at where the reviewer left off; the first time, at the first queue worth doing."""
        worth = self._overview.worth_doing
        start = 0
        if self._overview.place is None and worth is not None:
            start = self._entrances.index(Entrance(worth.kind.name))
        self._list.show(len(self._rows), lambda place: self._rows[place](self.app.size.width), start)
        self.paint()
        if not (self._said or self._overview.figures_wait):
            self._to_keep = True
            self.call_after_refresh(self._keep_picture)
        if self._overview.tally.decided:
            self.app.set_timer(_FIGURES_AFTER, self._count_figures)

    def _keep_picture(self) -> None:
        if self._to_keep and self.on_top:
            self._to_keep = False
            self.app.keep_picture()

    def _count_figures(self) -> None:
        if self.on_top:
            self.app.count_for_home(self, self._overview.tally.total)

    def tell(self, words: str) -> None:
        """Show words until the next key."""
        self._said = words

    def show_figures(self, figures: "HomeFigures") -> None:
        """Show what labels say, once they are counted."""
        self._figures = figures
        self.paint()

    def answer(self, key: Key) -> bool:
        """Move the pointer, open a queue, or leave; what opens a queue is a key that must be let go."""
        self._keep_picture()  # before a key that comes with the first frame changes it
        self._said = ""
        if self._line is not None:
            self._line.press(key)
            return not self.on_top
        name = _ACTION_OF.get(key.name) or _ACTION_OF.get(key.said)
        if key.name in LEAVES_NOTHING:
            self._said = "q leaves; everything is saved already."
        try:
            self._perform(name)
        except UserError as error:
            self._said = str(error)
        return not self.on_top

    def paint(self) -> None:
        """Counts for the width of the terminal, and the last rows."""
        columns = self.app.size.width
        head = head_rows(self._overview, self._reviewer, columns)
        self._head.styles.height = len(head)
        self._head.show(head)
        told = figure_rows(self._figures, columns) if self._figures else []
        figures: list[Row] = [[], *told] if told else []
        low = bool(figures) and self.app.size.height < _TALL
        steps = prepare_rows(self._overview, self._study, self._judge, columns, 1 if low else PREPARE_ROWS)
        prepare: list[Row] = [*figures, *([] if low else [[]]), *steps]
        if prepare and not prepare[0] and len(self._rows) > self.app.size.height - len(head) - len(prepare) - _FOOT:
            prepare = prepare[1:]  # the list needs the row
        if self._line is not None:
            prepare = self._line.listed(columns, LISTED_ROWS)
        self._prepare.styles.height = len(prepare)
        self._prepare.show(prepare)
        if self._line is not None:
            self._foot.show(foot_rows(self._line.rows(columns), "", self._said, False, columns))
            return
        lines = (*self._overview.mine, *self._overview.queues, *self._overview.units)
        queues = " ".join(line.kind.key for line in lines if line.kind.key)
        kept = self._overview.reserved
        back: Row = [("X", "key"), (f" give back the {kept} reserved   ", "")] if kept else []
        opens: Row = [
            (" Enter", "key"),
            (" open", ""),
            *([("   ", ""), (queues, "key"), (" queues", "")] if queues else []),
            ("   ", ""), (":", "key"), (" all", ""),
            (", export, report" if self._overview.responses or self._overview.kinds else "", ""),
        ]  # fmt: skip
        keys: Row = [
            (" i", "key"), (" figures   ", ""), *back, ("I", "key"), (" paste   ", ""), ("?", "key"), (" keys   ", ""),
            ("q", "key"), (" leave", ""),
        ]  # fmt: skip
        self._foot.show(foot_rows([opens, keys], "", self._said or self._asked(), False, columns))

    def clicked(self, widget: Widget, at: Offset) -> None:
        """A key, an entry of the line, or a row of the list."""
        if widget is self._prepare and self._line is not None:
            self._line.choose(at.y)
        else:
            super().clicked(widget, at)

    def chosen(self, index: int) -> None:
        """Open what a row of the list leads to."""
        if self._line is None:
            self._list.move_to(index)
            try:
                self._open(index)
            except UserError as error:
                self._said = str(error)

    def _asked(self) -> str:
        """The question who decides, until it is answered or skipped."""
        return "Who decides? B: role, years, specialty, kept with your labels. N: never mind." * self._asks

    def _perform(self, name: str | None) -> None:
        match name:
            case "next":
                self._move(1)
            case "previous":
                self._move(-1)
            case "open":
                self._open(self._list.cursor or 0)
            case "release":
                self.app.release_audit()
            case "palette":
                self._line = palette_dialog(self._palette(), self._run, self._end_line, self.app.preview)
            case "history":
                self.app.show_history()
            case "figures":
                self.app.show_figures()
            case "paste":
                self.app.show_paste()
            case "background":
                self.app.show_background()
            case "no_background":
                self._asks = False
                self.app.pass_background()
            case "guidelines":
                self.app.show_guidelines()
            case "redraw":
                self.redraw()
            case "help":
                self.app.show_help()
            case "glossary":
                self.app.show_glossary()
            case "leave":
                self.app.quit()
            case str() if name.startswith("open_"):
                self.app.show_queue(Entrance(name.removeprefix("open_")))

    def _run(self, entry: PaletteEntry) -> str:
        """Do what an entry of the line says; what is wrong with it, or ``""``."""
        try:
            match entry.does:
                case "act":
                    self._end_line()
                    self._perform(entry.value)
                case "queue":
                    self.app.show_queue(Entrance(entry.value))
                case "filter":
                    self.app.show_queue(Entrance("responses", entry.value))
                case "saved":
                    self.app.show_queue(
                        next(_saved(line) for line in self._overview.saved if line.saved.name == entry.value)
                    )
                case "save":
                    return "A filter is saved in the queue that it narrows: open one, filter it, then save NAME."
                case "delete":
                    self.app.delete_filter(entry.value)
                case "theme":
                    self._end_line()
                    self._said = self.app.keep_theme(entry.value)
                case "out":
                    self._end_line()
                    self.app.take_out(entry.value)
                case "quit":
                    self.app.quit()
        except UserError as error:
            if self._line is None:
                self._said = str(error)
            return str(error)
        return ""

    def _end_line(self) -> None:
        self._line = None

    def _move(self, by: int) -> None:
        place = (self._list.cursor or 0) + by
        while 0 <= place < len(self._entrances):
            if self._entrances[place] is not None:
                self._list.move_to(place)
                return
            place += by

    def _open(self, place: int) -> None:
        entrance = self._entrances[place] if place < len(self._entrances) else None
        if entrance is not None:
            self.app.show_queue(entrance)

    def _lines(self) -> tuple[list[Callable[[int], Row]], list[Entrance | None]]:
        """The rows of the list, each to be made for a width, and what each of them opens."""
        rows: list[Callable[[int], Row]]
        first = (*self._overview.mine, *self._overview.queues)
        rows = [partial(queue_row, line) for line in first]
        entrances: list[Entrance | None] = [Entrance(line.kind.name) for line in first]
        if self._overview.units and first:
            rows.append(lambda _columns: [(" OTHER UNITS", "title")])
            entrances.append(None)
        for units in self._overview.units:
            rows.append(partial(queue_row, units))
            entrances.append(Entrance(units.kind.name))
        if self._overview.more_drafts:
            rows.insert(0, partial(more_drafts_row, self._overview.more_drafts))
            entrances.insert(0, None)
        for begun in reversed(self._overview.drafts):
            rows.insert(0, partial(draft_row, begun))
            entrances.insert(0, Entrance(begun.queue, blind=begun.blind, unit=begun.draft.unit))
        place = self._overview.place
        if place is not None:
            left = place.queue
            rows.insert(0, partial(place_row, place))
            entrances.insert(0, Entrance(left.kind.name, left.filter, left.mode == "blind"))
        if self._overview.lost_to_triage:
            rows.append(lambda _columns: warning_row(self._overview))
            entrances.append(None)
        if self._overview.saved:
            rows.append(lambda _columns: [(" SAVED FILTERS", "title")])
            entrances.append(None)
        for saved in self._overview.saved:
            rows.append(partial(saved_row, saved))
            entrances.append(_saved(saved))
        listed = self._responses if self._overview.queues else []  # without statements they lead nowhere
        if listed:
            rows += [lambda _columns: [], lambda _columns: [(" RESPONSES", "title")]]
            entrances += [None, None]
        for line in listed:
            rows.append(partial(response_row, line))
            entrances.append(Entrance("responses", f"response={line.name}"))
        rest = self._overview.responses - len(listed)
        if listed and rest > 0:
            more: Row = [(f"   … {rest} more: open “by response” and filter with : response=R…", "dim")]
            rows.append(lambda _columns: more)
            entrances.append(None)
        return rows, entrances


def _saved(line: FilterLine) -> Entrance:
    """Where a saved filter leads; one that cannot be opened says why then."""
    return Entrance(line.saved.queue, line.saved.filter, line.saved.mode == "blind")
