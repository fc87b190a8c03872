"""Quote grounding: where in a source a quotation is, and how faithful it is.

Statuses (docs/explanation/evidence.md):

- ``exact``: code point for code point;
- ``normalised``: the same words and numbers in order; only case, white space, typography, ligatures, line-end hyphens,
  markup or reference markers differ; or parts joined by an ellipsis or a line break are each found in order, or each
  is a whole sentence, wherever on the page it stands;
- ``near``: the passage is there; function words, inflection or spelling differ, nothing that changes what is said;
- ``altered``: the passage is there, but a number, a unit, a negation, a direction or a content word differs, or an
  ellipsis joins what does not belong together. Of parts from several places the worst decides;
- ``absent``: no such passage; also of what is too long, or of too many parts, and not there as it stands;
- ``too_short``: under 12 characters and 3 words.

``other_source`` and ``none`` are for the caller to decide: they need more than one source, or no quotation.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple

from medreview.citations.markers import without_markers
from medreview.evidence.alignment import Alignment, Token, TokenIndex, tokens
from medreview.evidence.differences import SENTENCE_END, Difference, differences, with_margin, without_figures
from medreview.evidence.lexicon import FINITE, HARMLESS, POINTING_BACK
from medreview.evidence.normalise import DASH, NormalisedText, normalise
from medreview.evidence.omissions import FURTHEST, moved_borders, wrongly_skipped
from medreview.evidence.omissions import cut as cut_away
from medreview.statements.sentences import sentence_spans
from medreview.text import Span

Status = Literal["exact", "normalised", "near", "altered", "absent", "too_short"]

MIN_CHARACTERS: Final = 12
MIN_WORDS: Final = 3
NEAR_COVERAGE: Final = 0.6
"""Minimum share of a quotation's characters that are in the passage, in order."""
NEAR_DENSITY: Final = 0.5
"""Minimum share of the passage's characters that belong to shared words."""

LONGEST_QUOTE: Final = 20_000
"""In characters; a longer text that is not in the source as it stands is not searched for as a quotation."""
MOST_PARTS: Final = 40
"""The same of one that is joined of more parts."""

_FIGURE_BRACKET: Final = re.compile(r"[(\[][^()\[\]]{0,40}?\d[^()\[\]]{0,30}?[^()\[\]\d.,]\d")
"""The beginning of a bracket with two numbers at least."""
_FIGURES: Final = 300
"""Code points on either side of a passage within which brackets of figures are left out to see what is left."""
_BESIDE: Final = 80
"""Code points between a difference and a bracket that may be its cause."""
_ALL_BUT_FIGURES: Final = 0.8
"""Coverage and density from which on a quotation is a passage without its figures."""

_ELLIPSIS = re.compile(r"[\s,;]*[\[(]?\s*(?:…|\.\s?\.\s?\.(?:\s?\.)?)\s*[\])]?[\s,;]*")
_LIST_MARK: Final = r"(?:[-*•–]|\(?(?:\d{1,2}|[a-h])[.)])[ \t]+"
_ITEM: Final = re.compile(rf"(?:\A|\n)[ \t]*{_LIST_MARK}\Z")
_JOINT: Final = re.compile(
    rf"{_ELLIPSIS.pattern}|\A\s*{_LIST_MARK}|\s*\n\s*(?:{_LIST_MARK})?|\s+[|/]\s+|;\s+"
    r"|[\"”»]+\s*(?:[,;/|+]|\band\b)?\s*[\"“«]+(?=\w)",
    re.IGNORECASE,
)
"""What may stand between quotations of several places; any of it may also be a part of one."""
_APART: Final = re.compile('[\n"”“»«]')
"""What sets a part apart from the one before it, as a quotation of its own."""
_POINTS_NOWHERE: Final = re.compile(
    r"it\b(?:\s+\w+){1,6}?\s+that\b|it\s+(?:is|was|remains)\s+(?:essential|important|necessary|possible|crucial|vital)\b"
    r"|th(?:is|ese)\s+(?:[\w-]+\s+){0,3}?(?:article|guideline|leaflet|meta-analysis|page|paper|report|review|study"
    r"|trial|findings|results|data)\b|both\b[^.;,]{1,40}\band\b|\w+\d",
    re.IGNORECASE,
)
"""What only seems to point back (``It is recommended that``), or points to the page itself (``This study``)."""
_OPENING: Final = 4
"""Words among which one stands that points back: ``However, in these``."""
_LEADING: Final = (HARMLESS | {"and"}) - {"a", "an"}
_RELATIVE: Final = frozenset({"who", "which", "that", "whom", "whose"})
_MOST_TOGETHER: Final = 6
"""Pieces of a quotation that are tried as one passage, for joints that stand in the page itself."""
_SENTENCE_ENDS: Final = " \t\n.!?\"'”’)]"
_ENDED: Final = re.compile(r"[\"'”’)\]]*(?:\s?\[[^\[\]\n]{0,20}\])*(?:[.!?]|[ \t]*(?:\n|\Z))")
"""The end of a sentence or line, markers among it."""
_NO_WORD: Final = re.compile(r"(?:and\b|[\W_])*")
"""What may stand among the markers that end a quotation."""


