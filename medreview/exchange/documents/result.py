"""What a reader of documents gives back: rows, or Markdown as medreview reads it (links, tables, notes)."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.listed_citations import encoded


class Read(NamedTuple):
    """What was read: ``text`` in Markdown with what is cited beside it, or ``rows``; ``kind`` is what the document is,
    ``notes`` are sentences on how it was read and what was not."""

    kind: str
    text: str | None = None
    rows: tuple[NamedRow | BadRecord, ...] = ()
    citations: tuple[dict[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class RefusedError(Exception):
    """A document that is not read; the text is half a sentence that goes on after its name."""


_WEB: Final = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_EDGES: Final = re.compile(r"(\s*)(.*?)(\s*)\Z", re.DOTALL)
_RAISED: Final = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_DIGITS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_NUMBERS: Final = re.compile(r"\d{1,3}(?:\s?[,–-]\s?\d{1,3})*")
_POWER: Final = re.compile(r"[+−–-]?\d{1,3}[+−–-]?|[+−–-]")
LONGEST_LABEL: Final = 150
"""Characters of the words of a link; longer ones are a text that leads somewhere, and its address stands after it."""


def markdown_link(words: str, address: str) -> str:
    """``[words](address)``; the address alone where the words say no more, the words without an address of the web."""
    before, label, after = _EDGES.match(words).groups()  # type: ignore[union-attr]
    if not _WEB.match(address.strip()):
        return words
    address = encoded(address)
    label = " ".join(label.split())
    if not label:
        return words
    if _bare(label) == _bare(address):
        return f"{before}{address}{after}"
    if len(label) > LONGEST_LABEL:
        return f"{before}{label} ({address}){after}"
    return f"{before}[{label}]({address}){after}"


def _bare(address: str) -> str:
    return re.sub(r"^https?://(?:www\.)?|\s", "", address.casefold()).rstrip("/")


def raised(text: str) -> str:
    """A superscript: numbers as raised digits, so that 10 with a 9 above it is not 109; anything else as it is."""
    bare = text.strip()
    if _POWER.fullmatch(bare):
        return text.translate(_RAISED)
    if _NUMBERS.fullmatch(bare):
        return re.sub(r"\s", "", text).translate(_DIGITS)
    return text


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table, its first row as the header; rows without a text are left out."""
    filled = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows if any(map(str.strip, row))]
    if not filled:
        return []
    width = max(map(len, filled))
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in filled]
    return [lines[0], f"|{' --- |' * width}", *lines[1:]]


def notes(texts: Iterable[str], first: int = 1) -> list[str]:
    """The lines of footnotes, as their marks ``[^1]`` in the text name them."""
    return [f"[^{number}]: {' '.join(text.split())}" for number, text in enumerate(texts, first)]


def joined(blocks: Iterable[tuple[str, str]]) -> str:
    """Blocks as one text; each is its kind and its lines. Items of a list and rows of a table follow one another
    directly, anything else after an empty line."""
    text: list[str] = []
    before = ""
    for kind, lines in blocks:
        if not lines.strip():
            continue
        if text:
            text.append("\n" if kind == before and kind in ("item", "row", "note") else "\n\n")
        text.append(lines)
        before = kind
    return "".join(text)
