"""Of the report on citations: the figures on all responses, and on those of each model."""

from collections.abc import Iterator
from functools import partial

from rich.console import RenderableType
from rich.table import Table

from medreview.citations.scoring import KIND_NAMES
from medreview.cli.output import counted, given
from medreview.cli.reports.tables import cells, columns, inset, title
from medreview.stats.citations.kpis import CitationFigures
from medreview.stats.citations.report import CitationReport
from medreview.stats.formulas.bootstrap import FEW_CLUSTERS as FEW
from medreview.stats.formulas.estimate import Estimate, half_up, percent


def figure_table() -> Table:
    """An empty table for :func:`add_figure`."""
    return columns("", "value", "95% interval", "of")


def add_figure(table: Table, figure: Estimate, name: str, of: str) -> None:
    """Add a row; ``of``: what the figure is of, see :func:`share_of`."""
    number = partial(half_up, digits=2) if figure.name == "citations per response" else percent
    table.add_row(name, *cells(figure, number, "none"), of)


def share_of(figure: Estimate, unit: str) -> str:
    """``4 of 5 responses``; the share of a figure counted back."""
    if figure.value is None:
        return counted(figure.n, unit)
    return f"{round(figure.value * figure.n):,} of {counted(figure.n, unit)}"


def all_figures(found: CitationFigures) -> Iterator[RenderableType]:
    """The figures on all responses, and what they mean."""
    table = figure_table()
    for figure, of in (
        (found.with_citation, share_of(found.with_citation, "response")),
        (found.mean_citations, counted(found.mean_citations.n, "response")),
        (found.mean_allowed, counted(found.mean_allowed.n, "response")),
        (found.pooled_allowed, share_of(found.pooled_allowed, "citation")),
        (found.mean_allowed_urls, counted(found.mean_allowed_urls.n, "response")),
        (found.pooled_allowed_urls, share_of(found.pooled_allowed_urls, "URL")),
    ):
        add_figure(table, figure, figure.name, of)
    for kind, figure in found.kinds.items():
        if figure.value:
            add_figure(table, figure, f"kind: {KIND_NAMES[kind]}", share_of(figure, "citation"))
    yield table
    yield from _meanings(found)
    yield from _sentences(found)


def _meanings(found: CitationFigures) -> Iterator[str]:
    """What each line of the figures says, in one line."""
    left = [
        f"{counted(figure.dropped, 'response')} without {what} left out"
        for figure, what in ((found.mean_allowed, "a citation"), (found.mean_allowed_urls, "a URL"))
        if figure.dropped
    ]
    yield "citations: a source that a response names twice counts once."
    yield "allowed: a URL on the list, or an identifier taken by its format."
    yield "mean of responses: the share in each, then the mean" + (f"; {', '.join(left)}." if left else ".")
    yield "pooled: all citations together, so that long lists weigh more."


def _sentences(figures: CitationFigures) -> Iterator[str]:
    """Why a value or an interval is missing, and that the responses are few; each once."""
    all_ = (
        figures.with_citation, figures.mean_citations, figures.mean_allowed, figures.pooled_allowed,
        figures.mean_allowed_urls, figures.pooled_allowed_urls,
    )  # fmt: skip
    reasons: dict[str, list[str]] = {}
    for figure in all_:
        if figure.reason:
            reasons.setdefault(figure.reason, []).append(figure.name)
    yield from (f"{'; '.join(names)}: {reason}" for reason, names in reasons.items())
    few = [figure for figure in all_ if figure.notes]
    if few:
        yield from min(few, key=lambda figure: figure.clusters or 0).notes


def by_model(report: CitationReport) -> Iterator[RenderableType]:
    """The models beneath each other, figure by figure; the other figures of each are in the JSON and HTML."""
    if not report.by_model:
        return
    yield ""
    yield title("By model")
    table = figure_table()
    for kind, unit in (
        ("with_citation", "response"), ("mean_citations", ""), ("pooled_allowed", "citation"),
        ("pooled_allowed_urls", "URL"),
    ):  # fmt: skip
        found = {model: getattr(group.figures, kind) for model, group in report.by_model.items()}
        table.add_row(next(iter(found.values())).name)
        for model, figure in found.items():
            of = share_of(figure, unit) if unit else counted(figure.n, "response")
            add_figure(table, figure, f"  {given(model)}", of)
    yield inset(table)
    if min(group.figures.responses for group in report.by_model.values()) < FEW:
        yield inset(f"With fewer than {FEW} responses even these intervals are too narrow.")
    if report.models_omitted:
        yield inset(f"{counted(report.models_omitted, 'smaller model')} not shown.")
