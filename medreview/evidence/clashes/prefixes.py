"""Prefixes that exclude one another: hypokalaemia against hyperkalaemia, preoperative against postoperative."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.context import span_of
from medreview.evidence.inflection import spelling
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.evidence.terms import stem

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
