"""Rankings of models as parts of a report: ranks, qualities, hallucinated outputs, and how alike reviewers rank."""

from collections.abc import Iterator, Mapping
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.estimates import p_cell
from medreview.cli.reports.layout import Part, TableHeading, Title, cells, inset, numbers, table, value_cell
from medreview.cli.reports.unit_agreement import MISSING, p_words, reasons_of, sentences, test_words
from medreview.cli.reports.unit_divisions import alike_parts, flag_parts
from medreview.labels import QUALITY
from medreview.stats.formulas.estimate import Estimate, half_up
from medreview.stats.formulas.ranks_and_ratings import RankCorrelation
from medreview.stats.units.rankings import ModelOrder, ModelRanks, OrderAgreement, RankingFigures
from medreview.stats.units.rated_outputs import FlagCorrelation, FlagDifference, OutputFlags

_RANKING_LEGEND: Final = (
    "mean rank: 1 is the best. usefulness: the mean of Good 3, Okay 2, Bad 1. By final labels; whole rankings are "
    "resampled."
)


def ranking_parts(figures: RankingFigures) -> Iterator[Part]:
    """Models, in all and by type; how alike orders are; what goes together over models."""
    if not figures.models:
        return
    yield Title("Rankings: models")
    if figures.twice.value is not None:
        yield f"ranked by two or more: {value_cell(figures.twice)} of {figures.twice.n:,} rankings"
    for kind in dict.fromkeys(one.type for one in figures.models):
        yield from ("", _models([one for one in figures.models if one.type == kind], kind))
    yield _RANKING_LEGEND
    yield from _output_flags(figures.flags)
    yield from _quality(figures.quality)
    if figures.agreement:
        yield from ("", _agreement(figures.agreement))
    if figures.order is not None:
        yield from ("", *_order(figures.order))
    for name, found in (
        ("mean rank and usefulness of the models", figures.rank_and_usefulness),
        ("hallucination rate of the QA items and usefulness of the models", figures.hallucination_and_usefulness),
    ):
        if found is not None:
            yield from ("", f"{name}: {_correlation(found)}")


def _quality(found: Mapping[str, tuple[Estimate, ...]]) -> Iterator[Part]:
    """How alike two rate an output, by type where there are several."""
    if len(found) > 1:
        rows = [(given(kind) if kind else "all types", figures) for kind, figures in found.items()]
        yield from alike_parts("Two raters on the quality of an output", rows)


def _models(models: list[ModelRanks], kind: str) -> Part:
    ranks = ((given(one.model), *_number(one.mean_rank), *numbers(one.mean_rank.n)) for one in models)
    qualities = (
        (given(one.model), *numbers(*(one.qualities[label.level] for label in QUALITY)), *cells(one.good, MISSING),
         value_cell(one.bad, "undefined"), _number(one.usefulness)[0])
        for one in models
    )  # fmt: skip
    levels = tuple(label.name for label in QUALITY)
    held = [(f"{given(one.model)}, mean rank", one.mean_rank) for one in models]
    held += [(f"{given(one.model)}, quality", one.good) for one in models]
    return inset(
        TableHeading(f"type {given(kind)}" if kind else "all rankings"),
        table(("", "mean rank", "95% interval", "n"), ranks),
        table(("", *levels, "share Good", "95% interval", "share Bad", "useful"), qualities, others="words"),
        *reasons_of(held),
    )


def _agreement(found: tuple[OrderAgreement, ...]) -> Part:
    rows = (
        (one_line(one.raters) + (f", {given(one.type)}" if one.type else ""), one.which, *_number(one.tau),
         *numbers(one.tau.n, one.rankings, one.tau.dropped))
        for one in found
    )  # fmt: skip
    names = ("mean Kendall's tau-b", "labels", "value", "95% interval", "pairs", "rankings", "left")
    held = [(f"{one_line(one.raters)}, {one.which}", one.tau) for one in found]
    notes = dict.fromkeys(one_line(note) for one in found for note in one.tau.notes)
    return inset(table(names, rows, long=("labels",), others="words"), *reasons_of(held), *notes)


