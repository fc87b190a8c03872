"""Sections of figures: the flow of items, the leading ones as plots, pace, citations, and every figure in full."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, one_line, stratum_name
from medreview.cli.reports.audit import EVERY_LOOK
from medreview.cli.reports.citations import report_parts
from medreview.cli.reports.conduct import intra_rater_parts, pace_parts
from medreview.cli.reports.estimates import side_name
from medreview.cli.reports.layout import Inset, NextStep, Part, ReportTable, Title, table
from medreview.cli.reports.page_parts import PagePart, Plot, folded
from medreview.cli.reports.plots import Drawing, FlowBox, Interval, flow, forest, interval_row, matrix
from medreview.cli.reports.stats import stats_parts
from medreview.cli.reports.stats_screen import VALID_URLS, rated, spoken
from medreview.cli.reports.study_page.material import Material
from medreview.stats.decision_timing import Pace
from medreview.stats.formulas.estimate import Estimate, Scale, half_up
from medreview.stats.reports.audit_report import AuditFigures
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.own_labels import OwnLabels
from medreview.stats.reports.review_progress import ItemFlow, LabelFlow
from medreview.stats.reports.reviewer_labels import BINARY, LEVELS, TOGETHER, Group
from medreview.stats.reports.study_differences import DifferenceFamily
from medreview.stats.reports.study_support import SupportReport
from medreview.stats.study_figures import StudyFigures
from medreview.text import in_words

_BAR_SCALE: Final = re.compile(r"0 +\.5 +1")
"""The heading of a column of bars."""
_MOST: Final = 3
"""Reviewers that the diagram has room for; the table has all."""
_LABELS: Final = {
    "in_study": "statements", "blind": "blind labels", "assisted": "assisted labels", "deferred": "deferred",
    "open": "open", "cannot_judge": "cannot judge", "stale": "stale", "used": "used",
}  # fmt: skip


def flow_parts(material: Material) -> Iterator[PagePart]:
    """A diagram whose counts add up, and each reviewer's in a table."""
    found = material.figures.flow
    yield Title("Flow of items")
    yield Plot(_diagram(found))
    if found.labels:
        rows = [(one_line(one.reviewer), *(f"{getattr(one, name):,}" for name in _LABELS)) for one in found.labels]
        yield table(("reviewer", *_LABELS.values()), rows, first="anywhere")


def _diagram(found: ItemFlow) -> Drawing:
    responses, statements = found.responses, found.statements
    lost = {
        "invalid": responses.invalid, "not split yet": responses.not_parsed,
        "without a statement": responses.without_statements,
    }  # fmt: skip
    judged = {
        "judged by models": statements.judged_by_models, "judged by rules only": statements.judged_by_rules,
        "not judged": statements.not_judged, "without a readable source": statements.no_readable_source,
    }  # fmt: skip
    trunk = [
        FlowBox(counted(responses.in_study, "response"), aside=tuple(_counts(lost))),
        FlowBox(
            counted(statements.made, "statement made", "statements made"),
            aside=tuple(_counts({"edited away by reviewers": statements.edited})),
        ),
        FlowBox(
            counted(statements.in_study, "statement in the study", "statements in the study"), tuple(_counts(judged))
        ),
    ]
    return flow("From responses to labels", trunk, [_of(one) for one in found.labels[:_MOST]])


def _of(one: LabelFlow) -> list[FlowBox]:
    labelled = {"blind": one.blind, "assisted": one.assisted, "deferred": one.deferred, "open": one.open}
    left = {"cannot judge": one.cannot_judge, "page changed since": one.stale}
    return [
        FlowBox(f"{one_line(one.reviewer)}: {one.blind + one.assisted:,} labelled", tuple(_counts(labelled))),
        FlowBox(f"{one.used:,} used in figures", tuple(f"left out: {words}" for words in _counts(left))),
    ]


def _counts(counts: Mapping[str, int]) -> Iterator[str]:
    return (f"{count:,} {name}" for name, count in counts.items() if count)


_SUPPORT: Final = {
    VALID_URLS: "cited URLs valid",
    "statement-level support, own citations": "statements, by what they cite",
    "statement-level support": "statements, by any source",
    "response-level support": "responses, all statements",
    "unused sources": "sources unused",
}
_FAMILIES: Final = {
    "judges": "agreement, judge minus judge",
    "models_agreement": "agreement, by model",
    "models_support": "support, model minus model",
    "arms_agreement": "agreement, by arm",
    "arms_support": "support, arm minus arm",
    "modes": "agreement, blind minus assisted",
}
_MOST_STRATA: Final = 7
"""All responses and the largest models, in a plot; the tables have all."""


