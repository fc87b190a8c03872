"""Markdown as plain text for a width: headings are underlined, paragraphs and items wrapped, the rest as it stands."""

import re
from collections.abc import Iterator
from typing import Final

from medreview.review.layout.wrap import WrapTable
from medreview.visible import visible

_HEADING: Final = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM: Final = re.compile(r"(\s*)(?:[-*+]|(\d{1,3})[.)])\s+(.*)$")
_AS_IT_IS: Final = re.compile(r"\s*\||    |\t")
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_LEAST: Final = 20


def readable_markdown(text: str, columns: int) -> str:
    """The text in rows of at most so many columns, made safe to show; tables and code keep their lines."""
    rows: list[str] = []
    for kind, lead, words in _blocks(visible(text)):
        if kind == "as it is":
            rows.append(words)
            continue
        wrapped = _wrapped(words, max(_LEAST, columns - len(lead)))
        rows += [(lead if number == 0 else " " * len(lead)) + row for number, row in enumerate(wrapped)]
        if kind in "=-":
            rows.append(kind * min(columns, max(map(len, wrapped))))
    return "\n".join(rows).strip("\n")


def _blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind, what stands before its first row, and its words: ``=`` and ``-`` are headings by their underline."""
    open_: list[str] = []
    lead, fenced = "", False

    def closed() -> Iterator[tuple[str, str, str]]:
        if open_:
            yield "text", lead, " ".join(open_)
            open_.clear()

    for line in text.split("\n"):
        fence = _FENCE.match(line)
        item, heading = _ITEM.match(line), _HEADING.match(line)
        if fence or fenced or (_AS_IT_IS.match(line) and not open_ and not item):
            yield from closed()
            fenced = fenced != bool(fence)
            yield "as it is", "", line
        elif heading:
            yield from closed()
            yield "=" if len(heading[1]) == 1 else "-", "", heading[2]
        elif item:
            yield from closed()
            lead = f"{item[1]}{item[2] + '.' if item[2] else '-'} "
            open_.append(item[3])
        elif line.strip():
            lead = lead if open_ else ""
            open_.append(line.strip())
        else:
            yield from closed()
            yield "as it is", "", ""
    yield from closed()


def _wrapped(words: str, columns: int) -> list[str]:
    return [words[start:end].rstrip() for start, end in WrapTable(words, columns).rows]
