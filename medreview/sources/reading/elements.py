"""What kinds of element a page is made of, and small questions about them that several readers ask."""

import re
from itertools import islice
from typing import Final

from lxml.html import HtmlElement

DROPPED: Final = frozenset(
    {"script", "style", "noscript", "template", "head", "title", "svg", "canvas", "iframe", "object", "embed"}
    | {"audio", "video", "map", "frameset", "select", "datalist", "textarea", "input"}
    | {"annotation", "annotation-xml"}  # formulas a second time, in TeX
)
BLOCKS: Final = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "div", "fieldset"}
    | {"figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "main", "nav", "p"}
    | {"button", "pre", "search", "section", "summary", "dl", "dt", "dd", "ul", "ol", "li", "menu", "dir"}
    | {"h1", "h2", "h3", "h4", "h5", "h6"}
    | {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
)
HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_IN_LAYOUT: Final = frozenset({"table", "h1", "h2", "h3", "form", "article", "nav"})
_LONG_CELL: Final = 2000
_LONG_HEAD: Final = 100
_MOST_HEADS: Final = 20
# White space as a browser collapses it, and the typographic spaces; not the other control characters, which stay.
SPACE: Final = re.compile("[ \t\n\r\f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")


def collapse_whitespace(text: str) -> str:
    """A text on one line: every run of white space is one space, none at the ends."""
    return SPACE.sub(" ", text).strip()


def is_data_table(table: HtmlElement) -> bool:
    """Whether a table holds data, not page layout (nested tables, headings, a single cell, long cells)."""
    if table.get("role") in ("presentation", "none"):
        return False
    cells = 0
    for node in table.iter("td", "th", *_IN_LAYOUT):
        if node.tag in _IN_LAYOUT:
            if node is not table and not _is_header_cell(node):
                return False
        else:
            cells += 1
            if longer_than(node, _LONG_CELL):
                return False
    return cells > 1


def _is_header_cell(node: HtmlElement) -> bool:
    """Whether a heading is the only content of its cell, and the cell is a ``th`` or its row consists of such cells."""
    cell = node.getparent()
    if node.tag not in HEADINGS or cell is None or cell.tag not in ("td", "th") or longer_than(cell, _LONG_HEAD):
        return False
    cells = list(islice(cell.getparent().iterchildren("td", "th"), _MOST_HEADS)) if cell.getparent() is not None else []
    is_alone = (
        len(cell) == 1 and collapse_whitespace(cell.text_content()) == collapse_whitespace(node.text_content()) != ""
    )
    return is_alone and len(cells) > 1 and (cell.tag == "th" or all(len(c) and c[0].tag in HEADINGS for c in cells))


def longer_than(node: HtmlElement, length: int) -> bool:
    """Whether the text of an element is longer than ``length`` characters; stops reading as soon as it is."""
    for part in node.itertext():
        length -= len(part.strip())
        if length < 0:
            return True
    return False
