"""What a passage is measured by, the thresholds on these measures, and how many paragraphs each rule leaves out.

Coherence variance (Sheng 2023) and semantic entropy (Kuhn 2023), as in ClinIQLink, on vectors of sentences by their
words (TF-IDF).
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Any, Final

import numpy as np

from medreview.evidence.terms import vocabulary

Matrix = np.ndarray[Any, np.dtype[np.float64]]

TF_IDF: Final = "TF-IDF"
"""The name under which measures by these vectors are stored."""


class WordWeights:
    """The weights of words by how many sentences of all texts have them: ln((1 + n) / (1 + having it)) + 1.

    Words are stems without stop words; synonyms are one word. A word that stands n times in a sentence has 1 + ln n.
    """

    def __init__(self, sentences: Iterable[str]) -> None:
        self._having: Counter[str] = Counter()
        self._sentences = 0
        for sentence in sentences:
            self._sentences += 1
            self._having.update(set(vocabulary().keys(sentence)))

    def vectors(self, sentences: Sequence[str]) -> Matrix:
        """A row for each sentence, of length 1; of zeros when it has no word that counts."""
        counts = [Counter(vocabulary().keys(sentence)) for sentence in sentences]
        columns = {word: at for at, word in enumerate(sorted({word for count in counts for word in count}))}
        made = np.zeros((len(sentences), max(1, len(columns))))
        for row, count in enumerate(counts):
            for word, times in count.items():
                weight = log((1 + self._sentences) / (1 + self._having[word])) + 1
                made[row, columns[word]] = (1 + log(times)) * weight
        return of_length_one(made)


def of_length_one(vectors: Matrix) -> Matrix:
    """The same directions; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    divided: Matrix = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return divided


def cosines(vectors: Matrix) -> Matrix:
    """The cosine of each row with each, of rows of length 1 or 0."""
    return np.asarray(vectors @ vectors.T, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Features:
    """``density``: entities per token, 0..1; ``variance`` of the cosines of consecutive sentences, 0..1; ``entropy`` in
    nats over clusters of sentences, 0 to the logarithm of their number."""

    density: float
    variance: float
    entropy: float


def coherence_variance(vectors: Matrix) -> float:
    """The variance (of the population) of the cosines of consecutive rows; 0 for fewer than three."""
    if len(vectors) < 3:
        return 0.0
    return float(np.var(np.sum(vectors[:-1] * vectors[1:], axis=1)))


def semantic_entropy(vectors: Matrix, alike: float) -> float:
    """-sum p ln p over the clusters of the rows: two are in one when their cosine is above ``alike``, or a chain of
    such joins them."""
    clusters = _clusters(cosines(vectors) > alike)
    shares = [size / len(clusters) for size in Counter(clusters).values()]
    return -sum(share * log(share) for share in shares) + 0.0


def _clusters(joined: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> list[int]:
    """The number of the cluster of each row."""
    found = [-1] * len(joined)
    for first in range(len(joined)):
        if found[first] >= 0:
            continue
        found[first], waiting = first, [first]
        while waiting:
            for other in np.flatnonzero(joined[waiting.pop()]):
                if found[other] < 0:
                    found[other] = first
                    waiting.append(int(other))
    return found


RULES: Final[Mapping[str, str]] = {
    "few_tokens": "under 15 tokens",
    "few_sentences": "under two sentences",
    "too_long": "over 1,000 tokens",
    "boilerplate": "navigation, disclaimer, imprint",
    "table": "30% of its lines are rows of a table",
    "caption": "caption of a figure or table",
    "latex": "LaTeX",
    "low_density": "few entities",
    "incoherent": "consecutive sentences unevenly alike",
    "unfocused": "many meanings",
    "twice": "the same text again",
}
"""Every rule that leaves a paragraph out, in the order in which they are asked, and what it means."""


@dataclass(frozen=True, slots=True)
class PassageThresholds:
    """A passage is kept that has this entity density at least, and this variance and this entropy at most.

    The paper's own are lost in the text of it that is at hand; these are ours.
    """

    density: float = 0.05
    variance: float = 0.05
    entropy: float = 1.0

    def failed(self, one: Features) -> tuple[str, ...]:
        """The codes of the rules that a passage fails."""
        fails = {
            "low_density": one.density < self.density,
            "incoherent": one.variance > self.variance,
            "unfocused": one.entropy > self.entropy,
        }
        return tuple(code for code, failed in fails.items() if failed)


def thresholds_keeping(share: float, every: Sequence[Features]) -> PassageThresholds:
    """The thresholds that keep the best ``share`` (0..1) of some passages, and those that are as good as the last one.

    A passage is as good as its worst place in the three orders, by density, variance and entropy: the thresholds are
    what the passages that are kept reach in each.
    """
    if not every:
        return PassageThresholds()
    orders = (
        sorted(-one.density for one in every),
        sorted(one.variance for one in every),
        sorted(one.entropy for one in every),
    )
    places = [
        {value: at for at, value in reversed(list(enumerate(order)))} for order in orders
    ]  # of equal values the first place
    worst = [max(places[0][-one.density], places[1][one.variance], places[2][one.entropy]) for one in every]
    last = sorted(worst)[max(1, ceil(share * len(every))) - 1]
    kept = [one for one, place in zip(every, worst, strict=True) if place <= last]
    return PassageThresholds(
        min(one.density for one in kept), max(one.variance for one in kept), max(one.entropy for one in kept)
    )


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many paragraphs ``fail`` a rule, and how many of these no rule before it (``first``)."""

    fail: int
    first: int


@dataclass(frozen=True, slots=True)
class PassageCounts:
    """A stored choice of passages: the texts and their ``paragraphs``, how many of these were ``kept``, and the rules;
    what found the entities, and what compared the sentences."""

    run_id: str
    texts: int
    paragraphs: int
    kept: int
    rules: Mapping[str, RuleCount]
    entities: str
    vectors: str


def rule_counts(every: Iterable[Sequence[str]]) -> dict[str, RuleCount]:
    """The counts of each rule, of the codes of every paragraph."""
    order, fails, first = list(RULES), Counter[str](), Counter[str]()
    for codes in every:
        fails.update(codes)
        first.update(sorted(codes, key=order.index)[:1])
    return {code: RuleCount(fails[code], first[code]) for code in RULES}


def passage_counts(reader: sqlite3.Connection) -> list[PassageCounts]:
    """The counts of every choice that is stored, in order."""
    return [
        _counted(reader, run) for run in reader.execute("SELECT * FROM passage_run ORDER BY at_utc, passage_run_id")
    ]


def _counted(reader: sqlite3.Connection, run: sqlite3.Row) -> PassageCounts:
    query = "SELECT text_sha256, codes FROM passage_feature WHERE passage_run_id = ?"
    rows = reader.execute(query, (run["passage_run_id"],)).fetchall()
    return PassageCounts(
        run_id=run["passage_run_id"],
        texts=len({row["text_sha256"] for row in rows}),
        paragraphs=len(rows),
        kept=sum(not row["codes"] for row in rows),
        rules=rule_counts(row["codes"].split() for row in rows),
        entities=run["entities"],
        vectors=run["vectors"],
    )
