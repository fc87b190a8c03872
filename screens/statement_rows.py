"""The statement and the question in words and rows."""

from collections.abc import Sequence

from medreview.review.item import Item
from medreview.review.marks import Mark, MarkIndex
from medreview.review.wrap import WrapTable
from medreview.screens.widgets.painted import Piece, Row
from medreview.visible import visible

INDENT = 7
"""Columns before the statement's text: ``" S3/9  "``."""


def statement_rows(item: Item, marks: Sequence[Mark], columns: int, most: int, cut: str) -> list[Row]:
    """The statement, wrapped, in at most so many rows; ``cut`` says where the rest is when it is longer."""
    text = visible(item.text)
    table = WrapTable(text, columns - INDENT - 1)
    index = MarkIndex(marks)
    rows: list[Row] = []
    for number, (start, end) in enumerate(table.rows[:most]):
        label = f" S{item.ordinal}/{item.siblings} ".ljust(INDENT) if number == 0 else " " * INDENT
        pieces: list[Piece] = [(label, "key")]
        pieces += [(text[piece.start : piece.end], " ".join(piece.kinds)) for piece in index.pieces(start, end)]
        rows.append(pieces)
    if len(table) > most and rows:
        start, end = table.rows[most - 1]
        rows[-1] = [(" " * INDENT, ""), (text[start:end][: -len(cut) - 2].rstrip() + "… ", ""), (cut, "dim")]
    return rows


def statement_height(item: Item, columns: int) -> int:
    """Rows that the whole statement takes."""
    return len(WrapTable(visible(item.text), columns - INDENT - 1))


def question_rows(item: Item, columns: int, most: int, label: str = " asked ") -> list[Row]:
    """The question in at most so many rows."""
    text = visible(" ".join(item.question.split())) or "(no question was recorded)"
    lines = [text[start:end] for start, end in WrapTable(text, max(1, columns - len(label) - 1)).rows]
    if len(lines) > most:
        lines = [*lines[: most - 1], lines[most - 1].rstrip()[:-1] + "…"] if most else []
    return [[(label if number == 0 else " " * len(label), "dim"), (line, "")] for number, line in enumerate(lines)]
