"""A response into statements: what can be checked one by one, and what was left out and why (SourceCheckup)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.citations import Citation, extract
from medreview.statements.blocks import Block, blocks
from medreview.statements.kinds import has_words, is_disclaimer, is_intro, is_pointer, is_question, is_title
from medreview.statements.marks import Cited, trim
from medreview.statements.sentences import sentence_spans
from medreview.text import Span

PARSER: Final = "rules-1"
"""Name and version of these rules, stored with every response that they split."""

Reason = Literal["heading", "disclaimer", "question", "citation_list", "fragment"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, list item or table row: ``response[start:end] == text``."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A part of the response that is no statement, and why."""

    reason: Reason
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """What became of a response: both lists in text order, spans disjoint."""

    statements: list[Statement]
    dropped: list[Dropped]


def split(text: str, citations: Sequence[Citation] | None = None) -> Parsed:
    """Split a response; ``citations`` are those of ``extract(text)``, found here when they are not given.

    Spans leave out list markers, emphasis and the reference marks and citations at the end of a statement.
    """
    cited = Cited(text, extract(text) if citations is None else citations)
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


def _parts(text: str, block: Block, following: Block | None, cited: Cited) -> Iterator[tuple[Reason | None, Span]]:
    whole = Span(block.start, block.end)
    if block.shape in ("heading", "citation_list"):
        yield block.shape, whole
    elif block.shape == "row":
        yield _row(text, whole, cited)
    elif block.titled and following is not None and _titles(block, following):
        yield "heading", whole
    else:
        spans = sentence_spans(text, block.start, block.end)
        for number, span in enumerate(spans):
            last = number + 1 == len(spans)
            yield _sentence(text, span, block, following if last else None, cited, alone=len(spans) == 1)


def _titles(block: Block, following: Block) -> bool:
    """Is a bold list item the title of what comes next, rather than an item like the others?"""
    return following.shape == "prose" or (following.shape == "item" and following.indent > block.indent)


def _row(text: str, whole: Span, cited: Cited) -> tuple[Reason | None, Span]:
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
    text: str, place: Span, block: Block, following: Block | None, cited: Cited, alone: bool
) -> tuple[Reason | None, Span]:
    if is_pointer(text, place, cited):
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