def _order(order: ModelOrder) -> Iterator[Part]:
    models, reviewers = len(order.models), len(order.reviewers)
    yield f"{reviewers} reviewers on {models} models, by the mean ranks that each gave them, final labels:"
    yield f"{_correlation(order.concordance)}"
    rows = ((one_line(name), *_number(found.figure), p_words(found.test.pvalue)) for name, found in order.each.items())
    yield inset(table(("Spearman's rho with the others", "value", "95% interval", "p"), rows),
                *sentences([found.figure for found in order.each.values()]))  # fmt: skip
    methods = dict.fromkeys(found.test.name for found in order.each.values() if found.test.pvalue is not None)
    if methods:
        yield f"p: {', '.join(methods)}"


def _correlation(found: RankCorrelation) -> str:
    value, interval = _number(found.figure)
    shown = f"{found.figure.name} {value}" + (f" (95% interval {interval})" if interval not in ("", MISSING) else "")
    why = f"; {one_line(found.figure.reason)}" if found.figure.reason else ""
    notes = "".join(f" {note}" for note in found.test.notes)
    return f"{shown}; {test_words(found.test)}{why}{notes}"


def _number(figure: Estimate) -> tuple[str, str]:
    return cells(figure, MISSING, digits=2)


_FLAG_LEGEND: Final = (
    "minus: share of labels that flag, the first minus the second, paired by ranking; p by Holm. z: of the rates, as "
    "in ClinIQLink, which takes outputs as independent; p by Bonferroni."
)


def _output_flags(flags: OutputFlags | None) -> Iterator[Part]:
    """Hallucinated outputs: rates, each two models, correlations over models; nothing where nobody was asked."""
    if flags is None:
        return
    yield Title(f"Hallucinated outputs: {flags.flagged:,} of {flags.asked:,}")
    for kind in dict.fromkeys(one.type for one in flags.models):
        of_kind = [(given(one.model), one) for one in flags.models if one.type == kind]
        yield from ([f"type {given(kind)}"] if kind else [])
        yield from flag_parts(of_kind)
    if flags.differences:
        yield from ("", _flag_differences(flags.differences))
    if flags.correlations:
        yield from ("", _flag_correlations(flags.correlations))


def _flag_differences(found: tuple[FlagDifference, ...]) -> Part:
    rows = (
        (
            f"{given(one.labels.first)} - {given(one.labels.second)}",
            *cells(one.labels.estimate, "none", signed=True),
            p_cell(one.labels.adjusted, at_limit=one.labels.at_limit),
            "" if one.test.statistic is None else half_up(one.test.statistic, 2),
            p_cell(one.bonferroni, at_limit=False),
            *numbers(one.labels.estimate.clusters),
        )
        for one in found
    )  # fmt: skip
    names = ("each two models", "minus", "95% interval", "p Holm", "z", "p Bonf.", "from")
    why = dict.fromkeys(
        reason for one in found for reason in (one.labels.estimate.reason, one.test.reason) if reason
    )  # fmt: skip
    return inset(table(names, rows), *why, f"{_FLAG_LEGEND} A family of {found[0].family}.")


def _flag_correlations(found: tuple[FlagCorrelation, ...]) -> Part:
    rows = (
        (
            f"{one.beside}, type {given(one.type)}" if one.type else one.beside,
            *cells(one.correlation.figure, "none", 2), p_cell(one.correlation.test.pvalue, at_limit=False),
            *numbers(one.models),
        )
        for one in found
    )  # fmt: skip
    tests = dict.fromkeys(one.correlation.test.name for one in found if one.correlation.test.pvalue is not None)
    why = dict.fromkeys(one.correlation.figure.reason for one in found if one.correlation.figure.reason)
    return inset(
        TableHeading("Spearman's rho of the models' hallucination rates with their ..."),
        table(("", "rho", "95% interval", "p", "models"), rows),
        *(f"p: {name}" for name in tests),
        *filter(None, why),
    )
