"""A page's markup prepared for reading, in place: meaning that markup alone expresses, tables, invisible characters.

Struck-out text must not be read as a claim, and a sign that is an image must not be lost. The rest is mostly what
trafilatura silently leaves out: text in a block without a paragraph, in a form, in a description list, in an element
that it does not know.

Tables are read row by row: layout tables are unwrapped, spanning cells are repeated in each row. A table may also
consist of other elements with the ARIA roles of its parts (WAI-ARIA 1.2, role ``table``).

The reviewer must see control characters and bidirectional controls of a page (as visible marks), but trafilatura strips
them and the text would look clean. During extraction each is replaced by a printable placeholder, a character of a
script that no health page uses.
"""

import re
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.concealment import APART
from medreview.sources.reading.elements import AREA, BLOCKS, collapse_whitespace, is_data_table, longer_than
from medreview.sources.reading.lines import one_line

_CONTROLS: Final = [
    code for code in (*range(0x01, 0x20), *range(0x7F, 0xA0)) if code not in (0x09, 0x0A, 0x0C, 0x0D, 0x85)
]
_BIDI_CONTROLS: Final = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_FIRST: Final = 0x13000  # Egyptian hieroglyphs: printable, and unchanged by Unicode normalisation
_TO_PLACEHOLDER: Final = {code: _FIRST + index for index, code in enumerate((*_CONTROLS, *_BIDI_CONTROLS))}
_FROM_PLACEHOLDER: Final = {placeholder: code for code, placeholder in _TO_PLACEHOLDER.items()}
_INVISIBLE: Final = frozenset(map(chr, _TO_PLACEHOLDER))
_PLACEHOLDERS: Final = frozenset(map(chr, _FROM_PLACEHOLDER))


def insert_placeholders(root: HtmlElement) -> bool:
    """Replace the invisible characters in a tree's texts; whether ``remove_placeholders`` must follow.

    False for a page without such characters, and for one that uses the placeholder characters itself: there the
    invisible characters become U+FFFD, since lxml refuses to set a text with control characters.
    """
    whole = root.text_content()
    if _INVISIBLE.isdisjoint(whole):
        return False
    is_free = _PLACEHOLDERS.isdisjoint(whole)
    table = _TO_PLACEHOLDER if is_free else dict.fromkeys(_TO_PLACEHOLDER, 0xFFFD)
    for node in root.iter():
        if node.text:
            node.text = node.text.translate(table)
        if node.tail:
            node.tail = node.tail.translate(table)
    return is_free


def remove_placeholders(text: str) -> str:
    """A text with the invisible characters in place of their placeholders."""
    return text.translate(_FROM_PLACEHOLDER)


_STRUCK_OUT: Final = ("del", "s", "strike")
_AS_SPAN: Final = ("time", "output", "progress", "meter", "data", "dfn", "bdi", "bdo")
_SHOWN_AS_BLOCK: Final = re.compile(r"display\s*:\s*(?:block|flex|grid|list-item|table)\b", re.IGNORECASE)
_SIGN: Final = re.compile(r"[<>=≤≥≦≧⩽⩾±×÷−+≈~µμ°½¼¾⅓⅔\u2260\u2264\u2265-]{1,2}")
_LONGEST_ALT: Final = 60
_LEAST_FORM: Final = 400
_LINES: Final = frozenset({"p", "td", "th", "li", "dd", "dt", "span", "b", "strong", "i", "em", "a", "div"})
_FORMATTING: Final = (
    *("span", "b", "strong", "i", "em", "u", "small", "big", "font", "sup", "sub", "mark", "abbr", "acronym", "cite"),
    *("var", "kbd", "samp", "tt", "ins", "nobr", "ruby", "rb", "rt", "rp", "wbr"),
)
# An element with one of these attributes is kept: by them a page or trafilatura decides that it is not read.
_KEPT_FOR: Final = frozenset({"class", "id", "style", "hidden", "aria-hidden", "role", APART, AREA})
_BLOCK_TAGS: Final = tuple(BLOCKS)
_CONTAINERS: Final = ("div", "section", "center", "article", "main", "details")


_OF_HEADS: Final = frozenset({"title", "meta", "link", "base", "script", "style", "noscript", "template"})


def body_out_of_head(root: HtmlElement) -> None:
    """Put into the body what a page without a tag for it begins with.

    libxml2 knows the elements of HTML 4: after a ``<script>`` or ``<meta>`` it takes ``<main>`` for more of the head.
    """
    head = root.find("head")
    if head is None:
        return
    children = list(head)
    first = next((at for at, node in enumerate(children) if _is_content(node)), len(children))
    if first == len(children):
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    for at, node in enumerate(children[first:]):
        body.insert(at, node)


def _is_content(node: HtmlElement) -> bool:
    return isinstance(node.tag, str) and node.tag not in _OF_HEADS


def show_shadow_trees(root: HtmlElement) -> None:
    """Make blocks of the templates that a browser shows (declarative shadow trees), in place."""
    for node in root.iter("template"):
        if node.get("shadowrootmode") in ("open", "closed"):
            node.tag = "div"


