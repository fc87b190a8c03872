"""Blocks of a response (Markdown or plain text): paragraphs, list items, table rows, headings, lists of sources."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from medreview.citations.source_lists import BIBLIOGRAPHIC, NOTE, SOURCES_TITLE
from medreview.statements.kinds import gives_reason, has_amount, is_source_reference
from medreview.statements.marks import CitationIndex
from medreview.text import Span

Shape = Literal["prose", "item", "row", "heading", "citation_list"]

MARKER: Final = re.compile(
    r"""(?:>[ \t]{0,3}){0,4}
    (?: (?:[-*+•‣◦▪●○■□–—·]|\(?\d{1,3}(?:\[\d{1,3}\])?[.)]|\([a-zA-Z]\)|[a-zA-Z]\)|\(?[ivx]{1,4}\)|[a-h]\.
        |[A-H]\.(?=[ \t]+[A-Z][a-z]*[ \t,])
        |[✅❌⚠✔✓☑➡→►▶★🔹🔸👉💊]\ufe0f?)
        (?=[ \t]|\Z) [ \t]{0,20} (?:\[[ xX]\][ \t]{1,3})?
      | [-•‣◦▪●○■□–·](?=[A-Z]) )""",
    re.VERBOSE,
)
_QUOTE: Final = re.compile(r"(?:>[ \t]{0,3}){1,4}")
_HEADING: Final = re.compile(r"(?:>[ \t]{0,3}){0,3}#{1,6}(?:[ \t]|\Z)")
_HORIZONTAL_RULE: Final = re.compile(
    r"(?:[-*_=][ \t]{0,3}){3,}\Z|(?:```|~~~)\s*\w*\Z|</?[a-z][a-z0-9]{0,9}(?:\s+[\w-]+=[^<>]{0,80})?\s*/?>\Z",
    re.IGNORECASE,
)
_UNDERLINE: Final = re.compile(r"(?:={3,}|-{3,})\Z")
_TABLE_RULE: Final = re.compile(r"\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*){0,200}\|?\Z")
_BOLD_LINE: Final = re.compile(r"(?:\*\*\*?|__)(?=\S)(?P<body>[^*\n]{1,150}?)(?:\*\*\*?|__)[ \t]*:?\Z")
_LIST_WITHIN: Final = re.compile(
    r"""(?<=[.!?\])*_])[ \t]*
    (?:Sources?|References?|Citations?|Bibliography|Quellen|Literatur|Références|Fuentes|Referencias)
    [*_]{0,3}:[*_]{0,3} [ \t]* (?=\[\^?1\^?\]|\(?1[.)][ \t]|【1】|¹) (?=.{1,300}?(?:https?://|www\.|\b10\.\d{4}|PMID))""",
    re.VERBOSE,
)
"""A list of sources that begins after a sentence in the same line: "... is safe [2]. References: [1] https://..."."""
_NO_BREAK_AFTER: Final = re.compile(
    r"(?:[,;(/–-]|\b(?:a|an|the|of|and|or|to|in|on|for|with|by|at|from|than|as|is|are|be|that|which|not|no|und|oder|der|die"
    r"|das|von|mit|et|ou|de|la|le|des|du|y|o|del|el|los|las|con))\Z",
    re.IGNORECASE,
)
_SHORT_LINE: Final = 50


@dataclass(slots=True)
class Block:
    """A part of the response that no sentence crosses.

    ``text[start:end]`` is without the list marker; ``indent`` is 0 outside lists, else one more than the marker's
    column. ``titled``: the whole list item is bold, as a title is.
    """

    shape: Shape
    start: int
    end: int
    indent: int = 0
    titled: bool = False


def blocks(text: str, cited: CitationIndex) -> list[Block]:
    """The blocks of a text in order, disjoint; white space, horizontal rules and table borders belong to none."""
    found: list[Block] = []
    lines = list(_lines(text))
    open_block: Block | None = None
    in_sources = False
    for number, line in enumerate(lines):
        body = text[line.start : line.end]
        following = text[lines[number + 1].start : lines[number + 1].end] if number + 1 < len(lines) else ""
        if not body:
            open_block = None
            continue
        if (
            _UNDERLINE.match(body)
            and open_block is not None
            and open_block.shape == "prose"
            and open_block.end - open_block.start < 80
        ):
            open_block.shape, open_block = "heading", None
            continue
        if _HORIZONTAL_RULE.match(body) or _TABLE_RULE.match(body):
            open_block = None
            continue
        block = _block_of_line(text, line, body, following, cited)
        if block is None and _sentence_is_complete(text, open_block) and is_source_reference(text, line, cited):
            block = Block("citation_list", line.start, line.end)
        if block is None:
            if open_block is not None and _continues(text, open_block, line):
                open_block.end = line.end
                continue
            block = _running_text(text, line)
        in_sources = _in_sources(text, block, in_sources, cited)
        if in_sources or _is_reference(text, block, cited):
            block.shape = "citation_list"
        found.append(block)
        open_block = block if block.shape in ("prose", "item") else None
    return found


def _sentence_is_complete(text: str, block: Block | None) -> bool:
    """Whether a block ends with the end of a sentence; true without a block."""
    return block is None or text[max(block.start, block.end - 20) : block.end].rstrip("\"'”’)*_ ")[-1:] in tuple(
        ".!?:;…。"
    )


def _lines(text: str) -> Iterator[Span]:
    """Lines without leading and trailing white space; a list of sources within a line begins another."""
    at = 0
    for raw in text.split("\n"):
        within = _LIST_WITHIN.search(raw)
        cuts = [0, within.start(), len(raw)] if within else [0, len(raw)]
        for start, end in pairwise(cuts):
            part = raw[start:end]
            lead = start + len(part) - len(part.lstrip())
            yield Span(at + lead, at + lead + len(part.strip()))
        at += len(raw) + 1


def _block_of_line(text: str, line: Span, body: str, following: str, cited: CitationIndex) -> Block | None:
    """The block of a line that is a block by its form alone (heading, table row), ``None`` for running text."""
    if _HEADING.match(body):
        return Block("heading", line.start, line.end)
    if body.count("|") >= 2 and (body[0] == "|" or body[-1] == "|" or _TABLE_RULE.match(following)):
        return Block("heading" if _TABLE_RULE.match(following) else "row", line.start, line.end)
    if _BOLD_LINE.match(body) and body.rstrip("*_")[-1:] not in ".!?":
        return Block("heading", line.start, line.end)
    if cited.only(line):
        return Block("citation_list", line.start, line.end)
    return None


def _running_text(text: str, line: Span) -> Block:
    marker = MARKER.match(text, line.start, line.end)
    indent = line.start - (text.rfind("\n", 0, line.start) + 1)
    if marker is not None:
        start = min(marker.end(), line.end)
        body = text[start : line.end]
        titled = _BOLD_LINE.match(body) is not None and body.rstrip("*_")[-1:] not in ".!?"
        return Block("item", start, line.end, indent + 1, titled)
    quote = _QUOTE.match(text, line.start, line.end)
    return Block("prose", quote.end() if quote else line.start, line.end)


def _continues(text: str, block: Block, line: Span) -> bool:
    """Whether a line continues the block before it (wrapped text) rather than beginning another."""
    if MARKER.match(text, line.start, line.end) or _QUOTE.match(text, line.start, line.end):
        return False
    gap = text[block.end : line.start]
    if "  \n" in gap or text[block.end - 1] == "\\":
        return False
    last_line = text[text.rfind("\n", 0, block.end) + 1 : block.end]
    first = text[line.start : line.start + 3].lstrip("*_")[:1]
    short = len(last_line) < _SHORT_LINE and not _NO_BREAK_AFTER.search(last_line)
    titled = SOURCES_TITLE.match(text[line.start : line.end])
    if titled is not None and titled["colon"]:
        return False
    if last_line.endswith(":"):
        return False
    return not (short and (first.isupper() or first.isdigit()))


def _in_sources(text: str, block: Block, before: bool, cited: CitationIndex) -> bool:
    """Whether a block belongs to a list of sources, its title included; ``before``: the block before it does."""
    body = text[block.start : block.end]
    title = SOURCES_TITLE.match(body.lstrip("#"))
    if title is not None:
        rest = title["rest"].strip()
        says = has_amount(rest) or gives_reason(rest)  # "Sources: lung (60%)"
        named = cited.any(Span(block.start, block.end)) or (len(rest) < 200 and not says)
        if not rest or (title["colon"] and named):
            return True
    if before and block.shape in ("heading", "row") and body.count("|") >= 2:  # a table of sources
        return block.shape == "heading" or cited.any(Span(block.start, block.end))
    if not before or block.shape in ("heading", "row"):
        return False
    if block.shape == "item" or cited.any(Span(block.start, block.end)):
        return True
    return NOTE.match(body) is not None or BIBLIOGRAPHIC.search(body) is not None


def _is_reference(text: str, block: Block, cited: CitationIndex) -> bool:
    body = text[block.start : block.end]
    if block.shape not in ("prose", "item"):
        return False
    note = NOTE.match(body)
    return note is not None and (
        note.group().rstrip().endswith(":")
        or BIBLIOGRAPHIC.search(body) is not None
        or cited.closes(Span(block.start, block.end))
    )
