"""The offline judge: rules that compare words and numbers. Named ``offline`` wherever its judgements are shown.

It needs no endpoint and no model; it finds evidence and clashes well but does not understand meaning: it says
``unsure`` when it cannot tell, and its labels are for triage. Never count them as a verdict without naming it.
"""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from medreview.evidence.assess import Assessment, assess, describe
from medreview.evidence.pair_features import PairFeatures
from medreview.evidence.ranking import SourceIndex
from medreview.evidence.sentence_analysis import compared_part, not_compared, only_negated
from medreview.sources.ocr_pages import Doubtful
from medreview.sources.read_by_ocr import least_sure, number_in_doubt
from medreview.text import Span

Verdict = Literal["supported", "partial", "contradicted", "not_addressed"]

ALIKE: Final = 0.4
"""The triage score below which a statement is ``supported``."""
UNLIKE: Final = 0.72
"""The triage score above which a statement is not addressed."""
SOME: Final = 0.5
"""Minimum share of the statement's term weight in one passage for ``partial``, when some amounts are missing."""


class OfflineJudgement(NamedTuple):
    """A judgement. ``raw_label`` is the verdict or ``unsure`` (then ``verdict`` is ``None``); ``confidence`` is 0..1;
    ``quote`` is the best passage verbatim, ``quote_span`` its range in the source; ``None`` without evidence."""

    raw_label: str
    verdict: Verdict | None
    confidence: float
    reason: str
    quote: str | None
    quote_span: Span | None


def judge(
    statement: str, index: SourceIndex, assessment: Assessment | None = None, doubtful: Iterable[Doubtful] = ()
) -> OfflineJudgement:
    """Judge one statement against one source; ``assessment`` is that of the pair, computed here when not given.

    ``doubtful``: words of the source that OCR may have read wrong. What differs in those only contradicts nothing.
    """
    found = assessment or assess(statement, index)
    cut = f" ({not_compared(statement)})" if not_compared(statement) else ""
    statement = compared_part(statement)
    if found.features is None:
        reason = f"No word of the statement is in the source.{cut}"
        return OfflineJudgement("not_addressed", "not_addressed", 0.7, reason, None, None)
    best = found.spans[0]
    span = Span(best.start, best.end)
    verdict, confidence, reason = _decide(statement, index, found, found.features, tuple(doubtful))
    return OfflineJudgement(
        verdict or "unsure", verdict, round(confidence, 3), reason + cut, index.text[span.start : span.end], span
    )


def _decide(
    statement: str,
    index: SourceIndex,
    found: Assessment,
    features: PairFeatures,
    doubtful: tuple[Doubtful, ...],
) -> tuple[Verdict | None, float, str]:
    if features.clashes:
        sure = [least_sure(doubtful, clash.source_span) for clash in features.clashes]
        told = (
            describe(clash, statement, index.text) + (f" ({number_in_doubt(low)})" if low is not None else "")
            for clash, low in zip(features.clashes, sure, strict=True)
        )
        reason = "; ".join(told) + "."
        if None not in sure:
            return None, 0.4, reason
        return "contradicted", 0.5 + 0.3 * features.covered, reason
    if features.denied_finding:
        return None, 0.4, "The passage reports no significant difference."
    if found.unsupported > UNLIKE:
        return "not_addressed", found.unsupported, "No passage is much like the statement."
    if features.missing:
        written = ", ".join(statement[q.start : q.end] for q in features.missing)
        if features.covered >= SOME and len(features.missing) < features.amounts:
            return "partial", 0.5, f"The best passages do not give {written}."
        return None, 0.4, f"The best passages do not give {written}."
    if found.unsupported < ALIKE:
        best = found.spans[0]
        negated = only_negated(statement, index.text[best.start : best.end], index.words)
        if negated:
            return None, 0.4, f"Only the {negated} is negated; the rules cannot tell what that changes."
        amounts = ", numbers included" if features.amounts else ""
        return "supported", 1 - found.unsupported, f"A passage has much the same words{amounts}."
    return None, 0.3, "The passage shares words with the statement, not enough to tell."
