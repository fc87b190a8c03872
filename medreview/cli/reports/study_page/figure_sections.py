"""Sections of figures: the flow of items, the leading ones as plots, pace, citations, and every figure in full."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, given, one_line, stratum_name
from medreview.cli.reports.audit import EVERY_LOOK
from medreview.cli.reports.citations import report_parts
from medreview.cli.reports.conduct import intra_rater_parts, pace_parts
from medreview.cli.reports.estimates import side_name
from medreview.cli.reports.layout import Inset, NextStep, Part, ReportTable, TableHeading, Title, cells, table
from medreview.cli.reports.page_parts import PagePart, Plot, folded
from medreview.cli.reports.plots import Drawing, FlowBox, Interval, Point, flow, forest, interval_row, matrix, scatter
from medreview.cli.reports.stats import stats_parts
from medreview.cli.reports.stats_screen import VALID_URLS, rated, spoken
from medreview.cli.reports.study_page.material import JudgeEffort, Material
from medreview.judges.fact_votes import PRESENCE
from medreview.stats.decision_timing import Pace
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate, Scale, half_up
from medreview.stats.formulas.human_baseline import BesidePerson
from medreview.stats.reports.audit_report import AuditFigures
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.own_labels import OwnLabels
from medreview.stats.reports.review_progress import ItemFlow, LabelFlow
from medreview.stats.reports.reviewer_labels import BINARY, LEVELS, TOGETHER, Group
from medreview.stats.reports.study_differences import DifferenceFamily
from medreview.stats.reports.study_support import SupportReport
from medreview.stats.study_figures import StudyFigures
from medreview.stats.units.fact_report import JURY, FactReport
from medreview.stats.units.unit_division import FactPart, fact_parts
from medreview.study.ids import STATEMENT
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


_KAPPA: Final = "Cohen's kappa"
_NOT_KNOWN: Final = "not known"
_ALL: Final = (JURY, TOGETHER)
"""What all judges together are called, of facts and of statements."""


@dataclass(frozen=True)
class JudgesBeside:
    """Judges beside people: ``kappas`` by judge with those that ``against`` names, ``persons`` each with the others.

    ``person``: the mean of these; ``differences``: judges minus a person. ``unit``: what cost and time are of.
    """

    title: str
    against: str
    unit: str
    kappas: tuple[tuple[str, Estimate], ...]
    persons: tuple[tuple[str, Estimate], ...]
    person: Estimate | None
    differences: tuple[BesidePerson, ...]
    effort: JudgeEffort | None


def judges_section(material: Material) -> Iterator[PagePart]:
    """Plots and one table for each; nothing where no judge has a kappa with people, and nothing else is known."""
    for one in _every_judge(material):
        known = one.effort is not None and (one.effort.costs or one.effort.seconds)
        if one.person is None and not known:
            continue  # of kappas alone the leading figures have a plot
        yield Title(one.title)
        if one.person is not None:
            yield Plot(_kappa_forest(one))
        if one.differences:
            yield Plot(_judge_differences(one))
        heading = f"Agreement, cost and time of judges, {one.title[:1].lower()}{one.title[1:]}"
        if one.effort is not None and known:
            plots = (_effort_scatter(one, "cost"), _effort_scatter(one, "time"))
            yield from (Plot(drawing, tabled=heading) for drawing in plots if drawing is not None)
            yield TableHeading(heading)
            yield from _effort_table(one, one.effort)


def _every_judge(material: Material) -> Iterator[JudgesBeside]:
    report = material.facts
    if report is not None:
        yield from _of_facts("Key facts, presence", report, material)
        for part in _by_system(report):
            yield from _of_facts(f"Key facts, presence, texts of {given(part.part)}", part, material)
    yield from _of_statements(material)


def _of_facts(title: str, of: FactReport | FactPart, material: Material) -> Iterator[JudgesBeside]:
    """On all texts, or on those of a system; nothing where no judge has a kappa with the panel."""
    found = [(one.rater, one.agreement.figures["cohen_kappa"]) for one in of.against_panel if one.task == PRESENCE]
    if any(figure.value is not None for _, figure in found):
        single = of.single_person
        people = of.panel if isinstance(of, FactReport) else of.reviewers
        yield JudgesBeside(
            title, f"the majority of {len(people)} people", "fact", tuple(found), (),
            None if single is None else single.person, () if single is None else single.beside,
            material.effort.get(PRESENCE),
        )  # fmt: skip


_MOST_SYSTEMS: Final = 4
"""Systems with plots of their own; ``stats --unit key_fact --by model`` has those of more."""


def _by_system(report: FactReport) -> Sequence[FactPart]:
    """The systems whose texts a panel labelled, where these are a few."""
    voted = {one.text.system for one in report.facts.held if report.people_of(one, PRESENCE)}
    if not report.judges or not 1 < len(voted) <= _MOST_SYSTEMS:
        return ()
    resampling = Resampling(replicates=report.provenance.replicates, seed=report.provenance.seed)
    return fact_parts(report.facts.where(lambda one: one.text.system in voted), "model", report.tie, resampling)


def _of_statements(material: Material) -> Iterator[JudgesBeside]:
    """Against the majority of several reviewers, each group of labels by itself; else against each reviewer."""
    effort = material.effort.get("")
    panels = [one for one in material.figures.consensus if one.persons]
    for panel in panels:
        yield JudgesBeside(
            f"Statements, {panel.title}", f"the majority of {len(panel.reviewers)} reviewers", STATEMENT,
            _judge_kappas(panel.judges), tuple((one_line(who), figure) for who, figure in panel.persons.items()),
            panel.person, panel.beside, effort,
        )  # fmt: skip
    if panels:
        return
    for one in material.figures.reviewers:
        for group in one.agreement:
            found = _judge_kappas(group.comparisons)
            if len(found) > 1 and any(figure.value is not None for _, figure in found):
                title = f"Statements, {one_line(one.reviewer)}, {group.title}"
                yield JudgesBeside(title, one_line(one.reviewer), STATEMENT, found, (), None, (), effort)


def _judge_kappas(compared: Sequence[Comparison]) -> tuple[tuple[str, Estimate], ...]:
    return tuple((one.second, one.estimate(_KAPPA)) for one in compared if one.scale == BINARY.name and one.n)


def _kappa_forest(one: JudgesBeside) -> Drawing:
    rows = [Interval(f"judges with {one.against}")]
    rows += [interval_row(one_line(name), figure) for name, figure in one.kappas]
    if one.person is not None:
        rows.append(Interval("a person with the majority of the others"))
        rows += [interval_row(name, figure) for name, figure in one.persons]
        rows.append(interval_row("mean of the people", one.person))
    return forest(f"{one.title}: Cohen's kappa, 95% intervals", "Cohen's kappa", rows, scale="coefficient")


def _judge_differences(one: JudgesBeside) -> Drawing:
    margin = one.differences[0].margin
    rows = [interval_row(one_line(each.rater), each.difference) for each in one.differences]
    title = f"{one.title}: kappa of a judge minus that of a person, 90% intervals"
    axis = f"difference of kappas; dashed: the margin of {half_up(margin, 2)}"
    return forest(title, axis, rows, scale="coefficient_difference", between="90% interval", margin=margin)


def _effort_scatter(one: JudgesBeside, what: str) -> Drawing | None:
    """Against cost or time; ``None`` where that is known of no judge with a kappa."""
    points = []
    for name, figure in one.kappas:
        x = None if one.effort is None else (_cost_of if what == "cost" else _time_of)(name, one, one.effort)
        if x and figure.value is not None:
            points.append(Point(one_line(name), one_line(name), x, figure.value, figure.low, figure.high))
    if not points:
        return None
    axis = f"cost of a {one.unit}, log scale" if what == "cost" else f"seconds for a {one.unit}, log scale"
    person = one.person
    band = None
    if person is not None and person.low is not None and person.high is not None:
        band = ("a person, 95% interval", person.low, person.high)
    title = f"{one.title}: kappa with {one.against} against {what}"
    return scatter(title, axis, "Cohen's kappa", points, scale="coefficient", band=band)


def _cost_of(name: str, one: JudgesBeside, effort: JudgeEffort) -> float | None:
    """Of a judge, or of all together the sum of those that have a kappa, where it is known of each."""
    known = _known_of(name, effort.costs, one)
    return sum(known) if known else None


def _time_of(name: str, one: JudgesBeside, effort: JudgeEffort) -> float | None:
    """Of a judge, or of all together that of the slowest of those that have a kappa: they are asked side by side."""
    known = _known_of(name, effort.seconds, one)
    return max(known) if known else None


def _known_of(name: str, known: Mapping[str, float], one: JudgesBeside) -> list[float]:
    """What is known of a judge, or of each of all together; nothing where it is not known of one of them."""
    members = [each for each, _ in one.kappas if each not in _ALL] if name in _ALL else [name]
    return [known[each] for each in members] if all(each in known for each in members) else []


def _effort_table(one: JudgesBeside, effort: JudgeEffort) -> Iterator[PagePart]:
    rows = []
    for name, figure in one.kappas:
        cost, seconds = _cost_of(name, one, effort), _time_of(name, one, effort)
        rows.append((
            one_line(name), *cells(figure, 2), _NOT_KNOWN if cost is None else half_up(cost, 5),
            _NOT_KNOWN if seconds is None else half_up(seconds, 2),
        ))  # fmt: skip
    yield table(("", "kappa", "95% interval", f"cost of a {one.unit}", f"seconds for a {one.unit}"), rows,
                first="anywhere")  # fmt: skip
    yield (
        "Cost and time are of the newest run of a judge, over all its calls for a unit; not known where a price is "
        "missing, answers came in a batch, or the judge was not asked from here. Of all together the cost is the sum, "
        "and the time that of the slowest, since judges are asked side by side."
    )
