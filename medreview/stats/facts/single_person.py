"""Whether judges agree with a panel as well as one person of it does (MedFactEval's meta-evaluation), on presence.

The figures are those of ``formulas.human_baseline``; here is what of a study they are made of. Cases are resampled.
"""

from dataclasses import dataclass
from typing import Final

from medreview.judges.fact_votes import PRESENCE, answer_of
from medreview.judges.majority import OF_STUDY
from medreview.labels import TieRule
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.human_baseline import BesidePerson, non_inferiority
from medreview.units.held_facts import HeldFacts

JURY: Final = "the jury"
_LEAST: Final = 3
"""People, so that the others of one are two."""


@dataclass(frozen=True, slots=True)
class SinglePerson:
    """``person``: the mean of each one's kappa with the majority of the others; the judges and the jury beside it."""

    people: int
    replicates: int
    person: Estimate
    beside: tuple[BesidePerson, ...]


def single_person(facts: HeldFacts, tie: TieRule, resampling: Resampling = DEFAULT) -> SinglePerson | None:
    """``None`` without judges, or with fewer than three people."""
    mode = facts.panel_mode
    people = facts.people(mode)
    if len(people) < _LEAST or not facts.judges:
        return None
    held = [one for one in facts.held if one.text.valid]
    panel = [
        {vote.reviewer: answer_of(vote.level, PRESENCE) for vote in one.people if vote.mode == mode} for one in held
    ]
    said = [{vote.judge: vote.answer for vote in one.judged.of(PRESENCE)} for one in held]
    judges = {JURY: [one.jury(PRESENCE, tie).answer for one in held]}
    judges |= {judge: [votes.get(judge) for votes in said] for judge in facts.judges}
    found = non_inferiority(
        [[votes.get(name) for name in people] for votes in panel],
        judges,
        (True, False),
        tie=OF_STUDY[tie],
        positive=True,
        negative=False,
        clusters=[one.case.case_id for one in held],
        unit="case",
        resampling=resampling,
    )
    return SinglePerson(len(people), resampling.replicates, found.baseline.mean, found.beside)
