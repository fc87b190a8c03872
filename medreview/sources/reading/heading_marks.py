"""The offsets of a page's headings in its extracted text, by marker characters that are removed afterwards.

Searching the text for the words of a heading would also match tables of contents and menus, and fail for headings that
occur twice. So a printable character that no health page uses is inserted before and after each heading before the
extraction (see ``control_placeholders``) and removed from its result; a heading that the extractor drops loses its
markers with it.
"""

import re
from collections.abc import Iterator
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.full_text import longer_than
from medreview.sources.reading.outline import Heading

_OPEN: Final = 0x13200  # Egyptian hieroglyphs, one for each level, far from those of ``control_placeholders``
_CLOSE: Final = chr(_OPEN)
_MARK: Final = re.compile(f"[{_CLOSE}{chr(_OPEN + 1)}-{chr(_OPEN + 6)}]")
_LIST_PREFIX: Final = re.compile(r"[ \t]*(?:[-*\u2022] ?)?")
_LONGEST_PREFIX: Final = 40
_LONGEST: Final = 300
_TAGS: Final = {f"h{level}": level for level in range(1, 7)}
_MAY_HAVE_HEADING_ROLE: Final = frozenset({"div", "p", "span", "strong", "b", "em", "a", "header", *_TAGS})
_NOT_READ: Final = frozenset({"script", "style", "noscript", "template", "svg", "select", "textarea"})


def mark_headings(root: HtmlElement) -> bool:
    """Insert markers around the words of each heading (h1 to h6, or an element with the ARIA role ``heading``).

    Inside a heading a line break becomes a space, and a button or a link within the page becomes text: trafilatura
    drops a heading that consists of one, as those of collapsible sections do. False, and nothing is changed, for a page
    that uses the marker characters itself.
    """
    if any(_MARK.search(part) for part in root.itertext()):
        return False
    walk = etree.iterwalk(root, events=("start",))
    for _, node in walk:
        level = _level(node)
        if not level or longer_than(node, _LONGEST):
            continue
        walk.skip_subtree()
        for inner in list(node.iter("br", "button", "a")):
            if inner.tag == "a" and not (inner.get("href") or "#").startswith("#"):
                continue
            if inner.tag == "br":
                inner.text = " "
            inner.tag = "span"
        slots = [slot for slot in _text_slots(node) if (_get_text(slot) or "").strip()]
        if slots:
            node.tag = f"h{level}"
            _set_text(slots[-1], _get_text(slots[-1]).rstrip() + _CLOSE)
            _set_text(slots[0], chr(_OPEN + level) + _get_text(slots[0]).lstrip())
    return True


def extract_headings(text: str) -> tuple[str, tuple[Heading, ...]]:
    """A text without markers, and its headings; a heading that does not begin a line is left out."""
    pieces: list[str] = []
    headings: list[Heading] = []
    last = length = 0
    opened: tuple[int, int] | None = None
    for mark in _MARK.finditer(text):
        piece = text[last : mark.start()]
        if opened is not None:
            words = piece.partition("\n")[0]
            start = opened[0] + len(words) - len(words.lstrip())
            if words.strip():
                headings.append(Heading(start, opened[0] + len(words.rstrip()), opened[1]))
        pieces.append(piece)
        length += len(piece)
        last = mark.end()
        level = ord(mark[0]) - _OPEN
        opened = (length, level) if level and _begins_line(text, mark.start()) else None
    pieces.append(text[last:])
    return "".join(pieces), tuple(headings)


def _begins_line(text: str, at: int) -> bool:
    line = text.rfind("\n", max(0, at - _LONGEST_PREFIX), at) + 1
    return (line > 0 or at < _LONGEST_PREFIX) and _LIST_PREFIX.fullmatch(text, line, at) is not None


def _level(node: HtmlElement) -> int:
    """The level of a heading, 0 for any other element."""
    role = node.get("role")
    if role == "heading" and node.tag in _MAY_HAVE_HEADING_ROLE:
        level = node.get("aria-level") or ""
        if level.isascii() and level.isdecimal() and level != "0":
            return min(int(level[:3]) or 1, 6)
        return _TAGS.get(node.tag, 2)
    return 0 if role in ("presentation", "none") else _TAGS.get(node.tag, 0)


def _text_slots(node: HtmlElement) -> Iterator[tuple[HtmlElement, bool]]:
    """Every text within an element, in document order: the element that lxml keeps it on, and whether as its tail."""
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, part in walk:
        if event == "start":
            if part.tag in _NOT_READ or not isinstance(part.tag, str):
                walk.skip_subtree()
            else:
                yield part, False
        elif part is not node:
            yield part, True


def _get_text(slot: tuple[HtmlElement, bool]) -> str:
    node, is_tail = slot
    return str((node.tail if is_tail else node.text) or "")


def _set_text(slot: tuple[HtmlElement, bool], text: str) -> None:
    node, is_tail = slot
    if is_tail:
        node.tail = text
    else:
        node.text = text
