"""The Textual application: opens the first screen, switches screens, and shuts down in order; ``run`` runs it."""

import asyncio
import gc
import signal
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

from textual.driver import Driver
from textual.reactive import Reactive
from textual.screen import Screen

from medreview.config import Config
from medreview.errors import UserError
from medreview.review.actions import KeyRepeat, actions_for, figure_actions
from medreview.review.goal import SittingPace, sitting_goal
from medreview.review.queue import Queue, open_queue
from medreview.review.resuming import Drafts, draft_places, drafts_elsewhere
from medreview.review.text_entry import file_in
from medreview.screens.app_places import Places
from medreview.screens.ending import HangUp, ended_by_error, ended_by_signal
from medreview.screens.environment import DARK, LIGHT, Look, check_terminal, look, replace_unencodable
from medreview.screens.terminal_driver import InputEnded, NotRead, TerminalDriver
from medreview.study import Study
from medreview.text import counted
from medreview.units.statement import STATEMENT_ASKS

if TYPE_CHECKING:
    from medreview.review.open_session import CameFrom
    from medreview.review.queue_kinds import QueueLine
    from medreview.review.session import ReviewSession
    from medreview.screens.home_rows import Entrance
    from medreview.screens.outputs import WriteReport
    from medreview.screens.page import Choices
    from medreview.screens.review import ReviewScreen
    from medreview.statements.left_out import LeftOut
    from medreview.study.events import NewEvent
    from medreview.units.cited_source import Source


_READ_AHEAD_AFTER: Final = 0.3
"""Seconds after the first screen, once, until what is known of all units of its queue is read."""


