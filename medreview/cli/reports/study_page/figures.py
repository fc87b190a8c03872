"""The figures: plots of the leading ones, then everything that ``stats --full`` says, in the same words."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from medreview.cli.output import one_line, stratum_name
from medreview.cli.reports.layout import NextStep
from medreview.cli.reports.page_parts import Plot, Section, folded
from medreview.cli.reports.plots import Drawing, Interval, Unit, forest, matrix
from medreview.cli.reports.stats import stats_parts
from medreview.cli.reports.study_page.material import Material
from medreview.stats.formulas.estimate import Estimate, show
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.label_scales import BINARY, LEVELS, TOGETHER
from medreview.stats.reports.study_figures import StudyFigures
from medreview.stats.reports.study_support import SupportReport
from medreview.words import in_words

_SUPPORT: Final = {
    "source URL validity": "cited URLs valid",
    "statement-level support, own citations": "statements, by what they cite",
    "statement-level support": "statements, by any source",
    "response-level support": "responses, all statements",
    "unused sources": "sources unused",
}
_MOST_STRATA: Final = 7
"""All responses and the largest models, in a plot; the tables have all."""


def plots_section(material: Material) -> Section | None:
    """The figures that matter as plots; the tables of the next section have every number in them."""
    parts = tuple(Plot(drawing) for drawing in _plots(material.figures))
    return Section("plots", "The leading figures", parts) if parts else None


def figures_section(material: Material) -> Section:
    """Every figure as a table, with what is left out, why one is undefined, and cautions."""
    figures = replace(material.figures, conduct=())  # for the reviewer's own eyes; the pace has a section of its own
    parts = stats_parts(figures, Path(material.name))
    told = folded(part for part in parts if not isinstance(part, NextStep))
    return Section("figures", "Every figure", tuple(told))


def _plots(figures: StudyFigures) -> Iterator[Drawing]:
    compared = [
        (f"{one_line(one.reviewer)}, {group.title}", group.comparisons)
        for one in figures.reviewers
        for group in one.agreement
    ]
    axes: tuple[tuple[str, str, Unit], ...] = (
        ("percent agreement", "agreement on supported or not", "%"),
        ("Cohen's kappa", "Cohen's kappa, supported or not", "coefficient"),
    )
    for name, axis, unit in axes:
        rows = [row for title, several in compared for row in _agreement(title, several, name, unit)]
        if rows:
            yield forest(f"Reviewers and judges: {axis}, 95% intervals", axis, rows, unit=unit)
    rows = [row for report in _reports(figures) for row in _support(report)]
    if rows:
        yield forest("Support and sources, 95% intervals", "share", rows, unit="%")
    for title, several in compared:
        for one in several:
            if one.second == TOGETHER and one.scale == LEVELS.name and one.n:
                yield _matrix(title, one)


def _agreement(title: str, several: tuple[Comparison, ...], name: str, unit: Unit) -> Iterator[Interval]:
    found = [one for one in several if one.scale == BINARY.name and one.n]
    if found:
        yield Interval(title)
    for one in found:
        yield _row(one_line(one.second), one.estimate(name), unit)


def _reports(figures: StudyFigures) -> Iterator[SupportReport]:
    """By the judges also of each model; by reviewers, whose labels are fewer, of all responses."""
    yield figures.support
    for one in figures.reviewers:
        yield from (replace(report, strata=report.strata[:1]) for report in one.support)


def _support(report: SupportReport) -> Iterator[Interval]:
    for stratum in [one for one in report.strata if one.split in ("", "model")][:_MOST_STRATA]:
        rows = [_row(_SUPPORT.get(figure.name, figure.name), figure, "%") for figure in stratum.clustered if figure.n]
        if rows:
            yield Interval(f"by {one_line(report.by)}: {stratum_name(stratum.split, stratum.stratum)}")
            yield from rows


def _row(name: str, figure: Estimate, unit: Unit) -> Interval:
    if figure.value is None:
        return Interval(name, words="undefined")
    words = f"{show(figure, as_percent=unit == '%').replace('95% CI ', '')}, n {figure.n:,}"
    return Interval(name, figure.value, figure.low, figure.high, words)


def _matrix(title: str, one: Comparison) -> Drawing:
    labels = [in_words(label) for label in one.labels]
    return matrix(f"{title}: labels of both", one_line(one.first), one_line(one.second), labels, one.table)
