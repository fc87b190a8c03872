"""A clash, what a family of rules is, and what stands around a span: whether two spans are about the same thing.

The frame of a word are the content words beside it, the nearest first, which tell whether two sentences say the same
around it.
"""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, Protocol

from medreview.evidence.quantities import Quantity
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word
from medreview.text import Span, word_set

ClashKind = Literal[
    "number",
    "unit",
    "range",
    "comparison",
    "direction",
    "negation",
    "modality",
    "significance",
    "population",
    "opposite",
    "side",
    "route",
    "severity",
    "order",
    "quantifier",
    "roles",
    "medicine",
]


class Clash(NamedTuple):
    """A contradiction; each span is a half-open range of code points of its own text."""

    kind: ClashKind
    statement_span: Span
    source_span: Span


class Family(Protocol):
    """A family of rules: the clashes between a statement and a passage that share enough of their content."""

    def __call__(self, claim: SentenceAnalysis, evidence: SentenceAnalysis, /) -> Iterator[Clash]: ...


WINDOW: Final = 5
"""Context window: words on each side of a span that tell what it is about."""
WIDE_WINDOW: Final = 8
"""The same for a negated word, whose subject may be further away."""


def span_of(item: Word | Quantity) -> Span:
    """The span of a word or a quantity."""
    return Span(item.start, item.end)


def shared_context(
    claim: SentenceAnalysis, one: Word | Quantity, evidence: SentenceAnalysis, other: Word | Quantity, width: int
) -> int:
    """The number of content terms within ``width`` words of both spans."""
    return len(claim.context(one.start, one.end, width) & evidence.context(other.start, other.end, width))


def in_same_context(claim: SentenceAnalysis, word: Word, evidence: SentenceAnalysis, others: list[Word]) -> Word | None:
    """The word with most content terms around it that also stand around the claim's; ``None`` below two."""
    counted = [(shared_context(claim, word, evidence, other, WINDOW), other) for other in others]
    best = max(counted, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] >= 2 else None


def next_content_term(sentence: SentenceAnalysis, word: Word) -> str:
    """The first content term after a word; ``""`` at the end."""
    return next((w.term for w in sentence.words if w.start >= word.end and w.is_content), "")


REACH: Final = 6
"""Content words on each side that make a frame."""
BESIDE: Final = 2
"""What an equal word right beside counts more than one further away."""
PEOPLE: Final = word_set(
    "patient patients people person persons individual individuals participant participants subject subjects"
)
"""Words for those whom a sentence is about, one as good as another."""
_PEOPLE: Final = "people"
MOST_COMPARED: Final = 20
"""Words of one kind in a text whose frames are compared: the work on a pair stays bounded."""


class Frame(NamedTuple):
    """The terms of the content words before and after a word, the nearest first."""

    before: tuple[str, ...]
    after: tuple[str, ...]


def frame(sentence: SentenceAnalysis, first: int, end: int) -> Frame:
    """The frame of the words from one index to another, which is not included."""
    return Frame(
        _content(sentence, range(first - 1, -1, -1)),
        _content(sentence, range(end, len(sentence.words))),
    )


def _content(sentence: SentenceAnalysis, indices: range) -> tuple[str, ...]:
    found: list[str] = []
    for at in indices:
        word = sentence.words[at]
        if word.is_content:
            found.append(_PEOPLE if word.key in PEOPLE else word.term)
            if len(found) == REACH:
                break
    return tuple(found)


def likeness(one: Frame, other: Frame) -> int:
    """The number of shared terms; an equal word right before or right after counts ``1 + BESIDE``."""
    shared = len({*one.before, *one.after} & {*other.before, *other.after})
    return shared + BESIDE * (_equal_beside(one.before, other.before) + _equal_beside(one.after, other.after))


def beside(one: Frame, other: Frame) -> bool:
    """Whether a word right beside is the same, on either side: ``mild croup``, ``croup is severe``."""
    return bool({*one.before[:1], *one.after[:1]} & {*other.before[:1], *other.after[:1]})


def _equal_beside(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return bool(one and other) and one[0] == other[0]
