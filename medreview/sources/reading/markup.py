"""What a page says by its markup alone, written into the tree as text or as plainer markup.

Text that is struck out must not be read as said, and a sign that is a picture must not be lost. Of the rest, most is
what trafilatura leaves out without a word: text that stands in a block of no paragraph, in a form, in a description
list, in an element that it does not know.
"""

import re
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.full_text import BLOCKS, folded, longer_than

_STRUCK: Final = ("del", "s", "strike")
_AS_SPAN: Final = ("time", "output", "progress", "meter", "data", "dfn", "bdi", "bdo")
_SHOWN_AS_BLOCK: Final = re.compile(r"display\s*:\s*(?:block|flex|grid|list-item|table)\b", re.IGNORECASE)
_SIGN_OF_PICTURE: Final = re.compile(r"[<>=≤≥≦≧⩽⩾±×÷−+≈~µμ°½¼¾⅓⅔\u2260\u2264\u2265-]{1,2}")
_LONGEST_ALT: Final = 60
_LEAST_FORM: Final = 400
_LINES: Final = frozenset({"p", "td", "th", "li", "dd", "dt", "span", "b", "strong", "i", "em", "a", "div"})
_FORMATTING: Final = (
    *("span", "b", "strong", "i", "em", "u", "small", "big", "font", "sup", "sub", "mark", "abbr", "acronym", "cite"),
    *("var", "kbd", "samp", "tt", "ins", "nobr", "ruby", "rb", "rt", "rp", "wbr"),
)
# By these a page or trafilatura may say that an element is not to be read.
_TELLING: Final = frozenset({"class", "id", "style", "hidden", "aria-hidden", "role"})
_BLOCK_TAGS: Final = tuple(BLOCKS)
_HOLDERS: Final = ("div", "section", "center", "article", "main", "details")


def write_out_marks(root: HtmlElement) -> None:
    """Write what the markup says of a text into the text, in place."""
    for node in list(root.iter("template")):
        _take_out(node)
    for node in root.iter(*_STRUCK):
        if any(part.strip() for part in node.itertext()) and next(node.iterancestors(*_STRUCK), None) is None:
            node.text = f"[deleted: {(node.text or '').lstrip()}"
            node.tail = f"]{node.tail or ''}"
    for node in root.iter(*_STRUCK, *_AS_SPAN):
        node.tag = "span" if next(node.iterdescendants(*_BLOCK_TAGS), None) is None else "div"
    for node in list(root.iter("q")):
        node.text = f"\u201c{node.text or ''}"
        node.tail = f"\u201d{node.tail or ''}"
        node.tag = "span"
    for node in list(root.iter("img")):
        _write_picture(node)
    for node in list(root.iter("rt")):
        previous = node.getprevious()
        if previous is None or previous.tag != "rp":
            node.text = f"({folded(node.text_content())})"
            for child in list(node):
                node.remove(child)


def plain_blocks(root: HtmlElement) -> None:
    """Make plain blocks of the elements that are shown as blocks and are none by their names, in place."""
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
    """Make paragraphs of all lines of text that stand in a block of another kind, in place, for trafilatura."""
    for node in list(root.iter(*_HOLDERS)):
        _make_lines(node)


def without_formatting(root: HtmlElement) -> None:
    """Take out the inline markup that no longer says anything, in place; trafilatura's time grows with its square."""
    gone = {node for node in root.iter(*_FORMATTING) if _TELLING.isdisjoint(node.attrib.keys()) and node is not root}
    for parent in reversed(list(dict.fromkeys(node.getparent() for node in root.iter(*_FORMATTING) if node in gone))):
        _join_texts(parent, gone)


def _join_texts(parent: HtmlElement, gone: set[HtmlElement]) -> None:
    """Put what is in some children in their places. ``strip_tags`` of lxml would leave pieces of text side by side,
    and reading them takes time that grows with the square of their number."""
    last: HtmlElement | None = None
    pieces = [parent.text or ""]

    def close() -> None:
        if last is None:
            parent.text = "".join(pieces)
        else:
            last.tail = "".join(pieces)

    for child in list(parent):
        inside = [child]
        if child in gone:
            inside = list(child)
            pieces.append(child.text or "")
        for part in inside:
            close()
            last, pieces = part, [part.tail or ""]
            if part is not child:
                child.addprevious(part)
        if child in gone:
            pieces.append(child.tail or "")
            child.tail = None
            parent.remove(child)
    close()


def _make_lines(holder: HtmlElement) -> None:
    """Make paragraphs of what stands in a block in lines of its own, beside its paragraphs or alone.

    The block itself stays: trafilatura finds the matter of a page by the names of such blocks.
    """
    line: HtmlElement | None = None
    if holder.text and holder.text.strip():
        line = etree.Element("p")
        line.text, holder.text = holder.text, None
        holder.insert(0, line)
    for child in list(holder):
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


def _write_picture(node: HtmlElement) -> None:
    """Put the words of a picture into the line that it stands in, when they are a sign or hold a number."""
    said, parent = folded(node.get("alt") or ""), node.getparent()
    if not said or len(said) > _LONGEST_ALT or not said.isprintable() or parent is None or parent.tag not in _LINES:
        return
    previous = node.getprevious()
    before = (parent.text if previous is None else previous.tail) or ""
    is_sign = _SIGN_OF_PICTURE.fullmatch(said)
    if not is_sign:
        has_number = any(character.isdigit() for character in said)
        is_second = previous is not None and (previous.tag == "math" or next(previous.iter("math"), None) is not None)
        if not has_number or is_second or not (before.strip() or (node.tail or "").strip()):
            return
    node.tag = "span"
    node.text = said if is_sign else f" {said} "
    node.attrib.clear()


def _take_out(node: HtmlElement) -> None:
    tail = node.tail
    node.clear()
    node.tail = tail
    node.tag = "span"
