"""Words that exclude one another: benign against malignant, oral against intravenous, men against women."""

from collections.abc import Iterator
from typing import Final

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.frames import frame, likeness
from medreview.evidence.contrasts import Found, contrasts
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.text import Span

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
        pairs = [
            (likeness(frame(claim, one.first, one.end), frame(evidence, other.first, other.end)), one, other)
            for one in claimed
            for other in others
            if claim.words[one.first].negated == evidence.words[other.first].negated
            and not evidence.keys.issuperset(one.member.keys)
            and not claim.keys.issuperset(other.member.keys)
        ]
        best = max(pairs, key=lambda pair: pair[0], default=None)
        if best is not None and best[0] >= ALIKE:
            yield Clash(contrasts().kinds[contrast], _span(claim, best[1]), _span(evidence, best[2]))


def _by_contrast(sentence: SentenceAnalysis) -> dict[int, list[Found]]:
    found: dict[int, list[Found]] = {}
    for one in sentence.contrasting:
        found.setdefault(one.member.contrast, []).append(one)
    return found


def _span(sentence: SentenceAnalysis, found: Found) -> Span:
    return Span(sentence.words[found.first].start, sentence.words[found.end - 1].end)
