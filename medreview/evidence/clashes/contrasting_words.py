"""Words that exclude one another: contrasts, contrary prefixes, other medicines, advice for and against, must and may.

Contrasts are benign against malignant, oral against intravenous, men against women; prefixes hypokalaemia against
hyperkalaemia, preoperative against postoperative. One medicine stands for another where the same is said of a medicine
that the other sentence does not name. Advice is what one of the two says should be done, and the other should not be
done, to the same; modality must against may.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from medreview.evidence.clashes.clash import (
    BESIDE,
    MOST_COMPARED,
    Clash,
    beside,
    frame,
    in_same_context,
    likeness,
    next_content_term,
    span_of,
)
from medreview.evidence.clashes.negations import narrowed_otherwise
from medreview.evidence.inflection import spelling
from medreview.evidence.lexicon import (
    POSSIBLE,
    REQUIRED,
    ContrastKind,
    Found,
    contrasts,
    is_negation,
    names_medicine,
)
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word
from medreview.evidence.terms import stem
from medreview.text import Span, word_set

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


CONTRARY: Final = (
    ("hypo", "hyper", "normo", "eu"),
    ("brady", "tachy"),
    ("pre", "post", "peri", "intra"),
    ("ante", "post"),
    ("intra", "extra"),
    ("endo", "exo"),
    ("macro", "micro", "normo"),
    ("poly", "oligo", "mono", "an"),
    ("inter", "intra"),
    ("supra", "infra", "sub"),
    ("over", "under"),
    ("homo", "hetero"),
)
"""Prefixes of which one excludes the others before the same word."""
_OTHERS: Final = {
    prefix: tuple(other for group in CONTRARY if prefix in group for other in group if other != prefix)
    for group in CONTRARY
    for prefix in group
}
_OPENINGS: Final = frozenset(prefix[:2] for prefix in _OTHERS)
_SHORTEST: Final = 4
"""Letters of the shortest rest: ``predict`` and ``postdict`` are words of another kind, ``preop`` none."""


def prefixes(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A word in the statement and the same with a contrary prefix in the passage, which has no word as the first."""
    candidates = [word for word in claim.words if word.is_content and word.key[:2] in _OPENINGS]
    if not candidates:
        return
    written = {_plain(word.key): word for word in evidence.words if word.is_content and word.key[:2] in _OPENINGS}
    said = {_plain(word.key) for word in candidates}
    for word in candidates:
        if word.term in evidence.content or _plain(word.key) in written:
            continue
        other = next((written[form] for form in contrary_forms(word.key) if form in written and form not in said), None)
        if other is not None and other.negated == word.negated:
            yield Clash("opposite", span_of(word), span_of(other))


@lru_cache(maxsize=20_000)
def contrary_forms(word: str) -> tuple[str, ...]:
    """The stems of a normalised word with its prefix replaced by a contrary one; most of them are no words."""
    plain = spelling(word)
    return tuple(
        stem(other + plain.removeprefix(prefix))
        for prefix, others in _OTHERS.items()
        if plain.startswith(prefix) and len(plain) - len(prefix) >= _SHORTEST
        for other in others
    )


@lru_cache(maxsize=20_000)
def _plain(word: str) -> str:
    return stem(spelling(word))


NEARLY_ALL: Final = 0.7
"""Share of the statement's other content words that must stand in the passage."""
EXAMPLES: Final = frozenset({"such", "eg", "example", "including", "like", "other", "or"})
"""Words of a passage that names a medicine as one of several."""
MEDICINES_ALIKE: Final = 3
"""Likeness of the two frames from which on the one medicine stands in the other's place."""