class Grounding(NamedTuple):
    """Where a quotation is and how faithful it is.

    ``spans`` are half-open ranges of code points of the source: every occurrence of a quotation that is there word for
    word, in order; the parts of one joined by ellipses; else the closest passage. ``differences`` are those to the
    closest passage.
    """

    status: Status
    spans: tuple[Span, ...]
    differences: tuple[Difference, ...]


class QuoteIndex:
    """A source prepared for grounding: normalised text and word index, each computed lazily and once; picklable."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def normalised(self) -> NormalisedText:
        """The normalised source; needed when a quotation is not there code point for code point."""
        return normalise(self.text)

    @cached_property
    def words(self) -> TokenIndex:
        """The source's word index; needed when a quotation is not there word for word."""
        return TokenIndex(self.text)


class _QuotePart(NamedTuple):
    """One part of a quotation and its offset in the quotation."""

    text: str
    start: int


def ground(quote: str, source: QuoteIndex | str) -> Grounding:
    """Find a quotation in a source. Never ``exact`` or ``normalised`` when the digits differ."""
    index = QuoteIndex(source) if isinstance(source, str) else source
    found = _in_one_place(quote, index)
    return (_in_several_places(quote, index, found) or found) if found.status in ("altered", "absent") else found


def _in_one_place(quote: str, index: QuoteIndex) -> Grounding:
    bare = quote.strip()
    if len(bare) < MIN_CHARACTERS and len(bare.split()) < MIN_WORDS:
        return Grounding("too_short", (), ())
    verbatim = _verbatim(bare, index.text)
    cut = [cut_away(bare, index.text, span) for span in verbatim]
    if verbatim and cut[0] is not None and all(cut):
        return Grounding("altered", verbatim, (cut[0],))
    if verbatim:
        return Grounding("exact", tuple(span for span, found in zip(verbatim, cut, strict=True) if not found), ())
    parts = _parts(quote)
    if not parts:
        return Grounding("too_short", (), ())
    # An ellipsis may be part of the source itself, and a marker the answer's own.
    plain = without_markers(quote)
    joined = parts if len(parts) <= MOST_PARTS else []
    for parts_tried in ([_QuotePart(quote, 0)], joined, [_QuotePart(plain, 0)] if plain != quote else []):
        found = _normalised_chain([piece.text for piece in parts_tried], index) if parts_tried else []
        if found:
            return _checked(quote, parts_tried, found, index)
    if not joined or len(quote) > LONGEST_QUOTE:
        return Grounding("absent", (), ())
    return _aligned(quote, parts, index)


def is_one_passage(quote: str, spans: Sequence[Span]) -> bool:
    """Whether a quotation is of one piece, so that the ``spans`` of its grounding are the places where it stands."""
    return len(_parts(quote)) < 2 and all(2 * (span.end - span.start) > len(quote.strip()) for span in spans)


