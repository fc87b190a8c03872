"""Who the reviewer is: asked once, a line for each field; one key passes it over."""

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult

from medreview.errors import UserError
from medreview.review.background import FIELDS, read_background
from medreview.review.line_edit import LineEdit
from medreview.screens.key import Key
from medreview.screens.key_screen import KeyScreen
from medreview.screens.line_input import LineInput
from medreview.screens.widgets.lines import LinesView
from medreview.screens.widgets.painted import Row
from medreview.visible import visible


class BackgroundScreen(KeyScreen[None]):
    """Four lines, one after the other; ``done`` takes what was typed, by field, or raises what is wrong with it."""

    def __init__(
        self, reviewer: str, given: dict[str, str], done: Callable[[dict[str, str]], None], *, ascii_only: bool = False
    ) -> None:
        super().__init__()
        self._reviewer = reviewer
        self._given = given
        self._done = done
        self._at = 0
        self._head = LinesView(id="page-head", ascii_only=ascii_only)
        self._list = LinesView(id="list", ascii_only=ascii_only)
        self._foot = LinesView(id="home-foot", ascii_only=ascii_only)
        self._line = self._input()

    def compose(self) -> ComposeResult:
        """Title, what was said so far, the line."""
        yield from (self._head, self._list, self._foot)

    def paint(self) -> None:
        """What was said, and the line that is typed."""
        self._head.show([[(f" Who decides: {visible(self._reviewer)}", "title")], [("─", "rule fill")]])
        rows: list[Row] = [
            [],
            [("   Kept with your labels, and exported beside them. An empty line says nothing.", "dim")],
            [],
        ]
        for place, (name, words) in enumerate(FIELDS):
            said = visible(self._given.get(name, ""))
            rows.append([(" ▸ " if place == self._at else "   ", "key"), (f"{words}: ", ""), (said, "title")])
        self._list.show(rows)
        self._foot.show(self._line.rows(self.app.size.width))

    def answer(self, key: Key) -> bool:
        """Everything goes into the line; Enter ends it, Esc leaves."""
        self._line.press(key)
        return False

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text goes into the line."""
        event.stop()
        self._line.paste(event.text)
        with self.app.batch_update():
            self.paint()

    def _input(self) -> LineInput:
        name = FIELDS[self._at][0]
        last = self._at == len(FIELDS) - 1
        line = LineEdit.of(self._given.get(name, ""))
        return LineInput(f"{name}:", line, "saves" if last else "next", self._finish, self.app.show_home)

    def _finish(self, text: str) -> str:
        given = {**self._given, FIELDS[self._at][0]: text}
        try:
            read_background(given)
            self._given = given
            if self._at + 1 == len(FIELDS):
                self._done(given)
                self.app.show_home()
                return ""
        except UserError as error:
            return str(error)
        self._at += 1
        self._line = self._input()
        return ""
