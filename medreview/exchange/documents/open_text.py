"""OpenDocument texts (.odt) as Markdown: headings, lists, tables, links in their place, notes."""

import re
from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.documents.markdown import joined, markdown_link, notes, table
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
