"""The full text of an HTML page: everything that a reader can make visible, in reading order, one block per line.

While trafilatura selects the main text, this tree traversal leaves out only code and form controls: menus, footnotes,
captions and collapsed panels are kept. A table row is one line ``| a | b |``, a list item begins with ``- ``, a heading
has its own line after a blank one.
"""

import re
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

FULL_TEXT_EXTRACTOR: Final = "walker 3"
"""Name and version of these rules, as stored with each snapshot; the number changes when the extracted text does.

The name takes part in the ids of snapshots, so that another one would make every page a new snapshot.
"""

_DROPPED: Final = frozenset(
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
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_IN_LAYOUT: Final = frozenset({"table", "h1", "h2", "h3", "form", "article", "nav"})
_LONG_CELL: Final = 2000
_LONG_HEAD: Final = 100
_MOST_HEADS: Final = 20
# White space as a browser collapses it, and the typographic spaces; not the other control characters, which stay.
_SPACE: Final = re.compile("[ \t\n\r\f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")


def full_text(root: HtmlElement) -> str:
    """All readable text of a parsed page, lines joined by LF."""
    return "\n".join(_lines(root)).strip("\n")


def collapse_whitespace(text: str) -> str:
    """A text on one line: every run of white space is one space, none at the ends."""
    return _SPACE.sub(" ", text).strip()


def one_line(root: HtmlElement) -> str:
    """All readable text of an element, such as a cell, on one line."""
    return " ".join(_lines(root))


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
    if node.tag not in _HEADINGS or cell is None or cell.tag not in ("td", "th") or longer_than(cell, _LONG_HEAD):
        return False
    cells = list(islice(cell.getparent().iterchildren("td", "th"), _MOST_HEADS)) if cell.getparent() is not None else []
    is_alone = (
        len(cell) == 1 and collapse_whitespace(cell.text_content()) == collapse_whitespace(node.text_content()) != ""
    )
    return is_alone and len(cells) > 1 and (cell.tag == "th" or all(len(c) and c[0].tag in _HEADINGS for c in cells))


def longer_than(node: HtmlElement, length: int) -> bool:
    """Whether the text of an element is longer than ``length`` characters; stops reading as soon as it is."""
    for part in node.itertext():
        length -= len(part.strip())
        if length < 0:
            return True
    return False


def _lines(root: HtmlElement) -> list[str]:
    """The lines of an element. Iterative, not recursive, so that no depth of nesting can exhaust the stack."""
    lines: list[str] = []
    buffer: list[str] = []
    prefix = ""
    depth = preserved = 0

    def flush() -> None:
        nonlocal prefix
        text = "".join(buffer)
        buffer.clear()
        pieces = [piece.rstrip() for piece in text.split("\n")] if preserved else [collapse_whitespace(text)]
        for piece in pieces:
            if piece.strip():
                lines.append(prefix + piece)
                prefix = ""

    walk = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        tag = node.tag
        if not isinstance(tag, str):
            if event == "end":
                buffer.append(node.tail or "")
            continue
        if event == "start":
            if tag in _DROPPED:
                walk.skip_subtree()
                continue
            if tag == "table" and node is not root and is_data_table(node):
                flush()
                lines.extend(_table(node))
                walk.skip_subtree()
                continue
            if tag == "br":
                flush()
            elif tag in BLOCKS:
                flush()
                depth += tag in _LISTS
                preserved += tag == "pre"
                if tag == "li":
                    prefix = "  " * max(depth - 1, 0) + "- "
                elif tag in _HEADINGS and lines and lines[-1]:
                    lines.append("")
            buffer.append(node.text or "")
            continue
        if tag in BLOCKS and tag not in _DROPPED:
            flush()
            if tag == "li":
                prefix = ""
            depth -= tag in _LISTS
            preserved -= tag == "pre"
        if node is not root:
            buffer.append(node.tail or "")
    flush()
    return lines


def _table(table: HtmlElement) -> list[str]:
    """The lines of a data table, one per row; rows without text are left out."""
    lines: list[str] = []
    for row in table.iter("tr"):
        cells = [one_line(cell) for cell in row.iterchildren("td", "th")]
        if any(cells):
            lines.append(f"| {' | '.join(cells)} |")
    return lines
