"""Ranking: which passages of a source bear on a statement.

A passage's score adds BM25 over stemmed terms, the share of the statement's weight that it covers (weights are the
document's own inverse document frequencies), and what the passage is: sentences that report a finding and stand in
results or conclusions come first, headings, methods and references later.
"""

from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from math import log
from typing import Final, NamedTuple

from medreview.evidence.cues import FINDING
from medreview.evidence.segment import Passage, segment
from medreview.evidence.terms import Vocabulary, terms
from medreview.text import Span

K1: Final = 0.9
B: Final = 0.4
# Fitted on the tuning sets of EVIDENCE.md with each set left out once, then rounded.
BM25_WEIGHT: Final = 7.0
COVERAGE_WEIGHT: Final = 4.5
SHARE_WEIGHT: Final = 3.0
FINDING_WEIGHT: Final = 0.85
FINDING_MOST: Final = 3
HEADING_WEIGHT: Final = -1.7
SHORT_WEIGHT: Final = -1.2
SHORT_TERMS: Final = 5
LENGTH_WEIGHT: Final = -0.9
LENGTH_MOST: Final = 40
SECTION_WEIGHTS: Final = {
    "title": -2.0, "background": -1.8, "methods": -1.4, "results": 2.5, "conclusion": 2.5, "references": -2.0,
}  # fmt: skip


class Hit(NamedTuple):
    """A passage that bears on a statement. Scores order the passages of one source; they are no probabilities."""

    start: int
    end: int
    score: float


class Match(NamedTuple):
    """A passage's number, its score, and the share 0..1 of the statement's weight that its words cover."""

    passage: int
    score: float
    coverage: float


class Query(NamedTuple):
    """A statement's terms against one source: their weights, and the weights' sum."""

    weights: dict[str, float]
    total: float


class SourceIndex:
    """A source prepared for ranking: passages, terms, document frequencies. Built once per snapshot; can be pickled."""

    def __init__(self, text: str, words: Vocabulary | None = None) -> None:
        self.text = text
        self.words = words
        self.passages: list[Passage] = segment(text)
        self._postings: dict[str, list[tuple[int, float]]] = {}
        self._prior: list[float] = []
        counts = self._count()
        self._saturate(counts)

    def _count(self) -> list[Counter[str]]:
        """Terms per passage. The text is read once; a phrase belongs to the passage that it begins in."""
        counts: list[Counter[str]] = [Counter() for _ in self.passages]
        at, starts = 0, [*(passage.start for passage in self.passages[1:]), len(self.text) + 1]
        for key, start, end in terms(self.text, self.words):
            while start >= starts[at]:
                at += 1
            if end <= self.passages[at].end:
                counts[at][key] += 1
        return counts

    def _saturate(self, counts: Sequence[Counter[str]]) -> None:
        lengths = [sum(count.values()) for count in counts]
        average = sum(lengths) / max(1, len(lengths)) or 1.0
        for at, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            norm = K1 * (1 - B + B * length / average)
            for key, times in count.items():
                self._postings.setdefault(key, []).append((at, times * (K1 + 1) / (times + norm)))
            self._prior.append(self._standing(at, length))

    def _standing(self, at: int, length: int) -> float:
        """What a passage is worth before any statement is known."""
        passage = self.passages[at]
        score = SECTION_WEIGHTS.get(passage.section, 0.0)
        score += LENGTH_WEIGHT * min(length, LENGTH_MOST) / LENGTH_MOST
        score += HEADING_WEIGHT * (passage.kind == "heading") + SHORT_WEIGHT * (length < SHORT_TERMS)
        findings = 0
        for findings, _ in enumerate(FINDING.finditer(self.text, passage.start, passage.end), 1):
            if findings == FINDING_MOST:
                break
        return score + FINDING_WEIGHT * findings

    def idf(self, key: str) -> float:
        """Weight of a term in this source; a term that is not there weighs most."""
        count, seen = len(self.passages), len(self._postings.get(key, ()))
        return log(1 + (count - seen + 0.5) / (seen + 0.5))

    def query(self, statement: str) -> Query:
        """A statement's terms with their weights in this source."""
        weights = {term.key: self.idf(term.key) for term in terms(statement, self.words)}
        return Query(weights, sum(weights.values()))

    def has(self, key: str) -> bool:
        """Whether a term stands anywhere in the source."""
        return key in self._postings

    def covered(self, query: Query, passages: Sequence[int]) -> float:
        """Share 0..1 of the statement's weight that some of these passages cover together."""
        wanted = set(passages)
        found = (
            weight
            for key, weight in query.weights.items()
            if any(at in wanted for at, _ in self._postings.get(key, ()))
        )
        return sum(found) / query.total if query.total else 0.0

    def match(self, query: Query, limit: int = 5) -> list[Match]:
        """The best passages that share at least one term with the statement, best first."""
        if not query.total:
            return []
        scores: dict[int, list[float]] = {}
        for key, weight in query.weights.items():
            for at, saturation in self._postings.get(key, ()):
                sums = scores.get(at)
                if sums is None:
                    sums = scores[at] = [0.0, 0.0, 0.0]
                sums[0] += weight * saturation
                sums[1] += weight
                sums[2] += 1.0
        number = len(query.weights)
        found = [
            Match(
                at,
                (BM25_WEIGHT * bm25 + COVERAGE_WEIGHT * covered) / query.total
                + SHARE_WEIGHT * shared / number
                + self._prior[at],
                covered / query.total,
            )
            for at, (bm25, covered, shared) in scores.items()
        ]
        return nsmallest(limit, found, key=lambda match: (-match.score, match.passage))

    def rank(self, statement: str, limit: int = 5) -> list[Hit]:
        """The passages that bear on a statement, best first; empty when no word is shared."""
        return [
            Hit(self.passages[match.passage].start, self.passages[match.passage].end, match.score)
            for match in self.match(self.query(statement), limit)
        ]

    def span(self, passage: int) -> Span:
        """The range of a passage by its number."""
        return Span(self.passages[passage].start, self.passages[passage].end)
