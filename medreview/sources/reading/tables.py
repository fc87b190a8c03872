"""Tables made ready to be read as rows: layout is no table, and a cell that spans rows stands in each of them.

A table may also be made of other elements that have the roles of its parts (WAI-ARIA 1.2, role ``table``).
"""

from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.full_text import is_data_table, longer_than, one_line

_ROLES: Final = {
    "rowgroup": "tbody",
    "row": "tr",
    "columnheader": "th",
    "rowheader": "th",
    "cell": "td",
    "gridcell": "td",
}
_GROUPS: Final = ("thead", "tbody", "tfoot")
_OF_LAYOUT: Final = ("h1", "h2", "h3", "form", "article", "nav")
_MOST_INNER: Final = 50
_COPIED_CELL: Final = 300
_COPIED_CELLS: Final = 5_000
_TALLEST_CELL: Final = 60
_WIDEST_CELL: Final = 20


def make_tables_of_roles(root: HtmlElement) -> None:
    """Make tables of the elements that have the roles of tables and of their parts, in place."""
    for table in [node for node in root.iter("div", "section", "ul") if node.get("role") in ("table", "grid")]:
        if next(table.iter("table"), None) is None:
            for node in table.iter("*"):
                if part := _ROLES.get(node.get("role") or ""):
                    node.tag = part
            table.tag = "table"


def free_layout_tables(root: HtmlElement) -> None:
    """Make blocks of the tables that only lay out a page; trafilatura would write all of it into one row.

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
    """Repeat the spanning cells of all data tables of a page, in place.

    A cell that is alone in its row is a heading of the rows below it, and stays one cell. A long cell is not repeated,
    empty cells stand in its further places.
    """
    for cell in root.iter("td", "th"):
        if _number(cell.get("rowspan", "1")) == 0 and (row := cell.getparent()) is not None and row.tag == "tr":
            # HTML: a cell of no number of rows goes to the end of its part of the table.
            cell.set("rowspan", str(1 + sum(1 for _ in islice(row.itersiblings("tr"), _TALLEST_CELL - 1))))
        for name, most in (("rowspan", _TALLEST_CELL), ("colspan", _WIDEST_CELL)):
            # No table of a reader is so large; trafilatura would write out a million columns.
            if cell.get(name) and not 1 <= _number(cell.get(name)) <= most:
                del cell.attrib[name]
    room = _COPIED_CELLS
    for table in root.iter("table"):
        if any(cell.get("rowspan") or cell.get("colspan") for cell in table.iter("td", "th")) and is_data_table(table):
            room = _fill(table, room)


def _holds_small_tables(table: HtmlElement) -> bool:
    """Whether a table has rows of short cells, and in some of them a short table."""
    inner = list(islice((part for part in table.iterdescendants("table")), _MOST_INNER + 1))
    if not inner or len(inner) > _MOST_INNER or any(longer_than(part, _COPIED_CELL) for part in inner):
        return False
    if any(next(part.iterdescendants("table", *_OF_LAYOUT), None) is not None for part in inner):
        return False
    rows = [*table.iterchildren("tr"), *(row for part in table.iterchildren(*_GROUPS) for row in part)]
    cells = [list(row.iterchildren("td", "th")) for row in rows]
    return (
        len(rows) > 1
        and all(len(row) > 1 for row in cells)
        and next(table.iterdescendants(*_OF_LAYOUT), None) is None
        and not any(longer_than(cell, _COPIED_CELL) for row in cells for cell in row)
        and all(is_data_table(part) for part in inner)
        and 2 * len(inner) <= sum(map(len, cells))
    )


def _fill(table: HtmlElement, room: int) -> int:
    """Repeat the spanning cells of one table while there is room for copies; the room that is left."""
    tall: dict[int, tuple[int, str]] = {}
    part: HtmlElement | None = None
    for row in table.iter("tr"):
        if row.getparent() is not part:
            part, tall = row.getparent(), {}
        cells = list(row.iterchildren("td", "th"))
        alone = len(cells) + len(tall) == 1
        filled: list[HtmlElement] = []
        still_tall: dict[int, tuple[int, str]] = {}
        column = 0
        waiting = cells[::-1]
        while waiting or column in tall:
            if column in tall:
                left, text = tall[column]
                if room > 0:
                    filled.append(_copy(text, "td"))
                    room -= 1
                if left > 1:
                    still_tall[column] = (left - 1, text)
                column += 1
                continue
            cell = waiting.pop()
            rows, columns = _number(cell.get("rowspan", "1")), _number(cell.get("colspan", "1"))
            text = one_line(cell) if rows > 1 or columns > 1 else ""
            filled.append(cell)
            if len(text) > _COPIED_CELL:
                text = ""  # an empty cell in its place keeps the other cells in their columns
            if columns > 1 and not alone and room >= columns:
                filled.extend(_copy(text, cell.tag) for _ in range(columns - 1))
                room -= columns - 1
                del cell.attrib["colspan"]
            if rows > 1:
                still_tall |= {column + place: (rows - 1, text) for place in range(columns)}
                del cell.attrib["rowspan"]
            column += columns
        if len(filled) > len(cells):
            for cell in filled:
                row.append(cell)
        tall = still_tall
    return room


def _copy(text: str, tag: str) -> HtmlElement:
    copy = etree.Element(tag)
    copy.text = text
    return copy


def _number(text: str | None) -> int:
    """A span attribute as a number; 0 when it is none."""
    return int(text) if text and len(text) <= 4 and text.isascii() and text.isdecimal() else 0
