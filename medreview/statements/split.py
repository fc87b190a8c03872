"""Splitting a response into statements, each verifiable by itself (as in SourceCheckup), with the reasons for what is
left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.citations import Citation, extract
from medreview.statements.blocks import Block, blocks
from medreview.statements.kinds import has_words, is_disclaimer, is_intro, is_question, is_source_reference, is_title
from medreview.statements.marks import CitationIndex, trim
from medreview.statements.sentences import sentence_spans
from medreview.text import Span

PARSER: Final = "rules-1"
"""Name and version of these rules, stored with every response that they have split."""

Reason = Literal["heading", "disclaimer", "question", "citation_list", "fragment"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, list item or table row: ``response[start:end] == text`` (code points, half-open range)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A part of the response that is not a statement, and why; ``start`` and ``end`` as in :class:`Statement`."""

    reason: Reason
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result for a response: both lists in text order, all spans disjoint."""

    statements: list[Statement]
    dropped: list[Dropped]


def split(text: str, citations: Sequence[Citation] | None = None) -> Parsed:
    """Split a response; ``citations`` are those of ``extract(text)``, computed here when they are not given.

    Spans exclude list markers, emphasis, and the reference marks and citations at the end of a statement.
    """
    cited = CitationIndex(text, extract(text) if citations is None else citations)
    parsed = Parsed([], [])
    found = blocks(text, cited)
    for number, block in enumerate(found):
        following = found[number + 1] if number + 1 < len(found) else None
        for reason, span in _parts(text, block, following, cited):
            if not span:
                continue
            if reason is None:
                parsed.statements.append(Statement(text[span.start : span.end], span.start, span.end))
            else:
                parsed.dropped.append(Dropped(reason, span.start, span.end))
    return parsed


def _parts(
    text: str, block: Block, following: Block | None, cited: CitationIndex
) -> Iterator[tuple[Reason | None, Span]]:
    whole = Span(block.start, block.end)
    if block.shape in ("heading", "citation_list"):
        yield block.shape, whole
    elif block.shape == "row":
        yield _row(text, whole, cited)
    elif block.titled and following is not None and _is_title_of(block, following):
        yield "heading", whole
    else:
        spans = sentence_spans(text, block.start, block.end)
        for number, span in enumerate(spans):
            last = number + 1 == len(spans)
            yield _sentence(text, span, block, following if last else None, cited, alone=len(spans) == 1)


def _is_title_of(block: Block, following: Block) -> bool:
    """Whether a bold list item is the title of the next block, rather than an item like the others."""
    return following.shape == "prose" or (following.shape == "item" and following.indent > block.indent)


def _row(text: str, whole: Span, cited: CitationIndex) -> tuple[Reason | None, Span]:
    start, end = whole
    while start < end and text[start] in "| \t":
        start += 1
    while end > start and text[end - 1] in "| \t":
        end -= 1
    span = trim(text, Span(start, end), cited)
    cells = [cell for cell in text[span.start : span.end].split("|") if cell.strip()]
    if len(cells) < 2 or not has_words(text[span.start : span.end], 2):
        return "fragment", whole
    return None, span


def _sentence(
    text: str, place: Span, block: Block, following: Block | None, cited: CitationIndex, alone: bool
) -> tuple[Reason | None, Span]:
    if is_source_reference(text, place, cited):
        return "citation_list", place
    span = trim(text, place, cited)
    body = text[span.start : span.end]
    if not body.strip():
        return "citation_list" if cited.any(place) or "[" in text[place.start : place.end] else "fragment", place
    if is_disclaimer(body):
        return "disclaimer", place
    if is_question(body):
        return "question", place
    before_list = following is not None and following.shape in ("item", "row", "citation_list")
    if is_intro(body, before_list):
        return "heading", place
    if block.shape == "item":
        return (None, span) if has_words(body, 1) else ("fragment", place)
    if alone and is_title(body):
        return "heading" if following is not None else "fragment", place
    return (None, span) if has_words(body, 2) else ("fragment", place)
