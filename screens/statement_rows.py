"""The statement and the question in words and rows."""

from collections.abc import Sequence

from medreview.labels import NOT_IN_ANSWER
from medreview.review.highlight_index import HighlightIndex, Mark
from medreview.review.layout.cells import fit
from medreview.review.layout.cells import width as cells
from medreview.review.layout.prose import prose_rows
from medreview.screens.widgets.painted import Row, StyledText
from medreview.units.statement_view import StatementView
from medreview.visible import visible

INDENT = 7
"""Columns before the statement's text: ``" S3/9  "``."""


def statement_rows(item: StatementView, marks: Sequence[Mark], columns: int, most: int, cut: str) -> list[Row]:
    """The statement, wrapped, in at most so many rows; ``cut`` says where the rest is when it is longer."""
    text = visible(item.text)
    wrapped = _rows(text, columns - INDENT - 1)
    index = HighlightIndex(marks)
    rows: list[Row] = []
    for number, (start, end) in enumerate(wrapped[:most]):
        label = f" {item.short_name}/{item.siblings} ".ljust(INDENT) if number == 0 else " " * INDENT
        pieces: list[StyledText] = [(label, "key")]
        pieces += [(text[piece.start : piece.end], " ".join(piece.kinds)) for piece in index.pieces(start, end)]
        rows.append(pieces)
    if len(wrapped) > most and rows:
        start, end = wrapped[most - 1]
        rows[-1] = [(" " * INDENT, ""), (text[start:end][: -len(cut) - 2].rstrip() + "… ", ""), (cut, "dim")]
    return [*rows, *beside_rows(item, columns)[: most - len(rows)]]


def beside_rows(item: StatementView, columns: int) -> list[Row]:
    """What is shown beside a statement's text, in one row; none where nothing is."""
    words = fit(visible(item.beside), max(1, columns - INDENT - 1))
    kind = "clash" if item.beside == NOT_IN_ANSWER else "dim"
    return [[(" " * INDENT, ""), (words, kind)]] if words else []


def statement_height(item: StatementView, columns: int) -> int:
    """Rows that the whole statement takes."""
    return len(_rows(visible(item.text), columns - INDENT - 1)) + len(beside_rows(item, columns))


def question_rows(item: StatementView, columns: int, most: int, label: str = " asked ") -> list[Row]:
    """The question in at most so many rows."""
    text = visible(" ".join(item.question.split())) or "(no question was recorded)"
    lines = [text[start:end] for start, end in _rows(text, columns - len(label) - 1)]
    if len(lines) > most:
        lines = [*lines[: most - 1], lines[most - 1].rstrip()[:-1] + "…"] if most else []
    return [[(label if number == 0 else " " * len(label), "dim"), (line, "")] for number, line in enumerate(lines)]


def answer_row(item: StatementView, columns: int, *, named: bool) -> Row:
    """The row above the response: whose it is, if that may be ``named``, and the statement's name.

    The id of its record where it has room; ids often name the model.
    """
    model = f"  {visible(item.model)}" if named else ""
    name = f"{item.response_name}  {item.short_name}/{item.siblings} "
    record = f"  {visible(item.record_id)}" if named and item.record_id else ""
    if cells(f" answer{model}{record}  {name}") > columns:
        record = ""
    return [(" answer", "dim"), (model, "title"), (record, "dim"), ("", "fill"), (name, "key")]


def _rows(text: str, width: int) -> list[tuple[int, int]]:
    """Where the rows begin and end: a statement is prose, also one that was cut out of a table with its bars."""
    return list(prose_rows(text, 0, len(text), max(1, width))) or [(0, 0)]
