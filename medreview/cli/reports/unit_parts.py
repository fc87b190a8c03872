"""The figures of one kind of unit as parts of a report, and what was said of questions that were made from texts."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import counted, one_line, stratum_name
from medreview.cli.reports.agreement_tables import paper_tests_part
from medreview.cli.reports.estimates import over_units
from medreview.cli.reports.facts import key_fact_parts
from medreview.cli.reports.generation import cleanup_parts
from medreview.cli.reports.layout import Heading, Part, Title, cells, inset, numbers, table
from medreview.cli.reports.unit_tables import (
    MISSING,
    agreement_part,
    answer_parts,
    many_part,
    name_of,
    qa_parts,
    ranking_parts,
    reference_unit_parts,
    whole_response_parts,
)
from medreview.labels import AXES
from medreview.stats.reports.question_report import PAPER, QuestionRater, QuestionReport
from medreview.stats.units.accused_references import ReferenceUnitFigures
from medreview.stats.units.answer_figures import AnswerFigures
from medreview.stats.units.fact_report import KeyFactFigures
from medreview.stats.units.qa_figures import QAFigures
from medreview.stats.units.rankings import RankingFigures
from medreview.stats.units.rater_agreement import Adjudication, PairFigures, UnitAgreement, WholeResponseFigures
from medreview.stats.units.unit_figures import AxisFigures, Family, RevisionFigures, ScaleFigures, UnitFigures
from medreview.text import in_words

_SHORT: Final = {"answerable": "answerable", "not_answerable": "not", "not_self_contained": "unclear"}
"""The labels as narrow columns."""


def question_parts(report: QuestionReport) -> Iterator[Part]:
    """Each rater's labels by writer and origin, then each two reviewers; nothing before anybody has said anything."""
    if not report.raters:
        return
    yield Title(f"Question checks: {counted(report.questions, 'question')}")
    for rater in report.raters:
        yield from ("", _rater(rater))
    if report.agreement:
        rows = (
            (
                f"{one_line(each.first)}, {one_line(each.second)}",
                *cells(each.alike, ""),
                *numbers(each.alike.n),
            )
            for each in report.agreement
        )
        yield from ("", inset(table(("same label, each two", "value", "95% interval", "n"), rows)))
    yield "Share: answerable from the text. Unclear: not self-contained. Left: questions without a label of this rater."
    yield f"In the paper each of two doctors found {PAPER[0]} of {PAPER[1]} answerable from their text. All by Wilson."


def _rater(rater: QuestionRater) -> Part:
    """All questions, and the strata in which this rater has said anything."""
    rows = (
        (
            stratum_name(each.split, each.stratum) if each.split else "all questions",
            *cells(each.answerable, ""), *numbers(*each.labels.values(), each.answerable.dropped),
        )
        for each in rater.strata
        if not each.split or each.answerable.n
    )  # fmt: skip
    names = ("", "share", "95% interval", *(_SHORT[level] for level in rater.strata[0].labels), "left")
    return inset(Heading(f"{one_line(rater.by)}{f', {rater.mode}' if rater.mode else ''}"), table(names, rows))


NOBODY: Final = "Nobody has labelled any of them yet: there is nothing to compare."
_NOTE: Final = (
    "first, blind: the labels that were given before any machine's word had been seen. assisted: all others, as they "
    "stand. final: all labels as they stand. left: without a label of the second."
)


def unit_parts(figures: UnitFigures) -> Iterator[Part]:
    """Everything that there is to say of a kind."""
    labelled = f"{figures.labelled:,} of {counted(figures.units, figures.noun)} labelled"
    yield Title(f"{figures.title[:1].upper()}{figures.title[1:]}: {labelled}")
    if figures.stale:
        yield f"left out: {counted(figures.stale, 'label')} on a text that has changed since"
    for axis in figures.axes:
        yield from _axis(axis, figures.cluster, figures.noun)
    yield from _family(figures.family)
    if not figures.labelled and not any(scale.gold for axis in figures.axes for scale in axis.scales):
        yield from ("", NOBODY)
        return
    again = over_units(figures.resampling, figures.cluster)
    yield from ("", _NOTE, f"Intervals, where several items are of one {figures.cluster}: {again}; else over items.")