class Workbench(Places):
    """The application, for one study and one reviewer. Its keys are those of the table of actions, no other: Textual
    would leave on Ctrl+Q, which resumes the output of a terminal that Ctrl+S has stopped.

    Raises :class:`UserError` for settings that bind one key to two actions.
    """

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    TITLE = "medreview"

    ansi_theme_dark = Reactive(DARK, init=False)
    """Textual's own, with other colours from the first: one that is set later has every style made again."""
    ansi_theme_light = Reactive(LIGHT, init=False)

    def __init__(
        self,
        study: Study,
        config: Config,
        look: Look,
        *,
        queue: "Queue | None" = None,
        notice: str = "",
        paste: bool = False,
        report: "WriteReport | None" = None,
        tour: bool = False,
        once_shown: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(
            only_changes=config.output == "changes",
            erases_in_colour=look.erases_in_colour,
            ansi_color=look.ansi_color or None,
        )
        self.animation_level = "none"
        self._disable_tooltips = self._disable_notifications = True  # two widgets on every screen that nothing shows
        self.theme = look.theme
        self.start_in("mono" if look.mono else config.theme)
        self._study = study
        self._config = config
        self.links = config.links
        self.ascii_only = look.ascii_only
        self._look = look
        self._first = queue
        self._notice = notice
        self._pastes_first = paste
        self._report = report
        self._tours = tour
        self._once_shown = once_shown
        actions_for(STATEMENT_ASKS, config.keys)  # a key given to two actions is reported at once
        figure_actions(config.keys)
        self._drafts = Drafts(study, config.reviewer, _later)
        self._session: ReviewSession | None = None
        self._came_from: CameFrom | None = None
        self._goal = sitting_goal(config.goal)
        self._pace = SittingPace()
        self.queue_columns: int | None = None
        """How wide the reviewer made the queue pane, if at all."""
        self._hang_up: HangUp | None = None
        self.held = KeyRepeat()
        """Shared by all screens: a key held down since one screen must not decide on the next."""
        self.pasted: Sequence[str] = ()
        """A question and its answer that were pasted, for which the workbench ended: it is opened again with them."""
        self.parting = ""
        """The message for when the workbench has ended."""
        self.failure: BaseException | None = None
        """An unexpected error that ended the workbench."""
        self._warned = False
        self.signal = 0
        """The number of the signal that ended it; a lost terminal counts as SIGHUP."""

    def get_default_screen(self) -> Screen[Any]:
        """The review if a queue was given, else the home screen: no other lies below it, and is made for that."""
        if self._pastes_first:
            first: Screen[Any] = self._paste(self.leave)
        else:
            first = self._home() if self._first is None else self._first_review(self._first)
        # What is called with a screen's result: Textual takes it from every screen that another one takes the place of,
        # and gives it to every screen but this.
        first._push_result_callback(first, None)
        return first

    def on_mount(self) -> None:
        """Show guidelines that are new before the first decision; watch the terminal, if there is one."""
        if self._first is not None:
            self.show_new_guidelines()
            if self._tours:
                self._welcome()
        if self.is_headless:
            return
        import sys

        self._hang_up = HangUp(self.leave_on, sys.stdin.fileno()).start()

    def _welcome(self) -> None:
        from medreview.screens.review import ReviewScreen
        from medreview.screens.tour import is_seen

        # Not above a consent text or guidelines, which have to be read first: then the next time.
        if not is_seen() and isinstance(self.screen, ReviewScreen):
            self.show_tour()

    def show_tour(self) -> None:
        """Show the cards of welcome, over the review. Raises :class:`UserError` on another screen."""
        from medreview.screens.review import ReviewScreen

        if not isinstance(self.screen, ReviewScreen):
            raise UserError("The tour is over a statement: open a queue first.")
        self.screen.tour()

    def on_ready(self) -> None:
        """Begin work that nobody waits for, once the first screen is painted, which it is not yet."""
        self.screen.call_after_refresh(self._once_shown)
        self.set_timer(_READ_AHEAD_AFTER, self._read_ahead)

    def _read_ahead(self) -> None:
        if self._session is not None:
            with suppress(UserError, sqlite3.Error):  # if the file cannot be read, the key that needs it says so
                self._session.read_ahead()

    @property
    def unsaved_notes(self) -> int:
        """The number of drafts that cannot be stored; they are lost when the workbench ends."""
        return self._drafts.unstored

    def drafts_elsewhere(self) -> str:
        """The sentence on leaving about drafts of this sitting that are in a rescue file, or ``""``."""
        return drafts_elsewhere(self._study, self._drafts.begun)

    # Between screens

    def show_queue(self, entrance: "Entrance") -> None:
        """Open a queue, at one statement of it if one is named. Raises :class:`UserError` when it is empty."""
        queue = open_queue(
            self._study, entrance.queue, self._config.reviewer, filter=entrance.filter, blind=entrance.blind
        )
        if not queue.units:
            raise UserError(queue.nothing)
        self.open_at(queue, entrance.unit)

    def open_at(self, queue: "Queue", unit: str) -> None:
        """Leave what is open, and open a queue at one of its units."""
        self._notice = self.leave_session() or self._notice
        self.switch_screen(self._review(queue, unit))
        self.show_new_guidelines()

    def switch(self, session: "ReviewSession", *, crossing: bool = False) -> None:
        """From a statement to its pairs, and back; from a response to its statements; ``crossing``: to the reference of
        a source, and back. Raises :class:`UserError` without such units."""
        from medreview.review.open_session import cross, switch

        found = (cross if crossing else switch)(session, self._came_from)
        self._came_from = found.came_from
        self.open_at(found.queue, found.unit)
        if found.text and self._session is not None:
            self._session.show_text(found.text)

    def show_home(self) -> None:
        """Return to the home screen; the position in the queue is saved."""
        self._came_from = None
        notice = self.leave_session()
        self.switch_screen(self._home(notice))

    def release_audit(self) -> None:
        """Give what is reserved for the audit back to triage; raises :class:`UserError` when nothing is."""
        from medreview.review.audit import release

        given_back = release(self._study, self._config.reviewer)
        if not given_back:
            raise UserError("Nothing is reserved for the audit.")
        self.switch_screen(self._home(f"given back to triage: {given_back}; labels given there count as assisted"))

    def show_help(self, *, figures_first: bool = False) -> None:
        """Show all key bindings."""
        from medreview.screens.own_label_steps import axes_help
        from medreview.screens.page import help_text

        here = self._session
        asks, settles = (here.asks, here.settles) if here else (STATEMENT_ASKS, False)
        actions, more = actions_for(asks, self._config.keys, settles=settles), figure_actions(self._config.keys)
        if here and here.own_axes:
            actions["axes"] = actions["axes"]._replace(help=axes_help([*here.own_axes.values()]))
        actions = more | actions if figures_first else actions | more
        self.show_page("Keys", partial(help_text, actions))

    def show_glossary(self) -> None:
        """Show what the words of the screens mean."""
        from medreview.review.glossary import page

        self.show_page("Glossary", page)

    def show_page(self, title: str, text: Callable[[int], str]) -> None:
        """Show a text to read, as it is made for a number of columns."""
        from medreview.screens.page import PageScreen

        self.push_screen(PageScreen(title, text))

    def show_summary(
        self,
        title: str,
        lines: Sequence[str],
        choices: "Choices",
        on: Callable[[Callable[[], None]], None],
        receipt: str,
        stays: Sequence[str] = (),
    ) -> None:
        """Show the summary of a block, queue or sitting; ``on`` does what is chosen, unless it ``stays``."""
        from medreview.screens.page import ChoicePage, summary_text

        made = partial(summary_text, lines)
        page = ChoicePage(title, made, choices, on, receipt=receipt, stays=stays)
        self.push_screen(page)

    def next_queue(self, queue: "Queue") -> "QueueLine | None":
        """The queue to go on with after another one: what was put off, where that has some of it, else the first of the
        first screen."""
        from medreview.review.overview import overview

        lines = [
            line for line in overview(self._study, self._config.reviewer).to_do if line.kind.name != queue.kind.name
        ]
        session = self._session
        put_off = session is not None and any(session.state_of(unit) == "deferred" for unit in queue.units)
        return min(lines, key=lambda line: not (put_off and line.kind.name == "deferred"), default=None)

    def show_paste(self) -> None:
        """Ask for an answer to check, as a pasted text or as a file's path."""
        self.push_screen(self._paste(self.show_home))

    def _paste(self, leave: Callable[[], None]) -> Screen[Any]:
        from medreview.screens.paste import PasteScreen

        def take(texts: Sequence[str]) -> None:
            if not texts[1]:
                raise UserError("There is no answer yet: paste it, or type the path of a file that holds it.")
            self.pasted = texts
            self.leave()

        names = ("the question", "the answer, pasted whole; or the path of a file")
        return PasteScreen("An answer to check", names, take, leave, does="checks it")

    def show_attach(self, session: "ReviewSession", source: "Source") -> None:
        """Ask for the text of a source; what speaks against it is asked once."""
        from medreview import pipeline
        from medreview.screens.paste import PasteScreen

        if not self._study.writable:
            raise UserError("This study is only read here; no text can be added.")
        name = f"{source.bracketed} {source.domain}"
        asked: list[str] = []

        def done(texts: Sequence[str]) -> None:
            text = texts[0]
            if not text:
                raise UserError("There is no text yet: paste it, or type the path of a file that holds it.")
            file = file_in(text)
            body = text.encode("utf-8", "replace") if file is None else pipeline.bytes_of(file)
            given = pipeline.look_at(self._study, source.source_id, body, "pasted text" if file is None else file.name)
            if given.question and given.question not in asked:
                asked.append(given.question)
                raise UserError(f"{given.question[0].upper()}{given.question[1:]}. Again keeps it, Esc leaves.")
            kept = pipeline.attach(
                self._study, given, session.reviewer, force=True, synonyms=self._config.synonyms_file
            )
            self._notice = f"the text of {name} is stored, {counted(kept.words, 'word')}"
            self.open_at(session.queue, session.unit)

        def leave() -> None:
            self.pop_screen()

        names = ("its text, pasted; or the path of a file (PDF, saved page, text)",)
        title = f"The content of {name}"
        self.push_screen(PasteScreen(title, names, done, leave, does="keeps it"))

    def promote(self, session: "ReviewSession", part: "LeftOut") -> None:
        """Make a statement of what was left out, judged offline like the others."""
        from medreview import pipeline

        pipeline.promote_here(session, part, self._config.synonyms_file)

    def edit(self, session: "ReviewSession", event: "NewEvent", words: str) -> None:
        """Edit a statement, and go to the result, judged offline like the others."""
        from medreview import pipeline

        pipeline.edit_here(session, event, words, self._config.synonyms_file)

    # Leaving

    def quit(self) -> None:
        """End the workbench; where notes cannot be kept, only when asked twice. Raises :class:`UserError` the first
        time."""
        left = self.unsaved_notes
        if left and not self._warned:
            self._warned = True
            notes = "A note you began" if left == 1 else f"{left} notes you began"
            raise UserError(f"{notes} cannot be kept in this study; q again leaves without.")
        self.leave()

    def leave(self) -> None:
        """Save the position in the queue and exit."""
        self.parting = self.leave_session()
        self.exit()

    def leave_session(self) -> str:
        """Save the position in the queue; a sentence on what prevented it, or ``""``. Decisions are saved already."""
        session, self._session = self._session, None
        if session is None:
            return ""
        keep = self._picture_of(session.queue)
        try:
            left = session.leave()
        except UserError as error:
            return str(error)
        if keep is not None:
            keep()
        return left

    def keep_picture(self) -> None:
        """Keep the first screen for the next start, where it is what the workbench was opened with."""
        if self._first is None and (keep := self.picture(self.screen)) is not None:
            keep()

    def _picture_of(self, queue: "Queue") -> Callable[[], None] | None:
        """What keeps the review of the queue that the workbench was opened with, as it is left."""
        first = self._first
        if not self.is_running or first is None:
            return None
        if (queue.kind, queue.mode, queue.filter) != (first.kind, first.mode, first.filter):
            return None
        from medreview.screens.review import ReviewScreen

        review = next((screen for screen in reversed(self.screen_stack) if isinstance(screen, ReviewScreen)), None)
        return self.picture(review) if review is not None else None

    def leave_on(self, number: int) -> None:
        """The same, after a signal, or because the terminal is gone."""
        self.signal = self.signal or number
        self.leave()

    def on_not_read(self, message: NotRead) -> None:
        """Pass it to the screen, behind the keys that came before it."""
        self.screen.post_message(message)

    def on_input_ended(self, message: InputEnded) -> None:
        """Nobody can type any more."""
        if message.error is not None:
            raise message.error
        self.leave_on(signal.SIGHUP)

    def on_unmount(self) -> None:
        """Stop watching the terminal."""
        if self._hang_up is not None:
            self._hang_up.stop()

    def get_driver_class(self) -> type[Driver]:
        """The driver for a terminal, one whose input nothing ends unseen."""
        return TerminalDriver

    def _fatal_error(self) -> None:
        # Textual would print the local variables of every frame, with pages, notes and escape sequences; what happened
        # goes into the log when the terminal is restored.
        self._close_messages_no_wait()

    def _handle_exception(self, error: Exception) -> None:
        self.failure = self.failure or error
        super()._handle_exception(error)

    # Making screens

    def _first_review(self, queue: "Queue") -> "ReviewScreen":
        begun = draft_places(self._study, self._config.reviewer)
        if begun and not self._notice:
            self._notice = f"Not saved: {begun[0].words}. The first screen (q) leads there."
        return self._review(queue)

    def _review(self, queue: "Queue", at: str = "") -> "ReviewScreen":
        from medreview.review.open_session import open_session
        from medreview.screens.review import ReviewScreen

        session = open_session(
            self._study,
            self._config.reviewer,
            queue,
            reveal=self._config.reveal,
            drafts=self._drafts,
            at=at,
            goal=self._goal,
            pace=self._pace,
            later=_later,
            learns=self._config.learned_order,
        )
        self._session = session
        notice, self._notice = self._notice, ""
        return ReviewScreen(
            session,
            actions_for(session.asks, self._config.keys, settles=session.settles),
            title=self._study.meta("title"),
            notice=notice,
        )

    def _home(self, notice: str = "") -> Screen[None]:
        from medreview.review.overview import overview, response_lines
        from medreview.screens.home import HomeScreen

        notice, self._notice = notice or self._notice, ""
        if self._study.elsewhere is not None:
            notice = self._study.elsewhere.sentence
        return HomeScreen(
            partial(overview, self._study, self._config.reviewer),
            partial(response_lines, self._study, self._config.reviewer),
            reviewer=self._config.reviewer,
            study=self._study.path,
            palette=self.home_palette,
            judge=next(iter(self._config.judges), ""),
            notice=notice,
        )


def _later(delay: float, act: Callable[[], None]) -> None:
    """Do something after so many seconds, between keys."""
    asyncio.get_running_loop().call_later(delay, act)


def _load_review() -> None:
    """Load modules for the next screens and keys, while the reviewer reads the first."""
    import medreview.review.open_session
    import medreview.screens.review
    import medreview.statements.sentences  # noqa: F401


def run(
    study: Study,
    config: Config,
    *,
    queue: "Queue | None" = None,
    notice: str = "",
    paste: bool = False,
    pasted: Callable[[Sequence[str]], None] = lambda _texts: None,
    report: "WriteReport | None" = None,
    tour: bool = False,
    once_shown: Callable[[], None] = lambda: None,
) -> str:
    """Run the workbench until the reviewer leaves; ``""``, or a sentence to print.

    ``pasted`` gets a question and an answer that the reviewer pasted to have them checked, for which the workbench
    ends; with ``paste`` it begins by asking for them. ``report`` writes the report; ``tour``: with the cards of
    welcome, unless they were seen. With a queue the review opens at once, otherwise the home screen; ``once_shown`` is
    called when it is there. Raises :class:`UserError` when there is no suitable terminal or when the settings bind a
    key to two actions, and ``WorkbenchEnded``, with an exit code of its own, when something else than the reviewer
    ended the workbench.
    """

    def shown() -> None:
        gc.freeze()  # the workbench's objects are no garbage, and are not scanned while keys are answered
        gc.enable()
        Thread(target=_load_review, name="load-review", daemon=True).start()
        once_shown()

    check_terminal(study.path)
    terminal_look = look(config)
    replace_unencodable()
    app = Workbench(
        study,
        config,
        terminal_look,
        queue=queue,
        notice=notice,
        paste=paste,
        report=report,
        tour=tour,
        once_shown=shown,
    )
    before = {number: signal.getsignal(number) for number in (signal.SIGTSTP, signal.SIGCONT)}
    try:
        app.run(mouse=config.mouse)
    except Exception as error:
        app.failure = app.failure or error
    finally:
        for number, handler in before.items():  # Textual's would draw on a terminal that was given back
            signal.signal(number, handler)
        app.parting = " ".join(filter(None, (app.leave_session() or app.parting, app.drafts_elsewhere())))
    kept = app.parting or (f"Your decisions are in {study.elsewhere.rescue}." if study.elsewhere else "")
    if app.failure is not None:
        raise ended_by_error(app.failure, kept) from app.failure
    if app.signal:
        raise ended_by_signal(app.signal, kept)
    if app.pasted:
        pasted(app.pasted)
    return app.parting
