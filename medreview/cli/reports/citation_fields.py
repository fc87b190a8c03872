"""Of the report on citations: what records may hold besides the response, a reference to compare with and a latency."""

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType

from medreview.cli.output import counted, given, one_line
from medreview.cli.reports.citation_figures import add_figure, figure_table, share_of
from medreview.cli.reports.tables import cells, columns, inset, title
from medreview.stats.citations.report import CitationReport
from medreview.stats.formulas.estimate import half_up
from medreview.stats.formulas.latency import Latency

_NAMED: Final = 10
"""Clashes named one by one."""
_NOT_TRUTH: Final = (
    "Shared words are not truth: a response that says the opposite in the same words scores high. A clash is an "
    "amount, unit, negation or direction that the reference excludes, found by rules; look at it yourself."
)


def concordance(report: CitationReport) -> Iterator[RenderableType]:
    """The responses beside their references; nothing when there are none."""
    found = report.all.concordance
    if found is None:
        return
    n = sum(response.concordance is not None for response in report.responses)
    yield ""
    yield title(f"Beside the reference: {n:,} of {counted(len(report.responses), 'response')} have one")
    table = figure_table()
    value, interval = cells(found.cosine, half_up, "none")
    table.add_row("shared words (TF-IDF cosine)", value, interval or "none", counted(found.cosine.n, "response"))
    add_figure(table, found.with_clash, "responses with a clash", share_of(found.with_clash, "response"))
    yield inset(table)
    if found.cosine.reason:
        yield inset(f"shared words: {found.cosine.reason}")
    clashes = [(r.name, clash) for r in report.responses if r.concordance for clash in r.concordance.clashes]
    for name, clash in clashes[:_NAMED]:
        yield inset(f"{one_line(name)}: {one_line(clash.sentence)} ({clash.kind})")
    if len(clashes) > _NAMED:
        yield inset(f"and {counted(len(clashes) - _NAMED, 'more clash', 'more clashes')}")
    yield inset(_NOT_TRUTH)


def latency(report: CitationReport) -> Iterator[RenderableType]:
    """How long the responses took, all and those of each model; nothing when no record says."""
    found = report.all.latency
    if found is None:
        return
    left = f", {found.missing:,} without" if found.missing else ""
    yield ""
    yield title(f"Latency in seconds: {counted(found.n, 'response')}{left}")
    table = columns("", "n", "min", "median", "p90", "p95", "p99", "max")
    models = [(given(model), group.latency) for model, group in report.by_model.items()]
    for name, group in (("all", found), *models):
        if group is not None:
            told = (group.least, group.median.value, group.p90, group.p95.value, group.p99, group.most)
            table.add_row(name, f"{group.n:,}", *("-" if value is None else half_up(value, 2) for value in told))
    yield inset(table)
    yield from map(inset, _latency_intervals(found))


def _latency_intervals(found: Latency) -> Iterator[str]:
    for name, figure in (("median", found.median), ("p95", found.p95)):
        if figure.low is not None and figure.high is not None:
            yield f"{name}, 95% interval: {half_up(figure.low, 2)} to {half_up(figure.high, 2)}"
        else:
            yield f"{name}: {figure.reason}"
    yield "Percentiles by linear interpolation (type 7); intervals from the ordered values themselves."
