"""All readable text of an HTML page as lines, in reading order, one block per line.

This walk leaves out only code and form controls: menus, footnotes, captions and collapsed panels are kept. A table row
is one line ``| a | b |``, a list item begins with ``- ``, a heading has its own line after a blank one. Each line knows
what of it is set apart (``apart``), in which area of the page it stands (``areas``), and where its words begin in the
tree, so that another extractor's choice is known line by line.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.concealment import APART
from medreview.sources.reading.elements import (
    AREA,
    BLOCKS,
    DROPPED,
    LISTS,
    SPACE,
    collapse_whitespace,
    is_data_table,
    longer_than,
)
from medreview.sources.reading.text_structure import Heading, SetApart, graver
from medreview.text import normalise_newlines

LINES_EXTRACTOR: Final = "walker 4"
"""Name and version of these rules, as stored with each snapshot; the number changes when the extracted text does.

The name takes part in the ids of snapshots, so that another one would make every page a new snapshot.
"""

LONGEST_HEADING: Final = 300
"""Characters; a longer text is not a heading, whatever its element."""

Slot = tuple[HtmlElement, bool]
"""A text in the tree: the element that lxml keeps it on, and whether as its tail."""
_Piece = tuple[str, str]

_LEVELS: Final = {f"h{level}": level for level in range(1, 7)}
_MAY_HAVE_HEADING_ROLE: Final = frozenset({"div", "p", "span", "strong", "b", "em", "a", "header", *_LEVELS})


@dataclass(slots=True)
class Line:
    """One line: its text, and ``(start, end, kind)`` of what of it is set apart. ``level`` of a heading, else 0.

    ``words`` is where its words begin, after the mark of a list item. ``links`` counts the characters that lead to
    another page. ``area`` is the innermost area around it, as its place in :attr:`Walk.areas`, -1 for none. ``slot`` is
    where its text begins in the tree; ``None`` for a further line of the same text.
    """

    text: str
    area: int
    level: int = 0
    words: int = 0
    links: int = 0
    is_row: bool = False
    slot: Slot | None = None
    apart: Sequence[SetApart] = ()


@dataclass(slots=True)
class Area:
    """One area of a page: its kind (``areas``), and the area around it (-1 for none)."""

    kind: str
    outer: int


@dataclass(slots=True)
class Walk:
    """The lines of a page and the areas in which they stand, both in document order."""

    lines: list[Line]
    areas: list[Area]


@dataclass(slots=True)
class _Buffer:
    """The pieces of the line that is being read."""

    pieces: list[_Piece] = field(default_factory=list)
    slot: Slot | None = None
    links: int = 0
    is_apart: bool = False

    def add(self, text: str | None, kind: str, slot: Slot, in_link: bool) -> None:
        if not text:
            return
        if not text.isspace():
            if self.slot is None:
                self.slot = slot
            self.is_apart |= bool(kind)
            if in_link:
                self.links += len(text.strip())
        self.pieces.append((text, kind))


def walk(root: HtmlElement) -> Walk:
    """All lines of a parsed page."""
    areas: list[Area] = []
    return Walk(_lines(root, "", areas, -1), areas)


def one_line(root: HtmlElement) -> str:
    """All readable text of an element, such as a cell, on one line."""
    return " ".join(line.text for line in _lines(root, "", [], -1))


def joined(lines: Iterable[Line]) -> tuple[str, tuple[Heading, ...], tuple[SetApart, ...]]:
    """Lines as one text, with its outline and what of it is set apart; parts of one kind in a row are one part."""
    pieces: list[str] = []
    outline: list[Heading] = []
    apart: list[SetApart] = []
    at = ended = 0
    for line in lines:
        if pieces:
            pieces.append("\n\n" if line.level else "\n")
            at += len(pieces[-1])
        if line.level:
            outline.append(Heading(at + line.words, at + len(line.text), line.level))
        for start, end, kind in line.apart:
            if apart and start <= line.words and apart[-1].kind == kind and apart[-1].end == ended > 0:
                apart[-1] = SetApart(apart[-1].start, at + end, kind)
            else:
                apart.append(SetApart(at + start, at + end, kind))
        pieces.append(line.text)
        at += len(line.text)
        ended = at
    return "".join(pieces), tuple(outline), tuple(apart)


def heading_level(node: HtmlElement) -> int:
    """The level of a heading (h1 to h6, or an element with the ARIA role ``heading``), 0 for any other element."""
    role = node.get("role")
    if role == "heading" and node.tag in _MAY_HAVE_HEADING_ROLE:
        level = node.get("aria-level") or ""
        if level.isascii() and level.isdecimal() and level != "0":
            return min(int(level[:3]) or 1, 6)
        return _LEVELS.get(node.tag, 2)
    return 0 if role in ("presentation", "none") else _LEVELS.get(node.tag, 0)


def _lines(root: HtmlElement, outer: str, areas: list[Area], area: int) -> list[Line]:
    """The lines of an element. Iterative, not recursive, so that no depth of nesting can exhaust the stack."""
    lines: list[Line] = []
    buffer = _Buffer()
    prefix = ""
    depth = preserved = linked = 0
    heading: HtmlElement | None = None
    level = 0
    kinds = [outer]
    within = [area]

    def flush() -> None:
        nonlocal prefix, buffer
        if buffer.slot is not None:
            done = _finished(buffer, prefix, within[-1], preserved > 0, level)
            if done:
                lines.extend(done)
                prefix = ""
        if buffer.pieces:
            buffer = _Buffer()

    steps = etree.iterwalk(root, events=("start", "end"))
    for event, node in steps:
        tag = node.tag
        if not isinstance(tag, str):
            if event == "end":
                buffer.add(node.tail, kinds[-1], (node, True), linked > 0)
            continue
        if event == "start":
            kind = graver(kinds[-1], node.get(APART) or "")
            if tag in DROPPED:
                kinds.append(kind)
                within.append(within[-1])
                steps.skip_subtree()
                continue
            is_block = tag in BLOCKS
            if is_block or tag == "br":
                if heading is None:
                    flush()
                else:
                    buffer.pieces.append((" ", ""))
            kinds.append(kind)
            if (name := node.get(AREA)) is not None:
                areas.append(Area(name, within[-1]))
                within.append(len(areas) - 1)
            else:
                within.append(within[-1])
            if heading is None:
                if tag == "table" and node is not root and is_data_table(node):
                    flush()
                    lines.extend(_table(node, kind, areas, within[-1]))
                    steps.skip_subtree()
                    continue
                if (found := heading_level(node)) and not longer_than(node, LONGEST_HEADING):
                    flush()
                    heading, level = node, found
                elif is_block:
                    depth += tag in LISTS
                    preserved += tag == "pre"
                    if tag == "li":
                        prefix = "  " * max(depth - 1, 0) + "- "
            linked += tag == "a" and _leads_away(node)
            buffer.add(node.text, kind, (node, False), linked > 0)
            continue
        if tag not in DROPPED:
            linked -= tag == "a" and _leads_away(node)
            if node is heading:
                flush()
                heading, level = None, 0
            elif heading is not None:
                if tag in BLOCKS:
                    buffer.pieces.append((" ", ""))
            elif tag in BLOCKS:
                flush()
                if tag == "li":
                    prefix = ""
                depth -= tag in LISTS
                preserved -= tag == "pre"
        kinds.pop()
        within.pop()
        if node is not root:
            buffer.add(node.tail, kinds[-1], (node, True), linked > 0)
    flush()
    return lines


def _leads_away(node: HtmlElement) -> bool:
    target = node.get("href")
    return bool(target) and not target.startswith("#")


def _finished(buffer: _Buffer, prefix: str, area: int, preserved: bool, level: int) -> list[Line]:
    """What was read, as one line; preformatted text as several."""
    slot: Slot | None = buffer.slot
    if not preserved:
        text, apart = _collapsed(buffer, len(prefix))
        return [Line(prefix + text, area, level, len(prefix), buffer.links, False, slot, apart)] if text else []
    done: list[Line] = []
    of_line = _Buffer()
    pieces = [*buffer.pieces, ("\n", "")]
    for text, kind in pieces:
        for number, part in enumerate(normalise_newlines(text).split("\n")):
            if number:
                whole = "".join(piece for piece, _ in of_line.pieces).rstrip()
                if whole.strip():
                    apart = _ranges(of_line.pieces, len(whole), len(prefix)) if buffer.is_apart else ()
                    done.append(Line(prefix + whole, area, 0, len(prefix), 0, False, slot, apart))
                    slot, prefix = None, ""
                of_line = _Buffer()
            if part:
                of_line.pieces.append((part, kind))
    return done


def _collapsed(buffer: _Buffer, before: int) -> tuple[str, Sequence[SetApart]]:
    """The pieces of a line with white space collapsed, and what of it is set apart, ``before`` characters later."""
    if not buffer.is_apart:
        pieces = buffer.pieces
        return collapse_whitespace(pieces[0][0] if len(pieces) == 1 else "".join([text for text, _ in pieces])), ()
    collapsed: list[_Piece] = []
    ends_in_space = True
    for text, kind in buffer.pieces:
        part = SPACE.sub(" ", text)
        if ends_in_space:
            part = part.removeprefix(" ")
        if part:
            collapsed.append((part, kind))
            ends_in_space = part.endswith(" ")
    text = "".join(text for text, _ in collapsed).rstrip(" ")
    return text, _ranges(collapsed, len(text), before)


def _ranges(pieces: Sequence[_Piece], length: int, before: int) -> list[SetApart]:
    """The parts of a line that are set apart, without white space at their ends; neighbours of one kind are one."""
    found: list[SetApart] = []
    at = 0
    for text, kind in pieces:
        end = min(at + len(text.rstrip()), length)
        start = at + len(text) - len(text.lstrip())
        if kind and start < end:
            last = found[-1] if found else None
            if last and last.kind == kind and last.end + 1 >= before + start:
                found[-1] = SetApart(last.start, before + end, kind)
            else:
                found.append(SetApart(before + start, before + end, kind))
        at += len(text)
    return found


def _table(table: HtmlElement, outer: str, areas: list[Area], area: int) -> list[Line]:
    """The lines of a data table, one per row; rows without text are left out."""
    lines: list[Line] = []
    for row in table.iter("tr"):
        group = row.getparent()
        kind = graver(outer, row.get(APART) or "")
        if group is not None and group is not table:
            kind = graver(kind, group.get(APART) or "")
        line = Line("|", area, is_row=True)
        apart: list[SetApart] = []
        cells = [_lines(cell, kind, areas, area) for cell in row.iterchildren("td", "th")]
        if not any(cells):
            continue
        pieces = ["|"]
        at = 1
        for cell in cells:
            for part in cell:
                apart += (SetApart(at + 1 + start, at + 1 + end, one) for start, end, one in part.apart)
                pieces.append(part.text)
                at += 1 + len(part.text)
                line.links += part.links
                line.slot = line.slot or part.slot
            if not cell:
                pieces.append("")
                at += 1
            pieces.append("|")
            at += 2
        line.text, line.words = " ".join(pieces), 2
        line.apart = [SetApart(0, len(line.text), kind)] if kind else apart
        lines.append(line)
    return lines
