"""Figures of rankings (ClinIQLink section 3.6, table 2): ranks and qualities of models, agreement of orders."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.ranks_and_ratings import (
    RankCorrelation,
    kendall_tau_b,
    kendall_w,
    mean_ranks,
    mean_tau_over_items,
    spearman,
)
from medreview.stats.formulas.shared_draws import ResponseSample
from medreview.stats.reports.study_reader import UnitSelection
from medreview.stats.units.kind_labels import FINAL, FIRST_BLIND, KindLabels, Which
from medreview.stats.units.qa_figures import AnnotatedItem
from medreview.stats.units.rated_outputs import (
    Beside,
    OutputFlags,
    RatedOutput,
    ShownRanking,
    by_type,
    output_flags,
    quality_agreement,
    quality_figures,
    rated_outputs,
    shown_rankings,
)
from medreview.units.ranking import rank_in

_LEAST_MODELS: Final = 3
_ONE_TIES: Final = "In every ranking one of the two ties all outputs."


@dataclass(frozen=True, slots=True)
class RankBallot:
    """One rater's order of one ranking: the ``ranks`` of its outputs, in the order of ``models``."""

    ranking: str
    type: str
    rater: str
    models: tuple[str, ...]
    ranks: tuple[float | None, ...]


@dataclass(frozen=True)
class ModelRanks:
    """One model, in all rankings (``type`` is ``""``) or in those of a type, by final labels.

    ``mean_rank``: 1 is the best; rankings are resampled. ``qualities``: how often each; ``good`` and ``bad``: their
    shares, and ``usefulness`` the mean of Good 3, Okay 2, Bad 1, over rankings.
    """

    model: str
    type: str
    mean_rank: Estimate
    qualities: Mapping[str, int]
    good: Estimate
    bad: Estimate
    usefulness: Estimate


@dataclass(frozen=True)
class OrderAgreement:
    """How alike the orders of one ranking are: the mean of Kendall's tau-b (1945) over each two raters of it, and over
    rankings. ``raters``: the reviewers, or a machine and the reviewers; ``which`` labels; of a ``type``."""

    raters: str
    which: str
    type: str
    rankings: int
    tau: Estimate


@dataclass(frozen=True)
class ModelOrder:
    """Whether reviewers order the models alike, by the mean ranks that each gave them (final labels).

    ``concordance``: Kendall's W of all of them; ``each``: Spearman's rho of each with the mean of the others, its p
    from all permutations up to eight models. Reviewers and models without a common rank are left out.
    """

    reviewers: tuple[str, ...]
    models: tuple[str, ...]
    concordance: RankCorrelation
    each: Mapping[str, RankCorrelation]


@dataclass(frozen=True)
class RankingFigures:
    """``twice``: the share of rankings that two ranked. ``quality``: by type, ``""`` for all, how alike two rate an
    output (percent agreement, Cohen's kappa and Gwet's AC2 with quadratic weights). ``flags``: outputs that are
    hallucinated, ``None`` where nobody was asked. ``rank_and_usefulness``: Spearman over models;
    ``hallucination_and_usefulness``: of the rate of the QA items that a model made; where three models have both."""

    twice: Estimate
    types: tuple[str, ...]
    models: tuple[ModelRanks, ...]
    agreement: tuple[OrderAgreement, ...]
    quality: Mapping[str, tuple[Estimate, ...]]
    order: ModelOrder | None
    flags: OutputFlags | None
    rank_and_usefulness: RankCorrelation | None
    hallucination_and_usefulness: RankCorrelation | None


