"""Ranking of a source's passages by relevance to a statement, with the constants of ranking and triage.

A passage's score is the sum of BM25 over stemmed terms, the share of the statement's term weight that it covers
(weights are inverse document frequencies within the source), and a prior by the kind of passage: sentences that report
a finding or are in results or conclusions come first, headings, methods and references later. A sentence is lifted by
the one before it: what is said in two sentences names its subject in the first. The constants are in ``weights.toml``.
"""

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial
from itertools import islice
from math import log
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Final, NamedTuple

from medreview.evidence.lexicon import FINDING
from medreview.evidence.quantities import Quantity
from medreview.evidence.segment import NOTHING_ASKED, AnsweringParts, Passage, asked, content, is_total, segment
from medreview.evidence.sentence_analysis import LONGEST_COMPARED, SentenceAnalysis, analyse
from medreview.evidence.terms import Vocabulary, terms, vocabulary
from medreview.text import Span


class RankingWeights(NamedTuple):
    """The parameters of a passage's score, explained in ``weights.toml``."""

    k1: float
    b: float
    bm25: float
    coverage: float
    share: float
    quantity: float
    finding: float
    finding_most: float
    heading: float
    short: float
    short_terms: float
    length: float
    length_most: float
    head: float
    part: float
    arm: float
    before: float
    before_rank: float
    lit: float
    sections: Mapping[str, float]


class TriageWeights(NamedTuple):
    """The coefficients of ``unsupported`` (logistic), and the thresholds of the labels; see ``weights.toml``."""

    bias: float
    said: float
    together: float
    absent: float
    token_sort: float
    token_set: float
    dice: float
    names_lacking: float
    numbers_lacking: float
    opposed: float
    negated_alone: float
    missing: float
    amount: float
    word: float
    significance: float
    denied_finding: float
    little_covered: float
    supported_below: float


class Weights(NamedTuple):
    """All parameters, fitted or set by hand."""

    ranking: RankingWeights
    triage: TriageWeights


def load(path: Path | None = None) -> Weights:
    """The weights of a file in the format of ``weights.toml``, by default the package's.

    Raises ``TypeError`` for a missing or unknown name.
    """
    import tomllib

    table = tomllib.loads((path or Path(__file__).with_name("weights.toml")).read_text("utf-8"))
    return Weights(RankingWeights(**table["ranking"]), TriageWeights(**table["triage"]))


@cache
def weights() -> Weights:
    """The package's weights."""
    return load()


MOST_ANALYSES: Final = 2_000
"""Passages of one source whose analyses are kept: statements of one source share the passages that bear on them."""
MOST_AMOUNTS: Final = 20
"""Of a statement's amounts so many different ones are looked for in every passage that may be among the best."""


_ROUNDING: Final = 1e-9
"""What sums of the same scores in another order may differ by, and much more."""
_OF_PAPERS: Final = frozenset({"background", "conclusion", "references"})
_DIGIT: Final = re.compile(r"\d")


class Hit(NamedTuple):
    """A relevant passage, as a half-open range of code points. Scores order the passages of one source; they are not
    probabilities."""

    start: int
    end: int
    score: float


class Match(NamedTuple):
    """A passage's index, its score, and the share 0..1 of the statement's term weight that it covers."""

    passage: int
    score: float
    coverage: float


_match = partial(tuple.__new__, Match)
"""``Match`` of a tuple, in a third of the time."""


class Query(NamedTuple):
    """A statement's terms with their weights in one source, the sum of the weights, amounts with unit or bound, and
    which parts of a record it asks for."""

    weights: dict[str, float]
    total: float
    amounts: tuple[Quantity, ...]
    asked: AnsweringParts


