"""Splitting a response into statements, each verifiable by itself (as in SourceCheckup), and why the rest is left out.

A sentence with two figures is two statements: "It failed in 28.4% of men and 1.2% of women." says two things, and a
source may bear out one of them. Only two forms are parted, of which the halves are surely sentences: amount,
preposition, group, "and", the same again, at the end of the sentence; and "A and B were 5% and 7%, respectively" at its
end.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.citations import Citation, extract
from medreview.citations.source_lists import is_sources_title
from medreview.statements.blocks import Block, blocks
from medreview.statements.kinds import (
    count_words,
    has_amount,
    has_mark,
    has_words,
    is_answer,
    is_claim_in_heading,
    is_disclaimer,
    is_intro,
    is_question,
    is_source_reference,
    is_specific,
    is_thing,
    is_title,
    names_equipment,
    without_marks,
)
from medreview.statements.marks import CitationIndex, trim
from medreview.statements.sentences import sentence_spans
from medreview.text import Span, joined, with_line_ends

_UNIT: Final = (
    r"(?:\s?(?:%|‰|°C)|\s(?:percent|per\scent)\b"
    r"|\s?(?:mcg|µg|μg|mg|kg|g|ml|mL|l|L|IU|units?|mmol/l|mmol/L|mg/dl|mg/dL|mmHg|mm|cm)(?:/\w+){0,2}\b"
    r"|\s(?:minutes?|hours?|days?|weeks?|months?|years?|times)\b)"
)
_NUMBER: Final = (
    r"(?:(?:about|around|approximately|only|nearly|up\sto|at\sleast|[<>≤≥~≈])\s?)?\d+(?:[.,]\d+)?"
    r"(?:\s?(?:[-–]|to)\s?\d+(?:[.,]\d+)?)?"
)
_GROUP: Final = (
    r"(?:(?!(?:and|or|but|that|which|who|while|whereas|is|are|was|were|has|have|had|may|can|than)\b)[^\W\d_][\w'’-]*)"
)
_SIDE_BY_SIDE: Final = re.compile(
    rf"""(?P<one>(?P<amount>{_NUMBER}(?P<unit>{_UNIT})(?:\s(?:daily|weekly|a\sday|per\sday))?)
        \s(?P<with>for|in|of|among)\s{_GROUP}(?:\s{_GROUP}){{0,5}})
      ,?\s and \s
      (?P<two>{_NUMBER}(?P=unit)(?:\s(?:daily|weekly|a\sday|per\sday))?\s(?P=with)\s{_GROUP}(?:\s{_GROUP}){{0,5}}\.?)\Z""",
    re.VERBOSE,
)
_RESPECTIVELY: Final = re.compile(
    rf"""(?P<first>{_GROUP})\sand\s(?P<second>{_GROUP}) (?P<verb>\s(?:of|was|were|is|are))
      \s(?P<one>{_NUMBER}(?:{_UNIT})?)\sand\s(?P<two>{_NUMBER}{_UNIT}),?\srespectively\.?\Z""",
    re.VERBOSE,
)
_UNSAFE: Final = re.compile(
    r"""\b(?:between|differ\w*|compar\w*|versus|vs|ratios?|both|either|neither|not|never|no|without|than|total\w*|together|combin\w*|sum|or
      |if|unless|from|increas\w*|decreas\w*|r[oi]se\w*|f[ae]ll\w*|drop\w*|chang\w*|respectively)\b|n['’]t\b|[;:"“()]""",
    re.IGNORECASE | re.VERBOSE,
)
_LEADS_TO_AMOUNT: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|in|of|to|at|by|as|reach(?:es|ed)|affect(?:s|ed)?|show(?:s|ed)?|averag(?:es?|ed)|equals?)\Z",
    re.IGNORECASE,
)
"""After anything else the figure may be the subject of what follows the second group: "28% of men and 12% of women
recovered"."""

