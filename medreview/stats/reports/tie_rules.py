"""The judges under every tie rule beside a reviewer, or the majority of several: what the rule makes of even votes."""

from collections.abc import Sequence
from dataclasses import dataclass

from medreview.labels import TieRule
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.reports.comparison import Pairing, compare


@dataclass(frozen=True)
class UnderRule:
    """One judge, or all together, against the reference under a tie rule, which is the same on both sides.

    ``tied_reviewers`` and ``tied_judges`` count even votes, whatever the rule makes of them.
    """

    judge: str
    rule: TieRule
    tied_reviewers: int
    tied_judges: int
    n: int
    agreement: Estimate
    kappa: Estimate


def under_rules(
    asked: Sequence[tuple[TieRule, Pairing]], ties: Sequence[tuple[int, int]], resampling: Resampling
) -> tuple[UnderRule, ...]:
    """Every pairing under its rule, from one draw; ``ties``: of reviewers, and of judges, of each."""
    found = compare([pairing for _, pairing in asked], resampling, full=False)
    return tuple(
        UnderRule(
            judge=one.second,
            rule=rule,
            tied_reviewers=people,
            tied_judges=judges,
            n=one.n,
            agreement=one.estimate("percent agreement"),
            kappa=one.estimate("Cohen's kappa"),
        )
        for (rule, _), (people, judges), one in zip(asked, ties, found, strict=True)
    )