class SourceIndex:
    """A source prepared for ranking: passages and their terms. Built once per snapshot; picklable."""

    def __init__(self, text: str, words: Vocabulary | None = None) -> None:
        self.text = text
        self.words = words
        self.passages: list[Passage] = segment(text)
        keys = (words or vocabulary()).keys
        self._terms = [keys(text[start:end]) for start, end, *_ in self.passages]
        self._lengths: list[int] = list(map(len, self._terms))
        self._average: float = sum(self._lengths) / max(1, len(self._lengths)) or 1.0
        self._counts: dict[str, dict[int, int]] = {}
        self._analyses: dict[int, SentenceAnalysis] = {}
        self._findings: dict[int, float] = {}
        self._lowered: dict[int, str] = {}
        self._idf: dict[str, float] = {}
        self._is_record = _is_record(self.passages)
        self._above = _heads(self.text, self.passages, record=self._is_record)
        self._first_rows = frozenset(head for head in self._above.values() if self.passages[head].kind == "row")

    def __getstate__(self) -> dict[str, object]:
        """The state without the analyses, which another process makes where it needs them."""
        return {**self.__dict__, "_analyses": {}, "_lowered": {}}

    def _count(self, keys: Iterable[str]) -> None:
        """Count these terms in every passage, unless they are counted: no other term of a source is asked for."""
        new = frozenset(keys).difference(self._counts)
        if new:
            counts: dict[str, dict[int, int]] = {key: {} for key in new}
            for at, found in enumerate(self._terms):
                for key in new.intersection(found):
                    counts[key][at] = found.count(key)
            self._counts |= counts

    def _term_counts(self, key: str) -> dict[int, int]:
        """The term frequency in each passage with the term; computed lazily."""
        if key not in self._counts:
            self._count((key,))
        return self._counts[key]

    @cached_property
    def _priors(self) -> list[float]:
        """The parts of the passages' scores that are independent of the statement, without their findings."""
        params, first_rows = weights().ranking, self._first_rows
        few, many, slope = params.short_terms, params.length_most, params.length / params.length_most
        heading, section = params.heading, {} if self._is_record else params.sections
        priors = []
        for at, (passage, length) in enumerate(zip(self.passages, self._lengths, strict=True)):
            score = slope * (length if length < many else many) + section.get(passage.section, 0.0)
            if passage.kind == "heading" or at in first_rows:
                score += heading
            if length < few and not (self._is_record and self._is_short_entry(at)):
                score += params.short
            priors.append(score)
        return priors

    def _is_short_entry(self, at: int) -> bool:
        """Whether a passage of a record may say what it says in a few words."""
        passage = self.passages[at]
        return passage.kind != "heading" and (passage.place.part == "eligibility" or self._has_number(at))

    def _has_number(self, at: int) -> bool:
        """Whether there is a digit in a passage."""
        return _DIGIT.search(self.text, self.passages[at].start, self.passages[at].end) is not None

    def _finding(self, at: int) -> float:
        """The number of cues of a finding in a passage, at most ``finding_most``."""
        found = self._findings.get(at)
        if found is None:
            cues = FINDING.finditer(self.lowered(at))
            found = self._findings[at] = float(len(list(islice(cues, int(weights().ranking.finding_most)))))
        return found

    def _add_places(self, scores: dict[int, float], wanted: AnsweringParts) -> None:
        """Lift what stands in the parts of a record that the statement is about, and below its arms.

        Amounts below an arm that is named need share no word with the statement.
        """
        params = weights().ranking
        if wanted.arms:
            for at, passage in enumerate(self.passages):
                place, kind = passage.place, passage.kind
                if (
                    place.arm in wanted.arms
                    and place.part in wanted.parts
                    and kind != "heading"
                    and _DIGIT.search(self.text, passage.start, passage.end)
                ):
                    scores.setdefault(at, 0.0)
        for at in scores:
            place = self.passages[at].place
            scores[at] += params.part * (place.part in wanted.parts) + params.arm * (place.arm in wanted.arms)

    def _lifts(self, scores: Mapping[int, float]) -> dict[int, float]:
        """What sentences gain from the one before, as far as that is above the lowest of the ``before_rank`` best."""
        params, lifts = weights().ranking, {}
        best = sorted(scores.items(), key=itemgetter(1), reverse=True)[: int(params.before_rank)]
        for at, score in best[:-1]:
            after = at + 1
            if after in scores and self.passages[after].kind == "sentence" and self.passages[at].kind != "heading":
                above = score + params.finding * self._finding(at) - best[-1][1]
                lifts[after] = params.before * max(0.0, above)
        return lifts

    def analysis(self, at: int) -> SentenceAnalysis:
        """The analysis of a passage; a very long one is an unsegmented page, of which the beginning is analysed."""
        found = self._analyses.get(at)
        if found is None:
            if len(self._analyses) >= MOST_ANALYSES:
                self._analyses.clear()
            passage = self.passages[at]
            part = self.text[passage.start : min(passage.end, passage.start + LONGEST_COMPARED)]
            found = self._analyses[at] = SentenceAnalysis(part, self.words)
        return found

    def _restated_share(self, at: int, amounts: Sequence[Quantity]) -> float:
        """Share 0..1 of these amounts that a passage has in another notation; the same notation matches as terms."""
        in_passage = self.analysis(at).quantities
        restatements = [[other for other in in_passage if amount.restates(other)] for amount in amounts]
        return sum(
            bool(found) and all(amount.form != other.form for other in found)
            for amount, found in zip(amounts, restatements, strict=True)
        ) / len(amounts)

    def idf(self, key: str) -> float:
        """Inverse document frequency of a term in this source; highest for a term that is not there."""
        found = self._idf.get(key)
        if found is None:
            count, frequency = len(self.passages), len(self._term_counts(key))
            found = self._idf[key] = log(1 + (count - frequency + 0.5) / (frequency + 0.5))
        return found

    def query(self, statement: str) -> Query:
        """A statement's terms with their weights in this source."""
        place = asked(statement) if self._is_record else NOTHING_ASKED
        if self._is_record:
            statement = content(statement, numbered_arms=any(passage.place.arm for passage in self.passages))
        keys, amounts = _searched(statement, self.words)
        self._count(keys)
        known = self._idf
        weights = {key: known[key] if key in known else self.idf(key) for key in keys}
        return Query(weights, sum(weights.values()), amounts, place)

    def frequency(self, key: str) -> int:
        """The number of passages in which a term occurs."""
        return len(self._term_counts(key))

    def lacking(self, keys: Iterable[str]) -> set[str]:
        """Those of these terms that occur nowhere in the source."""
        self._count(keys)
        counts = self._counts
        return {key for key in keys if not counts[key]}

    def covered(self, query: Query, passages: Sequence[int]) -> float:
        """Share 0..1 of the statement's term weight that these passages cover together."""
        return self.together(query.weights, passages) / query.total if query.total else 0.0

    def together(self, values: Mapping[str, float], passages: Sequence[int]) -> float:
        """The sum of the values of the terms that any of these passages has."""
        self._count(values)
        counts = self._counts
        return sum([value for key, value in values.items() if not counts[key].keys().isdisjoint(passages)])

    def shared(self, values: Mapping[str, float], passages: Sequence[int]) -> list[tuple[int, float]]:
        """For each of these passages how many of the terms it has, and the sum of their values."""
        self._count(values)
        counts = [(count, value) for key, value in values.items() if (count := self._counts[key])]
        found = []
        for at in passages:
            here = [value for count, value in counts if at in count]
            found.append((len(here), sum(here)))
        return found

    def lowered(self, passage: int) -> str:
        """A passage in lower case, of a very long one the beginning."""
        found = self._lowered.get(passage)
        if found is None:
            start, end, *_ = self.passages[passage]
            found = self._lowered[passage] = self.text[start : min(end, start + LONGEST_COMPARED)].lower()
        return found

    def length(self, passage: int) -> int:
        """The number of terms of a passage."""
        return self._lengths[passage]

    def _text_scores(self, query: Query) -> tuple[dict[int, float], dict[int, float]]:
        """By passage: the score of its text and of what heads it, and the statement's term weight that it covers."""
        params, number = weights().ranking, len(query.weights)
        scores: dict[int, float] = {}
        covered: dict[int, float] = {}
        lengths = self._lengths
        length_factor = params.k1 * params.b / self._average
        base_factor, share = params.k1 * (1 - params.b), params.share / number
        for key, weight in query.weights.items():
            bm25, cover = (
                params.bm25 * weight * (params.k1 + 1) / query.total,
                params.coverage * weight / query.total,
            )
            for at, times in self._term_counts(key).items():
                gain = bm25 * times / (times + base_factor + length_factor * lengths[at]) + cover + share
                scores[at] = scores.get(at, 0.0) + gain
                covered[at] = covered.get(at, 0.0) + weight
        for at, head in self._above.items():
            if head in scores and self.passages[head].kind == "heading":
                scores[at] = scores.get(at, 0.0) + scores[head]
                covered.setdefault(at, covered[head])
            elif head in scores and at in scores:
                scores[at] += params.head * scores[head]
        return scores, covered

    def match(self, query: Query, limit: int = 5) -> list[Match]:
        """At most ``limit`` passages that bear on the statement, best first.

        They share a term with it; or, in a record, their heading does, or they are amounts of the arm that it names.
        """
        if not query.total:
            return []
        scores, covered = self._text_scores(query)
        if self._is_record:
            self._add_places(scores, query.asked)
        priors = self._priors
        for at in scores:
            scores[at] += priors[at]
        params = weights().ranking
        finding, quantity = (
            abs(params.finding * params.finding_most),
            abs(params.quantity * bool(query.amounts)),
        )
        for at, lift in self._lifts(scores).items():
            scores[at] += lift
        found: list[Match] = []
        best: list[float] = []
        # best: the scores of those so far, the lowest first; only what can still be among them is analysed
        for at, without in sorted(scores.items(), key=itemgetter(1), reverse=True):
            if len(best) == limit and without + finding + quantity < best[0] - _ROUNDING:
                break
            score = without + params.finding * self._finding(at)
            if len(best) == limit and score + quantity < best[0] - _ROUNDING:
                continue
            if query.amounts:
                score += params.quantity * self._restated_share(at, query.amounts)
            found.append(_match((at, score, covered.get(at, 0.0) / query.total)))
            insort(best, score)
            del best[:-limit]
        return sorted(found, key=lambda match: (-match.score, match.passage))[:limit]

    def rank(self, statement: str, limit: int = 5) -> list[Hit]:
        """At most ``limit`` passages relevant to a statement, best first; empty when no word is shared."""
        return [
            Hit(self.passages[match.passage].start, self.passages[match.passage].end, match.score)
            for match in self.match(self.query(statement), limit)
        ]

    def heads(self, passage: int) -> SentenceAnalysis | None:
        """The column heads of a row; ``None`` of any other passage, and without heads."""
        above = self._above.get(passage) if self.passages[passage].kind == "row" else None
        return None if above is None else self.analysis(above)

    def passage_at(self, start: int) -> int:
        """The index of the passage that begins at a place."""
        return bisect_left(self.passages, start, key=attrgetter("start"))

    def span(self, passage: int) -> Span:
        """The range of a passage by its index."""
        return Span(self.passages[passage].start, self.passages[passage].end)


