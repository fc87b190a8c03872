"""One kind of unit divided (``stats --unit KIND --by``): the same figures for each model, each case, each type.

Key facts are divided by system and case, rankings by the model of the output, by ranking and type, QA items by the
model that made them, by passage and type. The figures are those of the kind itself, of fewer units each. Cases are
resampled: the figures of one case have no interval.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.errors import UserError
from medreview.judges.rollup import tie_rule
from medreview.labels import TieRule
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.reports.study_reader import UnitSelection
from medreview.stats.units.fact_report import (
    TASKS,
    AgainstPanel,
    FactScore,
    Juries,
    SinglePerson,
    against_panel,
    best_first,
    jury_name,
    scores_by,
    single_person,
    small_juries,
)
from medreview.stats.units.kind_labels import KindLabels
from medreview.stats.units.qa_figures import (
    AnnotatedItem,
    QARates,
    annotated,
    rates_of,
    relevance_agreement,
    validity_agreement,
)
from medreview.stats.units.rankings import RankBallot, model_ranks, order_agreement, rank_ballots
from medreview.stats.units.rated_outputs import (
    FlagRates,
    QualityFigures,
    RatedOutput,
    flag_rates,
    quality_agreement,
    quality_figures,
    rated_outputs,
    raters_of,
    shown_rankings,
)
from medreview.units.held_facts import HeldFacts, held_facts
from medreview.units.qa import TYPES
from medreview.units.registry import KINDS

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
    """Each system, those first that say most of the facts; or each case, in its order."""

    def of_system(name: str) -> HeldFacts:
        return facts.where(lambda one: one.text.system == name)

    def of_case(case_id: str) -> HeldFacts:
        return facts.where(lambda one: one.case.case_id == case_id)

    if by == "model":
        named = [(system, "", of_system(system)) for system in facts.systems]
    else:
        named = [(case.name, case.title, of_case(case.case_id)) for case in facts.cases]
    parts = [
        _part(name, title, part, tie, resampling, juries, beside_person=by == "model") for name, title, part in named
    ]
    return tuple(parts if by == "case" else sorted(parts, key=lambda one: best_first(one.by_jury or one.by_panel)))


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


UnitBy = Literal["model", "case", "type"]
DIVIDED: Final[Mapping[str, tuple[UnitBy, ...]]] = {
    "fact": ("model", "case"), "ranking": ("model", "case", "type"), "qa": ("model", "case", "type"),
}  # fmt: skip
"""By what a kind can be divided."""


@dataclass(frozen=True)
class RankingPart:
    """The outputs of one model, or all outputs in one ranking (``title``: its question) or those of one type.

    ``reviewers``: how many outputs each rated. ``mean_rank``: of a model, 1 is the best; ``tau``: of the others, how
    alike the orders of each two reviewers are. ``flags``: how many outputs are hallucinated; ``quality_agreement``: how
    alike two rate an output.
    """

    part: str
    title: str
    rankings: int
    outputs: int
    reviewers: Mapping[str, int]
    mean_rank: Estimate | None
    tau: Estimate | None
    quality: QualityFigures
    flags: FlagRates
    quality_agreement: tuple[Estimate, ...]


@dataclass(frozen=True)
class QAPart:
    """The items of one model, type or passage: rates; how alike two annotators are on relevance, weighted, and on
    flagged or not. ``reviewers``: how many items each labelled."""

    part: str
    reviewers: Mapping[str, int]
    rates: QARates
    relevance_agreement: tuple[Estimate, ...]
    validity_agreement: tuple[Estimate, ...]


@dataclass(frozen=True)
class UnitDivision:
    """The parts of a kind, ``by`` model, case or type; ``of`` says what a part is, in words."""

    by: UnitBy
    of: str
    parts: tuple[FactPart, ...] | tuple[RankingPart, ...] | tuple[QAPart, ...]

    @property
    def given(self) -> list[tuple[str, int]]:
        """How many labels of each reviewer stand behind each part: of few of them its figures tell single ones."""
        return [each for part in self.parts for each in part.reviewers.items()]


_OF: Final[Mapping[tuple[str, UnitBy], str]] = {
    ("fact", "model"): "the model that wrote the texts",
    ("fact", "case"): "the case",
    ("ranking", "model"): "the model that wrote the outputs",
    ("ranking", "case"): "the ranking",
    ("ranking", "type"): "the type of the question",
    ("qa", "model"): "the model that made the items",
    ("qa", "case"): "the passage",
    ("qa", "type"): "the type of the item",
}


_ABLE: Final = f"{', '.join(KINDS[one].title for one in DIVIDED)} can"


def check_division(kind: str, by: UnitBy) -> None:
    """Raise :class:`UserError` for a kind that cannot be divided so."""
    if by not in DIVIDED.get(kind, ()):
        ways = DIVIDED.get(kind)
        able = f"{KINDS[kind].title} are divided by {' or '.join(ways)}" if ways else _ABLE
        raise UserError(f"{KINDS[kind].title.capitalize()} cannot be divided by {by}; {able}.")


def unit_division(
    reader: sqlite3.Connection,
    labels: KindLabels,
    by: UnitBy,
    *,
    reviewers: Collection[str] | None = None,
    resampling: Resampling = DEFAULT,
    only: UnitSelection | None = None,
    juries: Juries = (),
) -> UnitDivision:
    """The kind of ``labels`` divided; ``only``: that part of it. ``juries``: small ones, of key facts.

    Raises :class:`UserError` for a kind that cannot be divided so, and a jury with a judge that nobody asked.
    """
    check_division(labels.kind, by)
    of = _OF[labels.kind, by]
    if labels.kind == "fact":
        facts = held_facts(reader)
        small_juries(facts, juries)
        facts = facts if only is None else facts.where(lambda one: one.unit in only.units)
        way: Literal["model", "case"] = "model" if by == "model" else "case"
        return UnitDivision(by, of, fact_parts(facts, way, tie_rule(reader), resampling, juries))
    if labels.kind == "ranking":
        return UnitDivision(by, of, _rankings(reader, labels, by, resampling, only))
    items = [one for one in annotated(reader, reviewers) if one.unit in labels.units]
    return UnitDivision(by, of, _items(reader, items, by, resampling))


def _rankings(
    reader: sqlite3.Connection, labels: KindLabels, by: UnitBy, resampling: Resampling, only: UnitSelection | None
) -> tuple[RankingPart, ...]:
    rankings = shown_rankings(reader, labels.units)
    ballots, outputs = list(rank_ballots(labels, rankings)), rated_outputs(labels, rankings)
    wanted = only.models if only else frozenset()
    if by == "model":
        means = {one.model: one.mean_rank for one in model_ranks(ballots, outputs, "", resampling)}
        names = [*means, *sorted({one.model for one in outputs} - means.keys())]
        return tuple(
            _ranking(name, "", [one for one in outputs if one.model == name], (), resampling, means.get(name))
            for name in names
            if not wanted or name in wanted
        )
    outputs = [one for one in outputs if not wanted or one.model in wanted]
    if by == "type":
        return tuple(
            _ranking(
                kind, "", [one for one in outputs if one.ranking.type == kind],
                [one for one in ballots if one.type == kind], resampling,
            )
            for kind in sorted({one.type for one in rankings.values()})
        )  # fmt: skip
    return tuple(
        _ranking(
            ranking.name, ranking.question, [one for one in outputs if one.ranking.unit == unit],
            [one for one in ballots if one.ranking == unit], resampling,
        )
        for unit, ranking in rankings.items()
    )  # fmt: skip


def _ranking(
    part: str,
    title: str,
    outputs: Sequence[RatedOutput],
    ballots: Sequence[RankBallot],
    resampling: Resampling,
    mean_rank: Estimate | None = None,
) -> RankingPart:
    orders = next(order_agreement(ballots, "", "final", resampling), None)
    return RankingPart(
        part=part,
        title=title,
        rankings=len({one.ranking.unit for one in outputs} | {one.ranking for one in ballots}),
        outputs=len(outputs),
        reviewers=raters_of(outputs),
        mean_rank=mean_rank,
        tau=orders.tau if orders else None,
        quality=quality_figures(outputs, "these outputs", resampling),
        flags=flag_rates(outputs),
        quality_agreement=quality_agreement(outputs, resampling),
    )


_PASSAGES: Final = "SELECT passage_id, coalesce(nullif(title, ''), substr(text, 1, 60)) FROM passage"


def _items(
    reader: sqlite3.Connection, items: Sequence[AnnotatedItem], by: UnitBy, resampling: Resampling
) -> tuple[QAPart, ...]:
    titles = dict(reader.execute(_PASSAGES).fetchall()) if by == "case" else {}
    found: dict[str, list[AnnotatedItem]] = {}
    for one in items:
        name = {"model": one.model, "type": one.type, "case": one.cluster}[by]
        found.setdefault(name, []).append(one)
    known = list(TYPES) if by == "type" else sorted(found) if by == "model" else []
    order = [*known, *(name for name in found if name not in known)]
    return tuple(
        QAPart(
            part=titles.get(name, name),
            reviewers=_annotators(members),
            rates=rates_of(by, name, members, resampling),
            relevance_agreement=relevance_agreement(members, resampling),
            validity_agreement=validity_agreement(members, resampling),
        )
        for name in order
        if (members := found.get(name))
    )


def _annotators(items: Sequence[AnnotatedItem]) -> dict[str, int]:
    names = sorted({name for one in items for name in one.relevance})
    return {name: sum(name in one.relevance for one in items) for name in names}
