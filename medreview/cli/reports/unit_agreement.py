"""Agreement on one kind of unit as parts of a report: each two raters, several together, and what was settled."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.estimates import figure_table, figures_part, p_words, sentences
from medreview.cli.reports.judge_trust import stand_in_part
from medreview.cli.reports.layout import Part, TableHeading, Title, inset, table
from medreview.labels import AXES, scale_of
from medreview.stats.formulas.classification import Classification
from medreview.stats.formulas.hypothesis_tests import TestResult
from medreview.stats.study_figures import StudyFigures
from medreview.stats.units.kind_labels import FINAL
from medreview.stats.units.own_axis_figures import OwnAxisFigures
from medreview.stats.units.rater_agreement import Adjudication, ManyReviewers, UnitAgreement
from medreview.stats.units.unit_figures import ScaleFigures
from medreview.text import in_words


def matrix(
    first: str, second: str, labels: Sequence[str], counts: Sequence[Sequence[int]], axis: str = ""
) -> Iterator[Part]:
    """The table of two raters with its sums; no table without a count."""
    if not any(map(sum, counts)):
        return
    names = [name_of(axis, label) for label in labels]
    rows = [(name, *row, sum(row)) for name, row in zip(names, counts, strict=True)]
    sums = [sum(column) for column in zip(*counts, strict=True)]
    yield f"rows: {one_line(first)}; columns: {one_line(second)}"
    yield table(("rows / columns", *names, "all"), [*rows, ("all", *sums, sum(sums))], others="words")


def name_of(axis: str, label: str) -> str:
    """A label in the words of the screen where the axis has it."""
    scale = AXES.get(scale_of(axis), ())
    return next((one.name for one in scale if one.level == label), in_words(label))


def right_parts(found: Classification, axis: str = "") -> Iterator[Part]:
    """Precision, recall and F1 of each label and the means over labels; why some are missing.

    What neither gave is named below the means, and has no lines.
    """
    used = [one for one in found.labels if found.f1[one].value is not None] or found.labels
    groups = [(name_of(axis, str(one)), (found.precision[one], found.recall[one], found.f1[one])) for one in used]
    groups.append(("mean of labels", (found.macro_precision, found.macro_recall, found.macro_f1)))
    rows = (
        ("" if place else label, name, figures[place], figures[place].n)
        for label, figures in groups
        for place, name in enumerate(("precision", "recall", "F1"))
    )
    yield table(("label", "of it", "value", "95% interval", "n"), rows, long=("of it",))
    yield from sentences(figure for _, figures in groups for figure in figures)


def test_words(test: TestResult) -> str:
    """A test in one phrase: its name and p, or why p is missing."""
    return f"{test.name}: {f'undefined, {test.reason}' if test.pvalue is None else f'p {p_words(test.pvalue)}'}"


def agreement_part(each: UnitAgreement, labels: Sequence[str], title: str, axis: str, cluster: str) -> Part:
    """Two raters: figures, matrix, and precision and recall where the first is the reference."""
    first, second = one_line(each.first), one_line(each.second)
    which = f", {each.which} labels" if each.which else ""
    return inset(
        TableHeading(f"{first} and {second}{which}, {title}"),
        figure_table(each.agreement, cluster),
        *sentences(each.agreement),
        *([test_words(each.order_test)] if each.order_test and each.order_test.pvalue is not None else []),
        *(right_parts(each.right, axis) if each.right else ()),
        *matrix(each.first, each.second, labels, each.table, axis),
        *each.cautions,
    )


def many_part(many: ManyReviewers, title: str, cluster: str) -> Part:
    """All reviewers together."""
    names = ", ".join(map(one_line, many.reviewers))
    head = f"{counted(len(many.reviewers), 'reviewer')} together, {many.which} labels, {title}"
    return figures_part(head, many.agreement, cluster, names)


def adjudication_parts(found: Adjudication, axis: str) -> Iterator[Part]:
    """Differences of reviewers and how they were settled; nothing where no unit has two labels."""
    if not found.twice:
        return
    settled = found.by_third + found.by_agreement
    told = f"labelled by two or more: {found.twice:,}; "
    if not found.differ:
        yield f"{told}all alike"
        return
    became = {"settled by a third": found.by_third, "settled by agreement": found.by_agreement, "open": found.open}
    of = ", ".join(f"{count:,} {words}" for words, count in became.items() if count)
    yield f"{told}they differ on {found.differ:,}, of which {of}"
    if settled:
        outcome = ", ".join(f"{name_of(axis, label)} {count:,}" for label, count in found.outcome.items())
        upheld = ", ".join(f"{one_line(name)} {count:,}" for name, count in found.upheld.items()) or "nobody's"
        yield f"settled as: {outcome}; whose label that was: {upheld}"


def no_agreement(reviewers: Iterable[str], noun: str) -> str:
    """Why no two of these reviewers can be compared."""
    names = set(reviewers)
    if len(names) == 1:
        return f"Only {one_line(names.pop())} has labels here: agreement of reviewers takes two."
    return f"No {noun} has labels of two of them, other than “cannot judge”: they cannot be compared."


def scale_parts(scale: ScaleFigures, axis: str, cluster: str) -> Iterator[Part]:
    """Each two raters beside each other on one scale, then several together."""
    shown: dict[tuple[str, str], UnitAgreement] = {}
    for each in scale.between:
        before = shown.setdefault((each.first, each.second), each)
        if before is not each and before.table == each.table:
            yield f"{one_line(each.first)} and {one_line(each.second)}, {each.which} labels: the same"
        else:
            yield from ("", agreement_part(each, scale.labels, scale.title, axis, cluster))
    for place, many in enumerate(scale.together):
        if place and many.agreement == scale.together[0].agreement:
            yield f"together, {many.which} labels: the same"
        else:
            yield from ("", many_part(many, scale.title, cluster))
    for each in scale.machines:
        yield from ("", agreement_part(each, scale.labels, scale.title, axis, cluster))
    for found in scale.consensus:
        names = ", ".join(map(one_line, found.reviewers))
        tied = f", {found.ties:,} tied and left out" if found.ties else ""
        twice = f"{counted(found.items, 'item')} with two labels or more{tied}"
        yield from ("", f"the majority of {names}, {found.which} labels, {scale.title}: {twice}")
        for each in found.machines:
            yield from ("", agreement_part(each, scale.labels, scale.title, axis, cluster))
    if scale.stand_ins:
        yield from ("", f"May a machine stand in for a person? First blind labels, {scale.title}.")
        yield stand_in_part(scale.stand_ins)
    if scale.gold:
        yield from ("", _gold(scale))
    for each in scale.gold:
        yield from ("", agreement_part(each, scale.labels, scale.title, axis, cluster))


def _gold(scale: ScaleFigures) -> Part:
    """How many right labels everybody met."""
    rows = ((one_line(each.second), each.which, _right(each), each.n, each.agreement[0]) for each in scale.gold)
    names = (f"right labels met, {scale.title}", "labels", "right", "of", "share", "95% interval")
    return inset(table(names, rows, long=("labels",), others="words"))


def _right(each: UnitAgreement) -> int:
    return sum(row[place] for place, row in enumerate(each.table))


_MOST_REVIEWERS: Final = 2
"""On one screen."""


def own_axis_parts(figures: StudyFigures) -> Iterator[Part]:
    """Everything: labels by reviewer, what became of differences, agreement of reviewers; then the tags."""
    for axis in figures.own_axes:
        yield Title(f"{one_line(axis.title)}: {counted(axis.labelled, axis.noun)} labelled")
        yield from own_axis_counts(axis)
        if axis.stale:
            yield f"left out: {counted(axis.stale, 'label')} on a text that has changed since"
        yield from adjudication_parts(axis.adjudication, axis.axis)
        if len({one.reviewer for one in axis.labels}) > 1 and not any(scale.between for scale in axis.scales):
            yield no_agreement((one.reviewer for one in axis.labels), axis.noun)
        for scale in axis.scales:
            yield from scale_parts(scale, axis.axis, axis.cluster)
    yield from tag_parts(figures)


def own_axis_counts(axis: OwnAxisFigures) -> Iterator[Part]:
    """How often each reviewer gave each level."""
    rows = (
        (one_line(one.reviewer), one.which, *(one.levels.get(level, 0) for level in axis.levels), one.units)
        for one in axis.labels
    )
    heading = f"{one_line(axis.title)}, {axis.noun}s" + (", several levels at once" if axis.many else "")
    names = ("", "labels", *map(in_words, axis.levels), "all")
    if axis.labels:
        yield inset(TableHeading(heading), table(names, rows, others="words"))


def tag_parts(figures: StudyFigures) -> Iterator[Part]:
    """How many units have each tag, and by whom."""
    if figures.tags:
        yield Title("Tags")
        rows = (
            (
                f"#{one.tag}",
                one.units,
                ", ".join(f"{one_line(who)} {n:,}" for who, n in one.reviewers.items()),
            )
            for one in figures.tags
        )
        yield table(("tag", "units", "by"), rows, long=("by",))


def own_axis_section(figures: StudyFigures) -> Iterator[Part]:
    """What the axes are and how often each level was given, for a report; then the tags."""
    for axis in figures.own_axes:
        yield Title(f"{one_line(axis.title)}: {counted(axis.labelled, axis.noun)} labelled")
        yield from map(one_line, axis.about)
        yield from own_axis_counts(axis)
        rows = [(in_words(level), one_line(said)) for level, said in axis.definitions.items() if said]
        if rows:
            yield table(("level", "what it means"), rows, long=("what it means",))
    yield from tag_parts(figures)


def own_axis_lines(figures: StudyFigures, brief: int) -> Iterator[str]:
    """A line for each axis, for one screen: the labels of the first reviewers as they stand; ``brief``: only how
    many."""
    for axis in figures.own_axes:
        final = [one for one in axis.labels if one.which == FINAL]
        told = []
        for one in final[:_MOST_REVIEWERS]:
            levels = ", ".join(
                f"{one.levels[level]:,} {in_words(level)}" for level in axis.levels if level in one.levels
            )
            told.append(f"{one_line(one.reviewer)} {f'{one.units:,}' if brief > 0 else levels}")
        more = len(final) - _MOST_REVIEWERS
        rest = f"; {counted(more, 'more reviewer')}" if more > 0 else ""
        yield f"{one_line(axis.title)}, {counted(axis.labelled, axis.noun)}: {'; '.join(told)}{rest}"
