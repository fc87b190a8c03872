"""The base class of the screens: keys in the order they were typed, one frame for each."""

import asyncio
from abc import abstractmethod
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, Protocol, TypeVar

from textual import events
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget

from medreview.review.actions import key_shown
from medreview.screens.terminal_driver import NotRead
from medreview.screens.widgets.lines import LinesView, LiveLines, RowsView
from medreview.screens.widgets.painted import StyledText, key_at

if TYPE_CHECKING:
    from medreview.screens.app import Workbench


LEAVES_NOTHING: Final = ("escape", "ctrl+c")
"""Esc closes what is open; where nothing is, these keys only have it said which one leaves."""


class Key(NamedTuple):
    """A key press: Textual's name for it and the character it types, if any."""

    name: str
    character: str | None

    @property
    def said(self) -> str:
        """The character, or the name of a key that types none."""
        return self.character if self.character and self.character.isprintable() else self.name


def keys_row(*keys: tuple[str, str] | None, gap: int = 2) -> list[StyledText]:
    """A row of keys with what they do, ``gap`` blanks apart, without those that are ``None``."""
    row: list[StyledText] = [(" ", "")]
    for key, does in filter(None, keys):
        row += [(key, "key"), (f" {does}{' ' * gap}", "")]
    return [*row[:-1], (row[-1][0].rstrip(" "), "")]


class TypedLine(Protocol):
    """A line that is being typed on a screen."""

    def paste(self, text: str) -> None:
        """Take in pasted text."""


Result = TypeVar("Result")

_READING: Final = 0.06
"""Seconds after a key: its frame is drawn and what was seen stored by then; one that is held down comes sooner."""


class KeyScreen(Screen[Result], Generic[Result]):
    """A screen that answers every key itself; nothing on it takes the focus."""

    app: "Workbench"
    _line: TypedLine | None = None

    def __init__(self) -> None:
        super().__init__()
        self._later: asyncio.TimerHandle | None = None

    @property
    def on_top(self) -> bool:
        """Whether this is the screen that keys are meant for; none is any more once the workbench ends.

        Textual's ``is_current`` is also true of the screen below one that was pushed just now and has no style yet.
        """
        return self.is_running and self.app.screen is self

    @abstractmethod
    def answer(self, key: Key) -> bool:
        """Do what a key means here; whether it decided something, so that it must be let go before it acts again."""

    def redraw(self) -> None:
        """Write everything that is on the screen again."""
        self.app.redraw()

    def tell(self, words: str) -> None:
        """Show words until the next key; a screen without a row for them says nothing."""

    def ignored(self, key: Key) -> None:
        """Say that a key was ignored because it is held down since it decided, perhaps on the screen before."""

    def on_not_read(self, _message: NotRead) -> None:
        """Where no text is typed, unreadable input from the terminal is ignored."""

    @abstractmethod
    def paint(self) -> None:
        """Bring everything that is drawn up to date."""

    def on_mount(self) -> None:
        """Draw the first frame."""
        self.paint()

    def on_resize(self, _event: events.Resize) -> None:
        """Draw for another size."""
        self.paint()

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text goes into the line, where one is typed."""
        event.stop()
        if self._line is not None:
            self._line.paste(event.text)
            with self.app.batch_update():
                self.paint()

    def on_key(self, event: events.Key) -> None:
        """Answer a key and draw the result, in one frame.

        A key that was typed ahead of a change of screens belongs to the new screen.
        """
        event.stop()
        event.prevent_default()
        if not self.on_top:
            self.app.screen.post_message(_again(event))
            return
        if self._later is not None:
            self._later.cancel()
        key, held, decided = Key(event.key, event.character), self.app.held, False
        with self.app.batch_update():
            if held.is_held(key.said, event.time):
                self.ignored(key)
            else:
                decided = self.answer(key)
            if self.on_top:
                self.paint()
        if decided:
            held.decided(key.said)
        self._later = asyncio.get_running_loop().call_later(_READING, self._get_ready)

    def on_click(self, event: events.Click) -> None:
        """Do what stands where the mouse was clicked, and draw the result in one frame."""
        event.stop()
        if not self.on_top:
            return
        widget, region = self.get_widget_at(*event.screen_offset)
        with self.app.batch_update():
            self.clicked(widget, event.screen_offset - region.offset)
            if self.on_top:
                self.paint()

    def clicked(self, widget: Widget, at: Offset) -> None:
        """Press the key whose name or words are at a place of a widget, or take the row of a list."""
        if isinstance(widget, RowsView):
            if (index := widget.index_at(at.y)) is not None:
                self.chosen(index)
        elif isinstance(widget, LinesView | LiveLines) and (key := self.key_under(widget, at)):
            self.answer(key)

    def key_under(self, widget: LinesView | LiveLines, at: Offset) -> Key | None:
        """The key whose name or words are at a place of a widget."""
        shown = key_at(widget.row_at(at.y), at.x, widget.outer_size.width, ascii_only=widget.ascii_only)
        name = key_shown(shown)
        return Key(name, shown if len(shown) == 1 else None) if name else None

    def chosen(self, index: int) -> None:
        """Go to what a row of the list stands for."""

    def prepare(self) -> None:
        """Get ready what the next key may ask for, while the reviewer reads; called a moment after the last one."""

    def _get_ready(self) -> None:
        if self.on_top:
            self.prepare()


def _again(event: events.Key) -> events.Key:
    copy = events.Key(event.key, event.character)
    copy.time = event.time
    return copy
