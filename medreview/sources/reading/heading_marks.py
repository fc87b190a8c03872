"""Where the headings of a page come to stand in its text: marked in the tree, found again in the text.

Looking for a heading's words in the text would find tables of contents and menus as well, and lose headings that occur
twice. So a printable character that no health page uses goes before and after each heading before the text is made (see
``control_placeholders``), and is taken out afterwards; what the extractor drops goes with its marks.
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
_PREFIX: Final = re.compile(r"[ \t]*(?:[-*\u2022] ?)?")
_LONGEST_PREFIX: Final = 40
_LONGEST: Final = 300
_TAGS: Final = {f"h{level}": level for level in range(1, 7)}
_CALLED_HEADING: Final = frozenset({"div", "p", "span", "strong", "b", "em", "a", "header", *_TAGS})
_NOT_READ: Final = frozenset({"script", "style", "noscript", "template", "svg", "select", "textarea"})


def mark_headings(root: HtmlElement) -> bool:
    """Put marks around the words of each heading (h1 to h6, or what has the role of one).

    Inside a heading a line break becomes a space, and a button or a link to a place on the page becomes text:
    trafilatura drops a heading that is one of these, as those of folding sections are. False, and nothing is changed,
    for a page that uses the marks themselves.
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
        places = [place for place in _texts(node) if (_text_at(place) or "").strip()]
        if places:
            node.tag = f"h{level}"
            _put(places[-1], _text_at(places[-1]).rstrip() + _CLOSE)
            _put(places[0], chr(_OPEN + level) + _text_at(places[0]).lstrip())
    return True


def headings_taken_out(text: str) -> tuple[str, tuple[Heading, ...]]:
    """A text without marks, and where its headings stand; only headings at the beginning of a line are told."""
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
    return (line > 0 or at < _LONGEST_PREFIX) and _PREFIX.fullmatch(text, line, at) is not None


def _level(node: HtmlElement) -> int:
    """The level of a heading, 0 for any other element."""
    role = node.get("role")
    if role == "heading" and node.tag in _CALLED_HEADING:
        said = node.get("aria-level") or ""
        if said.isascii() and said.isdecimal() and said != "0":
            return min(int(said[:3]) or 1, 6)
        return _TAGS.get(node.tag, 2)
    return 0 if role in ("presentation", "none") else _TAGS.get(node.tag, 0)


def _texts(node: HtmlElement) -> Iterator[tuple[HtmlElement, bool]]:
    """Every place of text in an element, in order: the element and whether its tail is meant."""
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, part in walk:
        if event == "start":
            if part.tag in _NOT_READ or not isinstance(part.tag, str):
                walk.skip_subtree()
            else:
                yield part, False
        elif part is not node:
            yield part, True


def _text_at(place: tuple[HtmlElement, bool]) -> str:
    node, is_tail = place
    return str((node.tail if is_tail else node.text) or "")


def _put(place: tuple[HtmlElement, bool], text: str) -> None:
    node, is_tail = place
    if is_tail:
        node.tail = text
    else:
        node.text = text
