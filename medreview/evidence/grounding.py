"""Grounding: where in a source a quotation is, and how true to it.

Statuses, as docs/evidence.md explains them to the reader:

- ``exact``: code point for code point;
- ``normalised``: the same words and numbers in order; only case, white space, typography, ligatures, line-end hyphens,
  markup or reference markers differ, or parts joined by an ellipsis are each found in order;
- ``near``: the passage is there, a few words differ;
- ``altered``: the passage is there, but a number, a unit, a negation or a direction differs;
- ``absent``: no such passage;
- ``too_short``: under 12 characters and 3 words.

``other_source`` and ``none`` are for the caller to decide: they need more than one source, or no quotation.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple

from medreview.evidence.alignment import Alignment, Token, TokenIndex, tokens
from medreview.evidence.differences import Difference, differences
from medreview.evidence.lexicon import is_negation
from medreview.evidence.normalise import DASHES, Folded, fold
from medreview.text import Span

Status = Literal["exact", "normalised", "near", "altered", "absent", "too_short"]

MIN_CHARACTERS: Final = 12
MIN_WORDS: Final = 3
NEAR_COVERAGE: Final = 0.6
"""Share of a quotation's characters that must stand in the passage, in order."""
NEAR_DENSITY: Final = 0.5
"""Share of the passage's characters that the shared words must make up."""
SHORT_GAP: Final = 80
"""An ellipsis that leaves out no more characters than this may hide a negation, and is looked into."""

_ELLIPSIS = re.compile(r"[\s,;]*[\[(]?\s*(?:…|\.\s?\.\s?\.(?:\s?\.)?)\s*[\])]?[\s,;]*")
_DASH = re.compile(f"[{DASHES}]")
_SENTENCE_END = re.compile(r"[.!?]\s")


class Grounding(NamedTuple):
    """Where a quotation is and how true.

    ``spans`` are ranges of the source: every occurrence of a quotation that is there word for word, in order; the parts
    of one joined by ellipses; else the closest passage. ``differences`` are the stretches that differ.
    """

    status: Status
    spans: tuple[Span, ...]
    differences: tuple[Difference, ...]


class QuoteIndex:
    """A source prepared for grounding: folded text and words, each made once, when first needed; can be pickled."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> Folded:
        """The source folded, when the first quotation is not there code point for code point."""
        return fold(self.text)

    @cached_property
    def words(self) -> TokenIndex:
        """The source's words, when the first quotation is not there word for word."""
        return TokenIndex(self.text)


class _Part(NamedTuple):
    """One part of a quotation and its place in the quotation."""

    text: str
    start: int


def ground(quote: str, source: QuoteIndex | str) -> Grounding:
    """Find a quotation in a source. Never ``exact`` or ``normalised`` when the digits differ."""
    index = QuoteIndex(source) if isinstance(source, str) else source
    bare = quote.strip()
    if len(bare) < MIN_CHARACTERS and len(bare.split()) < MIN_WORDS:
        return Grounding("too_short", (), ())
    verbatim = _verbatim(bare, index.text)
    if verbatim:
        return Grounding("exact", verbatim, ())
    parts = _parts(quote)
    if not parts:
        return Grounding("too_short", (), ())
    # An ellipsis may stand in the source itself.
    for pieces in ([_Part(quote, 0)], parts):
        found = _folded_chain([piece.text for piece in pieces], index)
        if found:
            return _checked(quote, pieces, found, index)
    return _aligned(quote, parts, index)


def _verbatim(quote: str, text: str) -> tuple[Span, ...]:
    """Every occurrence, code point for code point, that does not begin or end within a word or number."""
    found, at = [], text.find(quote)
    while at >= 0:
        span = Span(at, at + len(quote))
        if not cuts_word(text, span):
            found.append(span)
            at += len(quote) - 1
        at = text.find(quote, at + 1)
    return tuple(found)


def cuts_word(text: str, span: Span) -> bool:
    """Whether a range begins or ends within a word or a number (``5 mg`` within ``25 mg`` or ``0.5 mg``)."""
    return _joined(text, span.start) or _joined(text, span.end)


