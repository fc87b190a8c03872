"""A page of text to read and close again: the help, the figures."""

from collections.abc import Callable, Mapping
from typing import Final

from textual.app import ComposeResult

from medreview.review.actions import Action, shown_key
from medreview.review.home_actions import HOME
from medreview.review.layout.wrap import WrapTable
from medreview.screens.key import Key
from medreview.screens.key_screen import KeyScreen
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.lines import LinesView
from medreview.screens.widgets.painted import Row

_INDENT = 18


class PageScreen(KeyScreen[None]):
    """A title, a text that is made for the width, and the keys that move in it."""

    KEYS: Final[Row] = ((" Space PgUp j k g G", "key"), (" move   ", ""), ("q Esc", "key"), (" back", ""))

    def __init__(self, title: str, text: Callable[[int], str], *, ascii_only: bool = False) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._head = LinesView(id="page-head", ascii_only=ascii_only)
        self._page = DocumentView(id="page", ascii_only=ascii_only, gutter=1)
        self._foot = LinesView(id="page-foot", ascii_only=ascii_only)

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        yield from (self._head, self._page, self._foot)

    def paint(self) -> None:
        """The text for the width; the place is kept."""
        self._page.show(self._text(self.app.size.width - 3), anchor=self._page.first_offset)
        self._head.show([[(f" {self._title}", "title")], [("─", "rule fill")]])
        keys = [(" Space PgUp j k g G", "key"), (" move   ", ""), ("Enter q Esc", "key"), (" back", "")]
        self._foot.show([[("─", "rule fill")], keys])

    def answer(self, key: Key) -> bool:
        """Move in the text or close it."""
        match key.said:
            case "space" | " " | "pagedown":
                self._page.page(1)
            case "pageup" | "b":
                self._page.page(-1)
            case "j" | "down":
                self._page.scroll_rows(1)
            case "k" | "up":
                self._page.scroll_rows(-1)
            case "g" | "home":
                self._page.to_top()
            case "G" | "end":
                self._page.to_end()
            case "q" | "escape" | "?" | "f1" | "enter":
                self.app.pop_screen()
        return False


def help_text(actions: Mapping[str, Action], columns: int) -> str:
    """Every action with its keys and its name for the settings, by group."""
    table = (*actions.values(), *HOME)
    parts = []
    for group in dict.fromkeys(action.group for action in table):
        lines = [group.upper()]
        for action in table:
            if action.group == group:
                keys = " ".join(shown_key(key) for key in action.keys)
                name = f"  [{action.id}]" if action.group != HOME[0].group else ""
                lines += _hanging(f"  {keys}".ljust(_INDENT), f"{action.help}{name}", columns)
        parts.append("\n".join(lines))
    parts.append(
        "\n".join(
            _hanging("", "The names in brackets are what the settings file remaps under [keys]. In the source, bold "
                     "green is the judge's quote, underlined cyan the retrieved evidence, red a number or word that "
                     "differs; the bar at the left marks the highlight you are at. "
                     "? before a slanted word: it was read by OCR and may be wrong.", columns)
        )
    )  # fmt: skip
    return "\n\n".join(parts)


def _hanging(first: str, text: str, columns: int) -> list[str]:
    rows = WrapTable(text, max(10, columns - len(first))).rows
    return [(first if number == 0 else " " * len(first)) + text[start:end] for number, (start, end) in enumerate(rows)]