def ranking_figures(
    reader: sqlite3.Connection,
    labels: KindLabels,
    items: Sequence[AnnotatedItem] = (),
    resampling: Resampling = DEFAULT,
    only: UnitSelection | None = None,
) -> RankingFigures:
    """Of all rankings that somebody ranked; ``items``: QA items, for the rate of hallucination of their models.

    ``only``: the rankings that ``labels`` are of; where it names models, these alone are ranked and rated, and orders
    are compared as they are.
    """
    rankings = shown_rankings(reader, labels.units)
    final = list(rank_ballots(labels, rankings, FINAL))
    outputs = rated_outputs(labels, rankings)
    wanted = only.models if only else frozenset()
    types = tuple(sorted({one.type for one in final}))
    kinds = ("", *types) if len(types) > 1 else ("",)
    models = [
        each
        for kind in kinds
        for each in model_ranks(_of_type(final, kind), [one for one in outputs if kind in ("", one.ranking.type)], kind,
                                resampling)
        if not wanted or each.model in wanted
    ]  # fmt: skip
    agreement: list[OrderAgreement] = []
    for which in (FIRST_BLIND, FINAL):
        of_which = final if which == FINAL else list(rank_ballots(labels, rankings, which))
        for kind in kinds:
            agreement += order_agreement(_of_type(of_which, kind), kind, which, resampling)
        agreement += _with_machines(of_which, labels, rankings, which, resampling)
    per_ranking = Counter(one.ranking for one in final)
    whole = [one for one in models if not one.type]
    rated = [one for one in outputs if not wanted or one.model in wanted]
    return RankingFigures(
        twice=proportion(
            "share ranked by two", sum(count > 1 for count in per_ranking.values()), len(per_ranking),
            nothing="Nobody has ranked anything yet.",
        ),
        types=types,
        models=tuple(models),
        agreement=tuple(agreement),
        quality={kind: quality_agreement(of_kind, resampling) for kind, of_kind in by_type(rated)} if rated else {},
        order=_order(final, resampling),
        flags=output_flags(rated, _beside(models), resampling),
        rank_and_usefulness=_across([(one.mean_rank.value, one.usefulness.value) for one in whole]),
        hallucination_and_usefulness=_with_rates(whole, items),
    )  # fmt: skip


def _beside(models: Sequence[ModelRanks]) -> Beside:
    """What the hallucination rate of each model is held against."""
    return {
        (one.model, one.type): {
            "usefulness": one.usefulness.value, "mean rank": one.mean_rank.value, "share Good": one.good.value,
        }
        for one in models
    }  # fmt: skip


def rank_ballots(
    labels: KindLabels, rankings: Mapping[str, ShownRanking], which: Which = FINAL
) -> Iterator[RankBallot]:
    """The reviewers' ballots of one kind of labels."""
    for name in labels.reviewers:
        mine = [one for one in labels.given if one.reviewer == name and one.axis == "rank"]
        mine = [one for one in mine if which == FINAL or one.mode == "blind"]
        said = {one.item: one.current if which == FINAL else one.label for one in mine}
        yield from _said(name, said, rankings)


def _said(name: str, orders: Mapping[str, str], rankings: Mapping[str, ShownRanking]) -> Iterator[RankBallot]:
    for unit, order in orders.items():
        if unit in rankings:
            models = rankings[unit].models
            ranks = tuple(rank_in(order, number) for number in range(1, len(models) + 1))
            yield RankBallot(unit, rankings[unit].type, name, models, ranks)


def _of_type(ballots: Sequence[RankBallot], kind: str) -> list[RankBallot]:
    return [one for one in ballots if not kind or one.type == kind]


def model_ranks(
    ballots: Sequence[RankBallot], outputs: Sequence[RatedOutput], kind: str, resampling: Resampling = DEFAULT
) -> Iterator[ModelRanks]:
    """Each model, the best first; outputs without a model are of none. ``kind``: the type that all of these are of."""
    names = list(dict.fromkeys(model for one in ballots for model in one.models if model))
    if not names:  # outputs may have qualities and no rank yet
        return
    ranks = {name: [_mean_rank(one, name) for one in ballots] for name in names}
    clusters = [one.ranking for one in ballots]
    found = mean_ranks(ranks, resampling=resampling.over("ranking"), clusters=clusters)
    most = max((len(one.models) for one in ballots), default=1)
    means = {name: _within(figure, most) for name, figure in found.items()}
    for name in sorted(names, key=lambda name: (means[name].value is None, means[name].value or 0.0, name)):
        own = quality_figures([one for one in outputs if one.model == name], f"the outputs of {name}", resampling)
        yield ModelRanks(name, kind, means[name], own.qualities, own.good, own.bad, own.usefulness)


