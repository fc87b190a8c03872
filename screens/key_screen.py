"""What the screens share: keys in the order they were typed, one frame for each."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from textual import events
from textual.screen import Screen

from medreview.screens.dialogs import Key

if TYPE_CHECKING:
    from medreview.screens.app import Workbench

Result = TypeVar("Result")


class KeyScreen(Screen[Result], Generic[Result]):
    """A screen that answers every key itself; nothing on it takes the focus."""

    app: "Workbench"

    @abstractmethod
    def answer(self, key: Key, again: bool) -> None:
        """Do what a key means here; ``again``: it is held down, perhaps since the screen before."""

    @abstractmethod
    def paint(self) -> None:
        """Bring everything that is drawn up to date."""

    def on_mount(self) -> None:
        """Draw the first frame."""
        self.paint()

    def on_resize(self, _event: events.Resize) -> None:
        """Draw for another size."""
        self.paint()

    def on_key(self, event: events.Key) -> None:
        """Answer a key and draw what came of it, in one frame.

        A key that was typed ahead of a change of screens belongs to the new screen.
        """
        event.stop()
        event.prevent_default()
        if not self.is_current:
            self.app.screen.post_message(_again(event))
            return
        with self.app.batch_update():
            key = Key(event.key, event.character)
            self.answer(key, self.app.held.repeats(key.said, event.time))
            if self.is_current:
                self.paint()


def _again(event: events.Key) -> events.Key:
    copy = events.Key(event.key, event.character)
    copy.time = event.time
    return copy
