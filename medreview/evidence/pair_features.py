"""The features of a pair of statement and source that the triage score and the labels go by.

Shares of the statement's words in the source say little where a citation was looked up by those very words. So two
measures of likeness stand beside them, which a passage of much else does not satisfy: how like the words in any order
are (token sort ratio), and how many terms statement and passage have in common, of those of both (Dice).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from rapidfuzz import fuzz, process

from medreview.evidence.clashes import Clash, agrees, clashes_between
from medreview.evidence.lexicon import OPPOSITES
from medreview.evidence.quantities import Quantity
from medreview.evidence.ranking import Match, Query, SourceIndex
from medreview.evidence.sentence_analysis import LONGEST_COMPARED, SentenceAnalysis, analyse
from medreview.evidence.significance import denies_significance, significance

MOST_PASSAGES: Final = 5
"""The best passages: those that are shown, and that may give the statement's amounts."""
LIKE_PASSAGES: Final = 12
"""Passages among which the one most like the statement is looked for."""
AMOUNTS: Final = frozenset({"number", "unit", "range", "comparison"})


class PairFeatures(NamedTuple):
    """The features of a pair; ``covered``, ``together``, ``absent``, ``token_sort`` and ``dice`` are 0..1.

    ``weights.toml`` explains each. ``missing`` are the statement's amounts that the best passages do not have, of
    ``amounts`` in all.
    """

    covered: float
    together: float
    absent: float
    token_sort: float
    dice: float
    missing: tuple[Quantity, ...]
    amounts: int
    denied_finding: bool
    clashes: tuple[Clash, ...]


def pair_features(statement: str, index: SourceIndex, query: Query, found: Sequence[Match]) -> PairFeatures:
    """The features of a statement and the passages that were found for it, best first, at least one."""
    claim = analyse(statement, index.words)
    shown = found[:MOST_PASSAGES]
    passages = [index.analysis(match.passage) for match in shown]
    best = passages[0]
    amounts = [quantity for quantity in claim.quantities if quantity.unit != "p"]
    missing = tuple(quantity for quantity in amounts if not any(_is_in(quantity, passage) for passage in passages))
    clashing = [
        clash
        for clash in clashes_between(claim, best, index.span(found[0].passage).start, index.heads(found[0].passage))
        if clash.kind not in AMOUNTS or not _stated_elsewhere(clash, claim, passages[1:])
    ]
    near = [match.passage for match in found[:LIKE_PASSAGES]]
    return PairFeatures(
        found[0].coverage,
        index.covered(query, [match.passage for match in found[:3]]),
        sum(weight for key, weight in query.weights.items() if not index.has(key)) / query.total,
        _token_sort(statement, index, near),
        index.dice(query, near),
        missing,
        len(amounts),
        _is_denied(statement, claim, best),
        tuple(clashing),
    )


def _is_denied(statement: str, claim: SentenceAnalysis, best: SentenceAnalysis) -> bool:
    """Whether the statement has a direction and the best passage reports no significant difference."""
    if all(claim.keys.isdisjoint(side) for pair in OPPOSITES for side in pair):
        return False
    finding = significance(best)
    return finding is not None and not finding[0] and not denies_significance(statement)


def signs(features: PairFeatures) -> dict[str, float]:
    """What the triage score weighs, by the name of the weight; each 0..1."""
    kinds = {clash.kind for clash in features.clashes}
    return {
        "covered": features.covered,
        "together": features.together,
        "absent": features.absent,
        "token_sort": features.token_sort,
        "dice": features.dice,
        "missing": len(features.missing) / features.amounts if features.amounts else 0.0,
        "amount": bool(kinds & AMOUNTS),
        "word": bool(kinds - AMOUNTS - {"significance"}),
        "significance": "significance" in kinds,
        "denied_finding": features.denied_finding,
    }


def _token_sort(statement: str, index: SourceIndex, passages: Sequence[int]) -> float:
    """The likeness 0..1 of the statement and the passage most like it, the words of each in alphabetical order."""
    words = statement.lower()
    found = [index.passages[at] for at in passages]
    texts = [index.text[one.start : min(one.end, one.start + LONGEST_COMPARED)].lower() for one in found]
    # in one call the statement's words are sorted once, not for each passage
    return process.extractOne(words, texts, scorer=fuzz.token_sort_ratio)[1] / 100


def _is_in(quantity: Quantity, passage: SentenceAnalysis) -> bool:
    return any(
        quantity.restates(other) or (quantity.unit == other.unit and agrees(quantity, other))
        for other in passage.quantities
    )


def _stated_elsewhere(clash: Clash, claim: SentenceAnalysis, passages: Sequence[SentenceAnalysis]) -> bool:
    """Whether another of the best passages has exactly the statement's amount: then the source says both."""
    claimed = [q for q in claim.quantities if clash.statement_span == (q.start, q.end)]
    return any(q.equals(other) and q.sign == other.sign for q in claimed for p in passages for other in p.quantities)
