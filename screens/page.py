"""Pages of text: help, the summary of a block with a choice, the guidelines, and the background."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from textual.app import ComposeResult

from medreview.errors import UserError
from medreview.review.actions import Action, shown_key
from medreview.review.background import FIELDS, read_background
from medreview.review.cell_width import width
from medreview.review.home_actions import HOME
from medreview.review.set_markdown import set_markdown
from medreview.review.text_entry import LineEdit
from medreview.review.wrapping import WrapTable
from medreview.screens.key_screen import Key, KeyScreen
from medreview.screens.last_rows import LineInput
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.lines import LinesView
from medreview.screens.widgets.painted import Row, StyledText, wrapped
from medreview.visible import visible

_INDENT = 18


class PageScreen(KeyScreen[None]):
    """A title, a text that is made for the width (set, where it is Markdown), and the keys that move in it."""

    KEYS: Final[Row] = ((" Space PgUp j k g G", "key"), (" move   ", ""), ("q Esc", "key"), (" back", ""))

    def __init__(self, title: str, text: Callable[[int], str], *, markdown: bool = False) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._markdown = markdown
        self._head = LinesView(id="page-head")
        self._page = DocumentView(id="page", gutter=1)
        self._foot = LinesView(id="page-foot")

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        yield from (self._head, self._page, self._foot)

    def paint(self) -> None:
        """The text for the width; the place is kept."""
        self._show_text(self.app.size.width - 3)
        self._head.show([[(f" {self._title}", "title")], [("─", "rule fill")]])
        keys = [(" Space PgUp j k g G", "key"), (" move   ", ""), ("Enter q Esc", "key"), (" back", "")]
        self._foot.show([[("─", "rule fill")], keys])

    def _show_text(self, columns: int) -> None:
        text = self._text(columns)
        made = set_markdown(text, columns) if self._markdown else None
        shown, marks = (made.text, made.marks) if made else (text, ())
        self._page.show(shown, marks, anchor=self._page.first_offset)

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
            _hanging("", "The names in brackets are what the settings file remaps under [keys]. In the source a sign "
                     "says what a passage means for the statement: ✓ it supports it (green), ✗ it contradicts it "
                     "(red), ~ in part, “ a judge quotes it and says something else, ! the quote is altered, off "
                     "topic or read both ways, or has another number than the statement (yellow), ≈ the nearest "
                     "passage, of which the rules are not sure (cyan). A number or word that differs is red, "
                     "reversed. ▌ marks the highlight you are at, ▸ the pane that paging moves. ? before a "
                     "slanted word: it was read by OCR and may be wrong.",
                     columns)
        )
    )  # fmt: skip
    return "\n\n".join(parts)


def _hanging(first: str, text: str, columns: int) -> list[str]:
    rows = WrapTable(text, max(10, columns - len(first))).rows
    return [(first if number == 0 else " " * len(first)) + text[start:end] for number, (start, end) in enumerate(rows)]


Choices = Mapping[str, tuple[str, Callable[[], None]]]
"""The choices: by the key as it is shown, its words and what it does."""


class ChoicePage(PageScreen):
    """A title, a text, and keys that close the page and go on in one way or another.

    ``on`` carries out what was chosen, on the screen below; what ``stays`` leaves the page open. ``receipt``: the last
    row, what was saved last.
    """

    def __init__(
        self,
        title: str,
        text: Callable[[int], str],
        choices: Choices,
        on: Callable[[Callable[[], None]], None],
        *,
        receipt: str = "",
        stays: Collection[str] = (),
        markdown: bool = False,
    ) -> None:
        super().__init__(title, text, markdown=markdown)
        self._stays = stays
        self._choices = choices
        self._on = on
        self._receipt = receipt

    def paint(self) -> None:
        """The text, and the choices below it."""
        super().paint()
        columns, keys, room = self.app.size.width, [list[StyledText]()], self.app.size.width
        for key, (words, _) in self._choices.items():
            taken = len(key) + width(words) + 4
            if taken > room and keys[-1]:
                keys.append([])
                room = columns
            keys[-1] += [(f" {key}", "key"), (f" {words}  ", "")]
            room -= taken
        receipt = f" {visible(self._receipt)}"
        said = [[(receipt, "receipt")]] if width(receipt) < columns else wrapped(self._receipt, columns, "receipt", 3)
        self._foot.styles.height = 1 + len(keys) + len(said)
        self._foot.show([[("─", "rule fill")], *keys, *said])

    def tell(self, words: str) -> None:
        """Show words in the last row."""
        self._receipt = words

    def answer(self, key: Key) -> bool:
        """One of the choices, or move in the text."""
        chosen = {shown.lower(): act for shown, (_, act) in self._choices.items()}
        name = {"escape": "esc"}.get(key.said, key.said)
        if name in ("q", "esc") and len(chosen) == 1:
            (name,) = chosen
        if name in self._stays:
            try:
                chosen[name]()
            except UserError as error:
                self.tell(str(error))
            return True
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


class GuidelinesPage(PageScreen):
    """Guidelines (Markdown), set; ``edit`` opens the editor, ``None`` where nothing can be saved; it raises what went
    wrong."""

    def __init__(self, title: str, text: str, edit: Callable[[], None] | None) -> None:
        super().__init__(title, lambda _columns: text, markdown=True)
        self._edit = edit
        self._said = ""

    def paint(self) -> None:
        """The text, and below it the keys or what there is to say."""
        super().paint()
        edits = [("   ", ""), ("e", "key"), (" edit", "")] if self._edit is not None else []
        if self._said:
            self._foot.show([[("─", "rule fill")], [(f" {visible(self._said)}", "title")]])
        else:
            self._foot.show([[("─", "rule fill")], [*self.KEYS, *edits]])

    def answer(self, key: Key) -> bool:
        """``e`` edits; everything else moves or closes."""
        self._said = ""
        if key.said != "e" or self._edit is None:
            return super().answer(key)
        try:
            self._edit()
        except UserError as error:
            self._said = str(error)
        return False


class BackgroundScreen(KeyScreen[None]):
    """Four lines, one after the other; ``done`` takes what was typed, by field, or raises what is wrong with it.
    ``leave`` goes on afterwards, and with Esc."""

    def __init__(
        self,
        reviewer: str,
        given: dict[str, str],
        done: Callable[[dict[str, str]], None],
        leave: Callable[[], None],
    ) -> None:
        super().__init__()
        self._reviewer = reviewer
        self._given = given
        self._done = done
        self._leave = leave
        self._at = 0
        self._head = LinesView(id="page-head")
        self._list = LinesView(id="list")
        self._foot = LinesView(id="home-foot")
        self._line: LineInput = self._input()

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
            rows.append([(" ▸ " if place == self._at else "   ", "title"), (f"{words}: ", ""), (said, "title")])
        self._list.show(rows)
        self._foot.show(self._line.rows(self.app.size.width))

    def answer(self, key: Key) -> bool:
        """Everything goes into the line; Enter ends it, Esc leaves."""
        self._line.press(key)
        return False

    def _input(self) -> LineInput:
        name = FIELDS[self._at][0]
        last = self._at == len(FIELDS) - 1
        line = LineEdit.of(self._given.get(name, ""))
        return LineInput(f"{name}:", line, "saves" if last else "next", self._finish, self._leave)

    def _finish(self, text: str) -> str:
        given = {**self._given, FIELDS[self._at][0]: text}
        try:
            read_background(given)
            self._given = given
            if self._at + 1 == len(FIELDS):
                self._done(given)
                self._leave()
                return ""
        except UserError as error:
            return str(error)
        self._at += 1
        self._line = self._input()
        return ""
