"""Assessment of one statement against one source: evidence, highlights, clashes, and a score for triage.

``unsupported`` orders statements for review; it is neither a probability nor a verdict. Rules on words cannot tell what
a source means: on some medical data sets they are near chance (docs/evidence.md).
"""

from collections.abc import Sequence
from math import exp
from typing import Final, Literal, NamedTuple

from medreview.evidence.clashes import Clash, agrees, clashes
from medreview.evidence.highlights import highlights
from medreview.evidence.lexicon import OPPOSITES
from medreview.evidence.quantities import Quantity
from medreview.evidence.ranking import Hit, Match, Query, SourceIndex
from medreview.evidence.sentence_analysis import SentenceAnalysis, analyse, compared_part, not_compared
from medreview.evidence.significance import denies_significance, significance
from medreview.evidence.weights import weights
from medreview.text import Span

AssessedLabel = Literal["supported", "partial", "contradicted", "not_addressed"]

MOST_PASSAGES: Final = 5
AMOUNTS: Final = frozenset({"number", "unit", "range", "comparison"})


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
    features: "PairFeatures | None" = None


class PairFeatures(NamedTuple):
    """The features of a pair of statement and source; ``covered``, ``together`` and ``absent`` are shares 0..1.

    ``weights.toml`` explains each. ``missing`` are the statement's amounts that the best passages do not have, of
    ``amounts`` in all.
    """

    covered: float
    together: float
    absent: float
    missing: tuple[Quantity, ...]
    amounts: int
    denied_finding: bool
    clashes: tuple[Clash, ...]


def assess(statement: str, index: SourceIndex) -> Assessment:
    """Assess a statement against a source; without a shared word there is no evidence: ``not_addressed``.

    The statement's markers are no words of it. Of a very long one the beginning is compared, and a reason says so.
    """
    cut = not_compared(statement)
    statement = compared_part(statement)
    query = index.query(statement)
    found = index.match(query, MOST_PASSAGES)
    if not found:
        reason = "No word of the statement is in the source."
        return Assessment((), (), (), 0.9, "not_addressed", (reason, *filter(None, [cut])))
    features = _features(statement, index, query, found)
    hits = tuple(Hit(*index.span(match.passage), match.score) for match in found)
    return Assessment(
        hits,
        highlights(statement, index, hits),
        features.clashes,
        _unsupported(features),
        _label(features),
        (*_reasons(statement, index, features), *filter(None, [cut])),
        features,
    )


def _features(statement: str, index: SourceIndex, query: Query, found: Sequence[Match]) -> PairFeatures:
    """The features of the best passages (at least one)."""
    claim = analyse(statement, index.words)
    passages = [index.analysis(match.passage) for match in found]
    best = passages[0]
    amounts = [quantity for quantity in claim.quantities if quantity.unit != "p"]
    missing = tuple(quantity for quantity in amounts if not any(_is_in(quantity, passage) for passage in passages))
    clashing = [
        clash
        for clash in clashes(statement, best.text, index.span(found[0].passage).start, index.words)
        if clash.kind not in AMOUNTS or not _stated_elsewhere(clash, claim, passages[1:])
    ]
    together = index.covered(query, [match.passage for match in found[:3]])
    finding = significance(best)
    says_not_significant = denies_significance(statement)
    directed = any(claim.keys & side for pair in OPPOSITES for side in pair)
    return PairFeatures(
        found[0].coverage,
        together,
        sum(weight for key, weight in query.weights.items() if not index.has(key)) / query.total,
        missing,
        len(amounts),
        directed and not says_not_significant and finding is not None and not finding[0],
        tuple(clashing),
    )


def _is_in(quantity: Quantity, passage: SentenceAnalysis) -> bool:
    return any(
        quantity.restates(other) or (quantity.unit == other.unit and agrees(quantity, other))
        for other in passage.quantities
    )


def _stated_elsewhere(clash: Clash, claim: SentenceAnalysis, passages: Sequence[SentenceAnalysis]) -> bool:
    """Whether another of the best passages has exactly the statement's amount: then the source says both."""
    claimed = [q for q in claim.quantities if clash.statement_span == (q.start, q.end)]
    return any(q.equals(other) and q.sign == other.sign for q in claimed for p in passages for other in p.quantities)


def _unsupported(features: PairFeatures) -> float:
    kinds = {clash.kind for clash in features.clashes}
    values = {
        "covered": features.covered,
        "together": features.together,
        "absent": features.absent,
        "missing": len(features.missing) / features.amounts if features.amounts else 0.0,
        "amount": bool(kinds & AMOUNTS),
        "word": bool(kinds - AMOUNTS - {"significance"}),
        "significance": "significance" in kinds,
        "denied_finding": features.denied_finding,
    }
    weigh = weights().triage
    total = weigh.bias + sum(getattr(weigh, name) * value for name, value in values.items())
    return 1 / (1 + exp(-weigh.steepness * total))


def _label(features: PairFeatures) -> AssessedLabel:
    if features.covered < weights().triage.little_covered:
        return "not_addressed"
    if features.clashes:
        return "contradicted"
    if features.covered >= weights().triage.well_covered and not features.missing and not features.denied_finding:
        return "supported"
    return "partial"


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