def _within(figure: Estimate, most: int) -> Estimate:
    """A mean rank whose interval goes no farther than ranks do, from 1 to ``most``."""
    if figure.low is None or figure.high is None:
        return figure
    return replace(figure, low=max(1.0, figure.low), high=min(float(most), figure.high))


def _mean_rank(one: RankBallot, model: str) -> float | None:
    """The rank of a model in a ballot; the mean where several outputs are its own."""
    found = [rank for name, rank in zip(one.models, one.ranks, strict=True) if name == model and rank is not None]
    return sum(found) / len(found) if found else None


def order_agreement(
    ballots: Sequence[RankBallot], kind: str, which: Which, resampling: Resampling
) -> Iterator[OrderAgreement]:
    by_ranking: dict[str, list[RankBallot]] = {}
    for one in ballots:
        by_ranking.setdefault(one.ranking, []).append(one)
    shared = [[one.ranks for one in held] for held in by_ranking.values() if len(held) > 1]
    if shared:
        tau = mean_tau_over_items(shared, resampling=resampling.over("ranking"))
        yield OrderAgreement("the reviewers", which, kind, len(shared), tau)


def _with_machines(
    ballots: Sequence[RankBallot],
    labels: KindLabels,
    rankings: Mapping[str, ShownRanking],
    which: Which,
    resampling: Resampling,
) -> Iterator[OrderAgreement]:
    """Each machine's orders beside those of each reviewer; rankings are resampled."""
    for name, said in labels.said.items():
        orders = {item: label for (axis, item), label in said.items() if axis == "rank"}
        own = {one.ranking: one for one in _said(name, orders, rankings)}
        taus: dict[str, list[float]] = {}
        tied = 0
        for one in ballots:
            if one.ranking in own:
                tau = kendall_tau_b(own[one.ranking].ranks, one.ranks).figure.value
                taus.setdefault(one.ranking, []).extend([] if tau is None else [tau])
                tied += tau is None
        if taus:
            sample = ResponseSample(
                ("tau", "n"), [(sum(each), len(each)) for each in taus.values()], resampling.over("ranking")
            )
            figure = sample.figure(
                "mean Kendall's tau-b with the reviewers",
                "tau",
                "n",
                undefined=_ONE_TIES,
                dropped=tied,
                scale="coefficient",
            )
            yield OrderAgreement(name, which, "", len(taus), figure)


def _order(ballots: Sequence[RankBallot], resampling: Resampling) -> ModelOrder | None:
    """``None`` with fewer than two reviewers who ranked the same two models."""
    given: dict[str, dict[str, list[float]]] = {}
    for one in ballots:
        for model in dict.fromkeys(one.models):
            rank = _mean_rank(one, model)
            if model and rank is not None:
                given.setdefault(one.rater, {}).setdefault(model, []).append(rank)
    if len(given) < 2:
        return None
    models = tuple(sorted(set.intersection(*(set(found) for found in given.values()))))
    if len(models) < 2:
        return None
    means = {name: [sum(found[model]) / len(found[model]) for model in models] for name, found in given.items()}
    others = {
        name: [
            sum(column) / len(column)
            for column in zip(*(means[other] for other in means if other != name), strict=True)
        ]
        for name in means
    }
    return ModelOrder(
        reviewers=tuple(means),
        models=models,
        concordance=kendall_w(list(means.values()), resampling=resampling),
        each={name: spearman(means[name], others[name], level=resampling.level) for name in means},
    )


def _with_rates(models: Sequence[ModelRanks], items: Sequence[AnnotatedItem]) -> RankCorrelation | None:
    flagged: dict[str, list[bool]] = {}
    for one in items:
        flagged.setdefault(one.model, []).append(one.flagged)
    rates = {model: sum(found) / len(found) for model, found in flagged.items() if model}
    return _across([(rates[one.model], one.usefulness.value) for one in models if one.model in rates])


def _across(pairs: Sequence[tuple[float | None, float | None]]) -> RankCorrelation | None:
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    return spearman([x for x, _ in known], [y for _, y in known]) if len(known) >= _LEAST_MODELS else None
