"""Key facts divided: scores, votes, agreement with the panel and one person beside it, for each system or each case.

Each part has what ``fact_report`` has of all of them together, by the same rules. Cases are resampled: the figures of
one case have no interval.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from medreview.labels import TieRule
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.units.fact_report import (
    TASKS,
    AgainstPanel,
    FactScore,
    Juries,
    SinglePerson,
    against_panel,
    jury_name,
    scores_by,
    single_person,
)
from medreview.units.held_facts import HeldFacts

FactBy = Literal["model", "case"]


@dataclass(frozen=True, slots=True)
class VoteCounts:
    """How often yes, no, and neither was said; of ``contested`` facts both yes and no."""

    yes: int
    no: int
    abstained: int
    contested: int


@dataclass(frozen=True)
class FactPart:
    """The key facts in the texts of one system, or of all systems on one case. ``title``: of the case;
    ``reviewers``: how many facts each person of the panel labelled.

    By question: ``votes`` of the judges and ``labels`` of the panel; the scores ``by_jury``, ``by_panel`` and, by name,
    ``by_small_jury``. ``against_panel``: the jury, each small jury and each judge beside the panel's majority;
    ``single_person``: the same beside one person of it, and the leave-one-out mean of these; ``None`` as there, and of
    a single case, whose few facts leave no kappa of all of them.
    """

    part: str
    title: str
    cases: int
    texts: int
    invalid: int
    facts: int
    reviewers: Mapping[str, int]
    votes: Mapping[str, VoteCounts]
    labels: Mapping[str, VoteCounts]
    by_jury: Mapping[str, FactScore]
    by_panel: Mapping[str, FactScore]
    by_small_jury: Mapping[str, Mapping[str, FactScore]]
    against_panel: tuple[AgainstPanel, ...]
    single_person: SinglePerson | None


def fact_parts(
    facts: HeldFacts, by: FactBy, tie: TieRule, resampling: Resampling = DEFAULT, juries: Juries = ()
) -> tuple[FactPart, ...]:
    """Each system, or each case, in its order."""

    def of_system(name: str) -> HeldFacts:
        return facts.where(lambda one: one.text.system == name)

    def of_case(case_id: str) -> HeldFacts:
        return facts.where(lambda one: one.case.case_id == case_id)

    if by == "model":
        named = [(system, "", of_system(system)) for system in facts.systems]
    else:
        named = [(case.name, case.title, of_case(case.case_id)) for case in facts.cases]
    return tuple(
        _part(name, title, part, tie, resampling, juries, beside_person=by == "model") for name, title, part in named
    )


def _part(
    name: str,
    title: str,
    facts: HeldFacts,
    tie: TieRule,
    resampling: Resampling,
    juries: Juries,
    *,
    beside_person: bool,
) -> FactPart:
    mode = facts.panel_mode
    panel = bool(facts.people(mode))

    def jury(members: tuple[str, ...] | None = None) -> dict[str, FactScore]:
        return scores_by(facts.held, lambda one, task: one.jury(task, tie, members), resampling)

    return FactPart(
        part=name,
        title=title,
        cases=len(facts.cases),
        texts=len(facts.texts),
        invalid=sum(not text.valid for text in facts.texts),
        facts=len(facts.held),
        reviewers=dict(Counter(vote.reviewer for one in facts.held for vote in one.people if vote.mode == mode)),
        votes={task: _votes(facts, task, tie, panel=False) for task in TASKS} if facts.judges else {},
        labels={task: _votes(facts, task, tie, panel=True) for task in TASKS} if panel else {},
        by_jury=jury() if facts.judges else {},
        by_panel=scores_by(facts.held, lambda one, task: one.panel(task, tie, mode), resampling) if panel else {},
        by_small_jury={jury_name(members): jury(members) for members in juries},
        against_panel=against_panel(facts, tie, resampling, juries),
        single_person=single_person(facts, tie, resampling, juries) if beside_person else None,
    )


def _votes(facts: HeldFacts, task: str, tie: TieRule, *, panel: bool) -> VoteCounts:
    words = [one.panel(task, tie, facts.panel_mode) if panel else one.judged.jury(task, tie) for one in facts.held]
    return VoteCounts(
        yes=sum(word.yes for word in words),
        no=sum(word.no for word in words),
        abstained=sum(word.abstained for word in words),
        contested=sum(word.yes > 0 and word.no > 0 for word in words),
    )