def medicines(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """The only medicine that the passage lacks, in the place of the only one that the statement lacks."""
    claimed = _medicines(claim)
    if not claimed:
        return
    written = _medicines(evidence)
    alone, others = claimed.keys() - written.keys(), written.keys() - claimed.keys()
    if len(alone) != 1 or len(others) != 1 or evidence.keys & EXAMPLES:
        return
    (at, word), (where, other) = claimed[min(alone)], written[min(others)]
    rest = claim.content - {word.term}
    if not rest or len(rest & evidence.content) < NEARLY_ALL * len(rest) or word.negated != other.negated:
        return
    if likeness(frame(claim, at, at + 1), frame(evidence, where, where + 1)) >= MEDICINES_ALIKE:
        yield Clash("medicine", span_of(word), span_of(other))


def _medicines(sentence: SentenceAnalysis) -> dict[str, tuple[int, Word]]:
    """By term, the first place of each word that names a medicine."""
    found: dict[str, tuple[int, Word]] = {}
    for at, word in enumerate(sentence.words):
        if word.is_content and names_medicine(word.key):
            found.setdefault(word.term, (at, word))
    return found


_DONE: Final = r"(?:given|used|offered|taken|prescribed|started|continued|administered)"
_FOR: Final = re.compile(
    r"\b(?:(?:is|are|be) (?:\w+ly )?"
    r"(?:recommended|advised|indicated|allowed|permitted|encouraged|first[- ](?:choice|line))"
    rf"|(?:should|must) (?:\w+ly )?be {_DONE}|can (?:safely )?be {_DONE})\b",
    re.IGNORECASE,
)
_AGAINST: Final = re.compile(
    rf"\b(?:(?:should|must|may|can|could) ?(?:not|n['’]t) be {_DONE}|cannot be {_DONE}"
    r"|do(?:es)? ?(?:not|n['’]t) (?:give|use|take)"
    r"|(?:is|are) ?(?:not|n['’]t) (?:\w+ly )?(?:recommended|advised|indicated|allowed|permitted)"
    r"|(?:is|are) contraindicated|(?:should|must) be (?:avoided|stopped|discontinued|withheld))\b",
    re.IGNORECASE,
)
_NARROWED: Final = word_set(
    """
    if unless except excluding until only without alone instead rather but however although other some all every
    routinely
    """
)
"""Words of advice that holds for a part, or for a case of its own."""
_OF_ADVICE: Final = frozenset(
    map(
        stem,
        word_set(
            """
            recommended advised indicated allowed permitted encouraged first choice line given used offered taken
            prescribed started continued administered give use take contraindicated avoided stopped discontinued
            withheld treatment
            """
        ),
    )
)
MOST: Final = 0.75
"""Share of the statement's content words besides those of advice that must stand in the passage."""
MOST_OF_PASSAGE: Final = 0.75
"""The same of the passage's words in the statement: what is said of fewer is no contradiction."""


def advice(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """Advice in one, advice against it in the other; none where either holds on a condition."""
    claimed = _advice(claim.text)
    written = _advice(evidence.text) if claimed is not None else None
    if claimed is None or written is None or claimed[0] == written[0]:
        return
    if not _NARROWED.isdisjoint(claim.keys | evidence.keys) or narrowed_otherwise(claim, evidence):
        return
    said, there = (sentence.content - _OF_ADVICE for sentence in (claim, evidence))
    shared = len(said & there)
    if shared >= 2 and shared >= MOST * len(said) and shared >= MOST_OF_PASSAGE * len(there):
        yield Clash("negation", claimed[1], written[1])


@lru_cache(maxsize=2_000)
def _advice(text: str) -> tuple[bool, Span] | None:
    """Whether a text advises something, or against it, and where; ``None`` for neither or both."""
    found_for, against = _FOR.search(text), _AGAINST.search(text)
    if (found_for is None) == (against is None):
        return None
    found = found_for or against
    return None if found is None else (found is found_for, Span(*found.span()))


def modality(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """Obligation in one, possibility in the other, about the same word."""
    for claim_set, other_set in ((REQUIRED, POSSIBLE), (POSSIBLE, REQUIRED)):
        if claim.keys.isdisjoint(claim_set) or claim.keys & other_set or evidence.keys & claim_set:
            continue
        claimed = [word for word in claim.words if word.key in claim_set]
        other = [word for word in evidence.words if word.key in other_set]
        for word in claimed:
            match = in_same_context(
                claim,
                word,
                evidence,
                [o for o in other if next_content_term(evidence, o) == next_content_term(claim, word)],
            )
            if match is not None:
                yield Clash("modality", span_of(word), span_of(match))
                return
