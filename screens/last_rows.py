"""The last rows: the receipt, or a line being typed (note, search, filter) with the palette's list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from medreview.errors import NotSaved, UserError
from medreview.review.cell_width import fit, width
from medreview.review.palette import Palette, PaletteEntry
from medreview.review.text_entry import MOST, LineEdit
from medreview.review.wrapping import WrapTable
from medreview.screens.key_screen import Key, keys_row
from medreview.screens.layout import FOOT_ROWS
from medreview.screens.widgets.painted import Row, cells
from medreview.visible import visible


def foot_rows(
    above: Sequence[Row], receipt: str, said: str, bad: bool, columns: int, held: str = "", beside: Row = ()
) -> list[Row]:
    """``above`` fills from the top; what is ``said`` takes as many rows as it needs from the bottom, at most three.

    ``bad``: it is drawn as a warning, or the receipt is where nothing is said. Beside the receipt stands what to say of
    a key that is ``held`` down, else ``beside``, where it has room.
    """
    rows: list[Row] = [*above[:FOOT_ROWS], *([] for _ in range(FOOT_ROWS - len(above)))]
    if not said:
        if len(above) < FOOT_ROWS:
            right: Row = [(f"{held} ", "title")] if held else beside
            if not held and width(receipt) + cells(right) + 3 > columns:
                right = ()
            room = columns - cells(right) - 3
            shown = fit(receipt, min(width(receipt), max(1, room)))
            rows[-1] = [(f" {shown}", "error" if bad else "receipt"), *([("", "fill"), *right] if right else [])]
        return rows
    shown = visible(" ".join(said.split()))
    lines = [shown[start:end].rstrip() for start, end in WrapTable(shown, max(1, columns - 2)).rows][:FOOT_ROWS]
    told: list[Row] = [[(f" {line}", "error" if bad else "title")] for line in lines]
    return [*rows[: FOOT_ROWS - len(told)], *told]


@dataclass(eq=False, repr=False)
class LineInput:
    """``finish`` takes the text at Enter and returns what is wrong with it, or ``""``, or raises that; Esc leaves.

    ``typed`` is called at every change. Where there is ``discard``, Esc keeps what was typed and Ctrl+X does not.
    """

    label: str
    line: LineEdit
    hint: str
    finish: Callable[[str], str]
    leave: Callable[[], None]
    typed: Callable[[str], None] | None = None
    discard: Callable[[], None] | None = None
    wrong: str = ""
    takes_all: bool = True

    def rows(self, columns: int) -> list[Row]:
        """The label and the line with its cursor; the keys; what is wrong."""
        label = f" {self.label} "
        before, under, after = self.line.window(max(8, columns - width(label) - 1))
        typed: Row = [(label, "title"), (before, ""), (under, "caret"), (after, "")]
        below: Row = [(f" {self.wrong}", "error")] if self.wrong else []
        esc = "leave" if self.discard is None else "keeps it as a draft"
        discard = ("Ctrl+X", "discards it") if self.discard else None
        return [typed, keys_row(("Enter", self.hint), ("Esc", esc), discard, gap=3), below]

    def press(self, key: Key) -> bool:
        """Type; Enter finishes, Esc leaves, Ctrl+X discards."""
        if key.name == "enter":
            self.wrong = self._finished()
        elif key.name == "escape":
            self.leave()
        elif key.name == "ctrl+x" and self.discard is not None:
            self.discard()
        else:
            before = self.line.text
            took = self.line.press(key.name, key.character)
            self._changed(before, took)
        return True

    def _finished(self) -> str:
        try:
            return self.finish(self.line.text)
        except NotSaved as error:
            return error.row
        except UserError as error:
            return str(error)

    def paste(self, text: str) -> None:
        """Text from the terminal's clipboard."""
        before = self.line.text
        self._changed(before, self.line.insert(text))

    def _changed(self, before: str, took: bool) -> None:
        full = not took and len(self.line.text) >= MOST
        self.wrong = f"A line holds {MOST:,} characters; what is beyond that was left out." if full else ""
        if self.typed is not None and self.line.text != before:
            self.typed(self.line.text)


LISTED_ROWS: Final = 12
"""Rows of what the line leads to, where there is room."""

_NAME: Final = 30
_KEYS: Final = 10
_STEPS: Final = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10}


