"""What annotators' flags and relevance say of generated questions and answers (ClinIQLink), as shares with Wilson's."""

from dataclasses import dataclass
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.intervals import proportion

_NOTHING: Final = "No item was annotated."


@dataclass(frozen=True)
class FlagRatios:
    """Four shares of the same ``n`` items.

    ``plausibility``: those of the highest relevance. ``hallucination_rate``: those with feedback or a dispute, or both.
    ``answerability``: those with neither; taken as the rest of the hallucination rate, for the paper's own formula is
    not in the text that was kept of it. ``ideal_pair_yield``: those of the highest relevance and with neither.
    """

    plausibility: Estimate
    hallucination_rate: Estimate
    answerability: Estimate
    ideal_pair_yield: Estimate


def flag_ratios(
    n: int, top_relevance: int, flagged: int, ideal: int | None = None, *, level: float = LEVEL, dropped: int = 0
) -> FlagRatios:
    """The shares of ``n`` annotated items; ``ideal`` counts those of the highest relevance without any flag.

    ``dropped``: items without annotation. Undefined without items; a count that is no part of ``n`` leaves its share
    undefined, too.
    """

    def share(name: str, k: int | None) -> Estimate:
        why = None
        if k is None:
            why = "It is not known which of the items are of the highest relevance and without a flag."
        elif not 0 <= k <= n:
            why = f"{k} of {n} is not a share."
        if k is None or why is not None:
            return Estimate(name, None, None, None, "Wilson", max(n, 0), None, dropped, why, level, scale="share")
        return proportion(name, k, n, level=level, dropped=dropped, nothing=_NOTHING)

    return FlagRatios(
        share("plausibility", top_relevance),
        share("hallucination rate", flagged),
        share("answerability", n - flagged),
        share("ideal-pair yield", ideal),
    )