def _joined(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isalnum() and after.isalnum():
        # scripts without spaces (Chinese, Japanese, Thai) have no visible word border
        return not (_unspaced(before) and _unspaced(after))
    if before in ".,·" and after.isdigit():
        return at == 1 or text[at - 2].isdigit() or (before != "," and not text[at - 2].isalnum())
    return before.isdigit() and after in ".,·" and text[at + 1 : at + 2].isdigit()


def _unspaced(char: str) -> bool:
    return char.isalpha() and char.lower() == char.upper()


def _parts(quote: str) -> list[_Part]:
    """The quotation split at its ellipses; parts without a letter or digit are dropped."""
    found, at = [], 0
    for match in [*_ELLIPSIS.finditer(quote), None]:
        end = match.start() if match else len(quote)
        if any(char.isalnum() for char in quote[at:end]):
            found.append(_Part(quote[at:end], at))
        at = match.end() if match else end
    return found


def _folded_chain(parts: Sequence[str], index: QuoteIndex) -> list[list[Span]]:
    """Every place of the only part, or the tightest chain of several parts in order; empty when one is not there."""
    needles = [fold(part).text for part in parts]
    if not all(needles):
        return []
    if len(needles) == 1:
        return [[span] for span in _occurrences(needles[0], index, 0)]
    chain: list[Span] = []
    at = 0
    for needle in needles:
        span = next(_occurrences(needle, index, at), None)
        if span is None:
            return []
        chain.append(span)
        at = index.folded.within(*span).end
    for place in range(len(chain) - 2, -1, -1):
        low, high = index.folded.within(*chain[place]).start, index.folded.within(*chain[place + 1]).start
        *_, chain[place] = (
            span for span in _occurrences(needles[place], index, low) if index.folded.within(*span).end <= high
        )
    return [chain]


def _occurrences(needle: str, index: QuoteIndex, begin: int) -> Iterator[Span]:
    """Places of a folded text in the folded source, as ranges of the source, from a folded position on."""
    folded = index.folded
    at = folded.text.find(needle, begin)
    while at >= 0:
        span = folded.original(at, at + len(needle))
        if not cuts_word(index.text, span) and not _cuts_letter(folded, at, at + len(needle)):
            yield span
            at += len(needle) - 1
        at = folded.text.find(needle, at + 1)


def _cuts_letter(folded: Folded, start: int, end: int) -> bool:
    """Whether a folded range begins or ends within what one character became (a ligature, a fraction)."""
    offsets = folded.offsets
    return (start > 0 and offsets[start - 1] == offsets[start]) or (
        end < len(offsets) and offsets[end - 1] == offsets[end]
    )


def _checked(quote: str, parts: list[_Part], found: list[list[Span]], index: QuoteIndex) -> Grounding:
    """The same letters and digits: make sure that they are the same words, markers and nothing was hidden."""
    good: list[list[Span]] = []
    faults: list[tuple[list[Span], tuple[Difference, ...]]] = []
    for spans in found:
        wrong = _hidden(quote, parts, spans, index)
        if wrong:
            faults.append((spans, wrong))
        else:
            good.append(spans)
    if good:
        return Grounding("normalised", tuple(span for spans in good for span in _with_tails(parts, spans, index)), ())
    spans, wrong = faults[0]
    return Grounding("altered", tuple(spans), wrong)


def _with_tails(parts: list[_Part], spans: list[Span], index: QuoteIndex) -> list[Span]:
    """The ranges with the full stop, bracket or reference marker that ends both the part and the passage."""
    return [_grown(part.text, span, index) for part, span in zip(parts, spans, strict=True)]


def _grown(part: str, span: Span, index: QuoteIndex) -> Span:
    offsets = fold(part).offsets
    tail = part[offsets[-1] + 1 :] if offsets else ""
    text, end, at = index.text, span.end, span.end
    for char in tail:
        if char.isspace():
            continue
        while at < len(text) and text[at].isspace():
            at += 1
        if at >= len(text) or _mark(char) != _mark(text[at]):
            break
        at += 1
        end = at
    grown = Span(span.start, end)
    cut = any(grown.overlap(marker) and marker.end > end for marker in index.folded.markers)
    return span if cut or cuts_word(text, grown) else grown


def _mark(char: str) -> str:
    """One sign for every dash."""
    return "-" if _DASH.match(char) else char


def _hidden(quote: str, parts: list[_Part], spans: list[Span], index: QuoteIndex) -> tuple[Difference, ...]:
    """What folding and ellipses leave unseen: other digits in a bracket, another word border, a skipped negation."""
    wrong: list[Difference] = []
    if len(spans) == len(parts) > 1:
        for place in range(len(parts) - 1):
            left, right = spans[place].end, spans[place + 1].start
            gap = index.text[left:right]
            skipped = [token for token in tokens(gap) if is_negation(token.key)]
            if skipped and len(gap) <= SHORT_GAP and not _SENTENCE_END.search(gap):
                cut = Span(parts[place].start + len(parts[place].text), parts[place + 1].start)
                wrong += [Difference("negation", cut, Span(left + token.start, left + token.end)) for token in skipped]
    theirs = [marker for span in spans for marker in index.folded.markers if span.overlap(marker)]
    ours = list(fold(quote).markers)
    inner = [marker for marker in ours if quote[marker.end :].strip(" \"'”’».,;)*_\n")]
    if theirs and inner and _digits(quote, inner) != _digits(index.text, theirs):
        wrong.append(Difference("number", inner[0], theirs[0]))
    wrong += _reworded(parts, spans, index)
    return tuple(wrong)


def _digits(text: str, spans: Sequence[Span]) -> list[str]:
    return [number for span in spans for number in re.findall(r"\d+", text[span.start : span.end])]


def _reworded(parts: list[_Part], spans: list[Span], index: QuoteIndex) -> list[Difference]:
    """Negations that came or went with a word border: ``not able`` against ``notable``."""
    wrong: list[Difference] = []
    for piece, span in zip(parts, spans, strict=True):
        ours, theirs = tokens(piece.text), tokens(index.text[span.start : span.end])
        extra = [t for t in ours if is_negation(t.key)], [t for t in theirs if is_negation(t.key)]
        if len(extra[0]) != len(extra[1]) and "-\n" not in piece.text + index.text[span.start : span.end]:
            a, b = (extra[0] or ours)[0], (extra[1] or theirs)[0]
            wrong.append(
                Difference(
                    "negation",
                    Span(piece.start + a.start, piece.start + a.end),
                    Span(span.start + b.start, span.start + b.end),
                )
            )
    return wrong


def _aligned(quote: str, parts: list[_Part], index: QuoteIndex) -> Grounding:
    """The closest passage for each part, in order, when the quotation is not there word for word."""
    spans: list[Span] = []
    found: list[Difference] = []
    weight = covered = 0
    begin = 0
    for part in parts:
        words = tokens(part.text)
        size = sum(len(word.key) for word in words)
        weight += size
        if not words:
            continue
        place = index.words.align([word.key for word in words], begin)
        if place is None or place.coverage < NEAR_COVERAGE or place.density < NEAR_DENSITY:
            continue
        covered += size
        spans.append(index.words.span(*place.source))
        found += _differences(part, words, place, index)
        begin = place.source[1]
    if not spans or covered < NEAR_COVERAGE * weight:
        return Grounding("absent", (), ())
    serious = any(difference.kind != "words" for difference in found)
    return Grounding("altered" if serious else "near", tuple(spans), tuple(found))


def _differences(part: _Part, words: list[Token], place: Alignment, index: QuoteIndex) -> list[Difference]:
    source = [index.words.token(at) for at in range(*place.source)]
    shifted = [Token(word.key, word.start + part.start, word.end + part.start) for word in words]
    first = place.source[0]
    blocks = [(block.quote, (block.source[0] - first, block.source[1] - first)) for block in place.blocks]
    return differences(shifted, source, blocks, index.text)