def plots_section(material: Material) -> Iterator[PagePart]:
    """The figures that matter as plots; the tables of the next section have every number in them."""
    return map(Plot, _plots(material.figures))


def _plots(figures: StudyFigures) -> Iterator[Drawing]:
    own = [row for one in figures.reviewers if one.own is not None for row in _own(one.own)]
    if own:
        yield forest("How good the answers are, by reviewers' own labels, 95% intervals", "share", own, scale="share")
    audit = [row for one in figures.audit.figures[-1:] for row in _audit(one)]
    if audit:
        yield forest("The whole study by the audit, 95% intervals", "share of the statements", audit, scale="share")
    for kind in spoken(figures):
        title = f"{kind.title[:1].upper()}{kind.title[1:]}: {kind.words}, 95% intervals"
        rows = [interval_row(one_line(one.rater), one.share) for one in rated(kind) if not one.rules]
        yield forest(title, "share", rows, scale="share")
    yield from _shares(figures)
    differences = [row for family in figures.differences for row in _differences(family)]
    if differences:
        yield forest("Differences, 95% intervals", "points of a hundred", differences, scale="share_difference")
    yield from _matrices(figures)


def _own(own: OwnLabels) -> Iterator[Interval]:
    yield Interval(f"{one_line(own.reviewer)}: {own.of_what}{f' ({own.caution})' if own.caution else ''}")
    for figure in (own.cited, own.any_source, own.responses):
        if figure.n:
            yield interval_row(_SUPPORT[figure.name], figure)


_ALONE: Final = "the verdicts alone, uncorrected"
"""Shown beside estimates by the audit, and never without."""


def _audit(audit: AuditFigures) -> Iterator[Interval]:
    """Of all reviewers together, where there are several; the one to quote is named."""
    early = audit.standing.state != "final"
    shown = [("by the audit alone", audit.supported.study)]
    shown += [(f"by the audit alone, {EVERY_LOOK}", audit.supported.every_look)] if early else []
    shown += [(f"post-stratified by {name}", figure) for name, figure in audit.post_stratified.items()]
    helped = audit.with_verdicts[:1]
    shown += [("with the judges' verdicts", one.supported) for one in helped]
    shown += [(_ALONE, one.alone) for one in helped]
    if all(figure.value is None for name, figure in shown if name != _ALONE):
        return
    yield Interval("supported, by " + ("all reviewers" if audit.reviewer is None else one_line(audit.reviewer)))
    for name, figure in shown:
        quoted = " (to quote)" if figure is audit.leading and figure.value is not None else ""
        yield interval_row(f"{name}{quoted}{_interim(figure)}", figure)
    yield Interval("judges right")
    yield interval_row(f"by the audit alone{_interim(audit.judges_right.study)}", audit.judges_right.study)


def _interim(figure: Estimate) -> str:
    return " (interim)" if any(note.startswith("interim") for note in figure.notes) else ""


def _differences(family: DifferenceFamily) -> Iterator[Interval]:
    """Those of shares; kappa's are in the table."""
    of_shares = [one for one in family.differences if one.estimate.scale == "share_difference"]
    found = [one for one in of_shares if one.estimate.value is not None]
    if not found:
        return
    group = f", {Group(family.mode, family.drawn).title}" if family.mode is not None else ""
    yield Interval(f"{_FAMILIES[family.between]}{f', {one_line(family.reviewer)}' if family.reviewer else ''}{group}")
    for one in found:
        name = f"{side_name(one.first)} - {side_name(one.second)}"
        yield interval_row(f"{name}, {one.statistic}", one.estimate)


def _matrices(figures: StudyFigures) -> Iterator[Drawing]:
    for title, several in _compared(figures):
        for one in several:
            if one.second == TOGETHER and one.scale == LEVELS.name and one.n:
                sides, labels = (one_line(one.first), one_line(one.second)), list(map(in_words, one.labels))
                yield matrix(f"{title}: labels of both", *sides, labels, one.table)


def _compared(figures: StudyFigures) -> list[tuple[str, tuple[Comparison, ...]]]:
    return [
        (f"{one_line(one.reviewer)}, {group.title}", group.comparisons)
        for one in figures.reviewers
        for group in one.agreement
    ]


