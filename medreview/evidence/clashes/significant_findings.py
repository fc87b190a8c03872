"""Statistical significance: a p value against ``significant``, ``no difference`` against ``significantly``."""

from collections.abc import Iterator

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.evidence.significance import claims_significance, significance


def significant_findings(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """``significantly`` against ``no significant difference`` or p > 0.05, or the reverse."""
    if not claims_significance(claim.text):
        return
    claimed, other = significance(claim), significance(evidence)
    if claimed is not None and other is not None and claimed[0] != other[0]:
        yield Clash("significance", claimed[1], other[1])
