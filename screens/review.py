"""The review screen: composes the parts, routes keys, and draws what the session holds.

Its tables say which keys leave an open step open.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset, Region, Size
from textual.layout import Layout
from textual.widget import Widget

from medreview.errors import NotSaved, UserError
from medreview.review.actions import Action, is_verdict, shown_key
from medreview.review.session import ReviewSession
from medreview.screens.action_handlers import ActionHandlers
from medreview.screens.dialogs import (
    ChooseSpanDialog,
    CutDialog,
    Dialog,
    EditDialog,
    FindingDialog,
    HallucinationDialog,
    LeftOutDialog,
    ReasonDialog,
    RevealDialog,
    SpanDialog,
)
from medreview.screens.face import Face
from medreview.screens.key_rows import ALWAYS, KeyRows, offered, undo_key
from medreview.screens.key_screen import LEAVES_NOTHING, Key, KeyScreen
from medreview.screens.last_rows import LISTED_ROWS, LineInput, PaletteDialog, foot_rows
from medreview.screens.layout import Needs, PanePlan, PlannedLayout, arrange, queue_rows, shape_of, with_list
from medreview.screens.own_label_steps import OwnAxisDialog, axes_hint
from medreview.screens.queue_rows import QueueRows, pane_columns, progress_row, within
from medreview.screens.review_rows import (
    header_rows,
    pinned_height,
    pinned_rows,
    wide_header_rows,
)
from medreview.screens.source_rows import of_statements
from medreview.screens.terminal_driver import NotRead, not_read_words
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.lines import LinesView, LiveLines, RowsView, top_row
from medreview.screens.widgets.painted import Row
from medreview.units.registry import unit_name

if TYPE_CHECKING:
    from medreview.screens.home_rows import Entrance
    from medreview.screens.page import Choices


READS: Final = frozenset(
    {
        *("page_down", "page_up", "top", "end", "mark_next", "mark_previous", "copy"),
        *("redraw", "help", "glossary", "guidelines"),
    }
)
"""Actions that leave every step open."""

TURNS: Final = frozenset({"source_next", "source_previous", "view", "judge_next", "judge_previous", "judges_in_full"})
"""Actions that leave a step open unless it marks words: one may look at sources and judges before giving a reason."""

TAKES_BACK: Final = frozenset({"undo", "redo"})
"""Actions that may be given again at once: each takes back what the other did."""

VERDICT_STEPS: Final = (ReasonDialog, RevealDialog)
"""Steps that ask about the verdict just given."""

OWN_DIGITS: Final = (HallucinationDialog, OwnAxisDialog, SpanDialog, EditDialog, CutDialog)
"""Steps in which a key for a verdict does nothing: it was meant for the step."""

SPAN_STEPS: Final = (SpanDialog, ChooseSpanDialog, LeftOutDialog, FindingDialog)
"""Steps about a range of a text, which they bring to the screen."""

_BAR: Final = 24
"""Cells of the longest bar of labels at the end of a queue."""

SEARCHING: Final = {"n": "hit_next", "N": "hit_previous"}
"""While searching, what these keys do instead."""


T = TypeVar("T")


class ReviewScreen(KeyScreen[None]):
    """One queue, unit by unit. Everything it knows comes from the session, and is drawn by its face."""

    def __init__(
        self,
        session: ReviewSession,
        actions: Mapping[str, Action],
        *,
        title: str,
        notice: str = "",
    ) -> None:
        super().__init__()
        self.session = session
        self.actions = actions
        self._title = title
        self._action_of = {key: action.id for action in actions.values() for key in action.keys}
        self._planned = PlannedLayout(self.plan_for)
        self._needs = Needs(1, 1, 2)
        self._plan: PanePlan | None = None
        self._step: Dialog | None = None
        self._keys = KeyRows(actions)
        self._prepared: tuple[object, ...] = ()
        self._said = notice
        self._bad = False
        self._not_read = Counter[str]()
        self.held = ""
        self.just_decided = ""
        """The unit that the last key decided, if another one came to the screen for it."""
        self._h_names = ""
        self._own_view = False
        self._header = LinesView(id="header")
        self._rule = LinesView(id="rule")
        self._queue_head = LinesView(id="queue-head")
        self._queue = RowsView(id="queue", bar=True)
        self._statement = LinesView(id="statement")
        self._bar = LiveLines(self._bar_rows, id="bar")
        self._judges = LinesView(id="judges")
        self._pinned = LinesView(id="pinned")
        self._lower = LinesView(id="lower")
        self._foot = LinesView(id="foot")
        self._listed = LinesView(id="listed")
        self._left = LinesView(id="left")
        self._right = LinesView(id="right")
        self.source = DocumentView(id="source")
        self.response = DocumentView(id="response", gutter=1)
        self._face = Face(session, self.source, self.response)
        self.reading = self._face.panes
        self._acts = ActionHandlers(session, self.reading, self)
        self._queue_rows: QueueRows | None = None
        self._queue_shown: QueueRows | None = None
        self._queue_for = Size()

    @property
    def layout(self) -> Layout:
        """The plan decides where everything lies."""
        return self._planned

    def compose(self) -> ComposeResult:
        """Every part; which of them are seen depends on the size."""
        yield from (self._header, self._rule, self._queue_head, self._queue, self._left, self._statement, self.response)
        yield from (self._bar, self.source, self._judges, self._pinned, self._right, self._lower, self._listed)
        yield self._foot

    def plan_for(self, size: Size) -> PanePlan:
        """Where the parts lie for a size and what is on the screen."""
        plan = arrange(size, self._needs)
        return with_list(plan, size, LISTED_ROWS) if isinstance(self._step, PaletteDialog) else plan

    # Keys

    def answer(self, key: Key) -> bool:
        """One key: to the line being typed, to the open step, or to the table of actions."""
        self._said, self._bad, self.held = "", False, ""
        self.session.clock.touch()
        receipt, name, typing = self.session.receipt, self._name_of(key), isinstance(self._step, LineInput)
        unit, asks = self.session.unit, isinstance(self._step, VERDICT_STEPS)
        answered = self._tried(lambda: self._route(key, name)) or False
        goes_on = self.session.unit != unit and self._step is None and (asks or self.session.receipt != receipt)
        named = of_statements(self.session) or self.session.own_axes
        self.just_decided = self.session.just_decided if goes_on and named else ""
        if self.just_decided:
            self._h_names = self._tried(lambda: unit_name(self.session.study.reader, self.just_decided)) or ""
        if not (typing and isinstance(self._step, LineInput)):
            self._not_read.clear()
        goal = self.session.goal
        if goal is not None and self._step is None and not self._said and (reached := goal.reached()):
            self._said = f"{self.session.receipt}   {reached}"
        return answered or (self.session.receipt != receipt and name not in TAKES_BACK)

    def _tried(self, act: Callable[[], T]) -> T | None:
        """Do something, and say what went wrong with it."""
        found, queue = None, self.session.queue
        try:
            found = act()
        except NotSaved as error:
            self._said, self._bad = error.row, True
        except UserError as error:
            self._said = str(error)
        if self.session.queue is not queue:  # another filter, or statements that were edited
            self._queue_rows = None
        if alert := self.session.alert():
            self._said, self._bad = alert, True
        return found

    def ignored(self, key: Key) -> None:
        """Say beside the receipt that a key is held down."""
        self.held = f"held {shown_key(key.said)} ignored"

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text goes into the line being typed; elsewhere it would be a burst of verdicts."""
        event.stop()
        if isinstance(self._step, LineInput):
            try:
                self._step.paste(event.text)
            except UserError as error:
                self._said = str(error)
            with self.app.batch_update():
                self.paint()

    def on_not_read(self, message: NotRead) -> None:
        """Say what the terminal sent that could not be read, while a line is typed until the line is done."""
        self._not_read.update(undecodable=message.undecodable, broken=message.broken)
        self._said = message.words
        with self.app.batch_update():
            self.paint()

    def on_document_view_scrolled(self) -> None:
        """The bar says where the text is now."""
        self._bar.update()

    def _name_of(self, key: Key) -> str | None:
        """The action of a key; while searching, n and N go from hit to hit."""
        name = self._action_of.get(key.name) or self._action_of.get(key.said)
        return SEARCHING.get(key.said, name) if self._step is None and self.reading.searching else name

    def _route(self, key: Key, name: str | None) -> bool:
        """Do what the key says; whether it answered what was asked about a verdict."""
        step = self._step
        if step is None and self.reading.searching and key.name == "escape":
            self.reading.end_search()
            return False
        if step is not None and step.press(key):
            return isinstance(step, VERDICT_STEPS) and not (self._step is not None and self._step.takes_all)
        if step is not None and name is not None and is_verdict(name):
            if isinstance(step, VERDICT_STEPS):
                return self._acts.answer_again(step, name)
            if isinstance(step, OWN_DIGITS):
                return False
        if step is not None and name is None:
            return False
        if step is not None and name not in READS and (name not in TURNS or isinstance(step, SPAN_STEPS)):
            self.open(None)
        if name is not None:
            self._acts.perform(name)
        elif key.name in LEAVES_NOTHING:
            saved = self.session.elsewhere is None
            self.tell("q leaves; everything is saved already." if saved else "q leaves, and says what to do.")
        return False

    # The mouse

    def clicked(self, widget: Widget, at: Offset) -> None:
        """A key, an entry of the palette, an item of the queue; on the bar above the source, the next source."""
        self._said, self._bad, self.held = "", False, ""
        if widget is self._listed and isinstance(self._step, PaletteDialog):
            step = self._step
            self._tried(lambda: step.choose(at.y))
        elif widget is self._bar and not self.key_under(self._bar, at):
            self._tried(lambda: self._acts.perform("source_next"))
        else:
            super().clicked(widget, at)

    def chosen(self, index: int) -> None:
        """Go to an item of the queue, unless a line is being typed."""
        rows = self._queue_rows
        if rows is not None and not (self._step is not None and self._step.takes_all):
            self.open(None)
            self._tried(lambda: self.session.go(rows.place_of(index)))
            self.just_decided = ""

    # What the acts ask for: ``held`` too, what to say of a key that is held down

    @property
    def panes(self) -> bool:
        """Whether response and source stand side by side."""
        return shape_of(self.app.size) != "one"

    def open(self, step: Dialog | None) -> None:
        """Put a step into the last rows, or take it away; a step about spans brings its text with it."""
        was, self._step = self._step, step
        if isinstance(was, CutDialog):
            was.draw(0)
        if isinstance(was, SPAN_STEPS) and not isinstance(step, SPAN_STEPS):
            self.reading.hints.draw(was.target, None)
            self.reading.draw_span(was.target, None)
            self.reading.draw_left_out(None)
            self.reading.shows_response = self._own_view
        if isinstance(step, SPAN_STEPS):
            if not isinstance(was, SPAN_STEPS):
                self._own_view = self.reading.shows_response
            self.reading.shows_response = self.session.is_beside(step.target)

    def tell(self, words: str) -> None:
        """Show words until the next key."""
        self._said = words

    def visit(self, entrance: "Entrance") -> None:
        """Open another queue, past the report of the sitting."""
        self._depart(partial(self.app.show_queue, entrance))

    def leave(self, *, told: bool = False) -> None:
        """Go back to the first screen, past the report of the sitting unless that was ``told``, or to the figures that
        led here."""
        if self.app.comes_from_figures:
            self.app.back_to_figures()
        else:
            self._depart(self.app.show_home, told=told)

    def end_queue(self) -> None:
        """Say what came of the queue, and lead on: to what is open in it or elsewhere, to the labels and the report."""
        from medreview.review.sitting_report import SUMMED_UP_FROM, queue_report
        from medreview.screens.home_rows import Entrance

        session = self.session
        left = sum(map(session.awaits, session.queue.units))
        if len(session.queue.units) < SUMMED_UP_FROM:
            rest = f"{left} still open, t goes there" if left else "nothing in it is open"
            self.tell(f"{session.receipt}   end of the queue · {rest}")
            return

        choices: dict[str, tuple[str, Callable[[], None]]] = {}
        if left:
            choices["t"] = (f"the {left} still open", self._go_on)
        elif not self.app.comes_from_figures and (following := self.app.next_queue(session.queue)):
            there = partial(self._depart, partial(self.app.show_queue, Entrance(following.kind.name)), told=True)
            choices["t"] = (f"go on: {following.kind.title} ({following.waiting})", there)
        choices["e"] = ("export labels", self.app.export_labels)
        choices["o"] = ("report", self.app.write_report)
        choices["q"] = ("first screen", partial(self.leave, told=True))
        choices["Esc"] = ("stay", lambda: None)
        title = "The end of the queue" if left else "The queue is done"
        self.sum_up(f"{title}: {session.queue.kind.title}", queue_report(session, bar=_BAR), choices, stays=("e", "o"))

    def _go_on(self) -> None:
        self.session.next_open()

    def _depart(self, to: Callable[[], None], *, told: bool = False) -> None:
        from medreview.review.sitting_report import sitting_report

        if lines := sitting_report(self.session, told=told):
            self.sum_up("The end of the sitting", lines, {"Enter": ("go on", to)})
        else:
            to()

    def sum_up(self, title: str, lines: Sequence[str], choices: "Choices", stays: Sequence[str] = ()) -> None:
        """Show a summary; what is chosen there is done here, but for what ``stays`` on it."""

        def chosen(act: Callable[[], None]) -> None:
            self._tried(act)
            if self.on_top:
                self.paint()

        self.open(None)
        self.app.show_summary(title, lines, choices, chosen, self.session.receipt, stays)

    # Drawing

    def paint(self) -> None:
        """Bring every part up to date; only what changed is drawn again, and laid out only if the plan changed."""
        size = self.app.size
        self._needs = self._ask_needs(size)
        plan = self.plan_for(size)
        before, self._plan = self._plan, plan
        moved = before is None or plan.regions != before.regions
        if moved:
            # Without this the screen keeps its old arrangement; asking a child to lay out would cost a second frame.
            self._clear_arrangement_cache()
            self.refresh(layout=True)  # and all of it is drawn: what has moved, Textual may know already
            self._paint_frame(plan, size)
        self.reading.show()
        if isinstance(self._step, SpanDialog):
            self.reading.draw_span(self._step.target, self._step.edit, self._step.moves)
        elif isinstance(self._step, FindingDialog):
            self.reading.draw_span(self._step.target, self._step.edit)
        elif isinstance(self._step, ChooseSpanDialog):
            self.reading.draw_only(self._step.mine)
        elif isinstance(self._step, CutDialog):
            self._step.draw(self._step.cut.at)
        elif isinstance(self._step, LeftOutDialog):
            self.reading.draw_left_out(self._step.part)
        one = plan.shape == "one"
        face = self._face
        header = (
            header_rows(self.session, face.subject(), self._title, size.width)
            if one
            else wide_header_rows(self.session, self._title, size.width, flagged=plan.shape == "two")
        )
        self._header.show(header)
        self._statement.show(face.card_rows(plan))
        self._bar.update()  # where the source is, once it has its new height
        region = plan.regions.get("judges", Region())
        self._judges.show(face.opinion_rows(region, one=one))
        pinned = plan.regions.get("pinned")
        self._pinned.show(pinned_rows(self.app.pinned_view(), pinned.width, one=one) if pinned else ())
        if isinstance(self._step, PaletteDialog):
            self._listed.show(self._step.listed(size.width, plan.regions["listed"].height))
        if plan.shape == "three":
            self._show_queue()
        step = self._step
        above = step.rows(size.width) if step else self._key_rows(plan, size.width)
        unread = not_read_words(self._not_read["undecodable"], self._not_read["broken"])
        said, bad = self._said or unread, self._bad or (not self._said and self.session.elsewhere is not None)
        beside = self._receipt_keys()
        self._foot.show(foot_rows(above, self.session.receipt, said, bad, size.width, self.held, beside))

    def _key_rows(self, plan: PanePlan, columns: int) -> list[Row]:
        """What is not refused here; of an empty queue, what leads elsewhere."""
        hints, more = self._face.hints(plan), []
        if not self.session.study.writable:
            more.append(("note", ""))
        own = axes_hint([*self.session.own_axes_asked.values()])
        if self.just_decided:
            more += [("hallucination", f"· {self._h_names}"), ("axes", f"{own} · {self._h_names}")]
        elif own:
            more.append(("axes", own))
        hints = hints._replace(words=(*hints.words, *more))
        may = offered(self.actions, self._acts.refusal, hints) if self.session.unit else frozenset(ALWAYS)
        hints = hints._replace(offered=may)
        return self._keys.rows(columns, hints)

    def _receipt_keys(self) -> Row:
        """Beside the receipt, the key that takes the act back."""
        offers = self.session.receipt and self._step is None and not self._acts.refusal("undo")
        return undo_key(self.actions) if offers else []

    def _show_queue(self) -> None:
        """Bring the queue pane up to date; its rows are made where it is seen."""
        rows, place = self._queue_rows, self.session.position
        assert rows is not None
        self._queue_head.show([progress_row(self.session, rows.columns)])
        if self._queue_shown is not rows:
            self._queue_shown = rows
            self._queue.show(len(rows), rows.row, rows.row_of(place), rows.heading)
        self._queue.move_to(rows.row_of(place))
        self._queue.refresh_changed((self.session.acts, rows.columns))

    def _queue_width(self, size: Size) -> int:
        """Columns of the queue pane: as the reviewer wants it, else as the flags in sight ask when it is opened or the
        terminal has another size; it stays so while one goes through the queue."""
        rows = self._queue_rows
        if rows is None:
            rows = self._queue_rows = QueueRows(self.session, 0)
        wanted = self.app.queue_columns
        if wanted is not None:
            rows.columns = within(size.width, wanted)
        elif not rows.columns or self._queue_for != size:
            height = queue_rows(size)
            top = top_row(rows.row_of(self.session.position), len(rows), height)
            blind = self.session.queue.mode == "blind"
            rows.columns = pane_columns(size.width, 0 if blind else rows.measure(range(top, top + height)))
        self._queue_for = size
        return rows.columns

    def tour(self) -> None:
        """Show the cards of welcome."""
        from medreview.screens.tour import Tour, note_seen

        def close(seen: bool) -> None:
            self.open(None)
            if seen:
                note_seen()

        self.open(Tour(lambda: shape_of(self.app.size), close))
        if self._plan is not None:
            self.paint()

    def widen_queue(self, by: int) -> None:
        """Make the queue pane wider or narrower by so many columns, for the whole sitting."""
        if self._plan is None or self._plan.shape != "three" or self._queue_rows is None:
            raise UserError("The queue stands beside the texts from 120 columns and 26 rows on.")
        self.app.queue_columns = within(self.app.size.width, self._queue_rows.columns + by)

    def prepare(self) -> None:
        """Read and draw the next unit beforehand; where the study cannot be read, its key will say so."""
        asked = (self.session.unit, self.session.receipt, self.app.size)
        with suppress(UserError, sqlite3.Error):
            if asked != self._prepared and self._step is None and (ahead := self.session.ahead()) is not None:
                self.reading.prepare(ahead)
                self._prepared = asked

    def _ask_needs(self, size: Size) -> Needs:
        shape = shape_of(size)
        if shape == "three":
            self._needs = self._needs._replace(queue=self._queue_width(size))
        card = None if shape == "one" else self.plan_for(size).regions["statement"]
        pins = of_statements(self.session) and self.app.pinned and not self.session.hides_totals
        pinned = pinned_height(one=card is None) if pins else 0
        return self._face.needs(size, card)._replace(pinned=pinned, queue=self._needs.queue)

    def _bar_rows(self) -> list[Row]:
        plan = self._plan
        if plan is None or "bar" not in plan.regions:  # a long card and a list of the palette leave it no row
            return []
        return self._face.bar_rows(plan.regions["bar"].width, one=plan.shape == "one")

    def _paint_frame(self, plan: PanePlan, size: Size) -> None:
        """The lines between the parts."""
        columns = [plan.regions[name].x for name in ("left", "right") if name in plan.regions]
        for view, joint in ((self._rule, "┬"), (self._lower, "┴")):
            line = "".join(joint if x in columns else "─" for x in range(size.width))
            view.show([[(line, "rule")]])
        for view in (self._left, self._right):
            view.show([[("│", "rule")]] * size.height)
