"""OpenDocument texts (.odt) as Markdown, and spreadsheets (.ods) as sheets of texts, as the sheet shows them."""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.documents.result import RefusedError, joined, markdown_link, notes, table
from medreview.exchange.documents.sheets import MOST_CELLS, MOST_COLUMNS, MOST_SHEETS, Sheet
from medreview.exchange.documents.zip_parts import Parts, attribute

_SKIPPED: Final = frozenset(
    {
        "tracked-changes",
        "annotation",
        "annotation-end",
        "table-of-content",
        "sequence-decls",
        "forms",
        "script",
        "hidden-text",
    }
)
_SPACE: Final = re.compile(r"[ \t\r\n]+")
_MOST_SPACES: Final = 100
_NUMBERED: Final = "list-level-style-number"


def read_open_text(parts: Parts) -> str:
    """The text of a document."""
    root = parts.xml("content.xml")
    if root is None:
        return ""
    return _Text(root).text()


def inline(node: Any, cited: list[Any] | None = None) -> str:
    """The text of a paragraph with its links; ``cited`` takes the notes, whose marks stand in their place."""
    pieces = [_SPACE.sub(" ", node.text or "")]
    for child in node:
        tag = child.tag
        if tag == "s":
            count = attribute(child, "c")
            pieces.append(" " * min(int(count) if count.isdecimal() and len(count) < 6 else 1, _MOST_SPACES))
        elif tag == "tab":
            pieces.append(" ")
        elif tag == "line-break":
            pieces.append("\n")
        elif tag == "note" and cited is not None:
            cited.append(child)
            pieces.append(f"[^{len(cited)}]")
        elif tag == "a":
            pieces.append(markdown_link(inline(child, cited), attribute(child, "href")))
        elif tag not in _SKIPPED and tag not in ("note", "p"):
            pieces.append(inline(child, cited))
        pieces.append(_SPACE.sub(" ", child.tail or ""))
    return "".join(pieces)


class _Text:
    def __init__(self, root: Any) -> None:
        self._body = root.find("body/text")
        self._cited: list[Any] = []
        self._numbered = {
            (attribute(style, "name"), attribute(level, "level"))
            for style in root.iter("list-style")
            for level in style.iter(_NUMBERED)
        }

    def text(self) -> str:
        blocks = list(self._blocks(self._body, 0, ""))
        texts = [" ".join(inline(one) for one in note.iter("p")) for note in self._cited]
        return joined([*blocks, *(("note", line) for line in notes(texts))])

    def _blocks(self, parent: Any, depth: int, style: str) -> Iterator[tuple[str, str]]:
        for node in parent if parent is not None else ():
            tag = node.tag
            if tag in _SKIPPED:
                continue
            if tag == "h":
                level = attribute(node, "outline-level")
                words = " ".join(inline(node, self._cited).split())
                yield (
                    "text",
                    f"{'#' * min(int(level) if level.isdecimal() and level else 1, 6)} {words}" if words else "",
                )
            elif tag == "p":
                yield "text", inline(node, self._cited).strip()
            elif tag == "list":
                yield from self._list(node, depth, attribute(node, "style-name") or style)
            elif tag == "table":
                rows = [
                    [
                        " ".join(lines for _, lines in self._blocks(cell, 0, ""))
                        for cell in row.iterchildren("table-cell")
                    ]
                    for row in node.iter("table-row")
                ]
                if max(map(len, rows), default=0) > 1:
                    yield from (("row", line) for line in table(rows))
                else:
                    yield from (("text", cell) for row in rows for cell in row)
            else:
                yield from self._blocks(node, depth, style)

    def _list(self, node: Any, depth: int, style: str) -> Iterator[tuple[str, str]]:
        is_numbered = (style, str(depth + 1)) in self._numbered
        for number, item in enumerate(node.iterchildren("list-item"), 1):
            label = f"{number}." if is_numbered else "-"
            for kind, lines in self._blocks(item, depth + 1, style):
                if kind == "text" and lines and not lines.startswith("#"):
                    yield "item", f"{'  ' * min(depth, 8)}{label} {lines}" if label else f"{'  ' * (depth + 1)}{lines}"
                    label = ""
                else:
                    yield kind, lines


_MOST_REPEATED: Final = 1_000
"""Rows in a row that are alike and hold a text."""


def read_open_sheet(parts: Parts) -> Iterator[Sheet]:
    """The sheets in their order. Raises :class:`RefusedError` for a document with more than are read."""
    root = parts.xml("content.xml")
    if root is None:
        return
    tables = list(root.iter("table"))
    if len(tables) > MOST_SHEETS:
        raise RefusedError(f"has {len(tables):,} sheets, more than the {MOST_SHEETS} that are read")
    for one in tables:
        sheet = Sheet(f"sheet {attribute(one, 'name')!r}")
        _fill(sheet, one)
        yield sheet


def _fill(sheet: Sheet, told: Any) -> None:
    number, read = 1, 0
    for row in told.iter("table-row"):
        times = _times(row, "number-rows-repeated")
        cells: list[str] = []
        for cell in row.iterchildren("table-cell", "covered-table-cell"):
            text = "\n".join(filter(None, (inline(one) for one in cell.iter("p"))))
            count = _times(cell, "number-columns-repeated")
            cells += [text] * min(count, max(0, MOST_COLUMNS - len(cells)))
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            for at in range(min(times, _MOST_REPEATED)):
                read += len(cells)
                if read > MOST_CELLS:
                    sheet.more = True
                    return
                sheet.rows.append((number + at, cells))
        number += times


def _times(node: Any, name: str) -> int:
    said = attribute(node, name)
    return max(1, int(said)) if said.isdecimal() and len(said) < 8 else 1
