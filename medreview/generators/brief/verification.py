"""The verification of a brief: what a judge says of a statement and its notes, and where these say it."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from medreview.evidence.bearing import Bearing
from medreview.evidence.grounding import ground
from medreview.evidence.ranking import SourceIndex
from medreview.evidence.segment import segment
from medreview.generators.ask import Checked
from medreview.generators.brief.notes import TaggedNote, joined
from medreview.generators.checks import words
from medreview.judges.injection import among_instructions
from medreview.judges.raw_labels import mapped
from medreview.labels import PROVEN_QUOTES
from medreview.text import Span

_ELLIPSIS: Final = re.compile(r"\s*[\[(]?(?:…|\.\s?\.\s?\.)[\])]?\s*")

QUOTE_CODES: Final = frozenset({"quote_absent", "quote_long", "quote_off_topic", "quote_among_instructions"})
"""What takes a judge's support away: it has no quote that proves it."""
_LONGEST_QUOTE: Final = 120
"""Words; the prompt asks for three sentences at most, and who quotes a whole note points to no place in it."""


class Opinion(NamedTuple):
    """What a judge says: its label as written, whether that is support, its reason and quote."""

    label: str
    supported: bool
    reason: str
    quote: str


class Cited(NamedTuple):
    """A note that a statement is cited to, and the places there that say it; ``quoted``: a judge's quote is there."""

    note: TaggedNote
    spans: tuple[Span, ...]
    quoted: bool


def check_opinion(value: Mapping[str, Any], statement: str, notes: Sequence[TaggedNote]) -> Checked:
    """A judge's answer on a statement and its notes.

    Support counts with a quote only that stands in the notes, bears on the statement, and is not among instructions.
    """
    raw = str(value["label"])
    known = mapped(raw)
    opinion = Opinion(raw, known is not None and known[1] is True, str(value["reason"]), str(value["quote"]).strip())
    if known is None or known[1] is None:
        return Checked(("label_unknown",), opinion)
    return Checked(_doubts(opinion, statement, notes) if opinion.supported else (), opinion)


def _doubts(opinion: Opinion, statement: str, notes: Sequence[TaggedNote]) -> tuple[str, ...]:
    text, _ = joined(notes)
    spans = quoted_spans(opinion.quote, text)
    if not spans:
        return ("quote_absent",)
    if words(opinion.quote) > _LONGEST_QUOTE:
        return ("quote_long",)
    if any(among_instructions(text, span) for span in spans):
        return ("quote_among_instructions",)
    off_topic = Bearing(SourceIndex(text)).is_off_topic(statement, opinion.quote, spans)
    return ("quote_off_topic",) if off_topic else ()


def quoted_spans(quote: str, text: str) -> tuple[Span, ...]:
    """Where a quote stands in a text, true to it; nothing when it does not.

    The notes of one statement lie apart: parts that an ellipsis joins may each be proven by itself, but not two of one
    sentence, where what was left out between them could be what decides.
    """
    whole = ground(quote, text)
    if whole.status in PROVEN_QUOTES:
        return whole.spans
    parts = [part for part in _ELLIPSIS.split(quote) if part.strip()]
    found = [ground(part, text) for part in parts]
    if len(parts) < 2 or any(part.status not in PROVEN_QUOTES for part in found):
        return ()
    spans = [part.spans[0] for part in found]
    sentences = [
        {at for at, one in enumerate(segment(text)) if one.start < end and start < one.end} for start, end in spans
    ]
    apart = all(not one & other for one, other in pairwise(sentences))
    return tuple(spans) if apart else ()


def cited(statement: str, notes: Sequence[TaggedNote], quote: str) -> tuple[Cited, ...]:
    """The notes of a statement with the places that say it: those of the quote, else the passage that is nearest to it
    by its words; none where the note shares no word with it."""
    text, places = joined(notes)
    spans = quoted_spans(quote, text)
    resolved = []
    for note, place in zip(notes, places, strict=True):
        here = tuple(_within(span, place) for span in spans if span.overlap(place))
        nearest = [] if here else SourceIndex(note.text).rank(statement, 1)
        resolved.append(Cited(note, here or tuple(Span(hit.start, hit.end) for hit in nearest), bool(here)))
    return tuple(resolved)


def _within(span: Span, place: Span) -> Span:
    return Span(max(span.start, place.start) - place.start, min(span.end, place.end) - place.start)
