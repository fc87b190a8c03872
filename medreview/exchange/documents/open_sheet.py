"""OpenDocument spreadsheets (.ods) as sheets of texts, as the sheet shows them, links of cells kept."""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.documents.open_text import inline
from medreview.exchange.documents.result import RefusedError
from medreview.exchange.documents.sheets import MOST_CELLS, MOST_COLUMNS, MOST_SHEETS, Sheet
from medreview.exchange.documents.zip_parts import Parts, attribute

_MOST_REPEATED: Final = 1_000
"""Rows in a row that are alike and hold a text."""


def read_open_sheet(parts: Parts) -> Iterator[Sheet]:
    """The sheets in their order. Raises :class:`RefusedError` for a document with more than are read."""
    root = parts.xml("content.xml")
    if root is None:
        return
    tables = list(root.iter("table"))
    if len(tables) > MOST_SHEETS:
        raise RefusedError(f"has {len(tables):,} sheets, more than the {MOST_SHEETS} that are read")
    for table in tables:
        sheet = Sheet(f"sheet {attribute(table, 'name')!r}")
        _fill(sheet, table)
        yield sheet


def _fill(sheet: Sheet, table: Any) -> None:
    number, read = 1, 0
    for row in table.iter("table-row"):
        times = _times(row, "number-rows-repeated")
        cells: list[str] = []
        for cell in row.iterchildren("table-cell", "covered-table-cell"):
            text = "\n".join(filter(None, (inline(one) for one in cell.iter("p"))))
            count = _times(cell, "number-columns-repeated")
            cells += [text] * min(count, max(0, MOST_COLUMNS - len(cells)))
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            for at in range(min(times, _MOST_REPEATED)):
                read += len(cells)
                if read > MOST_CELLS:
                    sheet.more = True
                    return
                sheet.rows.append((number + at, cells))
        number += times


def _times(node: Any, name: str) -> int:
    said = attribute(node, name)
    return max(1, int(said)) if said.isdecimal() and len(said) < 8 else 1
