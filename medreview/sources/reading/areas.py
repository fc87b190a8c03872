"""Which areas of a page are frame and which are content: menus, footers, boxes beside the text, the main part.

An area is told by its element, its ARIA role, and the words of its class and id.
"""

import re
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.elements import DROPPED

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