_LEADS_TO_NAME: Final = re.compile(
    r"\b(?:the|an?|of|in|for|with|among|to|on|its|their|mean|median|average|overall|pooled|estimated|reported|respective)\Z",
    re.IGNORECASE,
)
"""After another word the first name may be part of a longer one: "diabetes mellitus and hypertension"."""

_LONGEST: Final = 400


def halves(text: str, span: Span) -> tuple[tuple[Span, ...], ...]:
    """The places of both halves of a sentence, each one or more ranges of ``text``; empty when it stays whole."""
    sentence = text[span.start : span.end]
    if len(sentence) > _LONGEST or "\n" in sentence:
        return ()
    return _side_by_side(sentence, span.start) or _respectively(sentence, span.start)


def _side_by_side(sentence: str, shift: int) -> tuple[tuple[Span, ...], ...]:
    found = _SIDE_BY_SIDE.search(sentence)
    if found is None:
        return ()
    head = sentence[: found.start()].rstrip()
    if not _LEADS_TO_AMOUNT.search(head) or _UNSAFE.search(head) or has_amount(head):
        return ()
    lead = Span(shift, shift + len(head))
    return (Span(shift, shift + found.end("one")),), (lead, _place(found, "two", shift))


def _respectively(sentence: str, shift: int) -> tuple[tuple[Span, ...], ...]:
    found = _RESPECTIVELY.search(sentence)
    if found is None:
        return ()
    head = sentence[: found.start()].rstrip()
    if (head and not _LEADS_TO_NAME.search(head)) or _UNSAFE.search(head) or has_amount(head) or " and " in head:
        return ()
    lead = (Span(shift, shift + len(head)),) if head else ()
    first = Span(shift, shift + found.end("first"))
    verb = Span(shift + found.start("verb") + 1, shift + found.end("verb"))
    last = Span(verb.start, shift + found.end("one"))
    return (first, last), (*lead, Span(shift + found.start("second"), verb.end), _place(found, "two", shift))


def _place(found: re.Match[str], group: str, shift: int) -> Span:
    return Span(shift + found.start(group), shift + found.end(group))


_HEADING_MARK: Final = re.compile(r"(?:>[ \t]{0,3}){0,3}#{1,6}[ \t]*")

PARSER: Final = "rules-4"
"""Name and version of these rules, stored with every response that they have split."""

