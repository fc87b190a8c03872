"""Tables made ready to be read as rows: layout is no table, and a cell that spans rows stands in each of them.

A table may also be made of other elements that have the roles of its parts (WAI-ARIA 1.2, role ``table``).
"""

from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.walker import is_data_table, one_line

_ROLES: Final = {
    "rowgroup": "tbody",
    "row": "tr",
    "columnheader": "th",
    "rowheader": "th",
    "cell": "td",
    "gridcell": "td",
}
_GROUPS: Final = ("thead", "tbody", "tfoot")
_COPIED_CELL: Final = 300
_COPIED_CELLS: Final = 5_000
_TALLEST_CELL: Final = 60
_WIDEST_CELL: Final = 20


def make_tables_of_roles(root: HtmlElement) -> None:
    """Make tables of the elements that have the roles of tables and of their parts, in place."""
    for table in [node for node in root.iter("div", "section", "ul") if node.get("role") in ("table", "grid")]:
        if next(table.iter("table"), None) is None:
            for node in table.iter("*"):
                node.tag = _ROLES.get(node.get("role") or "", node.tag)
            table.tag = "table"


def free_layout_tables(root: HtmlElement) -> None:
    """Make blocks of the tables that only lay out a page; trafilatura would write all of it into one row."""
    for table in [table for table in root.iter("table") if not is_data_table(table)]:
        rows = [*table.iterchildren("tr"), *(row for part in table.iterchildren(*_GROUPS) for row in part)]
        for node in (table, *table.iterchildren(*_GROUPS), *rows):
            node.tag = "div"
        for row in rows:
            for cell in row.iterchildren("td", "th"):
                cell.tag = "div"


def repeat_spanning_cells(root: HtmlElement) -> None:
    """Repeat the spanning cells of all data tables of a page, in place.

    A cell that is alone in its row is a heading of the rows below it, and stays one cell. Long cells stay one, too.
    """
    for cell in root.iter("td", "th"):
        for name, most in (("rowspan", _TALLEST_CELL), ("colspan", _WIDEST_CELL)):
            # No table of a reader is so large; trafilatura would write out a million columns.
            if cell.get(name) and not 1 <= _number(cell.get(name)) <= most:
                del cell.attrib[name]
    room = _COPIED_CELLS
    for table in root.iter("table"):
        if any(cell.get("rowspan") or cell.get("colspan") for cell in table.iter("td", "th")) and is_data_table(table):
            room = _fill(table, room)


def _fill(table: HtmlElement, room: int) -> int:
    """Repeat the spanning cells of one table while there is room for copies; the room that is left."""
    tall: dict[int, tuple[int, str]] = {}
    for row in table.iter("tr"):
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
            if len(text) <= _COPIED_CELL:
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
