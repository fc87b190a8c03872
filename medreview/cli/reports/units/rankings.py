"""Mean ranks and qualities of models, and the agreement of orders, as tables."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.layout import Heading, Part, Title, cells, inset, numbers, table, value_cell
from medreview.cli.reports.units.figure_tables import MISSING, p_words, reasons_of, sentences, test_words
from medreview.labels import QUALITY
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.rank_correlation import RankCorrelation
from medreview.stats.units.rankings import ModelOrder, ModelRanks, OrderAgreement, RankingFigures

_LEGEND: Final = (
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
    yield _LEGEND
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
        Heading(f"type {given(kind)}" if kind else "all rankings"),
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
    return inset(table(names, rows, long=("labels",), others="words"), *reasons_of(held), *sentences_of(found))


def sentences_of(found: tuple[OrderAgreement, ...]) -> list[str]:
    """The cautions of several figures, each once."""
    return list(dict.fromkeys(one_line(note) for one in found for note in one.tau.notes))


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
