"""What the application does for finding, copying, guidelines and writing elsewhere."""

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from textual.screen import Screen

from medreview.config import Config
from medreview.errors import UserError
from medreview.review.queue import Queue, kind_named, open_queue
from medreview.screens.environment import Look
from medreview.screens.key_screen import KeyScreen
from medreview.screens.output.output_app import OutputApp
from medreview.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable

    from medreview.review.deciding import Deciding
    from medreview.review.guidelines import Guidelines
    from medreview.review.history import Listed, PastAct
    from medreview.review.palette import Palette

_AT_THE_POINTER: Final = frozenset({"open", "next", "previous", "palette"})
"""Actions of the first screen that are nothing on its line."""


class OtherPlaces(OutputApp, inherit_bindings=False):
    """The part of the workbench that leads to other places and other programs."""

    _study: Study
    _config: Config
    _look: Look
    _session: "Deciding | None"

    @abstractmethod
    def open_at(self, queue: Queue, unit: str) -> None:
        """Leave what is open, and open a queue at one of its units."""

    def show_history(self, listed: "Listed" = "decisions", query: str = "") -> None:
        """Show what the reviewer decided or noted, newest first."""
        from medreview.review.history import History
        from medreview.screens.history_page import HistoryScreen

        read = partial(History, self._study.reader, self._config.reviewer)
        self.push_screen(HistoryScreen(read, self._go_to, listed=listed, query=query, ascii_only=self._look.ascii_only))

    def picture(self, screen: Screen[Any]) -> "Callable[[], None] | None":
        """What keeps a screen as it is now, once the study is closed, to be painted at once at the next start from the
        same state of the file; ``None`` where none is to be kept."""
        from medreview.screens.output.last_screen import LAST_SCREEN

        if not self._config.last_screen:
            LAST_SCREEN.forget()
        if not self._config.last_screen or self.is_headless or not self._study.writable or self._study.elsewhere:
            return None
        rows = [strip.render(self.console) for strip in screen._compositor.render_strips()]
        keep = partial(LAST_SCREEN.keep, (self.size.width, self.size.height), rows)
        return lambda: self._study.when_closed(keep)

    def _go_to(self, act: "PastAct") -> None:
        """Go to the unit of an act: in the queue that is open, else in one that has it."""
        from medreview.review.queue_with import queue_with

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
        from medreview.review.palette import Palette
        from medreview.review.queue_filters import FilterWords
        from medreview.review.queue_lines import queues_in_use
        from medreview.review.saved_filters import saved_filters

        reader, who = self._study.reader, self._config.reviewer
        acts = (action for action in HOME if action.id not in _AT_THE_POINTER and not action.id.startswith("open_"))
        words = FilterWords(reader, kind_named("responses"), "open")
        return Palette(acts, queues_in_use(reader, who), saved_filters(reader, who), words)

    def delete_filter(self, name: str) -> None:
        """Delete a saved filter. Raises :class:`UserError` when there is none of this name."""
        from medreview.review.saved_filters import delete_filter

        delete_filter(self._study, self._config.reviewer, name)
        self.show_home()

    @abstractmethod
    def show_home(self) -> None:
        """Return to the first screen."""

    # Copying

    def copy_text(self, text: str) -> str:
        """Give a text to the terminal's clipboard, or write it to a file, as is set; where it went, in words."""
        from medreview.screens.copying import copied

        return copied(text, self._config.copy, self.copy_to_clipboard)

    # Guidelines, and the reviewer's editor

    def show_guidelines(self, kind: str = "") -> None:
        """Show the guidelines in force for a kind of unit, or for all that the study has."""
        from medreview.review.guidelines import in_force, in_force_for_all

        reader = self._study.reader
        self.show_guidelines_page(in_force(reader, kind) if kind else in_force_for_all(reader), "")

    def show_new_guidelines(self) -> None:
        """Show a version that the reviewer has not read yet, before anything can be decided."""
        from medreview.review.guidelines import must_read

        text = must_read(self._study.reader, self._config.reviewer) if self._study.writable else None
        if text is not None:
            self.show_guidelines_page(text, ": new, to be read before you decide")

    def show_guidelines_page(self, text: "Guidelines", why: str) -> None:
        """Show a version of the guidelines; ``why`` goes on the title. From there they are edited."""
        from medreview.review.guidelines import note_read
        from medreview.review.plain_markdown import readable_markdown
        from medreview.screens.guidelines_page import GuidelinesPage

        if text.number:
            note_read(self._study, self._config.reviewer, text)
        title = f"Guidelines, {text.name}{why}" if text.number else "Guidelines: the definitions of the labels"
        edit = partial(self._edit_guidelines, text.text) if self._study.writable else None
        page = GuidelinesPage(title, partial(readable_markdown, text.text), edit, ascii_only=self._look.ascii_only)
        self.push_screen(page)

    def _edit_guidelines(self, text: str) -> None:
        from medreview.review.guidelines import in_force
        from medreview.screens.editor import edit_guidelines

        if edit_guidelines(self, self._study, self._config.reviewer, text):
            self.pop_screen()
            self.show_guidelines_page(in_force(self._study.reader), "")

    def edit_note(self, session: "Deciding") -> str:
        """Write the note on the unit that is on the screen in the reviewer's editor; what there is to say of it."""
        from medreview.screens.editor import edit_note

        return edit_note(self, session)