Reason = Literal["heading", "disclaimer", "question", "citation_list", "fragment"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, list item or table row: ``response[start:end] == text`` (code points, half-open range).

    Half of a sentence with two figures may have several ``parts``: their texts joined by one blank are its text, and
    ``start`` and ``end`` are ``None``.
    """

    text: str
    start: int | None
    end: int | None
    parts: tuple[Span, ...] = ()

    @property
    def places(self) -> tuple[Span, ...]:
        """Its ranges in the response, one unless it has parts."""
        return self.parts if self.start is None or self.end is None else (Span(self.start, self.end),)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A part of the response that is not a statement, and why; ``start`` and ``end`` are a half-open range."""

    reason: Reason
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result for a response: both lists in text order, all places disjoint, but for what the halves of a sentence
    with two figures share."""

    statements: list[Statement]
    dropped: list[Dropped]


def split(text: str, citations: Sequence[Citation] | None = None) -> Parsed:
    """Split a response; ``citations`` are those of ``extract(text)``, computed here when they are not given.

    Places exclude list markers, emphasis, and the reference marks and citations at the end of a statement. HTML line
    breaks and an escaped ``\\n`` end a line.
    """
    lines = with_line_ends(text)
    cited = CitationIndex(lines, extract(text) if citations is None else citations)
    parsed = Parsed([], [])
    for reason, span in _parts_of_blocks(lines, cited):
        if not span:
            continue
        if reason is None:
            parsed.statements.extend(_statements(text, lines, span))
        else:
            parsed.dropped.append(Dropped(reason, span.start, span.end))
    return parsed


def _statements(text: str, lines: str, span: Span) -> Iterator[Statement]:
    for places in halves(lines, span) or ((span,),):
        exact = joined(text, places)
        yield Statement(exact, None, None, places) if len(places) > 1 else Statement(exact, *places[0])


def _parts_of_blocks(text: str, cited: CitationIndex) -> Iterator[tuple[Reason | None, Span]]:
    found = blocks(text, cited)
    things = False  # in a list of equipment
    for number, block in enumerate(found):
        following = found[number + 1] if number + 1 < len(found) else None
        things = things and block.shape == "item"
        for reason, span in _parts(text, block, following, cited):
            body = text[span.start : span.end]
            if reason is None and things and is_thing(body) and not _cites(text, span, cited):
                reason = "fragment"
            yield reason, span
            if reason == "heading" or (reason is None and block.shape == "prose"):
                things = reason == "heading" and names_equipment(body)


def _parts(
    text: str, block: Block, following: Block | None, cited: CitationIndex
) -> Iterator[tuple[Reason | None, Span]]:
    whole = Span(block.start, block.end)
    if block.shape == "heading":
        yield _heading(text, whole, cited)
    elif block.shape == "citation_list":
        yield "citation_list", whole
    elif block.shape == "row":
        yield _row(text, whole, cited)
    elif block.titled and following is not None and _is_title_of(block, following):
        yield _heading(text, whole, cited)
    else:
        spans = sentence_spans(text, block.start, block.end)
        for number, span in enumerate(spans):
            last = number + 1 == len(spans)
            yield _sentence(text, span, block, following if last else None, cited, alone=len(spans) == 1)


def _heading(text: str, whole: Span, cited: CitationIndex) -> tuple[Reason | None, Span]:
    lead = _HEADING_MARK.match(text, whole.start, whole.end)
    whole = Span(lead.end(), whole.end) if lead else whole
    span = trim(text, whole, cited)
    body = text[span.start : span.end]
    claims = "|" not in body and (is_claim_in_heading(body) or (_cites(text, whole, cited) and count_words(body) >= 5))
    return (None, span) if claims else ("heading", whole)


def _cites(text: str, place: Span, cited: CitationIndex) -> bool:
    """Whether a sentence has a citation or a reference mark of its own."""
    return cited.any(place) or has_mark(text[place.start : place.end])


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
    body = text[span.start : span.end]
    cells = [cell for cell in body.split("|") if cell.strip()]
    if has_words(body, 2) and (len(cells) >= 2 or is_specific(body)):
        return None, span
    return "fragment", whole


def _sentence(
    text: str, place: Span, block: Block, following: Block | None, cited: CitationIndex, alone: bool
) -> tuple[Reason | None, Span]:
    if is_source_reference(text, place, cited):
        return "citation_list", place
    span = trim(text, place, cited)
    body = text[span.start : span.end]
    if not body.strip():
        return "citation_list" if cited.any(place) or "[" in text[place.start : place.end] else "fragment", place
    if is_sources_title(body):
        return "citation_list", place
    if not has_words(without_marks(body), 1):
        return "fragment", place
    if _cites(text, place, cited) and has_words(without_marks(body), 3):
        return None, span
    reason = _reason(body, block, following, alone)
    return reason, span if reason is None else place


def _reason(body: str, block: Block, following: Block | None, alone: bool) -> Reason | None:
    """Why a sentence is left out; ``None`` for a statement."""
    before_list = following is not None and following.shape in ("item", "row", "citation_list")
    if is_disclaimer(body):
        return "disclaimer"
    if is_question(body):
        return "question"
    if is_intro(body, before_list):
        return "heading"
    if block.shape == "item" or is_answer(body):
        return None
    if alone and is_title(body):
        if following is not None:
            return "heading"
        return None if is_specific(body) and has_words(body, 3) else "fragment"
    return None if has_words(body, 2) else "fragment"
