"""What fills an item of a checklist from figures: how they were computed, what came of them, how sure they are."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from medreview.cli.output import one_line
from medreview.cli.reports.study_page.checklists import Filled, Filler, filled
from medreview.cli.reports.study_page.material import Material
from medreview.cli.reports.study_page.methods_paragraph import AGREEMENT, paragraphs, statistic_words
from medreview.labels import OWN, label_words
from medreview.stats.formulas.estimate import Estimate, FigureRow, figure_rows, half_up, number, show
from medreview.stats.reports.audit_looks import plan_words
from medreview.stats.reports.reviewer_labels import BINARY, LEVELS
from medreview.stats.units.kind_labels import FINAL
from medreview.stats.units.own_axis_figures import OwnAxisFigures
from medreview.text import counted, in_words

_HARM: Final = f"{OWN}harm"
"""The axis on harm that comes with medreview."""
_KAPPAS: Final = ("Cohen's kappa", "Cohen's kappa (quadratic weights)")


def _rows(material: Material) -> list[FigureRow]:
    return [one for one in figure_rows(material.figures) if one.value is not None]


def _statistics(material: Material) -> Filled | None:
    rows = _rows(material)
    # A difference has the names of its sides behind a comma: the statistic itself is named by its own rows.
    names = [one.statistic for one in rows if one.statistic.startswith(AGREEMENT) and ", " not in one.statistic]
    methods = dict.fromkeys(one.method for one in rows if one.low is not None)
    if not methods or not any(True for _ in paragraphs(material)):
        return None
    told = [f"agreement by {statistic_words(names)}"] if names else []
    return filled([*told, f"95% intervals by {'; '.join(methods)}"], "methods")


def _performance(material: Material) -> Filled | None:
    """What leads: shares by people, then by judges where no person labelled the same."""
    told = []
    for one in material.figures.reviewers:
        figures = () if one.own is None else (one.own.cited, one.own.any_source, one.own.responses)
        told += [f"{figure.name}, by {one_line(one.reviewer)}: {show(figure)}" for figure in figures if _known(figure)]
    for audit in material.figures.audit.figures[-1:]:
        if _known(audit.leading):
            words = f"supported in the whole study, by the audit: {show(audit.leading)}"
            told.append(f"{words}, interim" if audit.standing.state == "interim" else words)
    if not told and material.figures.statements and not material.figures.support.by_rules:
        by_judges = [figure for one in material.figures.support.strata[:1] for figure in one.clustered]
        told += [f"{figure.name}, by the judges: {show(figure)}" for figure in by_judges if _known(figure)]
    for kind in material.figures.headlines:
        raters = kind.people or tuple(one for one in kind.raters if not one.rules)
        told += [
            f"{kind.title}, {kind.words}, by {one_line(one.rater)}: {show(one.share)}"
            for one in raters
            if _known(one.share)
        ]
    return filled(told, "plots")


def _known(figure: Estimate) -> bool:
    return figure.value is not None


def _measures(material: Material) -> Filled | None:
    told = dict.fromkeys(
        figure.name for one in material.figures.support.strata[:1] for figure in one.clustered if figure.n
    )
    told |= dict.fromkeys(f"{kind.title}: share {kind.words}" for kind in material.figures.headlines if kind.raters)
    return filled(told if material.figures.statements or material.figures.headlines else (), "plots")


def _deviations(material: Material) -> Filled | None:
    told = []
    for one in material.figures.reviewers:
        counts: Counter[str] = Counter()
        for group in one.agreement:
            levels = [each for each in group.comparisons if each.scale == LEVELS.name]
            most = max(levels, key=lambda each: each.n, default=None)
            counts.update({} if most is None else {k: n for k, n in most.first_counts.items() if k != "supported"})
        words = ", ".join(f"{label_words('evidence', label)} {n:,}" for label, n in counts.items() if n)
        told += [f"{one_line(one.reviewer)}: {words}"] if words else []
    if material.answers:
        spans = sum(len(one.spans) for one in material.answers)
        told.append(f"{counted(spans, 'span')} marked in {counted(len(material.answers), 'answer')}, with their types")
    if material.facts is not None and any(one.themes for one in material.facts.themes):
        told.append("themes in omitted and contradicted facts")
    anchor = "answers" if material.answers else "fact-themes" if material.facts is not None else "figures"
    return filled(told, anchor)


def _between_reviewers(material: Material) -> Filled | None:
    return _kappas(material, ("between_reviewers", ".between["))


def _agreement(material: Material) -> Filled | None:
    wanted = ("between_reviewers", ".between[", ".against_panel[", ".agreement[", ".machines[", "between_judges.pairs")
    return _kappas(material, wanted)


def _kappas(material: Material, wanted: tuple[str, ...]) -> Filled | None:
    """Cohen's kappa of each two with its interval, in the order of the places ``wanted``; of four labels on two, of
    steps with quadratic weights."""
    titles = {one.axis: one.title for one in material.figures.own_axes} | {BINARY.name: BINARY.title}
    told: dict[str, None] = {}
    rows = [one for one in _rows(material) if one.statistic in _KAPPAS and one.method != "Wilson"]
    for row in (row for part in wanted for row in rows if part in row.path):
        context = dict(word.split("=", 1) for word in row.context.split("; ") if "=" in word)
        scale = context.get("scale", context.get("task", ""))
        if scale == LEVELS.name:
            continue
        first = context.get("first", context.get("reviewer", "the panel"))
        second = context.get("second", context.get("rater", ""))
        ends = "" if row.low is None or row.high is None else f" ({half_up(row.low, 2)} to {half_up(row.high, 2)})"
        kappa = number(row.value or 0.0, "coefficient", 2)
        what = one_line(titles.get(scale, in_words(scale)))
        told[f"{one_line(first)} and {one_line(second)}, {what}: kappa {kappa}{ends}"] = None
    return filled(told, "figures")


def _comparisons(material: Material) -> Filled | None:
    told = [
        f"{one_line(one.first)} minus {one_line(one.second)}, {one.statistic}: {show(one.estimate)}"
        for family in material.figures.differences
        for one in family.differences
        if _known(one.estimate)
    ]
    return filled(told, "plots")


def _twice(material: Material) -> Filled | None:
    told = [f"{one.n:,} statements by {one_line(one.first)} and {one_line(one.second)}" for one in
            material.figures.between_reviewers[:1] if one.n]  # fmt: skip
    told += [
        f"{axis.adjudication.twice:,} of {counted(unit.units, unit.noun, unit.title)}"
        for unit in material.figures.units
        for axis in unit.axes[:1]
        if axis.adjudication.twice
    ]
    return filled(told, "figures")


def _own_axes(material: Material) -> Filled | None:
    told = [
        f"{one_line(one.title)} ({', '.join(map(in_words, one.levels))}), labelled on {counted(one.labelled, one.noun)}"
        for one in material.figures.own_axes
        if one.labelled
    ]
    return filled(told, "own-labels")


def _harm(material: Material) -> Filled | None:
    every = [one for one in material.figures.own_axes if one.axis == _HARM]
    return filled((words for one in every for words in _levels_given(one)), "own-labels")


def _levels_given(axis: OwnAxisFigures) -> Iterator[str]:
    for each in axis.labels:
        if each.which == FINAL and each.units:
            levels = ", ".join(
                f"{in_words(level)} {each.levels[level]:,}" for level in axis.levels if each.levels.get(level)
            )
            on = counted(each.units, axis.noun)
            yield f"{one_line(axis.title)}, by {one_line(each.reviewer)} on {on}: {levels}"


def _uncertainty(material: Material) -> Filled | None:
    """What intervals take as what varies: where answers share questions, the questions."""
    figures = material.figures
    if not figures.statements or not any(one.low is not None for one in figure_rows(figures.support)):
        return None
    cluster = figures.resampling.cluster
    alike = "answers to one question" if cluster == "question" else "statements of one answer"
    return Filled(f"intervals take the {cluster} as what was sampled, since {alike} vary together", "methods")


def _plan(material: Material) -> Filled | None:
    """The plan of the audit, each that was in force before, and how far it is."""
    plans = material.figures.audit.plans
    told = [f"the audit was to end at {plan_words(one)}" for one in plans[-1:]]
    told += [one.standing.short for one in material.figures.audit.figures[-1:] if plans]
    told += [f"before that: {plan_words(one)}" for one in reversed(plans[:-1])]
    return filled(map(one_line, told), "methods")


def _looks(material: Material) -> Filled | None:
    """What intervals of the audit are worth when they were looked at."""
    told = [one.standing.short for one in material.figures.audit.figures[-1:] if _known(one.leading)]
    return Filled(f"intervals of the audit: {one_line(told[0])}", "methods") if told else None


def _repeats(material: Material) -> Filled | None:
    trust = material.figures.trust
    told = [
        f"{one_line(one.judge)}, asked {one.runs:,} times by the same prompt: alike in {show(one.same)}"
        for one in ([] if trust is None else trust.repeats)
        if _known(one.same)
    ]
    return filled(told, "figures")


def _calibration(material: Material) -> Filled | None:
    trust = material.figures.trust
    told = [
        f"confidence of {one_line(one.judge)}: {show(one.calibration.error)} from the share that is right"
        for one in ([] if trust is None else trust.errors)
        if one.calibration is not None and _known(one.calibration.error)
    ]
    return filled(told, "figures")


FIGURE_FILLERS: Final[dict[str, tuple[str, Filler]]] = {
    "statistics": ("statistical methods", _statistics),
    "uncertainty": ("what varies", _uncertainty),
    "measures": ("measures", _measures),
    "own_axes": ("further axes", _own_axes),
    "performance": ("performance", _performance),
    "deviations": ("kinds of error", _deviations),
    "harm": ("harm", _harm),
    "agreement": ("agreement", _agreement),
    "between_reviewers": ("agreement of reviewers", _between_reviewers),
    "comparisons": ("comparisons", _comparisons),
    "twice": ("how much was labelled by two", _twice),
    "plan": ("when the sample was to end", _plan),
    "looks": ("looks before the end", _looks),
    "repeats": ("how alike repeated verdicts are", _repeats),
    "calibration": ("calibration", _calibration),
}
"""As :data:`FILLERS` of all."""
