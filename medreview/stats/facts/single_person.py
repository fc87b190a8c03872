"""Whether judges agree with a panel as well as one person of it does (MedFactEval's meta-evaluation), on presence.

A person is held against the majority of the others, a judge against that of all: the mean of the persons' kappas is
what a judge has to reach. All of it comes from the same resamples of cases, so that the difference has an interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from medreview.judges.fact_votes import PRESENCE, answer_of
from medreview.labels import TieRule
from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Floats,
    Resampling,
    bootstrap_figure,
    cluster_codes,
    contributions,
    draw,
)
from medreview.stats.formulas.coefficients import cohen_kappa
from medreview.stats.formulas.estimate import Estimate
from medreview.units.held_facts import HeldFact, HeldFacts

MARGIN: Final = 0.10
"""How much worse than a person a judge may be, in kappa (the paper's)."""
LEVEL: Final = 0.90
"""Of the interval of the difference: its lower end is that of a one-sided test at 5%."""
JURY: Final = "the jury"
_LEAST: Final = 3
"""People, so that the others of one are two."""
_CELLS: Final = 4
_UNDEFINED: Final = "One of the kappas is 0/0: somebody and the majority gave one label throughout."


@dataclass(frozen=True, slots=True)
class BesidePerson:
    """A judge, or the jury, beside one person: ``difference`` is its kappa minus the mean of the persons'.

    ``p``: the share of resamples in which it is worse by the margin or more, one-sided; ``None`` when undefined.
    """

    rater: str
    difference: Estimate
    p: float | None

    @property
    def non_inferior(self) -> bool | None:
        """Whether the lower end of the interval is above minus the margin; ``None`` without an interval."""
        return None if self.difference.low is None else self.difference.low > -MARGIN


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
    people, raters = facts.people(mode), (JURY, *facts.judges)
    if len(people) < _LEAST or not facts.judges:
        return None
    held = [one for one in facts.held if one.text.valid]
    codes, cases = cluster_codes([one.case.case_id for one in held])
    units = np.zeros((cases, len(people) + len(raters), _CELLS))
    for case, one in zip(codes, held, strict=True):
        whole = one.panel(PRESENCE, tie, mode).answer
        said = {vote.reviewer: answer_of(vote.level, PRESENCE) for vote in one.people if vote.mode == mode}
        for place, name in enumerate(people):
            _count(units[case, place], one.panel(PRESENCE, tie, mode, [name]).answer, said.get(name))
        for place, answer in enumerate(_words(one, raters, tie), len(people)):
            _count(units[case, place], whole, answer)
    flat = units.reshape(cases, -1)
    observed = _kappas(flat.sum(axis=0)[None], len(people))
    draws = _kappas(draw(contributions(flat), resampling), len(people))
    n = int(units[:, : len(people)].sum())
    mean = bootstrap_figure(
        "mean kappa of a person with the majority of the others", float(observed[0, 0]), draws[:, 0], n=n,
        clusters=cases, undefined=_UNDEFINED, instead="", resampling=resampling, unit="case",
    )  # fmt: skip
    narrow = Resampling(LEVEL, resampling.replicates, resampling.seed)
    beside = []
    for place, rater in enumerate(raters, 1):
        difference = draws[:, place] - draws[:, 0]
        figure = bootstrap_figure(
            f"kappa of {rater}, minus that of a person", float(observed[0, place] - observed[0, 0]), difference,
            n=int(units[:, len(people) + place - 1].sum()), clusters=cases, undefined=_UNDEFINED,
            instead="the two never differ", resampling=narrow, unit="case",
        )  # fmt: skip
        known = difference[~np.isnan(difference)]
        p = float((known <= -MARGIN).mean()) if figure.low is not None else None
        beside.append(BesidePerson(rater, figure, p))
    return SinglePerson(len(people), resampling.replicates, mean, tuple(beside))


def _words(one: HeldFact, raters: Sequence[str], tie: TieRule) -> list[bool | None]:
    said = {vote.judge: vote.answer for vote in one.judged.of(PRESENCE)}
    return [one.jury(PRESENCE, tie).answer, *(said.get(judge) for judge in raters[1:])]


def _count(cells: Floats, reference: bool | None, answer: bool | None) -> None:
    if reference is not None and answer is not None:
        cells[2 * (not reference) + (not answer)] += 1


def _kappas(sums: Floats, people: int) -> Floats:
    """Of summed tables (B x raters * 4): the mean over people, then each rater's (B x 1 + raters)."""
    kappas = cohen_kappa(sums.reshape(len(sums), -1, 2, 2))
    return np.concatenate([kappas[:, :people].mean(axis=1, keepdims=True), kappas[:, people:]], axis=1)
