"""Where the application leads: figures and back, history, the palette, themes, guidelines, consent, who
decides, copying, the own editor."""

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from textual.filter import NoColor
from textual.screen import Screen

from medreview.config import Config
from medreview.errors import UserError
from medreview.next_step import command
from medreview.review.actions import figure_actions
from medreview.review.blind_block import blind_block_open
from medreview.review.queue import Queue, delete_filter, kind_named, open_among, open_queue, saved_filters
from medreview.screens.environment import THEMES, Look, theme_named
from medreview.screens.key_screen import KeyScreen
from medreview.screens.terminal_output import OutputApp
from medreview.screens.widgets.painted import Painted
from medreview.study import Study
from medreview.study.connection import connect
from medreview.study.ids import kind_of
from medreview.text import in_words
from medreview.units.registry import KINDS
from medreview.units.statement import STATEMENT_ASKS
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.judges.votes import VotingJudge
    from medreview.review.consent import ConsentText
    from medreview.review.guidelines import Guidelines
    from medreview.review.history import Listed, PastAct
    from medreview.review.home_figures import HomeFigures
    from medreview.review.live_agreement import GroupView, LiveFigures, LiveUnitAgreement
    from medreview.review.palette import Palette, PaletteEntry
    from medreview.review.pinned_figures import PinnedFigures
    from medreview.review.session import ReviewSession
    from medreview.screens.figures_page import FiguresPlace
    from medreview.screens.home import HomeScreen
    from medreview.screens.outputs import Output, OutputWriter, WriteReport
    from medreview.screens.page import BackgroundScreen


_AT_THE_POINTER: Final = frozenset({"open", "next", "previous", "palette"})
"""Actions of the first screen that are nothing on its line."""


_NOTHING = "No label of yours meets a verdict of the judges yet."
_NOTHING_ON_UNITS = "No label of yours on a {} meets what a judge says of it, or a right label that may be shown."
_AT_ONCE = 300
"""Decisions up to which the figures are counted while the key waits: some ten milliseconds."""


class _Left(NamedTuple):
    """The page of figures that was left for a cell, and what it stood on: a queue and a unit, or the first screen."""

    place: "FiguresPlace"
    queue: Queue | None
    unit: str


