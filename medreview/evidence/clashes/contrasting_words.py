"""Words that exclude one another: benign against malignant, oral against intravenous, men against women."""

from collections.abc import Iterator
from typing import Final

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.frames import BESIDE, MOST_COMPARED, beside, frame, likeness
from medreview.evidence.contrasts import ContrastKind, Found, contrasts
from medreview.evidence.lexicon import is_negation
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.text import Span

OF_THE_NEXT: Final[frozenset[ContrastKind]] = frozenset({"severity", "quantifier"})
"""Kinds of words that say something of a word beside them."""
NEAR: Final = 3
"""Words before a word within which a negation is its own."""
ALIKE: Final = 3
"""Likeness of the two frames from which on both sentences say the same around the words."""


def contrasting_words(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A word in the statement, one that it excludes, and only that, in the passage, in a frame alike."""
    theirs = _by_contrast(evidence)
    if not theirs:
        return
    for contrast, claimed in _by_contrast(claim).items():
        others = theirs.get(contrast, [])
        groups = {found.member.group for found in claimed}
        # both alternatives in one text: it compares them, and the words do not tell which is meant
        if not others or len(groups) > 1 or any(other.member.group in groups for other in others):
            continue
        kind = contrasts().kinds[contrast]
        pairs = [
            (_alike(kind, claim, one, evidence, other), one, other)
            for one in claimed
            for other in others
            if _denied(claim, one) == _denied(evidence, other)
            and not _in_parts(one, evidence)
            and not _in_parts(other, claim)
        ]
        best = max(pairs, key=lambda pair: pair[0], default=None)
        if best is not None and best[0] >= ALIKE:
            yield Clash(kind, _span(claim, best[1]), _span(evidence, best[2]))


def _alike(kind: ContrastKind, claim: SentenceAnalysis, one: Found, evidence: SentenceAnalysis, other: Found) -> int:
    """The likeness of two frames; 0 for words that say something of a word beside them, if that is another."""
    claimed, written = frame(claim, one.first, one.end), frame(evidence, other.first, other.end)
    # of the first and the third trimester: what both are of stands within the phrases
    of_the_same = len(one.member.keys) > 1 and one.member.keys[-1] == other.member.keys[-1]
    if kind in OF_THE_NEXT and not of_the_same and not beside(claimed, written):
        return 0
    return likeness(claimed, written) + (1 + BESIDE) * of_the_same


def _denied(sentence: SentenceAnalysis, found: Found) -> bool:
    """Whether a negation stands right before: ``not recommended``; not in ``must not be used in severe``."""
    before = sentence.words[max(0, found.first - NEAR) : found.first]
    cue = next((word for word in before if is_negation(word.key)), None)
    return cue is not None and "," not in sentence.text[cue.end : sentence.words[found.first].start]


def _in_parts(found: Found, other: SentenceAnalysis) -> bool:
    """Whether another sentence has the words of a phrase, apart: in the second and the third trimester."""
    return len(found.member.keys) > 1 and other.keys.issuperset(found.member.keys)


def _by_contrast(sentence: SentenceAnalysis) -> dict[int, list[Found]]:
    found: dict[int, list[Found]] = {}
    for one in sentence.contrasting:
        found.setdefault(one.member.contrast, []).append(one)
    return {contrast: members[:MOST_COMPARED] for contrast, members in found.items()}


def _span(sentence: SentenceAnalysis, found: Found) -> Span:
    return Span(sentence.words[found.first].start, sentence.words[found.end - 1].end)