@lru_cache(maxsize=2_000)
def _searched(statement: str, words: Vocabulary | None) -> tuple[tuple[str, ...], tuple[Quantity, ...]]:
    """The different terms of a statement, and its amounts with unit or bound."""
    specific = filter(_is_specific, analyse(statement, words).quantities)
    each = {(amount.low, amount.high, amount.sign, amount.written): amount for amount in specific}
    keys = dict.fromkeys([term.key for term in terms(statement, words)])
    return tuple(keys), tuple(islice(each.values(), MOST_AMOUNTS))


def _is_record(passages: Sequence[Passage]) -> bool:
    """Whether a source is a trial record, label or leaflet: it has the parts of one rather than sections of a paper."""
    parts = {passage.place.part for passage in passages} - {""}
    return len(parts) > 2 * len({passage.section for passage in passages} & _OF_PAPERS)


def _heads(text: str, passages: Sequence[Passage], *, record: bool) -> dict[int, int]:
    """For the rows of a table its first row, and for the total of a part of a record the heading above."""
    found: dict[int, int] = {}
    heading = first = -1
    for at, passage in enumerate(passages):
        if passage.kind == "row" and at and passages[at - 1].kind == "row":
            found[at] = first
        elif passage.kind == "row":
            first = at
        elif passage.kind == "heading":
            heading = at
        if record and heading >= 0 and passage.place.part and is_total(text[passage.start : passage.end]):
            found[at] = heading
    return found


def _is_specific(quantity: Quantity) -> bool:
    """Whether an amount is specific enough to search for: it has a unit or is a bound."""
    return quantity.unit != "p" and (bool(quantity.unit) or quantity.sign[0] in "<>")
