"""What the actions do that find, open and copy: search, filters, the line of everything."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol

from medreview.errors import UserError
from medreview.review.actions import Action
from medreview.screens.span_handlers import SpanHandlers, StepHost
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.review.history import Listed
    from medreview.review.palette import PaletteEntry
    from medreview.screens.home_rows import Entrance

_FOR_STEPS = frozenset({"palette", "filter"})
"""What the line of everything does not lead to: itself."""


class SearchHost(StepHost, Protocol):
    """What is asked of the screen."""

    @property
    def actions(self) -> Mapping[str, Action]:
        """What can be done here, by id, with its keys."""

    def tell(self, words: str) -> None:
        """Say something until the next key."""

    def visit(self, entrance: "Entrance") -> None:
        """Open another queue."""

    def history(self, listed: "Listed" = "decisions", query: str = "") -> None:
        """Show what I decided or noted."""

    def copy(self, text: str) -> str:
        """Give a text to the clipboard; where it went, in words."""

    def edit_note(self) -> None:
        """Write the note in the reviewer's editor."""


class SearchHandlers(SpanHandlers):
    """Searches, filters, finds and copies."""

    _stage: SearchHost

    @abstractmethod
    def perform(self, name: str) -> None:
        """Do an action by its name in the table."""

    # Search

    def _search(self) -> None:
        from medreview.screens.search_line import Scope, search_line

        def here(text: str) -> str:
            wrong = self._reading.search(text)
            if not wrong:
                self._close()
            return wrong

        def past(listed: "Listed", text: str) -> str:
            self._close()
            self._stage.history(listed, text)
            return ""

        scopes = (
            Scope("here", here),
            Scope("my notes", partial(past, "notes")),
            Scope("my decisions", partial(past, "decisions")),
        )
        self._stage.open(search_line(scopes, self._close))

    # The line of everything, and filters

    def _palette(self, begun: str = "") -> None:
        from medreview.review.palette import Palette
        from medreview.review.queue_filters import FilterWords
        from medreview.review.queue_lines import queues_in_use
        from medreview.review.saved_filters import saved_filters
        from medreview.screens.palette_dialog import palette_dialog

        session = self._session
        reader, queue = session.study.reader, session.queue
        palette = Palette(
            (action for action in self._stage.actions.values() if action.id not in _FOR_STEPS),
            queues_in_use(reader, session.reviewer),
            saved_filters(reader, session.reviewer),
            FilterWords(reader, queue.kind, queue.mode),
            current=queue.filter,
            noun=session.asks.noun,
        )
        self._stage.open(palette_dialog(palette, self._run, self._close, begun))

    def _filter(self) -> None:
        self._palette(f"filter {self._session.queue.filter}".rstrip() + " ")

    def _run(self, entry: "PaletteEntry") -> str:
        """Do what an entry of the line says; what is wrong with it, or ``""``."""
        from medreview.review.saved_filters import delete_filter, save_filter, saved_filters
        from medreview.screens.home_rows import Entrance

        session, value = self._session, entry.value
        try:
            match entry.does:
                case "filter":
                    session.set_filter(value)
                    self._close()
                case "save":
                    saved = save_filter(session.study, session.reviewer, value, session.queue)
                    self._close()
                    self._stage.tell(f"The filter is saved as “{saved.name}”; the first screen lists it.")
                case "delete":
                    delete_filter(session.study, session.reviewer, value)
                    self._close()
                    self._stage.tell(f"The saved filter “{value}” is deleted.")
                case "saved":
                    every = saved_filters(session.study.reader, session.reviewer)
                    saved = next(one for one in every if one.name == value)
                    self._stage.visit(Entrance(saved.queue, saved.filter, saved.mode == "blind"))
                case "queue":
                    self._stage.visit(Entrance(value))
        except UserError as error:
            return str(error)
        if entry.does == "act":
            self._close()
            self.perform(value)
        return ""

    # Copying

    def _copy(self) -> None:
        parts = self._parts_to_copy()
        told = [name for name, text in parts.items() if text]
        if not told:
            raise UserError("There is nothing here to copy.")
        where = self._stage.copy("\n".join(visible(text) for text in parts.values() if text))
        self._stage.tell(f"{', '.join(told)}: {where}")

    @abstractmethod
    def _parts_to_copy(self) -> Mapping[str, str]:
        """What is copied, by what it is called."""
