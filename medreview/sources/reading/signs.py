"""The signs by which the state of an HTML page is told: its title, its headings, its own prose, and how it is made.

What stands in menus, footers and banners, and what is a list of other pages, is no prose of the page: a page that says
"not found" says little else, however much stands around it.
"""

import re
from dataclasses import replace
from itertools import islice
from typing import Final

from lxml.html import HtmlElement

from medreview.sources.reading.areas import BESIDE
from medreview.sources.reading.elements import collapse_whitespace, longer_than
from medreview.sources.reading.lines import Line, Walk
from medreview.sources.reading.main_content import areas_within, frames_of, is_list_of_links
from medreview.sources.reading.page_states import Signs

_APP_ROOTS: Final = frozenset({"root", "app", "__next", "___gatsby", "application", "react-root", "main-app"})
_ROOT_TAG: Final = re.compile(r"[a-z][a-z0-9]*-(?:root|app)|app-[a-z]+")
_LONGEST_LOADING_TEXT: Final = 40
_MOST_HEADINGS: Final = 3
_LONGEST_TEASER: Final = 300
"""Characters of a line below a heading that leads to another page: its teaser."""
_REFRESH: Final = re.compile(r"\s*(\d{1,3})(?:\.\d*)?\s*[;,]\s*(?:url\s*=)?\s*[\"']?([^\"'\s]{1,500})", re.IGNORECASE)
_AT_ONCE: Final = 10
"""Seconds within which a page that sends its reader on is none to read."""
_CLOSED: Final = re.compile(r'"isAccessibleForFree"\s*:\s*"?false', re.IGNORECASE)


def signs_of_tree(root: HtmlElement, markup: str) -> Signs:
    """The signs that are told from the tree as it came."""
    headings = (collapse_whitespace(heading.text_content()) for heading in root.iter("h1"))
    return Signs(
        title=collapse_whitespace(root.findtext(".//title") or ""),
        headings=tuple(islice(filter(None, headings), _MOST_HEADINGS)),
        noscript=collapse_whitespace(" ".join(node.text_content() for node in root.iter("noscript"))),
        app_root=_is_app_root(root),
        closed=_CLOSED.search(markup) is not None,
        asks_password=any((node.get("type") or "").lower() == "password" for node in root.iter("input")),
        leads_to=_leads_to(root),
    )


def signs_of_lines(signs: Signs, walk: Walk) -> Signs:
    """The signs with those that are told from the lines of the page."""
    lines = [line for line in walk.lines if not _is_hidden(line)]
    frames = frames_of(walk, [not is_list_of_links(line) for line in walk.lines])
    beside = areas_within(walk.areas, (BESIDE,))
    prose: list[str] = []
    first = ""
    is_teaser = False
    for line in lines:
        if line.area >= 0 and (frames[line.area] or beside[line.area]):
            continue
        if line.level:
            is_teaser = is_list_of_links(line)
            first = first or (line.text[line.words :] if not is_teaser else "")
        if is_list_of_links(line) and not line.is_row:
            continue
        if not is_teaser or len(line.text) > _LONGEST_TEASER:
            prose.append(line.text)
    headings = signs.headings if not first or first in signs.headings else (*signs.headings, first)
    seen = "\n".join(line.text for line in lines)
    return replace(signs, headings=headings, prose="\n".join(prose), seen=seen)


def _is_hidden(line: Line) -> bool:
    return sum(end - start for start, end, kind in line.apart if kind == "hidden") * 2 > len(line.text) - line.words


def _leads_to(root: HtmlElement) -> str:
    for node in root.iter("meta"):
        if (node.get("http-equiv") or "").lower() == "refresh":
            found = _REFRESH.match(node.get("content") or "")
            if found and int(found[1]) <= _AT_ONCE:
                return found[2]
    return ""


def _is_app_root(root: HtmlElement) -> bool:
    """Whether the page is the empty container of a single-page application: an element with one of the usual names,
    with no more text in it than "Loading"."""
    if next(root.iter("script"), None) is None:
        return False
    for node in root.iter("*"):
        is_named = node.tag in ("div", "main", "section") and (node.get("id") or "").lower() in _APP_ROOTS
        if (is_named or _ROOT_TAG.fullmatch(node.tag)) and not longer_than(node, _LONGEST_LOADING_TEXT):
            return True
    return False
