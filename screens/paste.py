"""Where texts are pasted: a question and its answer to check, or the text of a source."""

from collections.abc import Callable, Sequence
from typing import Final

from textual import events
from textual.app import ComposeResult

from medreview.errors import UserError
from medreview.screens.key_screen import Key, KeyScreen
from medreview.screens.last_rows import foot_rows
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.lines import LinesView
from medreview.screens.widgets.painted import Row
from medreview.text import counted, normalise_newlines
from medreview.visible import visible

LONGEST: Final = 4_000_000
"""Characters that may be pasted: two books."""


class PasteScreen(KeyScreen[None]):
    """Texts under each other, each begun with its name; ``done`` takes them, or raises what is wrong with them;
    ``does`` says in the keys what that comes to.

    A text that is pasted is ended by Enter. One whose lines come as keys, typed or from a terminal that does not say
    what is pasted, holds its line ends, and is ended by Ctrl+D.
    """

    def __init__(
        self,
        title: str,
        names: Sequence[str],
        done: Callable[[Sequence[str]], None],
        leave: Callable[[], None],
        *,
        does: str,
    ) -> None:
        super().__init__()
        self._does = does
        self._title = title
        self._names = tuple(names)
        self._texts = [""] * len(names)
        self._typed = [False] * len(names)
        self._at = 0
        self._done = done
        self._leave = leave
        self._said = ""
        self._head = LinesView(id="page-head")
        self._page = DocumentView(id="page", gutter=1)
        self._foot = LinesView(id="home-foot")

    def compose(self) -> ComposeResult:
        """Title, the texts so far, the keys."""
        yield from (self._head, self._page, self._foot)

    def paint(self) -> None:
        """The texts, the end of the one that is being given in sight."""
        columns = self.app.size.width
        self._head.show([[(f" {visible(self._title)}", "title")], [("─", "rule fill")]])
        parts = []
        for place, (name, text) in enumerate(zip(self._names, self._texts, strict=True)):
            here = place == self._at
            size = f"  ({counted(len(text.split()), 'word')})" if text else ""
            parts.append(f"{'▸' if here else ' '} {name}{size}\n\n{visible(text)}{'▏' if here else ''}")
            if here:
                break
        shown = "\n\n".join(parts)
        self._page.show(shown)
        if self._at or len(self._texts[0]) > columns:
            self._page.to_end()
        self._foot.show(foot_rows([self._keys()], "", self._said, False, columns))

    def _keys(self) -> Row:
        last = self._at + 1 == len(self._names)
        does = f" {self._does}" if last else " goes on"
        end = "Ctrl+D" if self._typed[self._at] and last else "Enter"
        back: Row = [("Shift+Tab", "key"), (" back   ", "")] if self._at else []
        keys: Row = [(f" {end}", "key"), (f"{does}   ", ""), ("Ctrl+U", "key"), (" clears it   ", "")]
        return [*keys, *back, ("Esc", "key"), (" leaves", "")]

    def answer(self, key: Key) -> bool:
        """What is typed goes into the text; Enter or Ctrl+D ends it, Esc leaves."""
        self._said = ""
        last = self._at + 1 == len(self._names)
        match key.name:
            case "escape" | "ctrl+c":
                self._leave()
            case "enter" if last and self._typed[self._at]:
                self._take("\n")
            case "enter" | "ctrl+d" | "tab":
                self._end()
            case "shift+tab":
                self._at = max(0, self._at - 1)
            case "ctrl+u":
                self._texts[self._at], self._typed[self._at] = "", False
            case "backspace" | "ctrl+h":
                self._texts[self._at] = self._texts[self._at][:-1]
            case _ if key.character and key.character.isprintable():
                self._typed[self._at] = True
                self._take(key.character)
        return False

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text goes into the text, as it is."""
        event.stop()
        self._said = ""
        self._typed[self._at] = False
        self._take(normalise_newlines(event.text))
        with self.app.batch_update():
            self.paint()

    def _take(self, text: str) -> None:
        if len(self._texts[self._at]) + len(text) > LONGEST:
            self._said = f"More than {LONGEST:,} characters cannot be pasted; name a file instead."
            return
        self._texts[self._at] += text

    def _end(self) -> None:
        if self._at + 1 < len(self._names):
            self._at += 1
            return
        try:
            self._done([text.strip() for text in self._texts])
        except UserError as error:
            self._said = str(error)