def write_out_markup(root: HtmlElement) -> None:
    """Write deletions, quotation marks, images of signs and ruby annotations into the text, in place."""
    for node in list(root.iter("template")):
        _remove_content(node)
    for node in root.iter(*_STRUCK_OUT):
        if next(node.iterancestors(*_STRUCK_OUT), None) is None and any(part.strip() for part in node.itertext()):
            node.text = f"[deleted: {(node.text or '').lstrip()}"
            node.tail = f"]{node.tail or ''}"
    for node in root.iter(*_STRUCK_OUT, *_AS_SPAN):
        node.tag = "span" if next(node.iterdescendants(*_BLOCK_TAGS), None) is None else "div"
    for node in list(root.iter("q")):
        node.text = f"\u201c{node.text or ''}"
        node.tail = f"\u201d{node.tail or ''}"
        node.tag = "span"
    for node in list(root.iter("img")):
        _write_alt_text(node)
    for node in list(root.iter("rt")):
        previous = node.getprevious()
        if previous is None or previous.tag != "rp":
            node.text = f"({collapse_whitespace(node.text_content())})"
            for child in list(node):
                node.remove(child)


def normalise_blocks(root: HtmlElement) -> None:
    """Turn into ``div`` what is displayed as a block and is not one by its element name, in place."""
    for node in root.iter("form"):
        if longer_than(node, _LEAST_FORM):
            node.tag = "div"
    for node in root.iter("dl"):
        node.tag = "div"
        for part in node.iter("dt", "dd"):
            part.tag = "div"
    for node in root.iter("*"):
        is_shown_as_block = node.tag == "span" and _SHOWN_AS_BLOCK.search(node.get("style") or "")
        if is_shown_as_block or ("-" in node.tag and node.tag != "annotation-xml"):
            is_block = is_shown_as_block or next(node.iterdescendants(*_BLOCK_TAGS), None) is not None
            node.tag = "div" if is_block else "span"


def make_paragraphs(root: HtmlElement) -> None:
    """Wrap text that is a direct child of a container in paragraphs, in place, for trafilatura."""
    for node in list(root.iter(*_CONTAINERS)):
        _wrap_loose_text(node)


def strip_inline_formatting(root: HtmlElement) -> None:
    """Unwrap inline markup that no longer carries meaning, in place; trafilatura takes quadratic time in it."""
    unwrapped = {
        node for node in root.iter(*_FORMATTING) if _KEPT_FOR.isdisjoint(node.attrib.keys()) and node is not root
    }
    for parent in reversed(
        list(dict.fromkeys(node.getparent() for node in root.iter(*_FORMATTING) if node in unwrapped))
    ):
        _unwrap_children(parent, unwrapped)


def _unwrap_children(parent: HtmlElement, unwrapped: set[HtmlElement]) -> None:
    """Replace some children by their content. ``strip_tags`` of lxml would leave adjacent text nodes, and reading
    those takes quadratic time in their number."""
    last: HtmlElement | None = None
    pieces = [parent.text or ""]

    def close() -> None:
        if last is None:
            parent.text = "".join(pieces)
        else:
            last.tail = "".join(pieces)

    for child in list(parent):
        inside = [child]
        if child in unwrapped:
            inside = list(child)
            pieces.append(child.text or "")
        for part in inside:
            close()
            last, pieces = part, [part.tail or ""]
            if part is not child:
                child.addprevious(part)
        if child in unwrapped:
            pieces.append(child.tail or "")
            child.tail = None
            parent.remove(child)
    close()


def _wrap_loose_text(container: HtmlElement) -> None:
    """Wrap the text and inline elements that are direct children of a container in paragraphs.

    The container itself stays: trafilatura finds the main text by the names of such blocks.
    """
    line: HtmlElement | None = None
    if container.text and container.text.strip():
        line = etree.Element("p")
        line.text, container.text = container.text, None
        container.insert(0, line)
    for child in list(container):
        if child is line:
            continue
        if child.tag in BLOCKS or next(child.iterdescendants(*_BLOCK_TAGS), None) is not None:
            line = None
            if child.tail and child.tail.strip():
                line = etree.Element("p")
                line.text, child.tail = child.tail, None
                child.addnext(line)
        else:
            if line is None:
                line = etree.Element("p")
                child.addprevious(line)
            line.append(child)


def _write_alt_text(node: HtmlElement) -> None:
    """Replace an image within a line by its alternative text, when that is a sign or contains a number."""
    alt, parent = collapse_whitespace(node.get("alt") or ""), node.getparent()
    if not alt or len(alt) > _LONGEST_ALT or not alt.isprintable() or parent is None or parent.tag not in _LINES:
        return
    previous = node.getprevious()
    before = (parent.text if previous is None else previous.tail) or ""
    is_sign = _SIGN.fullmatch(alt)
    if not is_sign:
        has_number = any(character.isdigit() for character in alt)
        is_second = previous is not None and (previous.tag == "math" or next(previous.iter("math"), None) is not None)
        if not has_number or is_second or not (before.strip() or (node.tail or "").strip()):
            return
    node.tag = "span"
    node.text = alt if is_sign else f" {alt} "
    kind = node.get(APART) or "alt"
    node.attrib.clear()
    node.set(APART, kind)


def _remove_content(node: HtmlElement) -> None:
    tail = node.tail
    node.clear()
    node.tail = tail
    node.tag = "span"


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
