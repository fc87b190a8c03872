"""Assessment of one statement against one source: evidence, highlights, clashes, and a score for triage.

``unsupported`` orders statements for review; it is neither a probability nor a verdict. Rules on words cannot tell what
a source means: on some medical data sets they are near chance (docs/evidence.md).
"""

from math import exp
from typing import Final, Literal, NamedTuple

from medreview.evidence.clashes import Clash
from medreview.evidence.highlights import highlights
from medreview.evidence.pair_features import LIKE_PASSAGES, MOST_PASSAGES, PairFeatures, pair_features, signs
from medreview.evidence.ranking import Hit, SourceIndex
from medreview.evidence.sentence_analysis import compared_part, not_compared
from medreview.evidence.weights import weights
from medreview.text import Span

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
        return Assessment((), (), (), NOTHING_SHARED, "not_addressed", (reason, *filter(None, [cut])))
    features = pair_features(statement, index, query, found)
    unsupported = _unsupported(features)
    hits = tuple(Hit(*index.span(match.passage), match.score) for match in found[:MOST_PASSAGES])
    return Assessment(
        hits,
        highlights(statement, index, hits),
        features.clashes,
        unsupported,
        _label(features, unsupported),
        (*_reasons(statement, index, features), *filter(None, [cut])),
        features,
    )


def _unsupported(features: PairFeatures) -> float:
    weigh = weights().triage
    total = weigh.bias + sum(getattr(weigh, name) * value for name, value in signs(features).items())
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