def _family(family: Family | None) -> Iterator[Part]:
    """What only this kind has."""
    match family:
        case PairFigures():
            for one in family.tests:
                names = ", ".join(map(one_line, one.reviewers))
                yield from ("", f"{names}, {one.which} labels, {counted(one.items, 'pair')} with two labels or more:")
                yield paper_tests_part(one.tests, "pairs")
        case AnswerFigures():
            yield from answer_parts(family)
        case WholeResponseFigures():
            yield from whole_response_parts(family)
        case QAFigures():
            yield from qa_parts(family)
        case RankingFigures():
            yield from ranking_parts(family)
        case KeyFactFigures():
            yield from key_fact_parts(family)
        case ReferenceUnitFigures():
            yield from reference_unit_parts(family)
        case QuestionReport():
            yield from question_parts(family)
        case RevisionFigures():
            yield from cleanup_parts(family.by_model)


def _axis(axis: AxisFigures, cluster: str, noun: str) -> Iterator[Part]:
    if axis.labels:
        levels = [label.level for label in AXES[axis.axis]]
        used = [level for level in levels if any(level in each.labels for each in axis.labels)]
        names = ("", "labels", *(name_of(axis.axis, level) for level in used), "all")
        rows = (
            (one_line(each.reviewer), each.which,
             *numbers(*(each.labels.get(level, 0) for level in used), sum(each.labels.values())))
            for each in axis.labels
        )  # fmt: skip
        if used:
            yield from ("", inset(Heading(f"Labels: {in_words(axis.axis)}"), table(names, rows, others="words")))
    if axis.axis == "support" and axis.labels:
        who = ", ".join(dict.fromkeys(one_line(each.reviewer) for each in axis.labels))
        yield f"{who} said only supported or not: compared on that scale alone, without figures of four labels."
    yield from adjudication_parts(axis.adjudication, axis.axis)
    if axis.labels and axis.scales and not any(scale.between for scale in axis.scales):
        yield _no_agreement(axis, noun)
    if axis.gold_silent:
        yield f"{counted(axis.gold_silent, 'right label')} may not be told before the unit is decided"
    for scale in axis.scales:
        yield from _scale(scale, axis.axis, cluster)


def _no_agreement(axis: AxisFigures, noun: str) -> str:
    """Why no two reviewers can be compared."""
    names = dict.fromkeys(each.reviewer for each in axis.labels)
    if len(names) == 1:
        return f"Only {one_line(next(iter(names)))} has labels here: agreement of reviewers takes two."
    return f"No {noun} has labels of two of them, other than “cannot judge”: they cannot be compared."


def adjudication_parts(found: Adjudication, axis: str) -> Iterator[Part]:
    """Differences of reviewers and how they were settled; nothing where no unit has two labels."""
    if not found.twice:
        return
    settled = found.by_third + found.by_agreement
    told = f"labelled by two or more: {found.twice:,}; they differ on {found.differ:,}"
    if found.differ:
        told += f", of which {found.by_third:,} settled by a third, {found.by_agreement:,} by agreement"
        told += f", {found.open:,} open"
    yield told
    if settled:
        outcome = ", ".join(f"{name_of(axis, label)} {count:,}" for label, count in found.outcome.items())
        upheld = ", ".join(f"{one_line(name)} {count:,}" for name, count in found.upheld.items()) or "nobody's"
        yield f"settled as: {outcome}; whose label that was: {upheld}"


def _scale(scale: ScaleFigures, axis: str, cluster: str) -> Iterator[Part]:
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
        twice = f"{counted(found.items, 'item')} with two labels or more, {found.ties:,} tied and left out"
        yield from ("", f"the majority of {names}, {found.which} labels, {scale.title}: {twice}")
        for each in found.machines:
            yield from ("", agreement_part(each, scale.labels, scale.title, axis, cluster))
    if scale.gold:
        yield from ("", _gold(scale))
    for each in scale.gold:
        yield from ("", agreement_part(each, scale.labels, scale.title, axis, cluster))


def _gold(scale: ScaleFigures) -> Part:
    """How many right labels everybody met."""
    rows = (
        (one_line(each.second), each.which, *numbers(_right(each), each.n), *cells(each.agreement[0], MISSING))
        for each in scale.gold
    )
    names = (f"right labels met, {scale.title}", "labels", "right", "of", "share", "95% interval")
    return inset(table(names, rows, long=("labels",), others="words"))


def _right(each: UnitAgreement) -> int:
    return sum(row[place] for place, row in enumerate(each.table))
