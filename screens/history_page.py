"""What I decided and noted, newest first: where, what, when; narrowed by words, and gone to."""

from collections.abc import Callable
from typing import Final

from textual.app import ComposeResult

from medreview.errors import UserError
from medreview.review.cell_width import fit, fit_words, width
from medreview.review.history import History, Listed, PastAct
from medreview.review.text_entry import LineEdit
from medreview.screens.key_screen import Key, KeyScreen
from medreview.screens.last_rows import LineInput, foot_rows
from medreview.screens.widgets.lines import LinesView, RowsView
from medreview.screens.widgets.painted import Row, StyledText
from medreview.text import counted
from medreview.visible import visible

_WIDE: Final = 120
"""Columns from which the queue stands in a row, too."""
_NAME: Final = 12
_SAID: Final = 24
_TITLES: Final[dict[Listed, str]] = {"decisions": "My decisions", "notes": "My notes"}
_OTHER: Final[dict[Listed, Listed]] = {"decisions": "notes", "notes": "decisions"}


class HistoryScreen(KeyScreen[None]):
    """``read`` gives the acts with all words of a query; ``go`` opens the unit of one, or raises why it cannot."""

    def __init__(
        self,
        read: Callable[[Listed, str], History],
        go: Callable[[PastAct], None],
        *,
        listed: Listed = "decisions",
        query: str = "",
    ) -> None:
        super().__init__()
        self._read_acts = read
        self._go = go
        self._shown: Listed = listed
        self._query = query
        self._line: LineInput | None = None
        self._said = ""
        self._head = LinesView(id="page-head")
        self._list = RowsView(id="list")
        self._foot = LinesView(id="home-foot")
        self._acts = read(listed, query)

    def compose(self) -> ComposeResult:
        """Title, the list, keys."""
        yield from (self._head, self._list, self._foot)

    def on_mount(self) -> None:
        """Draw the first frame."""
        self._show()
        self.paint()

    def paint(self) -> None:
        """What is listed and how many; the keys, or the line that is typed."""
        columns = self.app.size.width
        narrowed = f" with “{visible(self._query)}”" if self._query else ""
        title = f" {_TITLES[self._shown]}{narrowed}"
        self._head.show([[(title, "title"), ("", "fill"), (f"{len(self._acts):,} ", "dim")], [("─", "rule fill")]])
        keys: Row = [
            (" Enter", "key"), (" go there   ", ""), ("/", "key"), (" narrow   ", ""), ("Tab", "key"),
            (f" {_TITLES[_OTHER[self._shown]].lower()}   ", ""), ("j k g G", "key"), (" move   ", ""), ("q", "key"),
            (" back", ""),
        ]  # fmt: skip
        withheld = self._acts.withheld
        left_out = f"left out, until decided again in your second pass: {counted(withheld, 'unit')}"
        told = left_out if withheld else ""
        above = self._line.rows(columns) if self._line else [keys]
        self._foot.show(foot_rows(above, told, self._said, False, columns))

    def answer(self, key: Key) -> bool:
        """Move, narrow, go there, or close."""
        self._said = ""
        if self._line is not None:
            self._line.press(key)
            return False
        cursor = self._list
        match key.said:
            case "j" | "down":
                cursor.move(1)
            case "k" | "up":
                cursor.move(-1)
            case "space" | " " | "pagedown":
                cursor.page(1)
            case "b" | "pageup":
                cursor.page(-1)
            case "g" | "home":
                cursor.move_to(0)
            case "G" | "end":
                cursor.move_to(cursor.count - 1)
            case "/":
                self._line = LineInput(
                    "narrow to:", LineEdit.of(self._query), "narrows; empty shows all", self._narrow, self._end
                )
            case "tab":
                self._shown = _OTHER[self._shown]
                self._narrow(self._query)
            case "enter":
                return self._open()
            case "q" | "escape" | "H":
                self.app.pop_screen()
        return False

    def chosen(self, index: int) -> None:
        """Go to what a row names."""
        if self._line is None:
            self._list.move_to(index)
            self._open()

    def _open(self) -> bool:
        place = self._list.cursor
        if place is None:
            return False
        try:
            self._go(self._acts.act(place))
        except UserError as error:
            self._said = str(error)
            return False
        return True

    def _narrow(self, text: str) -> str:
        self._query = text.strip()
        self._acts = self._read_acts(self._shown, self._query)
        self._end()
        self._show()
        return ""

    def _end(self) -> None:
        self._line = None

    def _show(self) -> None:
        self._list.show(len(self._acts), self._row)

    def _row(self, index: int) -> Row:
        return history_row(self._acts.act(index), self.app.size.width)


def history_row(act: PastAct, columns: int) -> Row:
    """When, where, what was said, on what; in a wide terminal the queue."""
    when = act.when.strftime("%d %b %H:%M")
    again = " (2)" if act.pass_no > 1 else ""
    pieces: list[StyledText] = [
        (f"{when}  ", "dim"),
        (f"{fit(visible(act.name) + again, _NAME)} ", "title"),
    ]
    said = visible(" ".join(act.said.split()))
    if act.text:
        pieces.append((f"{fit(fit_words(said, _SAID), _SAID)} ", "dim" if act.replaced else "title"))
    else:
        pieces.append((f"{said} ", "dim" if act.replaced else "title"))
    if columns >= _WIDE:
        pieces.append((f"{fit(fit_words(act.queue + (', blind' if act.blind else ''), 26), 26)} ", "dim"))
    left = columns - 3 - sum(width(text) for text, _ in pieces)
    if act.replaced:
        pieces.append(("replaced since ", "dim"))
        left -= 15
    text = visible(" ".join(act.text.split()))
    return [*pieces, (fit_words(text, max(1, left)), "")]