def _in_several_places(quote: str, index: QuoteIndex, in_one: Grounding) -> Grounding | None:
    """The grounding of passages from several places of the source; ``None`` where it is no better than ``in_one``.

    Each is to say by itself what it says there: it is whole sentences, and in a running quotation it does not begin by
    pointing back; what has a line or quotation marks of its own is a quotation by itself, as in a judge's list. One
    that is not, or that is altered, makes all of it ``altered``, with every passage in its own place.
    """
    pieces = _pieces(quote)
    if len(quote) > LONGEST_QUOTE or not 1 < len(pieces) <= MOST_PARTS:
        return None
    found: list[Grounding] = []
    at = 0
    while at < len(pieces):
        many, passage = next(
            (
                (many, passage)
                for many in range(min(_MOST_TOGETHER, len(pieces) - at), 1, -1)
                if (passage := _whole(quote, pieces[at : at + many], index)) is not None
            ),
            (1, None),
        )
        passage = passage or _located(quote, pieces[at], index)
        if passage is None:
            return None
        runs_on = found and not _APART.search(quote[pieces[at - 1].start + len(pieces[at - 1].text) : pieces[at].start])
        if runs_on and passage.status != "altered" and _points_back(pieces[at], found[-1].spans, passage.spans, index):
            skipped = _sentence_before(index.text, passage.spans[0].start)
            difference = Difference("word", Span(pieces[at].start, pieces[at].start), skipped)
            passage = Grounding("altered", passage.spans, (difference,))
        found.append(passage)
        at += many
    if len(found) < 2:
        return None
    spans = tuple(span for passage in found for span in passage.spans)
    differences = tuple(difference for passage in found for difference in passage.differences)
    worst: Status = next(status for status in ("altered", "near", "normalised") if status in [p.status for p in found])
    # Where a passage with other words stands is less sure than where one stands of which something is left out.
    own = [p for p in found if p.status != "altered" or all(d.quote.start == d.quote.end for d in p.differences)]
    elsewhere = any(not any(span.overlap(place) for place in in_one.spans) for p in own for span in p.spans)
    far = any(difference.source.end - difference.source.start > FURTHEST for difference in in_one.differences)
    return Grounding(worst, spans, differences) if worst != "altered" or elsewhere or far else None


def _pieces(quote: str) -> list[_QuotePart]:
    """The sentences of a quotation, and what its joints set apart."""
    return [
        _QuotePart(part.text[span.start : span.end], part.start + span.start)
        for part in _parts(quote, _JOINT)
        for span in sentence_spans(part.text)
    ]


def _whole(quote: str, pieces: Sequence[_QuotePart], index: QuoteIndex) -> Grounding | None:
    """The grounding of pieces that are whole sentences of one place, word for word; ``None`` for others."""
    text = quote[pieces[0].start : pieces[-1].start + len(pieces[-1].text)]
    if len(tokens(text)) < MIN_WORDS:
        return None
    for parts in dict.fromkeys(((_QuotePart(text, 0),), tuple(_parts(text)))):
        for spans in _normalised_chain([part.text for part in parts], index):
            around = Span(spans[0].start, spans[-1].end)
            if _is_sentence(index.text, around) and not _hidden_changes(text, list(parts), spans, index):
                return Grounding("normalised", tuple(_with_punctuation(list(parts), spans, index)), ())
    return None


def _located(quote: str, piece: _QuotePart, index: QuoteIndex) -> Grounding | None:
    """The grounding of one piece: proven only as whole sentences; ``None`` where it is nowhere."""
    whole = _whole(quote, [piece], index)
    if whole is not None:
        return whole
    found = _in_one_place(piece.text, index)
    if found.status in ("absent", "too_short"):
        return None
    differences = tuple(difference.moved(piece.start, 0) for difference in found.differences)
    whole_near = found.status == "near" and _is_sentence(index.text, Span(found.spans[0].start, found.spans[-1].end))
    if found.status == "altered" or whole_near:
        return Grounding(found.status, found.spans, differences)
    end = piece.start + len(piece.text)
    left_out = Difference("word", Span(end, end), _rest(index.text, found.spans[0]))
    return Grounding("altered", found.spans[:1], (left_out,))


def _points_back(piece: _QuotePart, before: Sequence[Span], here: Sequence[Span], index: QuoteIndex) -> bool:
    """Whether a piece begins with a word for something that was said before it, and that is not what is quoted."""
    between = index.text[before[-1].end : here[0].start] if before[-1].end <= here[0].start else "elsewhere"
    opening = tokens(piece.text)[:_OPENING]
    first = next((word for word in opening if word.key in POINTING_BACK or word.key not in _LEADING), None)
    points = first is not None and first.key in POINTING_BACK and not _POINTS_NOWHERE.match(piece.text, first.start)
    return points and bool(between.strip(_SENTENCE_ENDS))


