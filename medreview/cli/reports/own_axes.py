"""What is printed of the axes that a study has set for itself, and of tags."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.layout import Part, TableHeading, Title, inset, numbers, table
from medreview.cli.reports.unit_agreement import adjudication_parts, no_agreement, scale_parts
from medreview.stats.study_figures import StudyFigures
from medreview.stats.units.kind_labels import FINAL
from medreview.stats.units.own_axis_figures import OwnAxisFigures
from medreview.text import in_words

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
        (one_line(one.reviewer), one.which, *numbers(*(one.levels.get(level, 0) for level in axis.levels), one.units))
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
                *numbers(one.units),
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
