"""The line on which everything can be reached: it is typed in the last rows, what it leads to is listed above them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from medreview.review.layout.cells import fit, width
from medreview.review.line_edit import LineEdit
from medreview.review.palette import Palette, PaletteEntry
from medreview.screens.key import Key
from medreview.screens.line_input import LineInput
from medreview.screens.widgets.painted import Row
from medreview.visible import visible

LISTED_ROWS: Final = 12
"""Rows of what the line leads to, where there is room."""

_NAME: Final = 30
_KEYS: Final = 10
_STEPS: Final = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10}


@dataclass(eq=False, repr=False)
class PaletteDialog(LineInput):
    """``run`` does what an entry says and returns what is wrong, or ``""``."""

    palette: Palette = field(kw_only=True)
    run: Callable[[PaletteEntry], str] = field(kw_only=True)
    at: int | None = None
    entries: Sequence[PaletteEntry] = ()

    def __post_init__(self) -> None:
        self._look()

    def rows(self, columns: int) -> list[Row]:
        """The line, the keys, what is wrong."""
        typed, _, below = super().rows(columns)
        keys: Row = [
            (" ", ""), ("Enter", "key"), (" does it   ", ""), ("↑ ↓", "key"), (" choose   ", ""), ("Tab", "key"),
            (" completes   ", ""), ("Esc", "key"), (" leave   ", ""), ("save NAME", "key"), (" saves it", ""),
        ]  # fmt: skip
        return [typed, keys, below]

    def listed(self, columns: int, most: int) -> list[Row]:
        """The rows above: a rule, then the entries around the pointer."""
        room = max(1, most - 1)
        first = max(0, min((self.at or 0) - room // 2, len(self.entries) - room))
        rows: list[Row] = [[("── ", "rule"), (f"{len(self.entries)} ", "dim"), ("─", "rule fill")]]
        for place, entry in enumerate(self.entries[first : first + room], first):
            pointed = place == self.at
            head = f" {'▸' if pointed else ' '} {fit(entry.keys, _KEYS)} "
            name = visible(entry.name)
            shown = fit(name, min(max(_NAME, width(name)), columns - width(head) - 2))
            left = columns - width(head) - width(shown) - 3
            rows.append(
                [
                    (head, "key"),
                    (shown, "title" if pointed else ""),
                    (f"  {fit(visible(entry.help), left)}" if left > 8 and entry.help else "", "dim"),
                ]
            )
        return [*rows, *([] for _ in range(most - len(rows)))]

    def press(self, key: Key) -> bool:
        """Move the pointer, complete, do what is pointed at; everything else is typed."""
        if key.name in _STEPS and self.entries:
            step = _STEPS[key.name]
            before = self.at if self.at is not None else -1 if step > 0 else len(self.entries)
            self.at = max(0, min(before + step, len(self.entries) - 1))
        elif key.name == "tab":
            self._write(self._completed())
        elif key.name == "enter":
            self._enter()
        else:
            super().press(key)
        return True

    def _changed(self, before: str, took: bool) -> None:
        super()._changed(before, took)
        if self.line.text != before:
            self._look()

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
    palette: Palette, run: Callable[[PaletteEntry], str], leave: Callable[[], None], begun: str = ""
) -> PaletteDialog:
    """The line, with what it begins with."""
    return PaletteDialog(":", LineEdit.of(begun), "does it", lambda _text: "", leave, palette=palette, run=run)