def _is_sentence(text: str, span: Span) -> bool:
    """Whether a range is a sentence of the text from its beginning to its end, or several; of a line without a full
    stop, or a list's item, also whether it has a verb and its subject: a heading or an item says nothing by itself."""
    said = text[span.start : span.end].rstrip(_SENTENCE_ENDS)
    begin, end = max(0, span.start - _BESIDE), span.start + len(said)
    before, behind = text[begin : span.start], text[end : end + _BESIDE]
    opened = not before.strip() or before.rstrip(" \t\"'“‘(•*-–#").endswith("\n")
    begun = opened or any(m.end() == span.start for m in SENTENCE_END.finditer(text, begin, span.start + 1))
    ended = _ENDED.match(behind)
    if not begun or ended is None:
        return False
    item = _ITEM.search(before)
    return bool(set(ended[0]) & set(".!?") and not item) or _has_clause(said)


def _has_clause(text: str) -> bool:
    """Whether a finite verb stands behind its subject."""
    words = tokens(text)
    return any(word.key in FINITE and before.key not in _RELATIVE for before, word in itertools.pairwise(words))


def _rest(text: str, span: Span) -> Span:
    """What a sentence says beside a range of it: what follows, or else what stands before."""
    end = SENTENCE_END.search(text, span.end, span.end + _FIGURES)
    behind = Span(span.end, end.start() if end else min(len(text), span.end + _BESIDE))
    return behind if text[slice(*behind)].strip(_SENTENCE_ENDS) else _sentence_before(text, span.start)


def _sentence_before(text: str, at: int) -> Span:
    """What stands before a place, from the beginning of the sentence on that it ends or is a part of."""
    start = max(0, at - _FIGURES)
    begins = [m.end() for m in SENTENCE_END.finditer(text, start, at) if text[m.end() : at].strip()]
    return Span(begins[-1] if begins else start, start + len(text[start:at].rstrip()))


def _verbatim(quote: str, text: str) -> tuple[Span, ...]:
    """The span of every exact occurrence that does not begin or end within a word or number."""
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
    return _is_inside_word(text, span.start) or _is_inside_word(text, span.end)


