"""The figures of MedFactEval's meta-evaluation with both intervals: the default, and percentiles of resamples of cases.

The paper resamples its 30 cases 9,999 times. Below ``JACKKNIFE_BELOW`` cases the default leaves out each case in turn
instead, since percentiles of so few claim too much (``medreview.stats.formulas.intervals``). Whoever compares figures
with the paper's needs the one, whoever quotes them the other; so both stand beside each other here, and which is which.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from medreview.judges.fact_votes import PRESENCE
from medreview.labels import TieRule
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.units.fact_report import Juries, against_panel, single_person, system_scores
from medreview.units.held_facts import HeldFacts

Figure = Literal["presence", "kappa", "a person's kappa", "minus a person"]
ALL: Final = ""
"""All systems together."""


@dataclass(frozen=True, slots=True)
class BothIntervals:
    """A ``figure`` of presence in the texts of a ``system`` (``ALL``): of a ``rater`` beside the panel, or the score by
    the jury where there is no rater. ``default`` and ``bootstrap`` have one value, and each its own interval."""

    figure: Figure
    system: str
    rater: str
    default: Estimate
    bootstrap: Estimate


def both_intervals(
    facts: HeldFacts, tie: TieRule, resampling: Resampling, juries: Juries = ()
) -> tuple[BothIntervals, ...]:
    """Scores of each system; jury, small juries and judges beside the panel and beside a person of it, on all texts
    and, where a panel labelled those of several systems, on those of each."""
    ways = (resampling, replace(resampling, interval="percentile"))
    found = [
        BothIntervals("presence", one.system, "", by[PRESENCE].figure, again[PRESENCE].figure)
        for one, other in zip(*(system_scores(facts, tie, way) for way in ways), strict=True)
        if (by := one.by_jury or one.by_panel) and (again := other.by_jury or other.by_panel)
    ]
    mode = facts.panel_mode
    voted = dict.fromkeys(one.text.system for one in facts.held if any(vote.mode == mode for vote in one.people))
    for system in (ALL, *(voted if len(voted) > 1 else ())):
        part = facts.where(lambda one, system=system: system in (ALL, one.text.system))  # type: ignore[misc]
        found += _beside_people(part, system, tie, ways, juries)
    return tuple(found)


def _beside_people(
    facts: HeldFacts, system: str, tie: TieRule, ways: tuple[Resampling, Resampling], juries: Juries
) -> Iterator[BothIntervals]:
    for one, other in zip(*(against_panel(facts, tie, way, juries) for way in ways), strict=True):
        if one.task == PRESENCE:
            kappas = (each.agreement.figures["cohen_kappa"] for each in (one, other))
            yield BothIntervals("kappa", system, one.rater, *kappas)
    first, second = (single_person(facts, tie, way, juries) for way in ways)
    if first is None or second is None:
        return
    yield BothIntervals("a person's kappa", system, "", first.person, second.person)
    for single, again in zip(first.beside, second.beside, strict=True):
        yield BothIntervals("minus a person", system, single.rater, single.difference, again.difference)
