"""Ranking: which passages of a source bear on a statement.

A passage's score adds BM25 over stemmed terms, the share of the statement's weight that it covers (weights are the
document's own inverse document frequencies), and what the passage is: sentences that report a finding and stand in
results or conclusions come first, headings, methods and references later.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nlargest, nsmallest
from itertools import islice
from math import log
from typing import Final, NamedTuple

from medreview.evidence.lexicon import FINDING
from medreview.evidence.quantities import Quantity
from medreview.evidence.segment import Passage, segment
from medreview.evidence.sentence_analysis import SentenceAnalysis, read
from medreview.evidence.terms import Vocabulary, terms, vocabulary
from medreview.evidence.weights import weights
from medreview.text import Span

LONGEST_READ: Final = 4_000
"""What is longer, in characters, is no sentence but a page without borders; comparing its words takes long."""


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
    """A statement's terms against one source: their weights, the weights' sum, and the amounts with unit or bound."""

    weights: dict[str, float]
    total: float
    amounts: tuple[Quantity, ...]


class SourceIndex:
    """A source prepared for ranking: passages, terms, document frequencies. Built once per snapshot; can be pickled."""

    def __init__(self, text: str, words: Vocabulary | None = None) -> None:
        self.text = text
        self.words = words
        self.passages: list[Passage] = segment(text)
        self._places: dict[str, list[int]] = {}
        self._lengths: list[int] = []
        keys = (words or vocabulary()).keys
        places = self._places.setdefault
        for at, passage in enumerate(self.passages):
            found = keys(text[passage.start : passage.end])
            for key in found:
                places(key, []).append(at)
            self._lengths.append(len(found))
        self._average: float = sum(self._lengths) / max(1, len(self._lengths)) or 1.0
        self._counts: dict[str, Counter[int]] = {}
        self._findings: dict[int, float] = {}

    def _tally(self, key: str) -> "Counter[int]":
        """How often a term stands in each of its passages; counted when first asked for."""
        found = self._counts.get(key)
        if found is None:
            found = self._counts[key] = Counter(self._places.get(key, ()))
        return found

    def _standing(self, at: int) -> float:
        """What a passage is worth before any statement is known, its findings left out."""
        passage, length, weigh = self.passages[at], self._lengths[at], weights().ranking
        score = weigh.sections.get(passage.section, 0.0)
        score += weigh.length * min(length, weigh.length_most) / weigh.length_most
        return score + weigh.heading * (passage.kind == "heading") + weigh.short * (length < weigh.short_terms)

    def _finding(self, at: int) -> float:
        """The cues of a finding in a passage, at most ``finding_most``."""
        found = self._findings.get(at)
        if found is None:
            passage, most = self.passages[at], weights().ranking.finding_most
            cues = islice(FINDING.finditer(self.text, passage.start, passage.end), int(most))
            found = self._findings[at] = float(sum(1 for _ in cues))
        return found

    def reading(self, at: int) -> SentenceAnalysis:
        """A passage read for comparison; of a very long one its beginning."""
        passage = self.passages[at]
        return read(self.text[passage.start : min(passage.end, passage.start + LONGEST_READ)], self.words)

    def _told(self, at: int, amounts: Sequence[Quantity]) -> float:
        """Share 0..1 of these amounts that a passage gives in another form; the same form is matched as terms."""
        if not amounts:
            return 0.0
        theirs = self.reading(at).quantities
        given = [[other for other in theirs if mine.tells(other)] for mine in amounts]
        return sum(
            bool(found) and all(mine.form != other.form for other in found)
            for mine, found in zip(amounts, given, strict=True)
        ) / len(amounts)

    def idf(self, key: str) -> float:
        """Weight of a term in this source; a term that is not there weighs most."""
        count, seen = len(self.passages), len(self._tally(key))
        return log(1 + (count - seen + 0.5) / (seen + 0.5))

    def query(self, statement: str) -> Query:
        """A statement's terms with their weights in this source."""
        weights = {term.key: self.idf(term.key) for term in terms(statement, self.words)}
        return Query(weights, sum(weights.values()), tuple(filter(_measures, read(statement, self.words).quantities)))

    def has(self, key: str) -> bool:
        """Whether a term stands anywhere in the source."""
        return key in self._places

    def covered(self, query: Query, passages: Sequence[int]) -> float:
        """Share 0..1 of the statement's weight that some of these passages cover together."""
        found = (weight for key, weight in query.weights.items() if any(at in self._tally(key) for at in passages))
        return sum(found) / query.total if query.total else 0.0

    def match(self, query: Query, limit: int = 5) -> list[Match]:
        """The best passages that share at least one term with the statement, best first."""
        if not query.total:
            return []
        weigh, number = weights().ranking, len(query.weights)
        scores: dict[int, float] = {}
        covered: dict[int, float] = {}
        steep = weigh.k1 * weigh.b / self._average
        flat, share = weigh.k1 * (1 - weigh.b), weigh.share / number
        for key, weight in query.weights.items():
            bm25, cover = weigh.bm25 * weight * (weigh.k1 + 1) / query.total, weigh.coverage * weight / query.total
            for at, times in self._tally(key).items():
                gained = bm25 * times / (times + flat + steep * self._lengths[at]) + cover + share
                scores[at] = scores.get(at, 0.0) + gained
                covered[at] = covered.get(at, 0.0) + weight
        for at in scores:
            scores[at] += self._standing(at)
        finding, quantity = abs(weigh.finding * weigh.finding_most), abs(weigh.quantity * bool(query.amounts))
        near = _near(scores, limit, finding + quantity)
        scores = {at: score + weigh.finding * self._finding(at) for at, score in near}
        near = _near(scores, limit, quantity)
        scores = {at: score + weigh.quantity * self._told(at, query.amounts) for at, score in near}
        found = [Match(at, score, covered[at] / query.total) for at, score in scores.items()]
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


def _measures(quantity: Quantity) -> bool:
    """Whether an amount says enough to be looked for: it has a unit or is a bound."""
    return quantity.unit != "p" and (bool(quantity.unit) or quantity.sign[0] in "<>")


def _near(scores: Mapping[int, float], limit: int, reach: float) -> list[tuple[int, float]]:
    """The passages that may still come among the best: what takes reading is done for these only."""
    floor = min(nlargest(limit, scores.values()), default=0.0) - reach
    return [(at, score) for at, score in scores.items() if score >= floor]
