"""Plain Markdown set for a screen: headings and names of labels stand out, labels are a table, examples stand below."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple

from medreview.review.cell_width import width
from medreview.review.highlight_index import Mark
from medreview.review.typography import set_prose
from medreview.review.wrapping import markdown_blocks
from medreview.text import Span
from medreview.visible import visible

_LABEL: Final = re.compile(r"`([^`\s]{1,5})` ([^:`]{1,40}): (.+)", re.DOTALL)
"""An item that says what a label means: its key, its name, what it is."""
_EXAMPLE: Final = re.compile(r"(?:^|(?<=[.!?”\"] ))(?=Examples?:)")
_BULLET: Final = "•"
_BESIDE: Final = 56
"""Columns from which the meaning of a label stands beside its name."""
_LONGEST: Final = 24
"""Cells of a name; a longer one moves the rows below it no further."""
_WIDEST: Final = 96
"""Columns of a line that is read with ease."""


class SetText(NamedTuple):
    """Rows as one text, and what stands out in it."""

    text: str
    marks: tuple[Mark, ...]


class _SetRow(NamedTuple):
    words: str
    strong: tuple[Span, ...] = ()
    title: bool = False


def set_markdown(text: str, columns: int) -> SetText:
    """The text in rows of at most so many columns, made safe to show; tables and code keep their lines."""
    rows: list[_SetRow] = []
    room = min(columns, _WIDEST)
    blocks = markdown_blocks(visible(text))
    for labels, group in groupby(blocks, lambda block: block[0] == "text" and bool(_LABEL.fullmatch(block[2]))):
        items = list(group)
        if labels:
            rows += _labels([words for _, _, words in items], room)
            continue
        for kind, lead, words in items:
            if kind == "as it is":
                rows.append(_SetRow(words))
            elif kind in "=-":
                rows += _heading(words, room, title=kind == "=")
            else:
                rows += _item(lead, words, room)
    return _joined(rows)


def _labels(items: list[str], room: int) -> Iterator[_SetRow]:
    """Labels one below the other: key, name, meaning; each example in rows of its own."""
    found = [(one[1], one[2].strip(), one[3]) for one in map(_LABEL.fullmatch, items) if one]
    keys = max(width(key) for key, _, _ in found)
    names = min(_LONGEST, max(width(name) for _, name, _ in found))
    beside = room >= _BESIDE
    indent = keys + names + 6 if beside else keys + 4
    for key, name, meaning in found:
        head = f"  {key.rjust(keys)}  {name}"
        strong = Span(len(head) - len(name), len(head))
        rows = [row for part in _EXAMPLE.split(meaning) if part for row in _wrapped(part.strip(), room - indent)]
        if beside and width(name) <= names and rows:
            first = rows.pop(0)
            blank = " " * (indent - width(head))
            yield _SetRow(head + blank + first.words, (strong, *_moved(first.strong, len(head) + len(blank))))
        else:
            yield _SetRow(head, (strong,))
        yield from (_SetRow(" " * indent + row.words, _moved(row.strong, indent)) for row in rows)


def _heading(words: str, room: int, *, title: bool) -> Iterator[_SetRow]:
    for row in _wrapped(words, room - 1):
        yield _SetRow(row.words, (Span(0, len(row.words)),), title)


def _item(lead: str, words: str, room: int) -> Iterator[_SetRow]:
    lead = f"  {_BULLET} " if lead.strip() == "-" else f"  {lead}" if lead else ""
    quoted = words.startswith("> ")
    lead = "    │ " if quoted else lead
    for number, row in enumerate(_wrapped(words.removeprefix("> "), room - width(lead))):
        before = lead if not number or quoted else " " * width(lead)
        yield _SetRow(before + row.words, _moved(row.strong, len(before)))


def _wrapped(words: str, room: int) -> Iterator[_SetRow]:
    """Rows of a paragraph without the signs that make words stand out, and where these are."""
    for pieces in set_prose(words, max(10, room)):
        row, strong = "", []
        for text, kinds in pieces:
            strong += [Span(len(row), len(row) + len(text))] if kinds else []
            row += text
        kept = len(row.rstrip())
        yield _SetRow(row[:kept], tuple(Span(start, min(end, kept)) for start, end in strong if start < kept))


def _moved(spans: tuple[Span, ...], by: int) -> tuple[Span, ...]:
    return tuple(Span(start + by, end + by) for start, end in spans)


def _joined(rows: list[_SetRow]) -> SetText:
    """The rows without blank ones at both ends."""
    while rows and not rows[0].words.strip():
        rows.pop(0)
    while rows and not rows[-1].words.strip():
        rows.pop()
    marks, at = [], 0
    for row in rows:
        for start, end in row.strong:
            marks.append(Mark(at + start, at + end, "heading"))
            marks += [Mark(at + start, at + end, "lexical")] if row.title else []
        at += len(row.words) + 1
    return SetText("\n".join(row.words for row in rows), tuple(marks))