@dataclass(eq=False, repr=False)
class PaletteDialog(LineInput):
    """``run`` does what an entry says and returns what is wrong, or ``""``; ``pointed`` is told the entry that the
    pointer is on, and ``None`` at the end."""

    palette: Palette = field(kw_only=True)
    run: Callable[[PaletteEntry], str] = field(kw_only=True)
    pointed: Callable[[PaletteEntry | None], None] = field(kw_only=True)
    at: int | None = None
    entries: Sequence[PaletteEntry] = ()
    _first: int = 0

    def __post_init__(self) -> None:
        self._look()

    def rows(self, columns: int) -> list[Row]:
        """The line, the keys, what is wrong."""
        typed, _, below = super().rows(columns)
        leads = (("Enter", "does it"), ("↑ ↓", "choose"), ("Tab", "completes"))
        return [typed, keys_row(*leads, ("Esc", "leave"), ("save NAME", "saves it"), gap=3), below]

    def listed(self, columns: int, most: int) -> list[Row]:
        """The rows above: a rule, then the entries around the pointer."""
        room = max(1, most - 1)
        first = self._first = max(0, min((self.at or 0) - room // 2, len(self.entries) - room))
        rows: list[Row] = [[("── ", "rule"), (f"{len(self.entries)} ", "dim"), ("─", "rule fill")]]
        for place, entry in enumerate(self.entries[first : first + room], first):
            pointed = place == self.at
            pointer, keys = f" {'▸' if pointed else ' '} ", f"{fit(entry.keys, _KEYS)} "
            name = visible(entry.name)
            head = width(pointer) + width(keys)
            shown = fit(name, min(max(_NAME, width(name)), columns - head - 2))
            left = columns - head - width(shown) - 3
            rows.append(
                [
                    (pointer, "title"),
                    (keys, "key"),
                    (shown, "title" if pointed else ""),
                    (f"  {fit(visible(entry.help), left)}" if left > 8 and entry.help else "", "dim"),
                ]
            )
        return [*rows, *([] for _ in range(most - len(rows)))]

    def choose(self, y: int) -> None:
        """Do what stands in a row of the list."""
        if y > 0 and self._first + y - 1 < len(self.entries):
            self.at = self._first + y - 1
            self._point()
            self._enter()

    def press(self, key: Key) -> bool:
        """Move the pointer, complete, do what is pointed at; everything else is typed."""
        if key.name in _STEPS and self.entries:
            step = _STEPS[key.name]
            before = self.at if self.at is not None else -1 if step > 0 else len(self.entries)
            self.at = max(0, min(before + step, len(self.entries) - 1))
            self._point()
        elif key.name == "tab":
            self._write(self._completed())
        elif key.name == "enter":
            self._enter()
        else:
            if key.name == "escape":
                self.pointed(None)
            super().press(key)
        return True

    def _point(self) -> None:
        self.pointed(self.entries[self.at] if self.at is not None and self.entries else None)

    def _changed(self, before: str, took: bool) -> None:
        super()._changed(before, took)
        if self.line.text != before:
            self._look()
            self._point()

    def _completed(self) -> str:
        chosen = self.entries[self.at or 0] if self.entries else None
        completed = self.palette.completed(self.line.text)
        if chosen is not None and chosen.does == "type" and (self.at is not None or completed == self.line.text):
            return chosen.value
        return completed

    def _enter(self) -> None:
        if self.at is None or not self.entries:
            self.wrong = self.palette.unknown(self.line.text.strip())
            if not self.wrong:
                self.leave()
            return
        entry = self.entries[self.at]
        if entry.does == "type":
            self._write(entry.value)
        else:
            self.wrong = self.run(entry)

    def _write(self, text: str) -> None:
        before, self.line = self.line.text, LineEdit.of(text)
        self._changed(before, True)

    def _look(self) -> None:
        self.entries = self.palette.entries(self.line.text)
        self.at = self.palette.start(self.line.text) if self.entries else None


def palette_dialog(
    palette: Palette,
    run: Callable[[PaletteEntry], str],
    leave: Callable[[], None],
    pointed: Callable[[PaletteEntry | None], None],
    begun: str = "",
) -> PaletteDialog:
    """The palette, with its initial text."""
    line = LineEdit.of(begun)
    return PaletteDialog(":", line, "does it", lambda _text: "", leave, palette=palette, run=run, pointed=pointed)


class Scope(NamedTuple):
    """What is searched, by what it is called; ``find`` takes the words and says what is wrong, or ``""``."""

    name: str
    find: Callable[[str], str]


@dataclass(eq=False, repr=False)
class SearchLine(LineInput):
    """Tab turns to the next scope; what was typed stays."""

    scopes: Sequence[Scope] = ()
    at: int = 0

    def rows(self, columns: int) -> list[Row]:
        """The line, and the other scopes beside the keys."""
        typed, keys, below = super().rows(columns)
        others = [scope.name for scope in (*self.scopes[self.at + 1 :], *self.scopes[: self.at])]
        return [typed, [*keys, ("   ", ""), ("Tab", "key"), (f" {', '.join(others)}", "")], below]

    def press(self, key: Key) -> bool:
        """Tab chooses; everything else is typed, or ends the line."""
        if key.name != "tab":
            return super().press(key)
        self.at = (self.at + 1) % len(self.scopes)
        scope = self.scopes[self.at]
        self.label, self.finish, self.wrong = f"search {scope.name}:", scope.find, ""
        return True


def search_line(scopes: Sequence[Scope], leave: Callable[[], None]) -> SearchLine:
    """The line, over the first of the scopes."""
    first = scopes[0]
    return SearchLine(f"search {first.name}:", LineEdit(), "finds", first.find, leave, scopes=scopes)
