"""Assessment of one statement against one source: evidence, highlights, clashes, and a score for triage.

``unsupported`` orders statements for review; it is neither a probability nor a verdict. Rules on words cannot tell what
a source means: on some medical data sets they are near chance (docs/explanation/evidence.md).

The score goes by the features of the pair. Shares of the statement's words in the source say little where a citation
was looked up by those very words. So measures of likeness stand beside them: two that a passage of much else does not
satisfy, how like the words in any order are (token sort ratio) and how many terms statement and passage have in common,
of those of both (Dice); and one that it does (token set ratio). Then what the page lacks of the statement's names and
numbers, and polarity (``pair_signs``); and what clashes.
"""

from collections.abc import Sequence
from math import exp
from typing import Final, Literal, NamedTuple

from rapidfuzz import fuzz, process

from medreview.evidence.background import rarities
from medreview.evidence.clash import Clash, agrees
from medreview.evidence.clashes import clashes_between
from medreview.evidence.lexicon import OPPOSITES
from medreview.evidence.pair_signs import PairSigns, pair_signs
from medreview.evidence.passage_ranking import Hit, Match, Query, SourceIndex, weights
from medreview.evidence.quantities import Quantity
from medreview.evidence.sentence_analysis import (
    SentenceAnalysis,
    analyse,
    compared_part,
    denies_significance,
    not_compared,
    significance,
)
from medreview.evidence.sign_names import SIGNS
from medreview.evidence.source_highlights import highlights
from medreview.text import Span

MOST_PASSAGES: Final = 5
"""The best passages: those that are shown, and that may give the statement's amounts."""
LIKE_PASSAGES: Final = 12
"""Passages among which the one most like the statement is looked for."""
TOGETHER: Final = 3
"""The best passages, in which the statement's words are looked for together, and in any order beside others."""
AMOUNTS: Final = frozenset({"number", "unit", "range", "comparison"})


class PairFeatures(NamedTuple):
    """The features of a pair; the first seven are 0..1. ``covered``: share of the statement's term weight in the best
    passage. ``said``, ``together``, ``absent``: shares of the statement's words by how rare they are.

    ``weights.toml`` explains each. ``missing`` are the statement's amounts that the best passages do not have, of
    ``amounts`` in all.
    """

    covered: float
    said: float
    together: float
    absent: float
    token_sort: float
    token_set: float
    dice: float
    pair: PairSigns
    missing: tuple[Quantity, ...]
    amounts: int
    denied_finding: bool
    clashes: tuple[Clash, ...]


def pair_features(
    statement: str, index: SourceIndex, query: Query, found: Sequence[Match], pair: PairSigns
) -> PairFeatures:
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
    return PairFeatures(
        found[0].coverage,
        *_likeness(statement, index, query, [match.passage for match in found[:LIKE_PASSAGES]]),
        pair,
        missing,
        len(amounts),
        _is_denied(statement, claim, best),
        tuple(clashing),
    )


def _likeness(
    statement: str, index: SourceIndex, query: Query, near: Sequence[int]
) -> tuple[float, float, float, float, float, float]:
    """The features that tell how like statement and passages are; the last three of the passage most like."""
    rare = rarities(tuple(query.weights))
    total = sum(rare.values())
    shared = index.shared(rare, near)
    dice = max([2 * number / (len(rare) + index.length(at)) for at, (number, _) in zip(near, shared, strict=True)])
    words, texts, lacks = statement.lower(), [index.lowered(at) for at in near], index.lacking(rare)
    # in one call the statement's words are taken apart once, not for each passage
    return (
        max([value for _, value in shared]) / total,
        index.together(rare, near[:TOGETHER]) / total,
        sum([value for key, value in rare.items() if key in lacks]) / total,
        process.extractOne(words, texts, scorer=fuzz.token_sort_ratio)[1] / 100,
        process.extractOne(words, texts[:TOGETHER], scorer=fuzz.token_set_ratio)[1] / 100,
        min(1.0, dice),
    )


def _is_denied(statement: str, claim: SentenceAnalysis, best: SentenceAnalysis) -> bool:
    """Whether the statement has a direction and the best passage reports no significant difference."""
    if all(claim.keys.isdisjoint(side) for pair in OPPOSITES for side in pair):
        return False
    finding = significance(best)
    return finding is not None and not finding[0] and not denies_significance(statement)


