"""A page to read that ends with a choice: the summary of a block."""

from collections.abc import Callable, Mapping, Sequence

from medreview.review.layout.wrap import WrapTable
from medreview.screens.key import Key
from medreview.screens.page import PageScreen
from medreview.screens.widgets.painted import Row
from medreview.visible import visible

Choices = Mapping[str, tuple[str, Callable[[], None]]]
"""What can be chosen: by the key as it is shown, its words and what it does."""


class ChoicePage(PageScreen):
    """A title, a text, and keys that close the page and go on in one way or another.

    ``on`` carries out what was chosen, on the screen below. ``receipt``: the last row, what was saved last.
    """

    def __init__(
        self,
        title: str,
        text: Callable[[int], str],
        choices: Choices,
        on: Callable[[Callable[[], None]], None],
        *,
        receipt: str = "",
        ascii_only: bool = False,
    ) -> None:
        super().__init__(title, text, ascii_only=ascii_only)
        self._choices = choices
        self._on = on
        self._receipt = receipt

    def paint(self) -> None:
        """The text, and the choices below it."""
        super().paint()
        keys: Row = [
            piece for key, (words, _) in self._choices.items() for piece in ((f" {key}", "key"), (f" {words}  ", ""))
        ]
        self._foot.styles.height = 3
        self._foot.show([[("─", "rule fill")], keys, [(f" {visible(self._receipt)}", "good")]])

    def answer(self, key: Key) -> bool:
        """One of the choices, or move in the text."""
        chosen = {shown.lower(): act for shown, (_, act) in self._choices.items()}
        name = {"escape": "esc"}.get(key.said, key.said)
        if name in ("q", "esc") and len(chosen) == 1:
            (name,) = chosen
        if name in chosen:
            self.app.pop_screen()
            self._on(chosen[name])
            return True
        if name not in ("q", "esc", "enter", "?", "f1"):
            super().answer(key)
        return False


def summary_text(lines: Sequence[str], columns: int) -> str:
    """Paragraphs, wrapped; those that begin with two blanks are details and stay indented."""
    rows = []
    for line in map(visible, lines):
        lead = " " * (len(line) - len(line.lstrip()))
        words = line.strip()
        rows += [lead + words[start:end].rstrip() for start, end in WrapTable(words, columns - len(lead)).rows]
    return "\n".join(rows)
