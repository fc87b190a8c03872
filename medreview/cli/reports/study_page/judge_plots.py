"""What judges are worth: their kappa with people beside that of a person, and against what they cost and take.

MedFactEval's figures 2 and 3: each judge and the jury against the majority of a panel, where there is one; else, of
statements, against each reviewer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.cli.output import one_line
from medreview.cli.reports.layout import TableHeading, Title, cells, table
from medreview.cli.reports.page_parts import PagePart, Plot
from medreview.cli.reports.plots import Drawing, Interval, Point, forest, interval_row, scatter
from medreview.cli.reports.study_page.material import JudgeEffort, Material
from medreview.judges.fact_votes import PRESENCE
from medreview.stats.formulas.estimate import Estimate, half_up
from medreview.stats.formulas.human_baseline import BesidePerson
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.reviewer_labels import BINARY, TOGETHER
from medreview.stats.units.fact_report import JURY
from medreview.study.ids import STATEMENT

_KAPPA: Final = "Cohen's kappa"
_NOT_KNOWN: Final = "not known"
_ALL: Final = (JURY, TOGETHER)
"""What all judges together are called, of facts and of statements."""


@dataclass(frozen=True)
class _Beside:
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
    for one in _every(material):
        known = one.effort is not None and (one.effort.costs or one.effort.seconds)
        if one.person is None and not known:
            continue  # of kappas alone the leading figures have a plot
        yield Title(one.title)
        if one.person is not None:
            yield Plot(_forest(one))
        if one.differences:
            yield Plot(_differences(one))
        heading = f"Agreement, cost and time of judges, {one.title[:1].lower()}{one.title[1:]}"
        if one.effort is not None and known:
            plots = (_scatter(one, "cost"), _scatter(one, "time"))
            yield from (Plot(drawing, tabled=heading) for drawing in plots if drawing is not None)
            yield TableHeading(heading)
            yield from _table(one, one.effort)


def _every(material: Material) -> Iterator[_Beside]:
    report = material.facts
    if report is not None:
        found = [(one.rater, one.agreement.figures["cohen_kappa"]) for one in report.against_panel
                 if one.task == PRESENCE]  # fmt: skip
        if any(figure.value is not None for _, figure in found):
            single = report.single_person
            yield _Beside(
                "Key facts, presence", f"the majority of {len(report.panel)} people", "fact", tuple(found), (),
                None if single is None else single.person, () if single is None else single.beside,
                material.effort.get(PRESENCE),
            )  # fmt: skip
    yield from _of_statements(material)


def _of_statements(material: Material) -> Iterator[_Beside]:
    """Against the majority of several reviewers, each group of labels by itself; else against each reviewer."""
    effort = material.effort.get("")
    panels = [one for one in material.figures.consensus if one.persons]
    for panel in panels:
        yield _Beside(
            f"Statements, {panel.title}", f"the majority of {len(panel.reviewers)} reviewers", STATEMENT,
            _kappas(panel.judges), tuple((one_line(who), figure) for who, figure in panel.persons.items()),
            panel.person, panel.beside, effort,
        )  # fmt: skip
    if panels:
        return
    for one in material.figures.reviewers:
        for group in one.agreement:
            found = _kappas(group.comparisons)
            if len(found) > 1 and any(figure.value is not None for _, figure in found):
                title = f"Statements, {one_line(one.reviewer)}, {group.title}"
                yield _Beside(title, one_line(one.reviewer), STATEMENT, found, (), None, (), effort)


def _kappas(compared: Sequence[Comparison]) -> tuple[tuple[str, Estimate], ...]:
    return tuple((one.second, one.estimate(_KAPPA)) for one in compared if one.scale == BINARY.name and one.n)


def _forest(one: _Beside) -> Drawing:
    rows = [Interval(f"judges with {one.against}")]
    rows += [interval_row(one_line(name), figure) for name, figure in one.kappas]
    if one.person is not None:
        rows.append(Interval("a person with the majority of the others"))
        rows += [interval_row(name, figure) for name, figure in one.persons]
        rows.append(interval_row("mean of the people", one.person))
    return forest(f"{one.title}: Cohen's kappa, 95% intervals", "Cohen's kappa", rows, scale="coefficient")


def _differences(one: _Beside) -> Drawing:
    margin = one.differences[0].margin
    rows = [interval_row(one_line(each.rater), each.difference) for each in one.differences]
    title = f"{one.title}: kappa of a judge minus that of a person, 90% intervals"
    axis = f"difference of kappas; dashed: the margin of {half_up(margin, 2)}"
    return forest(title, axis, rows, scale="coefficient_difference", between="90% interval", margin=margin)


def _scatter(one: _Beside, what: str) -> Drawing | None:
    """Against cost or time; ``None`` where that is known of no judge with a kappa."""
    known: Mapping[str, float] = (
        {} if one.effort is None else one.effort.costs if what == "cost" else one.effort.seconds
    )
    points = []
    for name, figure in one.kappas:
        x = _of(name, known, one)
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


def _of(name: str, known: Mapping[str, float], one: _Beside) -> float | None:
    """Of a judge, or of all together the sum of those that have a kappa, where it is known of each."""
    if name not in _ALL:
        return known.get(name)
    members = [each for each, _ in one.kappas if each not in _ALL]
    return sum(known[each] for each in members) if members and all(each in known for each in members) else None


def _table(one: _Beside, effort: JudgeEffort) -> Iterator[PagePart]:
    rows = []
    for name, figure in one.kappas:
        cost, seconds = _of(name, effort.costs, one), _of(name, effort.seconds, one)
        rows.append((
            one_line(name), *cells(figure, "none", 2), _NOT_KNOWN if cost is None else half_up(cost, 5),
            _NOT_KNOWN if seconds is None else half_up(seconds, 2),
        ))  # fmt: skip
    yield table(("", "kappa", "95% interval", f"cost of a {one.unit}", f"seconds for a {one.unit}"), rows,
                first="anywhere")  # fmt: skip
    yield (
        "Cost and time are of the newest run of a judge, over all its calls for a unit; not known where a price is "
        "missing, answers came in a batch, or the judge was not asked from here. Those of all together are the sum."
    )