class Places(OutputApp, inherit_bindings=False):
    """The part of the workbench that leads to figures, other places and other programs, and wears a theme."""

    _study: Study
    _config: Config
    _look: Look
    _session: "ReviewSession | None"
    _figures: "LiveFigures | None" = None
    _counting = False
    _left: _Left | None = None
    _looked: Mapping[str, int] = MappingProxyType({})
    """By kind of unit the newest event when its figures were looked at last."""
    _pinned: "PinnedFigures | None" = None
    _pin_read = False
    _report: "WriteReport | None" = None
    """Writes the report; only the command line has what makes one."""
    _outputs: "OutputWriter | None" = None
    _notice: str
    """What the next screen says at first."""
    worn = ""
    """The theme that is on, by our name."""
    kept = ""
    """The one that the reviewer chose."""

    @abstractmethod
    def open_at(self, queue: Queue, unit: str) -> None:
        """Leave what is open, and open a queue at one of its units."""

    def show_history(self, listed: "Listed" = "decisions", query: str = "") -> None:
        """Show what the reviewer decided or noted, newest first."""
        from medreview.review.history import History
        from medreview.screens.history_page import HistoryScreen

        read = partial(History, self._study.reader, self._config.reviewer)
        self.push_screen(HistoryScreen(read, self._go_to, listed=listed, query=query))

    def picture(self, screen: Screen[Any]) -> "Callable[[], None] | None":
        """What keeps a screen as it is now, once the study is closed, to be painted at once at the next start from the
        same state of the file; ``None`` where none is to be kept."""
        from medreview.screens.last_screen import LAST_SCREEN

        if not self._config.last_screen:
            LAST_SCREEN.forget()
        if not self._config.last_screen or self.is_headless or not self._study.writable or self._study.elsewhere:
            return None
        rows = [strip.render(self.console) for strip in screen._compositor.render_strips()]
        keep = partial(LAST_SCREEN.keep, (self.size.width, self.size.height), rows)
        return lambda: self._study.when_closed(keep)

    def _go_to(self, act: "PastAct") -> None:
        """Go to the unit of an act: in the queue that is open, else in one that has it."""
        from medreview.review.resuming import queue_with

        session, who = self._session, self._config.reviewer
        if session is not None and act.unit in session.queue.units and session.pass_no == act.pass_no:
            self.pop_screen()
            session.go(list(session.queue.units).index(act.unit))
            if isinstance(self.screen, KeyScreen):
                self.screen.paint()
            return
        name, blind = queue_with(self._study, who, act.unit, pass_no=act.pass_no)
        queue = open_queue(self._study, name, who, blind=blind)
        if act.unit not in queue.units:
            raise UserError(f"{act.name or 'This unit'} is in no queue any more: it was edited or excluded since.")
        self.pop_screen()
        self.open_at(queue, act.unit)

    def home_palette(self) -> "Palette":
        """What the first screen's line leads to; a filter there is one of the queue of every statement."""
        from medreview.review.home_actions import HOME
        from medreview.review.overview import queues_in_use
        from medreview.review.palette import Palette
        from medreview.review.queue_filters import FilterWords

        reader, who = self._study.reader, self._config.reviewer
        acts = (action for action in HOME if action.id not in _AT_THE_POINTER and not action.id.startswith("open_"))
        words = FilterWords(reader, kind_named("responses"), "open")
        return Palette(acts, queues_in_use(reader, who), saved_filters(reader, who), words, themes=self.themes)

    def delete_filter(self, name: str) -> None:
        """Delete a saved filter. Raises :class:`UserError` for an unknown name."""
        delete_filter(self._study, self._config.reviewer, name)
        self.show_home()

    @abstractmethod
    def show_home(self) -> None:
        """Return to the first screen."""

    # Colours: every screen follows at once; the settings keep what was chosen

    @property
    def themes(self) -> list[str]:
        """What can be chosen; nothing where the environment allows no colour."""
        return [] if "NO_COLOR" in os.environ else list(THEMES)

    def start_in(self, name: str) -> None:
        """Begin in a theme; Textual knows no colour only from the environment."""
        self.worn = self.kept = "ansi-dark" if name == "ansi" else name
        if theme_named(name).mono and not self.no_color:
            self._filters.append(NoColor())
            self.no_color = True

    def wear(self, name: str) -> None:
        """Draw in the colours of a theme from now on."""
        if name == self.worn:
            return
        self.worn, theme = name, theme_named(name)
        self._filters = [each for each in self._filters if not isinstance(each, NoColor)]
        self._filters += [NoColor()] * theme.mono
        self.no_color = theme.mono
        self.ansi_color = theme.ansi or None
        self.theme = theme.name
        self.call_next(self._paint_anew)

    def _paint_anew(self) -> None:
        """Draw every line of every screen again: they are kept with their colours."""
        for screen in self.screen_stack:
            for painted in screen.children:
                if isinstance(painted, Painted):
                    painted.notify_style_update()
                    painted._lines.clear()
                    painted.refresh()
        self.screen.refresh()

    def preview(self, entry: "PaletteEntry | None") -> None:
        """Wear the theme of an entry that is pointed at; at any other, the one that is kept."""
        self.wear(entry.value if entry is not None and entry.does == "theme" else self.kept)

    def keep_theme(self, name: str) -> str:
        """Wear a theme from now on and keep it in the settings, in the file that has one already; a sentence on that.

        Raises :class:`~medreview.errors.UserError` where it cannot be kept.
        """
        from medreview.config_file import file_to_write, named, set_values

        self.wear(name)
        self.kept = name
        path = self._config.origins.get("theme", file_to_write(here=False))
        set_values(path, [(named("theme"), name)])
        return f"The theme “{name}” is kept in {path}."

    # Copying

    def copy_text(self, text: str) -> str:
        """Give a text to the terminal's clipboard, or write it to a file, as is set; where it went, in words."""
        from medreview.screens.outside import copied

        return copied(text, self._config.copy, self.copy_to_clipboard)

    # Guidelines, and the reviewer's editor

    def show_guidelines(self, kind: str = "") -> None:
        """Show the guidelines in force for a kind of unit, or for all that the study has."""
        from medreview.review.guidelines import in_force, in_force_for_all

        reader = self._study.reader
        self.show_guidelines_page(in_force(reader, kind) if kind else in_force_for_all(reader), "")

    def show_new_guidelines(self) -> None:
        """Show a version that the reviewer has not read yet, before anything can be decided; first of all the text that
        the study asks consent to."""
        from medreview.review.consent import must_consent
        from medreview.review.guidelines import must_read

        reader, who = self._study.reader, self._config.reviewer
        if not self._study.writable:
            return
        if consent := must_consent(reader, who):
            self._ask_consent(consent)
        elif text := must_read(reader, who):
            self.show_guidelines_page(text, ": new, to be read before you decide")

    def _ask_consent(self, consent: "ConsentText") -> None:
        from medreview.review.consent import give_consent
        from medreview.screens.page import ChoicePage
        from medreview.study.study_acts import is_asked

        def agree() -> None:
            give_consent(self._study, self._config.reviewer, consent)
            self.show_new_guidelines()
            if not is_asked(self._study.reader, self._config.reviewer):
                self._ask_background()

        choices = {"y": ("I have read this and consent", agree), "q": ("leave", self.leave)}
        page = ChoicePage(
            "Before you decide, read this", lambda _: consent.text, choices, lambda chosen: chosen(), markdown=True
        )
        self.push_screen(page)

    @abstractmethod
    def leave(self) -> None:
        """Save the position in the queue and exit."""

    # Who decides

    def show_background(self) -> None:
        """Ask for the background, and return to the first screen."""
        self.switch_screen(self._background(self.show_home))

    def _ask_background(self) -> None:
        """The same above what is open, once: to leave it passes the question over."""

        def back() -> None:
            self.pop_screen()
            self.pass_background()

        self.push_screen(self._background(back))

    def _background(self, leave: Callable[[], None]) -> "BackgroundScreen":
        from medreview.review.background import read_background, set_background
        from medreview.screens.page import BackgroundScreen
        from medreview.study.study_acts import background_of

        who, before = self._config.reviewer, background_of(self._study.reader, self._config.reviewer)
        given = {name: "" if value is None else str(value) for name, value in asdict(before).items()}

        def done(typed: dict[str, str]) -> None:
            set_background(self._study, who, read_background(typed))

        return BackgroundScreen(who, given, done, leave)

    def pass_background(self) -> None:
        """Do not ask for the background again; answers stay."""
        from medreview.review.background import set_background
        from medreview.study.study_acts import Background, is_asked

        if not is_asked(self._study.reader, self._config.reviewer):
            set_background(self._study, self._config.reviewer, Background())

    def show_guidelines_page(self, text: "Guidelines", why: str) -> None:
        """Show a version of the guidelines; ``why`` goes on the title. From there they are edited."""
        from medreview.review.guidelines import note_read, with_axes
        from medreview.screens.page import GuidelinesPage

        if text.number:
            note_read(self._study, self._config.reviewer, text)
        title = f"Guidelines, {text.name}{why}" if text.number else "Guidelines: the definitions of the labels"
        edit = partial(self._edit_guidelines, text.text) if self._study.writable else None
        shown = with_axes(self._study.reader, text.text)
        page = GuidelinesPage(title, shown, edit)
        self.push_screen(page)

    def _edit_guidelines(self, text: str) -> None:
        from medreview.review.guidelines import in_force
        from medreview.screens.outside import edit_guidelines

        if edit_guidelines(self, self._study, self._config.reviewer, text):
            self.pop_screen()
            self.show_guidelines_page(in_force(self._study.reader), "")

    def edit_note(self, session: "ReviewSession") -> str:
        """Write the note on the unit that is on the screen in the reviewer's editor; what there is to say of it."""
        from medreview.screens.outside import edit_note

        return edit_note(self, session)

    # What is taken out

    def take_out(self, what: str) -> None:
        """Do what the line's entries for it say. Raises :class:`UserError` where that cannot be now."""
        match what:
            case "export":
                self.export_labels()
            case "report":
                self.write_report()
            case "tour":
                self.show_tour()

    @abstractmethod
    def show_tour(self) -> None:
        """Show the cards of welcome."""

    def export_labels(self) -> None:
        """Write the labels as tables beside the study, while the reviewer goes on; the last row says where."""
        from medreview.screens.outputs import labels_output

        self._write(labels_output)

    def write_report(self) -> None:
        """Write the report as a page beside the study, in the same way. Raises :class:`UserError` while a blind block
        is open."""
        from medreview.screens.outputs import report_output

        write = self._report
        if write is None:
            raise UserError(f"Write it with `{command('report', self._study.path)}`.")
        self._write(lambda study, who: report_output(study, who, write))

    def _write(self, output: "Callable[[Study, str], Output]") -> None:
        from medreview.screens.outputs import OutputWriter

        if self._outputs is None:
            self._outputs = OutputWriter(self._tell, partial(self.run_worker, thread=True))
        self._outputs.write(self._study, lambda: output(self._study, self._config.reviewer))

    def _tell(self, words: str) -> None:
        """Say something on the screen that is on top, now; where it has no row for it, on the next that has."""
        screen = self.screen
        if not isinstance(screen, KeyScreen) or type(screen).tell is KeyScreen.tell:
            self._notice = words
            return
        with self.batch_update():
            screen.tell(words)
            screen.paint()

    # Figures

    def show_figures(self) -> None:
        """Show how often reviewer and judges agree.

        Raises :class:`UserError` while a blind block is open.
        """
        from medreview.screens.figures_page import FiguresPlace

        self._push_figures(FiguresPlace())

    def close_figures(self) -> None:
        """Go back to the screen below, which may have other figures in sight now."""
        self.pop_screen()
        if isinstance(self.screen, KeyScreen):
            self.screen.paint()

    @property
    def comes_from_figures(self) -> bool:
        """Whether the queue that is open is what a cell of the figures counts."""
        return self._session is not None and self._left is not None and self._session.queue.among is not None

    def back_to_figures(self) -> None:
        """From the statements of a cell to that cell; under the page is what it stood on before."""
        left, self._left = self._left, None
        assert left is not None
        if left.queue is not None:
            self.open_at(left.queue, left.unit)
        else:
            self.show_home()
        with suppress(UserError):  # a blind block that is open hides them again
            self._push_figures(left.place)

    def _push_figures(self, place: "FiguresPlace") -> None:
        session = self._session
        asks = session.asks if session is not None else STATEMENT_ASKS
        if blind_block_open(self._study.reader, self._config.reviewer, asks.name):
            raise UserError("Figures are hidden until the judges of your blind block are shown: they would tell.")
        from medreview.review.live_agreement import NEWEST_EVENT, Moved, pace_lines, since_look
        from medreview.review.looks import note_look
        from medreview.screens.figures_page import FiguresScreen
        from medreview.screens.source_rows import apart_words

        unsure = note_look(self._study, self._config.reviewer, "figures", "totals")
        source, apart = "", ""
        if session is not None and session.source is not None:
            source, apart = session.source.name, apart_words(session.source_places().set_apart)
        reader, who = self._study.reader, self._config.reviewer
        (newest,) = reader.execute(NEWEST_EVENT).fetchone()
        since = since_look(reader, who, asks.name, self._looked.get(asks.name, newest))
        self._looked = {**self._looked, asks.name: newest}
        more = command("stats", self._study.path, *([] if asks is STATEMENT_ASKS else ["--unit", asks.name]))
        below = (
            unsure,
            f"Source {source} on the screen, not open on its page: {apart}." if apart else "",
            f"Resampled intervals, and more figures: {more}",
        )
        page = FiguresScreen(
            self.figures if asks is STATEMENT_ASKS else self._figures_of(asks.name),
            Moved(session.queue if session is not None else None, asks.noun, since),
            partial(pace_lines, reader, who, asks),
            [words for words in below if words],
            self._open_cell,
            self._pin,
            figure_actions(self._config.keys),
            place=place,
            nothing=_NOTHING if asks is STATEMENT_ASKS else _NOTHING_ON_UNITS.format(asks.noun),
        )
        self.push_screen(page)

    def _figures_of(self, kind: str) -> "Callable[[VotingJudge | None], LiveUnitAgreement]":
        from medreview.review.live_agreement import LiveUnitAgreement

        held = LiveUnitAgreement(self._study.reader, kind, self._config.reviewer)

        def figures(_: "VotingJudge | None") -> LiveUnitAgreement:
            held.take_in()
            return held

        return figures

    def figures(self, judge: "VotingJudge | None" = None) -> "LiveFigures | None":
        """The figures with everything that was done up to now; ``None`` while they are counted for the first time.

        With a ``judge``, those beside single judges have to be counted, too.
        """
        if self._figures is not None:
            self._figures.go_on_with(self._study.reader)  # that of a rescue file, once there is one
            self._figures.take_in()
        if self._wanting(judge) and not self._counting:
            self._count(each_judge=judge is not None)
        return None if self._wanting(judge) else self._figures

    def _wanting(self, judge: "VotingJudge | None") -> bool:
        return self._figures is None or (judge is not None and not self._figures.counts_each_judge)

    # In sight while reviewing

    @property
    def pinned(self) -> "PinnedFigures | None":
        """What the reviewer keeps in sight; in a read-only study, as long as the workbench is open."""
        if not self._pin_read:
            from medreview.review.pinned_figures import pinned_figures

            self._pin_read, self._pinned = True, pinned_figures(self._study.reader, self._config.reviewer)
        return self._pinned

    def pinned_view(self) -> "GroupView | None":
        """The figures that are kept in sight, as they stand; ``None`` while they are counted for the first time."""
        pinned, figures = self.pinned, self.figures()
        return figures.view(pinned.group, pinned.scale) if pinned and figures else None

    def _pin(self, place: "FiguresPlace") -> str:
        """Pin the figures shown, or unpin those pinned; the result, in words."""
        from medreview.review.pinned_figures import PinnedFigures, pin_figures

        if place.group is None:
            raise UserError("There is nothing to pin yet.")
        if place.group.drawn is None:
            raise UserError("Only figures on statements can be pinned.")
        wanted = PinnedFigures(place.group, place.scale)
        self._pinned = None if self.pinned == wanted else wanted
        if self._study.writable:
            pin_figures(self._study, self._config.reviewer, self._pinned)
        if self._pinned is None:
            return "Not pinned any more."
        return f"Pinned: {wanted.group.title}, {wanted.scale.title}, judges together; K unpins"

    # On the first screen

    def count_for_home(self, screen: "HomeScreen", units: int) -> None:
        """Count what labels say, after the first screen is drawn, and give it to that screen; of a study of so many
        ``units``. While a blind block is open nothing that reveals the judges is counted."""
        from medreview.review.home_figures import home_figures

        study, who = self._study, self._config.reviewer
        judges = not blind_block_open(study.reader, who)
        if self._at_once(units // 10):  # of all statements the verdicts are counted
            self._show_at_home(screen, home_figures(study.reader, who, judges=judges))
            return
        path = study.path

        def count() -> None:
            with closing(connect(path, read_only=True)) as reader:
                made = home_figures(reader, who, judges=judges)
            self.call_from_thread(self._show_at_home, screen, made)

        self.run_worker(count, thread=True)

    def _show_at_home(self, screen: "HomeScreen", figures: "HomeFigures") -> None:
        """Show them, and record a look at the judges, unless the reviewer has gone on; without what reveals the judges
        if a blind block was begun meanwhile."""
        from medreview.review.looks import note_look

        who = self._config.reviewer
        if self.screen is not screen:
            return
        if figures.view is not None and blind_block_open(self._study.reader, who):
            figures = replace(figures, view=None, supported="")
        if figures.view is not None:
            note_look(self._study, who, "home", "totals")
        screen.show_figures(figures)

    # Counting

    def _count(self, *, each_judge: bool) -> None:
        from medreview.review.live_agreement import LiveFigures

        study, who = self._study, self._config.reviewer
        query = "SELECT count(*) FROM event WHERE reviewer = ? AND kind = 'decide'"
        (decided,) = study.reader.execute(query, (who,)).fetchone()
        if self._at_once(decided):
            self._figures = self._figures or LiveFigures(study.reader, who)
            if each_judge:
                self._figures.count_each_judge()
            return
        self._counting = True
        path = study.path

        def count() -> None:
            with closing(connect(path, read_only=True)) as reader:
                made = LiveFigures(reader, who)
                if each_judge:
                    made.count_each_judge()
            self.call_from_thread(self._counted, made)

        self.run_worker(count, thread=True, exit_on_error=True)

    def _at_once(self, decided: int) -> bool:
        """Whether to count while the screen waits: few labels, or a study that no other connection can read as it is
        (of an older version, or in a rescue file)."""
        return decided <= _AT_ONCE or not self._study.writable or self._study.elsewhere is not None

    def _counted(self, made: "LiveFigures") -> None:
        made.go_on_with(self._study.reader)
        self._figures, self._counting = made, False
        if isinstance(self.screen, KeyScreen):
            self.screen.paint()

    def _open_cell(self, place: "FiguresPlace", units: Sequence[str]) -> None:
        labels = place.scale.labels
        mine, theirs = (in_words(label) for label in (labels[place.cell.row], labels[place.cell.column]))
        who = visible(place.judge.title) if place.judge else "judges"
        kind = KINDS.get(kind_of(units[0]))
        queue = open_among(
            self._study,
            self._config.reviewer,
            units,
            f"you {mine}, {who} {theirs}",
            name=kind.queue_name if kind else "responses",
        )
        if not queue.units:
            raise UserError("The items of this cell are kept blind until their judges are shown.")
        before = self._session
        self._left = _Left(place, before.queue if before else None, before.unit if before else "")
        self.pop_screen()
        self.open_at(queue, queue.units[0])