def _shares(figures: StudyFigures) -> Iterator[Drawing]:
    axes: tuple[tuple[str, str, Scale], ...] = (
        ("percent agreement", "agreement on supported or not", "share"),
        ("Cohen's kappa", "Cohen's kappa, supported or not", "coefficient"),
    )
    for name, axis, scale in axes:
        rows = [row for title, several in _compared(figures) for row in _agreement(title, several, name)]
        if rows:
            yield forest(f"Reviewers and judges: {axis}, 95% intervals", axis, rows, scale=scale)
    rows = [row for report in _reports(figures) for row in _support(report, judged=bool(figures.statements))]
    if rows:
        yield forest("Support and sources, 95% intervals", "share", rows, scale="share")


def _agreement(title: str, several: tuple[Comparison, ...], name: str) -> Iterator[Interval]:
    found = [one for one in several if one.scale == BINARY.name and one.n]
    if found:
        yield Interval(title)
    for one in found:
        yield interval_row(one_line(one.second), one.estimate(name))


def _reports(figures: StudyFigures) -> Iterator[SupportReport]:
    """By the judges also of each model; by reviewers, whose labels are fewer, of all responses."""
    yield figures.support
    for one in figures.reviewers:
        yield from (replace(report, strata=report.strata[:1]) for report in one.support)


def _support(report: SupportReport, *, judged: bool) -> Iterator[Interval]:
    """What rules say of support is no answer, nor is there one without statements: then of the pages alone."""
    pages_alone = report.by_rules or not judged
    for stratum in [one for one in report.strata if one.split in ("", "model")][:_MOST_STRATA]:
        rows = [
            interval_row(_SUPPORT.get(figure.name, figure.name), figure)
            for figure in stratum.clustered
            if figure.n and not (pages_alone and figure.name != VALID_URLS)
        ]
        if rows:
            by = "cited pages" if pages_alone else f"by {one_line(report.by)}"
            yield Interval(f"{by}: {stratum_name(stratum.split, stratum.stratum)}")
            yield from rows


def pace_section(material: Material) -> Iterator[PagePart]:
    """Nothing where no time is on record and nothing was labelled twice."""
    conducts = material.figures.conduct
    timed = [one for one in conducts if one.decisions and one.pace[0].seconds.n]
    rows = [row for one in timed for row in (Interval(one_line(one.reviewer)), *map(_pace_row, one.pace))]
    if rows:
        title = "Seconds for a decision: the median, and between the quarters"
        yield Plot(forest(title, "seconds", rows, scale="seconds", between="between the quarters"))
    for one in conducts:
        if one in timed or one.intra_rater:
            yield Title(one_line(one.reviewer))
        if one in timed:
            yield from pace_parts(one.pace)
        for pair in one.intra_rater:
            yield from intra_rater_parts(pair)


def _pace_row(pace: Pace) -> Interval:
    value, low, high = pace.seconds.value, pace.quarter, pace.three_quarters
    if value is None or low is None or high is None:
        return Interval(pace.mode, words=("no time on record", ""))
    words = (half_up(value, 1), f"{half_up(low, 1)} to {half_up(high, 1)}")
    return Interval(pace.mode, value, low, high, words, pace.seconds.n)


def citations_section(material: Material) -> Iterator[PagePart]:
    """The same as ``medreview citations`` says, with the bars of the responses that are worst."""
    if material.citations is not None:
        yield from report_parts(material.citations, material.name, (), full=False)


def figures_section(material: Material) -> Iterator[PagePart]:
    """Every figure as a table, with what is left out, why one is undefined, and cautions."""
    # Key facts, tags and the pace have sections of their own; all else of conduct is for one's own eyes.
    units = tuple(replace(one, family=None) if one.kind == "fact" else one for one in material.figures.units)
    parts = stats_parts(replace(material.figures, conduct=(), units=units, tags=()), Path(material.name))
    return folded(_without_bars(part) for part in parts if not isinstance(part, NextStep))


def _without_bars(part: PagePart) -> PagePart:
    """A table without the bars that a terminal draws of characters: the plots have them."""
    if isinstance(part, Inset):
        return Inset(tuple(_of_layout(each) for each in part.parts))
    return _of_layout(part) if isinstance(part, ReportTable) else part


def _of_layout(part: Part) -> Part:
    if not isinstance(part, ReportTable):
        return part
    kept = [place for place, column in enumerate(part.columns) if not _BAR_SCALE.fullmatch(column.name)]
    rows = tuple(tuple(row[place] for place in kept) for row in part.rows)
    return ReportTable(tuple(part.columns[place] for place in kept), rows, part.header)
