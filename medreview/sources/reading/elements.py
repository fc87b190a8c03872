"""Kinds of HTML element, and areas of a page: menus, footers, boxes beside the text, the main part.

An area is known by its element, its ARIA role, and the words of its class and id.
"""

import re
from itertools import islice
from typing import Final

from lxml import etree
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


AREA: Final = "data-area-of-page"
"""The attribute in which the kind of an area is noted; a page's own is removed."""

FRAME: Final = "frame"
"""A menu, a footer, a banner about cookies, a list of other pages: never the text of the page."""
LIKELY_FRAME: Final = "likely frame"
"""Named like one: a frame unless most of the page's text stands in it."""
BESIDE: Final = "beside"
"""A box beside the text. Within the text it is a part of it."""
CONTENT: Final = "content"
"""The main part of the page, or an article."""

_TAGS: Final = {
    **dict.fromkeys(("nav", "search", "amp-sidebar", "amp-ad", "amp-embed", "amp-consent"), FRAME),
    "aside": BESIDE,
    "main": CONTENT,
    "article": CONTENT,
}
_ALWAYS: Final = frozenset({"header", "footer", "button", *_TAGS})
_ROLES: Final = {
    **dict.fromkeys(("navigation", "banner", "contentinfo", "search", "menu", "menubar"), FRAME),
    **dict.fromkeys(("main", "article"), CONTENT),
    "complementary": BESIDE,
}


def _words(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|[-_])(?:{'|'.join(text.split())})(?:$|[-_])")


_FRAME_NAMES: Final = re.compile(
    _words(
        r"""breadcrumbs? cookies? cookie-?banner cookie-?bar cookiebanner consent gdpr newsletter subscribe
        subscription social share sharing share-?bar navbox catlinks skip skip-?link skip-?links site-?footer
        page-?footer copyright advert adverts advertisement advertisements advertising ads? sponsor sponsored
        sponsors navbar nav-?bar navigation main-?menu side-?menu nav-?menu topnav top-?nav main-?nav site-?nav
        cookieconsent onetrust editsection
        bottom-?bar related related-?items recommended promo promos promotion feedback feedback-?prompt survey
        ratings? pager pagination toc table-of-contents on-this-page in-this-section toolbar languages modal popup
        lightbox masthead topbar top-?bar phase-?banner comments comment-?form respond most-?read also-?like also-?read
        signup sign-?up login banner-?ad"""
    ).pattern
    + r"|^(?:foot|bottom)$|(?:^|[-_])(?:nav|menu|footer)$"
)
_BESIDE_NAMES: Final = re.compile(r"(?:^|[-_])(?:sidebar|side-?bar|side|widget-?area|right-?col|rail)$")
_CONTENT_NAMES: Final = frozenset(
    {"content", "main", "main-content", "maincontent", "article", "article-body", "articlebody", "entry-content"}
    | {
        "post-content",
        "page-content",
        "content-area",
        "contentarea",
        "bodycontent",
        "mw-parser-output",
        "article-content",
    }
)
_NOT_AREAS: Final = frozenset({"html", "body", "a", "p", "li", "td", "th", "tr", "h1", "h2", "h3", "h4", "h5", "h6"})
_MOST_NAMES: Final = 12
_LONGEST_NAME: Final = 60


def mark_areas(root: HtmlElement) -> None:
    """Note on each element that begins an area of which kind it is, in place."""
    etree.strip_attributes(root, AREA)
    in_content: list[HtmlElement] = []
    for event, node in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(node.tag, str):
            continue
        if event == "start":
            if node.tag not in DROPPED and (kind := _kind(node, in_content[-1].tag if in_content else "")):
                node.set(AREA, kind)
                if kind == CONTENT:
                    in_content.append(node)
        elif in_content and in_content[-1] is node:
            in_content.pop()


def _kind(node: HtmlElement, in_content: str) -> str:
    """``in_content`` is the tag of the content around an element, ``""`` for none."""
    if not node.attrib and node.tag not in _ALWAYS:
        return ""
    role = node.get("role")
    if role and (kind := _ROLES.get(role)):
        return "" if in_content and role == "banner" else kind
    if node.tag in ("header", "footer"):
        return "" if in_content else FRAME
    if node.tag == "button":
        return "" if _opens_something(node) else LIKELY_FRAME
    if (kind := _TAGS.get(node.tag, "")) and not (node.tag == "aside" and in_content == "article"):
        return kind
    name, names = node.get("id"), node.get("class")
    if not (name or names) or node.tag in _NOT_AREAS:
        return ""
    words = [word for word in [name or "", *(names or "").split()[:_MOST_NAMES]] if len(word) <= _LONGEST_NAME]
    # footNote, siteFooter: the same words joined by capitals
    words = [re.sub(r"(?<=[a-z])(?=[A-Z])", "-", word).lower() for word in words]
    if any(map(_FRAME_NAMES.search, words)):
        return LIKELY_FRAME
    if any(map(_BESIDE_NAMES.search, words)):
        return BESIDE
    return CONTENT if not _CONTENT_NAMES.isdisjoint(words) else ""


def _opens_something(button: HtmlElement) -> bool:
    names = ("aria-expanded", "aria-controls", "data-target", "data-bs-target", "popovertarget")
    return button.get("role") == "tab" or any(button.get(name) is not None for name in names)
