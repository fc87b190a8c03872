"""The records of a workbook: the sheet that holds the answers, its header below titles, its rows."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from medreview.exchange.documents.markdown import markdown_link
from medreview.exchange.documents.result import RefusedError
from medreview.exchange.imports.field_mapping import LIKE, RESPONSE, normalise_column
from medreview.exchange.imports.file_rows import BadRecord, NamedRow

MOST_SHEETS: Final = 200
MOST_CELLS: Final = 2_000_000
"""Cells of one sheet that are read."""
MOST_COLUMNS: Final = 1_024
_HEADER_IN: Final = 50
"""Rows with a text among which the header is looked for."""
_LONGEST_NAME: Final = 80
_NEARLY_ALL: Final = 0.7
"""The part of the columns in use that a header names."""
_MOST_NAMED: Final = 12
_LABEL_WORDS: Final = 12
"""Words of a cell with a link from which on it is a text, and its address stands after it."""


@dataclass(slots=True)
class Sheet:
    """A sheet: its rows by their numbers, each a list of cells from the first column on; ``more``: it was cut.

    ``name`` is what a sentence calls it: ``sheet 'Answers'``.
    """

    name: str
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    hidden: bool = False
    more: bool = False


def rows_of(sheets: Iterable[Sheet]) -> tuple[tuple[NamedRow | BadRecord, ...], tuple[str, ...]]:
    """The records of the sheet with the answers, and how they were found. Raises :class:`RefusedError` without any."""
    found = [(sheet, header) for sheet in sheets if (header := _header(sheet)) is not None]
    if not found:
        raise RefusedError("has no sheet with a row of column names and rows below it")
    best = max(found, key=lambda one: (_rank(_names(one)), not one[0].hidden))
    sheet, header = best
    number, names = sheet.rows[header][0], _names(best)
    notes = [f"{sheet.name[:80]}, columns named in row {number}"]
    others = [one.name[:80] for one, _ in found if one is not sheet]
    if others:
        more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
        notes.append(f"not read: {', '.join(others[:_MOST_NAMED])}{more}; save one as a file of its own to import it")
    if sheet.more:
        notes.append(f"only the first {MOST_CELLS:,} cells of the sheet were read")
    return tuple(_records(sheet.rows[header + 1 :], names)), tuple(notes)


def holds_answers(sheet: Sheet) -> bool:
    """Whether a sheet has a column that is named as that of the answer, with rows below it."""
    header = _header(sheet)
    return header is not None and _rank(sheet.rows[header][1]) > 1


def with_link(text: str, address: str) -> str:
    """The text of a cell that leads to an address."""
    if len(text.split()) > _LABEL_WORDS or "\n" in text.strip():
        return f"{text} {address}"
    return markdown_link(text, address)


def _header(sheet: Sheet) -> int | None:
    """The place of the row that names the columns; ``None`` for a sheet without one, or with nothing below it.

    It is the first with a column for the answer; without any, the first that fills most of the columns in use.
    """
    first = [at for at, (_, cells) in enumerate(sheet.rows) if any(map(str.strip, cells))][:_HEADER_IN]
    possible = [at for at in first[:-1] if _may_name(sheet.rows[at][1])]
    if not possible:
        return None
    used = max(sum(bool(cell.strip()) for cell in sheet.rows[at][1]) for at in first)
    wide = [at for at in possible if sum(bool(cell.strip()) for cell in sheet.rows[at][1]) >= _NEARLY_ALL * used]
    named = [at for at in possible if _rank([normalise_column(cell) for cell in sheet.rows[at][1]]) > 1 and at in wide]
    return next(iter(named or wide or possible), None)


def _may_name(cells: Sequence[str]) -> bool:
    names = [cell.strip() for cell in cells if cell.strip()]
    texts = all(len(name) <= _LONGEST_NAME and not re.fullmatch(r"[\d.,:%/-]+", name) for name in names)
    return texts and len(set(names)) == len(names)


def _rank(names: Iterable[str]) -> int:
    """How surely columns are those of answers: 2 with one named so, 1 with one that is named like it."""
    columns = {normalise_column(name) for name in names}
    return 2 if columns.intersection(RESPONSE) else int(any(LIKE["response"].search(name) for name in columns))


def _names(found: tuple[Sheet, int]) -> list[str]:
    """The columns' names; one without a name has its letter, the second of two that are alike a number."""
    sheet, header = found
    cells = sheet.rows[header][1]
    width = max((len(row) for _, row in sheet.rows[header:]), default=0)
    names: list[str] = []
    times: Counter[str] = Counter()
    for at in range(width):
        name = " ".join((cells[at] if at < len(cells) else "").split()) or letters(at)
        times[normalise_column(name)] += 1
        count = times[normalise_column(name)]
        names.append(f"{name} ({count})" if count > 1 else name)
    return names


def _records(rows: Iterable[tuple[int, list[str]]], names: Sequence[str]) -> Iterator[NamedRow]:
    filled: set[int] = set()
    kept = []
    for number, cells in rows:
        if any(map(str.strip, cells)):
            kept.append((number, cells))
            filled |= {at for at, cell in enumerate(cells) if cell.strip()}
    used = [at for at in range(len(names)) if at in filled or len(names[at]) > 3 or names[at] != letters(at)]
    for number, cells in kept:
        yield NamedRow(number, {names[at]: cells[at].strip() if at < len(cells) else "" for at in used})


def letters(column: int) -> str:
    """The letters of a column from 0: A, B, ... AA."""
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