def _is_inside_word(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isalnum() and after.isalnum():
        # scripts without spaces (Chinese, Japanese, Thai) have no visible word boundary
        return not (_is_unspaced_script(before) and _is_unspaced_script(after))
    if before in ".,·" and after.isdigit():
        return at == 1 or text[at - 2].isdigit() or (before != "," and not text[at - 2].isalnum())
    return before.isdigit() and after in ".,·" and text[at + 1 : at + 2].isdigit()


def _is_unspaced_script(char: str) -> bool:
    return char.isalpha() and char.lower() == char.upper()


def _parts(quote: str, joint: re.Pattern[str] = _ELLIPSIS) -> list[_QuotePart]:
    """The quotation split at its ellipses, or at other joints; parts without a letter or digit are dropped."""
    found, at = [], 0
    for match in [*joint.finditer(quote), None]:
        end = match.start() if match else len(quote)
        if any(char.isalnum() for char in quote[at:end]):
            found.append(_QuotePart(quote[at:end], at))
        at = match.end() if match else end
    return found


def _normalised_chain(parts: Sequence[str], index: QuoteIndex) -> list[list[Span]]:
    """Every occurrence of a single part, or the tightest chain of several parts in order; empty if a part is absent."""
    needles = [normalise(part).text for part in parts]
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
        at = index.normalised.within(*span).end
    for link in range(len(chain) - 2, -1, -1):
        low, high = index.normalised.within(*chain[link]).start, index.normalised.within(*chain[link + 1]).start
        *_, chain[link] = (
            span for span in _occurrences(needles[link], index, low) if index.normalised.within(*span).end <= high
        )
    return [chain]


def _occurrences(needle: str, index: QuoteIndex, begin: int) -> Iterator[Span]:
    """The occurrences of a normalised text from a normalised offset on, as ranges of the source."""
    normalised = index.normalised
    at = normalised.text.find(needle, begin)
    while at >= 0:
        span = normalised.original(at, at + len(needle))
        if not cuts_word(index.text, span) and not _cuts_letter(normalised, at, at + len(needle)):
            yield span
            at += len(needle) - 1
        at = normalised.text.find(needle, at + 1)


def _cuts_letter(normalised: NormalisedText, start: int, end: int) -> bool:
    """Whether a normalised range begins or ends within the expansion of one character (a ligature, a fraction)."""
    offsets = normalised.offsets
    return (start > 0 and offsets[start - 1] == offsets[start]) or (
        end < len(offsets) and offsets[end - 1] == offsets[end]
    )


def _checked(quote: str, parts: list[_QuotePart], found: list[list[Span]], index: QuoteIndex) -> Grounding:
    """The grounding of a quotation with the same letters and digits, after a check for hidden changes."""
    accepted: list[list[Span]] = []
    rejected: list[tuple[list[Span], tuple[Difference, ...]]] = []
    for spans in found:
        changes = _hidden_changes(quote, parts, spans, index)
        if changes:
            rejected.append((spans, changes))
        else:
            accepted.append(spans)
    if accepted:
        return Grounding(
            "normalised", tuple(span for spans in accepted for span in _with_punctuation(parts, spans, index)), ()
        )
    spans, changes = rejected[0]
    return Grounding("altered", tuple(spans), changes)


def _with_punctuation(parts: list[_QuotePart], spans: list[Span], index: QuoteIndex) -> list[Span]:
    """The ranges, extended by final punctuation and reference markers that the part and the passage share."""
    return [_extended(part.text, span, index) for part, span in zip(parts, spans, strict=True)]


def _extended(part: str, span: Span, index: QuoteIndex) -> Span:
    offsets = normalise(part).offsets
    tail = part[offsets[-1] + 1 :] if offsets else ""
    text, end, at = index.text, span.end, span.end
    for char in tail:
        if char.isspace():
            continue
        while at < len(text) and text[at].isspace():
            at += 1
        if at >= len(text) or _dash_as_hyphen(char) != _dash_as_hyphen(text[at]):
            break
        at += 1
        end = at
    extended = Span(span.start, end)
    cut = any(extended.overlap(marker) and marker.end > end for marker in index.normalised.markers)
    return span if cut or cuts_word(text, extended) else extended


def _dash_as_hyphen(char: str) -> str:
    """The character, with every dash as a hyphen."""
    return "-" if DASH.match(char) else char


def _hidden_changes(
    quote: str, parts: list[_QuotePart], spans: list[Span], index: QuoteIndex
) -> tuple[Difference, ...]:
    """Changes that normalisation and ellipses hide: what an ellipsis skips, digits in reference markers, borders of
    words and of sentences."""
    changes = _skipped(parts, spans, index)
    for piece, span in zip(parts, spans, strict=True):
        changes += _changed_markers(piece, span, index)
        original = index.text[span.start : span.end]
        changes += [found.moved(piece.start, span.start) for found in moved_borders(piece.text, original)]
        cut = cut_away(piece.text, index.text, span)
        if cut is not None:
            changes.append(cut.moved(piece.start, 0))
    return tuple(changes)


def _changed_markers(piece: _QuotePart, span: Span, index: QuoteIndex) -> list[Difference]:
    """A marker within a part that has other digits than the passage's: a changed number may look like one.

    The answer's own markers may be among the passage's, or some of these left out; what ends a part is no part of it.
    """
    written = [marker for marker in index.normalised.markers if span.overlap(marker)]
    plain = without_markers(piece.text)
    said = [marker for marker in normalise(piece.text).markers if not _NO_WORD.fullmatch(plain, marker.end)]
    own, others = _digits(piece.text, said), _digits(index.text, written)
    if not own or not others or _in_order(own, others) or _in_order(others, own):
        return []
    return [Difference("number", said[0], written[0]).moved(piece.start, 0)]


def _in_order(some: Sequence[str], among: Sequence[str]) -> bool:
    """Whether some texts are among others, in their order."""
    rest = iter(among)
    return all(one in rest for one in some)


def _skipped(parts: list[_QuotePart], spans: list[Span], index: QuoteIndex) -> list[Difference]:
    """What the ellipses between the parts skip and must not."""
    found: list[Difference] = []
    if len(spans) == len(parts) > 1:
        for at in range(len(parts) - 1):
            skipped = wrongly_skipped(index.text, spans[at], spans[at + 1])
            if skipped is not None:
                cut = Span(parts[at].start + len(parts[at].text), parts[at + 1].start)
                found.append(Difference(skipped.kind, cut, skipped.source))
    return found


def _digits(text: str, spans: Sequence[Span]) -> list[str]:
    return [number for span in spans for number in re.findall(r"\d+", text[span.start : span.end])]


def _aligned(quote: str, parts: list[_QuotePart], index: QuoteIndex) -> Grounding:
    """The grounding of a quotation that is not there word for word: the closest passage for each part, in order."""
    spans: list[Span] = []
    placed: list[_QuotePart] = []
    serious: list[Difference] = []
    wording: list[Difference] = []
    weight = covered = 0
    begin = 0
    for part in parts:
        words = tokens(part.text)
        size = sum(len(word.key) for word in words)
        weight += size
        if not words:
            continue
        alignment = index.words.align([word.key for word in words], begin)
        if alignment is None or alignment.coverage < NEAR_COVERAGE or alignment.density < NEAR_DENSITY:
            # A part that is not there at all is not the page's, whatever the others are.
            here = Span(part.start + words[0].start, part.start + words[-1].end)
            at = spans[-1].end if spans else 0
            serious.append(Difference("word", here, Span(at, at)))
            continue
        covered += size
        spans.append(index.words.span(*alignment.source))
        placed.append(part)
        changed, harmless = _differences(part, words, alignment, index)
        if _at_bracket(changed, index.text) and _is_near_without_figures(part, words, index, spans[-1]):
            changed = []
        cut = _cut(part, words, alignment, index)
        if cut is not None:
            changed.append(cut.moved(part.start, 0))
        serious += changed
        wording += harmless
        begin = alignment.source[1]
    if not spans or covered < NEAR_COVERAGE * weight:
        return Grounding("absent", (), ())
    serious += _skipped(placed, spans, index)
    whole = tuple(_with_punctuation(placed, spans, index))
    return Grounding("altered" if serious else "near", whole, tuple(serious or wording))


def _at_bracket(changed: Sequence[Difference], text: str) -> bool:
    """Whether a difference is near a bracket of the source that holds figures."""
    return any(
        _FIGURE_BRACKET.search(text, max(0, found.source.start - _BESIDE), found.source.end + _BESIDE)
        for found in changed
    )


def _is_near_without_figures(part: _QuotePart, words: list[Token], index: QuoteIndex, passage: Span) -> bool:
    """Whether a part is the passage without its long brackets of figures, which make a short alignment look better."""
    start = max(0, passage.start - _FIGURES)
    around = index.text[start : passage.end + _FIGURES]
    plain = without_figures(around)
    if plain == around:
        return False
    local = TokenIndex(plain)
    alignment = local.align([word.key for word in words])
    if alignment is None or min(alignment.coverage, alignment.density) < _ALL_BUT_FIGURES:
        return False
    source = [local.token(at) for at in range(*with_margin(*alignment.source, len(local.keys)))]
    passages = local.span(*alignment.source), local.span(*alignment.matched)
    return not differences(words, part.text, source, plain, *passages)


def _differences(
    part: _QuotePart, words: list[Token], alignment: Alignment, index: QuoteIndex
) -> tuple[list[Difference], list[Difference]]:
    """What changes the meaning between a part and its passage; and every place where the words differ."""
    first, last = alignment.source
    passage, matched = index.words.span(first, last), index.words.span(*alignment.matched)
    # Beyond the passage stands what belongs to it at times, and at times the same words of the next sentence.
    wide, narrow = (
        differences(words, part.text, [index.words.token(at) for at in range(*place)], index.text, passage, matched)
        for place in (with_margin(first, last, len(index.words.keys)), alignment.source)
    )
    # Words beyond it never stand for a negation that the passage has and the quotation lacks.
    lost = [found for found in narrow if found.kind == "negation" and matched.start <= found.source.start]
    changed = [found.moved(part.start, 0) for found in (wide or lost if narrow else [])]
    wording = [
        Difference("wording", _range(words, *block.quote), index.words.span(*block.source)).moved(part.start, 0)
        for block in alignment.blocks
    ]
    return changed, wording


def _cut(part: _QuotePart, words: Sequence[Token], alignment: Alignment, index: QuoteIndex) -> Difference | None:
    """What stands beside the shared words of a part and takes them back, unless words that decide stand there."""
    first, last = alignment.matched
    blocks = alignment.blocks
    lead = blocks[0].quote if blocks and blocks[0].quote[0] == 0 and blocks[0].source[1] == first else (0, 0)
    if any(word.key not in HARMLESS and not word.key.isdigit() for word in words[slice(*lead)]):
        return None  # a number here may be that of a list's item, and one that is not is a difference by itself
    goes_on = bool(blocks) and blocks[-1].source[0] == last and blocks[-1].quote[1] == len(words) > blocks[-1].quote[0]
    return cut_away(part.text, index.text, index.words.span(first, last), goes_on=goes_on)


def _range(words: Sequence[Token], start: int, end: int) -> Span:
    if end > start:
        return Span(words[start].start, words[end - 1].end)
    at = words[start].start if start < len(words) else words[-1].end
    return Span(at, at)