def signs(features: PairFeatures) -> dict[str, float]:
    """What the triage score weighs, by the name of the weight; each 0..1, ``opposed`` -1..1."""
    kinds = {clash.kind for clash in features.clashes}
    pair = dict(zip(SIGNS, features.pair.values, strict=True))
    return {
        "said": features.said,
        "together": features.together,
        "absent": features.absent,
        "token_sort": features.token_sort,
        "token_set": features.token_set,
        "dice": features.dice,
        "names_lacking": pair["names_lacking"],
        "numbers_lacking": pair["numbers_lacking"],
        "opposed": pair["opposed"],
        "negated_alone": pair["negated_alone"],
        "missing": len(features.missing) / features.amounts if features.amounts else 0.0,
        "amount": bool(kinds & AMOUNTS),
        "word": bool(kinds - AMOUNTS - {"significance"}),
        "significance": "significance" in kinds,
        "denied_finding": features.denied_finding,
    }


def _is_in(quantity: Quantity, passage: SentenceAnalysis) -> bool:
    return any(
        quantity.restates(other) or (quantity.unit == other.unit and agrees(quantity, other))
        for other in passage.quantities
    )


def _stated_elsewhere(clash: Clash, claim: SentenceAnalysis, passages: Sequence[SentenceAnalysis]) -> bool:
    """Whether another of the best passages has exactly the statement's amount: then the source says both."""
    claimed = [q for q in claim.quantities if clash.statement_span == (q.start, q.end)]
    return any(q.equals(other) and q.sign == other.sign for q in claimed for p in passages for other in p.quantities)


AssessedLabel = Literal["supported", "partial", "contradicted", "not_addressed"]

NOTHING_SHARED: Final = 0.95
"""``unsupported`` without a shared word: about what the weights give where next to nothing is shared."""


class Assessment(NamedTuple):
    """The result of the rules; all ranges are half-open code points of the source, except a clash's ``statement_span``.

    ``spans``: passages, best first. ``highlights``: whole words, in text order. ``unsupported``: 0..1, higher is to be
    reviewed sooner. ``reasons``: short sentences for the reviewer. ``features``: those that the score is computed from;
    ``None`` without evidence.
    """

    spans: tuple[Hit, ...]
    highlights: tuple[Span, ...]
    clashes: tuple[Clash, ...]
    unsupported: float
    label: AssessedLabel
    reasons: tuple[str, ...]
    pair: PairSigns
    features: PairFeatures | None = None


def assess(statement: str, index: SourceIndex) -> Assessment:
    """Assess a statement against a source; without a shared word there is no evidence: ``not_addressed``.

    The statement's markers are no words of it. Of a very long one the beginning is compared, and a reason says so.
    """
    cut = not_compared(statement)
    statement = compared_part(statement)
    query = index.query(statement)
    found = index.match(query, LIKE_PASSAGES)
    if not found:
        reason = "No word of the statement is in the source."
        pair = pair_signs(statement, index, ())
        return Assessment((), (), (), NOTHING_SHARED, "not_addressed", (reason, *filter(None, [cut])), pair)
    pair = pair_signs(statement, index, [match.passage for match in found[:MOST_PASSAGES]])
    features = pair_features(statement, index, query, found, pair)
    unsupported = _unsupported(features)
    shown = [(index.passages[match.passage], match.score) for match in found[:MOST_PASSAGES]]
    hits = tuple([Hit(passage.start, passage.end, score) for passage, score in shown])
    return Assessment(
        hits,
        highlights(statement, index, hits),
        features.clashes,
        unsupported,
        _label(features, unsupported),
        (*_reasons(statement, index, features), *filter(None, [cut])),
        pair,
        features,
    )


def _unsupported(features: PairFeatures) -> float:
    weigh = weights().triage
    total = weigh.bias + sum([getattr(weigh, name) * value for name, value in signs(features).items()])
    return 1 / (1 + exp(-total))


def _label(features: PairFeatures, unsupported: float) -> AssessedLabel:
    if features.clashes:
        return "contradicted"
    if unsupported < weights().triage.supported_below and not features.missing and not features.denied_finding:
        return "supported"
    return "not_addressed" if features.covered < weights().triage.little_covered else "partial"


def describe(clash: Clash, statement: str, source: str) -> str:
    """A clash in one sentence: ``30 mL/kg in the source, 50 mL/kg in the statement``."""
    claimed, other = (
        " ".join(text[span.start : span.end].split())
        for text, span in ((statement, clash.statement_span), (source, clash.source_span))
    )
    return f"{other} in the source, {claimed} in the statement"


def _reasons(statement: str, index: SourceIndex, features: PairFeatures) -> list[str]:
    found = [f"{clash.kind}: {describe(clash, statement, index.text)}" for clash in features.clashes]
    clashing = [clash.statement_span for clash in features.clashes]
    for quantity in features.missing:
        span = Span(quantity.start, quantity.end)
        if not any(span.overlap(other) for other in clashing):
            found.append(f"not in the evidence: {statement[span.start : span.end]}")
    if features.denied_finding:
        found.append("the passage reports no significant difference")
    if features.covered < weights().triage.little_covered:
        found.append("few of the statement's words are in one passage")
    return found
