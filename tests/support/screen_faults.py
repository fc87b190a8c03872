"""What a screen has wrong, read from the cells that it draws: cut words, colliding headers, colours, stale rows."""

import ast
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from rich.style import Style
from textual.strip import Strip

from medreview.review.actions import REVIEW, shown_key
from medreview.screens.app import Workbench
from medreview.screens.environment import DARK, LIGHT
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.lines import LinesView, LiveLines
from medreview.screens.widgets.painted import COLOURS, Painted

ROOT: Final = Path(__file__).parents[2] / "medreview"
_SPEAK: Final = ("screens", "review", "units", "judges", "references", "stats", "labels.py", "text.py", "sources")
"""Rooms whose words come to the screen."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_ONE_LETTER: Final = re.compile(r"[^\W\d_]{2,} [B-HJ-Zb-z]$")
"""A letter at the edge of a part, behind a word: the next word was cut off there."""
_CHUNK: Final = re.compile(r"\S+")
_NUMBER: Final = re.compile(r"\S*\d\S*")
_DIGITS: Final = re.compile(r"\d[\d.,:-]*")
_AROUND: Final = " .,;:()[]“”\"'"
_ADDRESS: Final = re.compile(r"[\w-]+[./][\w…-]|[./]…|://|/\S*/")

_GROUPS: Final = (("statement", "response", "judges", "pinned"), ("bar", "source"))
"""Parts of one pane: what has no room in one could have it in the other."""
_LISTS: Final = ("queue", "list", "listed")
"""Parts with a row for each item, which is cut at the end of a word where it is too long."""
_APART: Final = ("left", "right", "prepare")
"""Lines between parts; and commands, which are folded with a backslash."""
_SIGNS: Final = {"✓": "green", "✗": "red"}
"""Signs of verdicts: on a word of the judges they have no other colour than this."""


class Fault(NamedTuple):
    """What is wrong, in which part of the screen, and the row that has it."""

    kind: str
    part: str
    row: str


def vocabulary(reader: sqlite3.Connection) -> frozenset[str]:
    """Every word of a study and of the program: any other on a screen is a piece of one."""
    found = set(_of_program())
    for (table,) in reader.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in reader.execute(f'SELECT * FROM "{table}"'):
            for value in row:
                if isinstance(value, str):
                    found.update(word.casefold() for word in _WORD.findall(value))
                    found.update(chunk.strip(_AROUND).casefold() for chunk in _NUMBER.findall(value))
                    found.update(_DIGITS.findall(value))
    return frozenset(found)


@cache
def _of_program() -> frozenset[str]:
    files = [path for name in _SPEAK for path in (ROOT / name).rglob("*.py")]
    files += [ROOT / name for name in _SPEAK if name.endswith(".py")]
    words = {
        "jan",
        "feb",
        "mar",
        "apr",
        "may",
        "jun",
        "jul",
        "aug",
        "sep",
        "oct",
        "nov",
        "dec",
        "kb",
        "mb",
        "medreview",
    }
    words.update(word.casefold() for action in REVIEW for key in action.keys for word in _WORD.findall(shown_key(key)))
    for path in files:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.update(word.casefold() for word in _WORD.findall(node.value))
    return frozenset(words)


def faults(app: Workbench, words: frozenset[str]) -> list[Fault]:
    """All of one screen, but for stale rows (:func:`stale`)."""
    parts = dict(_parts(app))
    free = {name: _free_rows(name, parts) for name in parts}
    found = [
        Fault("list" if name in _LISTS else kind, name, row.text.strip())
        for name, rows in parts.items()
        for row in rows
        for kind in _cut(row.text, words)
        if kind == "broken" or free[name]
    ]
    found += [Fault("collision", "header", told) for told in _collisions(app)]
    found += [fault for name, rows in parts.items() for row in rows for fault in _colours(app, name, row)]
    return list(dict.fromkeys(found))


def stale(app: Workbench, fresh: Workbench) -> list[Fault]:
    """Rows of a screen, as they were drawn last, that another workbench at the same place draws otherwise.

    Where a text is scrolled to is taken over: how far it is depends on where the reviewer came from.
    """
    for mine, other in zip(app.screen.query(DocumentView), fresh.screen.query(DocumentView), strict=True):
        other.set_scroll(None, mine.scroll_offset.y)
    drawn = dict(_parts(app, as_drawn=True))
    anew = dict(_parts(fresh))
    return [
        Fault("stale", name, f"{old.text.strip()!r}, fresh {new.text.strip()!r}")
        for name, rows in drawn.items()
        for old, new in zip(rows, anew.get(name, ()), strict=False)
        if old.text != new.text or [style for _, style, _ in old] != [style for _, style, _ in new]
    ]


def _parts(app: Workbench, *, as_drawn: bool = False) -> Iterator[tuple[str, list[Strip]]]:
    """What is seen of each part, by its name; ``as_drawn``: the rows that were drawn last."""
    seen = app.screen._compositor.visible_widgets
    for widget in app.screen.children:
        if isinstance(widget, Painted) and widget in seen and widget.region and widget.id not in _APART:
            kept = widget._lines.lines if as_drawn else {}
            rows = [kept.get(y) or widget.render_line(y) for y in range(widget.region.height)]
            yield widget.id or "", rows


def _free_rows(name: str, parts: Mapping[str, Sequence[Strip]]) -> int:
    """Blank rows at the end of a part, or of those it shares a pane with; the row of the receipt is none."""
    group = next((group for group in _GROUPS if name in group), (name,))
    return sum(_blank_end(parts[one][:-1] if one == "foot" else parts[one]) for one in group if one in parts)


def _blank_end(rows: Sequence[Strip]) -> int:
    count = 0
    for row in reversed(rows):
        if row.text.strip():
            break
        count += 1
    return count


def _cut(text: str, words: frozenset[str]) -> Iterator[str]:
    """What is done to the words of a row: ``cut`` before an ellipsis, or ``broken`` without one. Addresses may be."""
    if _ONE_LETTER.search(text):
        yield "broken"
    for found in _CHUNK.finditer(text):
        chunk = found[0]
        if _ADDRESS.search(chunk):
            continue
        before, dots, _ = chunk.partition("…")
        if dots and before and _is_piece(before, words):
            yield "cut"
        for word in _WORD.finditer(chunk):
            plain = word[0].casefold()
            if plain not in words and plain.removesuffix("s") not in words:
                yield "cut" if chunk[word.end() : word.end() + 1] == "…" else "broken"


def _is_piece(before: str, words: frozenset[str]) -> bool:
    """Whether what stands before an ellipsis is a piece of a number, or a single letter."""
    if any(map(str.isdigit, before)):
        return before.strip(_AROUND).casefold() not in words
    return before[-1] in "-–/" or (len(before) == 1 and before not in "aI")


def _collisions(app: Workbench) -> Iterator[str]:
    """Neighbouring pieces of the header that a reader takes for one: words in two styles without two blanks."""
    for widget in app.screen.children:
        if not isinstance(widget, LinesView | LiveLines) or widget.id not in ("header", "head", "page-head"):
            continue
        for y in range(widget.region.height):
            row = widget.render_line(y)
            pieces = [(text, style) for text, style, _ in row if text]
            for (left, one), (right, other) in pairwise(pieces):
                gap = len(left) - len(left.rstrip()) + len(right) - len(right.lstrip())
                ends, begins = left.rstrip()[-1:], right.lstrip()[:1]
                if one != other and gap < 2 and _is_word(ends) and _is_word(begins):
                    yield row.text.strip()


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "…"


def _colours(app: Workbench, name: str, row: Strip) -> Iterator[Fault]:
    """Colours that say nothing, or something else than their sign or place does."""
    for text, style, _ in row:
        if style is None or not text.strip():
            continue
        colour = _colour(app, style)
        if app.no_color and colour:
            yield Fault("colour", name, f"{colour} without colours: {text.strip()}")
        elif colour and colour not in COLOURS:
            yield Fault("colour", name, f"{colour} says nothing: {text.strip()}")
        elif name == "foot" and colour in ("green", "red", "magenta", "cyan") and not _asks(app):
            yield Fault("colour", name, f"{colour} in the foot: {text.strip()}")
        elif colour == "cyan" and style.bold and name == "source":
            yield Fault("colour", name, f"bold cyan: {text.strip()}")
        else:
            for sign, meant in _SIGNS.items():
                if sign in text and colour in ("green", "red") and colour != meant:
                    yield Fault("colour", name, f"{colour} on {sign}: {text.strip()}")


def _asks(app: Workbench) -> bool:
    """Whether the foot asks something, and so may show a verdict."""
    return getattr(app.screen, "_step", None) is not None


def _colour(app: Workbench, style: Style) -> str:
    """The name of a foreground as the palette has it; ``""`` for that of all text."""
    colour = style.color
    if colour is None or colour.is_default:
        return ""
    if colour.triplet is None:
        return colour.name
    theme = LIGHT if app.theme == "textual-light" else DARK
    for number, name in enumerate(
        ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "bright_black")
    ):
        if theme.ansi_colors[number] == colour.triplet and name not in ("black", "white"):
            return name
    return ""
