"""Meaning that a page expresses by markup alone, turned into text or plainer markup, in place.

Struck-out text must not be read as a claim, and a sign that is an image must not be lost. The rest is mostly what
trafilatura silently leaves out: text in a block without a paragraph, in a form, in a description list, in an element
that it does not know.
"""

import re
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.areas import AREA
from medreview.sources.reading.concealment import APART
from medreview.sources.reading.elements import BLOCKS, collapse_whitespace, longer_than

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
