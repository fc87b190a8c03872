"""Tables prepared for reading row by row: layout tables are unwrapped, spanning cells are repeated in each row.

A table may also consist of other elements with the ARIA roles of its parts (WAI-ARIA 1.2, role ``table``).
"""

from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.concealment import APART
from medreview.sources.reading.elements import is_data_table, longer_than
from medreview.sources.reading.lines import one_line

_ROLES: Final = {
    "rowgroup": "tbody",
    "row": "tr",
    "columnheader": "th",
    "rowheader": "th",
    "cell": "td",
    "gridcell": "td",
}
_GROUPS: Final = ("thead", "tbody", "tfoot")
_LAYOUT_TAGS: Final = ("h1", "h2", "h3", "form", "article", "nav")
_MOST_INNER: Final = 50
_COPIED_CELL: Final = 300
_COPIED_CELLS: Final = 5_000
_MOST_TO_THE_END: Final = 1_000
_TALLEST_CELL: Final = 60
_WIDEST_CELL: Final = 20


def tables_from_aria_roles(root: HtmlElement) -> None:
    """Turn elements with the ARIA roles of tables and of their parts into table elements, in place.

    Of tables within one another the innermost is one, as with the elements; so the last is looked at first.
    """
    named = [node for node in root.iter("div", "section", "ul") if node.get("role") in ("table", "grid")]
    for table in reversed(named):
        if next(table.iter("table"), None) is None:
            for node in table.iter("*"):
                if part := _ROLES.get(node.get("role") or ""):
                    node.tag = part
            table.tag = "table"


def unwrap_layout_tables(root: HtmlElement) -> None:
    """Turn layout tables into ``div`` blocks, in place; trafilatura would write a whole page into one row.

    A small table within a cell of a data table becomes the text of that cell.
    """
    for table in [table for table in root.iter("table") if _holds_small_tables(table)]:
        for inner in [part for part in table.iter("table") if part is not table]:
            lines = [" ".join(map(one_line, line.iterchildren("td", "th"))) for line in inner.iter("tr")]
            for part in list(inner):
                inner.remove(part)
            inner.tag, inner.text = "div", "; ".join(line for line in lines if line.strip())
    for table in [table for table in root.iter("table") if not is_data_table(table)]:
        rows = [*table.iterchildren("tr"), *(row for part in table.iterchildren(*_GROUPS) for row in part)]
        for node in (table, *table.iterchildren(*_GROUPS), *rows):
            node.tag = "div"
        for row in rows:
            for cell in row.iterchildren("td", "th"):
                cell.tag = "div"
    for head in [head for table in root.iter("table") for head in table.iter("h1", "h2", "h3", "h4", "h5", "h6")]:
        head.tag = "b"


def repeat_spanning_cells(root: HtmlElement) -> None:
    """Repeat cells that span rows or columns in all data tables of a page, in place.

    A cell that is alone in its row is a heading of the rows below it, and stays one cell. A long cell is not repeated;
    empty cells take its further positions.
    """
    to_the_end = 0
    for cell in root.iter("td", "th"):
        is_endless = cell.get("rowspan") == "0" and to_the_end < _MOST_TO_THE_END
        if is_endless and (row := cell.getparent()) is not None and row.tag == "tr":
            # HTML: ``rowspan="0"`` extends a cell to the end of its row group.
            to_the_end += 1
            cell.set("rowspan", str(1 + sum(1 for _ in islice(row.itersiblings("tr"), _TALLEST_CELL - 1))))
        for name, most in (("rowspan", _TALLEST_CELL), ("colspan", _WIDEST_CELL)):
            # No readable table is so large, and trafilatura would write out a million columns.
            if cell.get(name) and not 1 <= _number(cell.get(name)) <= most:
                del cell.attrib[name]
    remaining = _COPIED_CELLS
    for table in root.iter("table"):
        if any(cell.get("rowspan") or cell.get("colspan") for cell in table.iter("td", "th")) and is_data_table(table):
            remaining = _fill(table, remaining)


def _holds_small_tables(table: HtmlElement) -> bool:
    """Whether a table has rows of short cells, some of them with a short nested table."""
    inner = list(islice((part for part in table.iterdescendants("table")), _MOST_INNER + 1))
    if not inner or len(inner) > _MOST_INNER or any(longer_than(part, _COPIED_CELL) for part in inner):
        return False
    if any(next(part.iterdescendants("table", *_LAYOUT_TAGS), None) is not None for part in inner):
        return False
    rows = [*table.iterchildren("tr"), *(row for part in table.iterchildren(*_GROUPS) for row in part)]
    cells = [list(row.iterchildren("td", "th")) for row in rows]
    return (
        len(rows) > 1
        and all(len(row) > 1 for row in cells)
        and next(table.iterdescendants(*_LAYOUT_TAGS), None) is None
        and not any(longer_than(cell, _COPIED_CELL) for row in cells for cell in row)
        and all(is_data_table(part) for part in inner)
        and 2 * len(inner) <= sum(map(len, cells))
    )


def _fill(table: HtmlElement, remaining: int) -> int:
    """Repeat the spanning cells of one table with at most ``remaining`` copies; how many copies then remain."""
    tall: dict[int, tuple[int, str, str]] = {}
    part: HtmlElement | None = None
    for row in table.iter("tr"):
        if row.getparent() is not part:
            part, tall = row.getparent(), {}
        cells = list(row.iterchildren("td", "th"))
        alone = len(cells) + len(tall) == 1
        filled: list[HtmlElement] = []
        next_tall: dict[int, tuple[int, str, str]] = {}
        column = 0
        waiting = cells[::-1]
        while waiting or column in tall:
            if column in tall:
                left, text, apart = tall[column]
                if remaining > 0:
                    filled.append(_copy(text, "td", apart))
                    remaining -= 1
                if left > 1:
                    next_tall[column] = (left - 1, text, apart)
                column += 1
                continue
            cell = waiting.pop()
            rows, columns = _number(cell.get("rowspan", "1")), _number(cell.get("colspan", "1"))
            text = one_line(cell) if rows > 1 or columns > 1 else ""
            apart = next((kind for part in cell.iter("*") if (kind := part.get(APART))), "") if text else ""
            filled.append(cell)
            if len(text) > _COPIED_CELL:
                text = ""  # an empty cell in its place keeps the other cells in their columns
            if columns > 1 and not alone and remaining >= columns:
                filled.extend(_copy(text, cell.tag, apart) for _ in range(columns - 1))
                remaining -= columns - 1
                del cell.attrib["colspan"]
            if rows > 1:
                next_tall |= {column + offset: (rows - 1, text, apart) for offset in range(columns)}
                del cell.attrib["rowspan"]
            column += columns
        if len(filled) > len(cells):
            for cell in filled:
                row.append(cell)
        tall = next_tall
    return remaining


def _copy(text: str, tag: str, apart: str) -> HtmlElement:
    copy = etree.Element(tag)
    copy.text = text
    if apart:
        copy.set(APART, apart)
    return copy


def _number(text: str | None) -> int:
    """A span attribute as a number; 0 when it is not a number."""
    return int(text) if text and len(text) <= 4 and text.isascii() and text.isdecimal() else 0
