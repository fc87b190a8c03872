"""The figures of one kind of unit as parts of a report: agreement on any kind, and what each kind has of its own."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from medreview.cli.output import counted, given, one_line, stratum_name
from medreview.cli.reports.agreement_tables import paper_tests_part
from medreview.cli.reports.estimates import over_units
from medreview.cli.reports.facts import key_fact_parts
from medreview.cli.reports.generation import cleanup_parts
from medreview.cli.reports.layout import (
    Part,
    ReportTable,
    TableHeading,
    Title,
    cells,
    inset,
    numbers,
    table,
    value_cell,
)
from medreview.cli.reports.rankings import ranking_parts
from medreview.cli.reports.unit_agreement import (
    MISSING,
    adjudication_parts,
    agreement_part,
    figure_table,
    matrix,
    name_of,
    no_agreement,
    p_words,
    reasons_of,
    right_parts,
    scale_parts,
    sentences,
)
from medreview.labels import AXES, axis_words
from medreview.stats.formulas.classification import Classification
from medreview.stats.formulas.estimate import Estimate, half_up, quantity
from medreview.stats.reports.generated_items import PAPER, QuestionRater, QuestionReport
from medreview.stats.units.accused_references import Accusations, ReferenceUnitFigures
from medreview.stats.units.answer_figures import AnswerFigures, EvaluatorFigures
from medreview.stats.units.fact_report import KeyFactFigures
from medreview.stats.units.kind_labels import ALL_SUPPORTED
from medreview.stats.units.qa_figures import LEVELS, QAFigures, QARates, RateTest
from medreview.stats.units.rankings import RankingFigures
from medreview.stats.units.rater_agreement import (
    PairFigures,
    WholeResponseFigures,
)
from medreview.stats.units.unit_figures import AxisFigures, RevisionFigures, UnitFigures
from medreview.units.qa import TYPES


def whole_response_parts(figures: WholeResponseFigures) -> Iterator[Part]:
    """Each reviewer's word on responses beside what their labels on the statements come to."""
    if figures.own_statements:
        yield Title("Beside the same reviewer's labels on the statements")
        yield "no: as soon as one statement is not supported; yes: when all have a label and are supported."
    for each in figures.own_statements:
        yield from ("", agreement_part(each, ALL_SUPPORTED.labels, ALL_SUPPORTED.title, "all_supported", "response"))


_ACCUSED: Final = (
    "Accused: described wrongly, another work's identifier, or not found. False: the reviewer calls it a match. "
    "Lead with the share of accused: where triage chose what was labelled, the others are not those of all references."
)


def reference_unit_parts(figures: ReferenceUnitFigures) -> Iterator[Part]:
    """False accusations first: what honest references suffer."""
    if not figures.accusations:
        return
    yield Title("False accusations")
    yield _ACCUSED
    for each in figures.accusations:
        yield from ("", _accusations(each))


def _accusations(each: Accusations) -> Part:
    shown = (each.false, *(figure for figure in each.by_verdict if figure.n or figure.dropped), each.honest)
    return inset(
        TableHeading(f"{one_line(each.machine)} beside {one_line(each.reviewer)}, {each.which} labels"),
        figure_table(shown, "responses"),
        *sentences(shown),
    )


_AXIS: Final = "hallucination"
_ROLES: Final = {
    "judge": "model", "judges": "models together", "assisted": "model with an expert's remarks", "people": "people",
    "person": "one of them",
}  # fmt: skip
_NOTES: Final = (
    "hallucinated or not, against the right label. Macro: the mean over both classes; the figures of each class stand "
    "below, since most answers may be of one. A group is the majority of its members. A model with an expert's remarks "
    "may know the answer: it says how far the model follows, and is no vote.",
)


def answer_parts(figures: AnswerFigures) -> Iterator[Part]:
    """Side by side: every evaluator; then each one by class, data set and type; then the distances of spans."""
    if figures.right_labels or figures.silent:
        yield Title(f"Evaluators beside {counted(figures.right_labels, 'right label')}")
        types = ", ".join(f"{name_of(_AXIS, level)} {count:,}" for level, count in figures.types.items())
        yield from ([f"right labels: {types}"] if types else [])
        if figures.silent:
            later = counted(figures.silent, "more right label")
            yield f"shown later: {later}, once the answers are decided; stats --gold scores models against all of them"
    if figures.evaluators:
        yield from ("", _side_by_side(figures), *_NOTES)
        for each in figures.evaluators:
            yield from ("", _evaluator(each))
    if figures.spans:
        yield Title("How far marked words are apart, in characters")
        yield from _spans(figures)


def _side_by_side(figures: AnswerFigures) -> Part:
    rows = []
    for each in figures.evaluators:
        role = "" if each.kind == "people" and each.group else f", {_ROLES[each.kind]}"
        rows.append(
            (
                f"{given(each.name)}{role}{f', {each.mode}' if each.mode else ''}",
                *cells(each.found.accuracy, MISSING), *cells(each.found.macro_f1, MISSING),
                value_cell(each.kappa_found), *numbers(each.n),
            )
        )  # fmt: skip
    names = ("hallucinated or not", "accuracy", "95% interval", "macro F1", "95% interval", "kappa", "n")
    return table(names, rows, others="words")


def _evaluator(each: EvaluatorFigures) -> Part:
    name = one_line(each.name) + (f", {each.mode}" if each.mode else "")
    ties = [f"{counted(each.ties, 'answer')} on which its members are even, left out"] if each.ties else []
    split = [(given(name), found) for name, found in each.by_data_set.items()]
    split += [(f"{name_of(_AXIS, level)}, or none", found) for level, found in each.by_type.items()]
    return inset(
        TableHeading(f"{name}: {counted(each.n, 'answer')}"),
        *ties,
        *right_parts(each.found, _AXIS),
        *matrix("the right label", each.name, [str(label) for label in each.found.labels], each.found.matrix, _AXIS),
        *(_split(split) if split else ()),
        "of which type:",
        _values("", (
            ("accuracy", each.type.accuracy), ("macro precision", each.type.macro_precision),
            ("macro recall", each.type.macro_recall), ("macro F1", each.type.macro_f1),
            ("Cohen's kappa", each.kappa_type), ("Cohen's kappa, hallucinated or not", each.kappa_found),
        )),
        *sentences((each.type.accuracy, each.type.macro_f1, each.kappa_type, each.kappa_found)),
    )  # fmt: skip


def _split(split: list[tuple[str, Classification]]) -> Iterator[Part]:
    rows = (
        (name, *cells(found.accuracy, MISSING), value_cell(found.macro_precision),
         value_cell(found.macro_recall), value_cell(found.macro_f1), *numbers(found.accuracy.n))
        for name, found in split
    )  # fmt: skip
    yield table(("hallucinated or not, in", "accuracy", "95% interval", "macro P", "macro R", "macro F1", "n"), rows)
    yield from dict.fromkeys(f"{name}: {note}" for name, found in split for note in found.macro_f1.notes)


def _spans(figures: AnswerFigures) -> Iterator[Part]:
    for each in figures.spans:
        rows = [(figure.name, figure) for figure in each.left_out]
        if each.without:
            rows += [(f"{figure.name}, with those of no counterpart", figure) for figure in each.as_length]
        many = f"{counted(each.spans, 'span')} in {counted(each.answers, 'answer')}"
        head = f"{one_line(each.judge)} and {each.reference}: {many}, {each.without:,} of no counterpart"
        yield from ("", inset(TableHeading(head), _values("", rows), *reasons_of(rows)))
    yield (
        "For each span of the reference the least edit distance to a span of the model in the same answer; relative: "
        "over the longer length. Spans of no counterpart, where the model marked nothing, are left out, and below "
        "counted with their whole length."
    )


_QA_LEGEND: Final = (
    "hallucination: items on which a dispute or feedback stands, as settled where annotators differ, else if anybody "
    "set it; answerable: the others. plausible: relevance "
    f"{LEVELS[-1]} of {LEVELS[-1]}; ideal: plausible and without a flag; both of the items whose relevance is settled. "
    "All by Wilson. Relevance and flags as they stand now."
)


def qa_parts(figures: QAFigures) -> Iterator[Part]:
    """Relevance and flags, rates, tests, agreement of two, minutes."""
    yield Title("QA items: rates")
    modes = ", ".join(f"{count:,} {mode}" for mode, count in sorted(figures.labels.items()))
    twice = figures.twice
    share = "" if twice.value is None else f"; two labels or more on {value_cell(twice)} of {twice.n:,} items"
    yield f"labels: {modes}{share}"
    names = ("relevance", *LEVELS, "not settled", "dispute", "feedback", "items")
    yield table(
        names,
        (
            (_name(one), *numbers(*(one.relevance[level] for level in LEVELS), one.unsettled, one.disputed,
                                  one.with_feedback, one.items))
            for one in figures.rates
        ),
        others="words",
    )  # fmt: skip
    if open_flags := figures.rates[0].flags_open:
        differ = counted(open_flags, "item")
        yield f"annotators differ on a flag of {differ}, which nobody has settled: it counts as set"
    for title, name in (
        ("hallucination rate", "hallucination_rate"), ("plausible", "plausibility"), ("answerable", "answerability"),
        ("ideal pairs", "ideal_pairs"),
    ):  # fmt: skip
        rows = [(_name(one), getattr(one, name)) for one in figures.rates]
        yield from ("", inset(_values(title, rows, "share"), *reasons_of(rows)))
    yield _QA_LEGEND
    for split in ("type", "model"):
        tests = [test for test in figures.tests if test.split == split]
        if tests:
            yield from ("", _tests(split, tests))
    if figures.twice.value:
        for title, found in (
            ("Relevance, the first two labels of each item", figures.relevance_agreement),
            ("Flagged or not, items with two labels", figures.validity_agreement),
        ):
            yield from ("", inset(TableHeading(title), figure_table(found, "passages"), *sentences(found)))
        yield "Of the same counts: PABAK (Brennan-Prediger) takes no account of how rare a flag is, Fleiss' kappa does."
    timed = [(_name(one), one.minutes) for one in figures.rates if one.minutes.value is not None]
    if timed:
        told = ((name, *cells(figure, MISSING, digits=2), *numbers(figure.n)) for name, figure in timed)
        yield from ("", inset(table(("minutes for a label", "mean", "95% interval", "n"), told), *reasons_of(timed)))


def _name(one: QARates) -> str:
    return "all items" if not one.split else _stratum(one.split, one.stratum)


def _stratum(split: str, name: str) -> str:
    return TYPES.get(name, given(name)) if split == "type" else given(name)


def _values(title: str, rows: Iterable[tuple[str, Estimate]], value: str = "value") -> ReportTable:
    told = ((name, *cells(figure, MISSING), *numbers(figure.n, figure.dropped)) for name, figure in rows)
    return table((title, value, "95% interval", "n", "left"), told)


def _tests(split: str, tests: Sequence[RateTest]) -> Part:
    rows = [
        (f"{_stratum(split, one.first)} - {_stratum(split, one.second)}",
         "" if one.difference is None else quantity(one.difference, "share_difference"), _z(one),
         p_words(one.test.pvalue), p_words(one.holm), p_words(one.bonferroni))
        for one in tests
    ]  # fmt: skip
    why = dict.fromkeys(reason for one in tests for reason in (one.test.reason, *one.test.notes) if reason)
    family = f"two-proportion z tests; a family of {tests[0].family}. Items are taken as independent."
    names = ("hallucination rate", "difference", "z", "p", "Holm", "Bonferroni")
    return inset(table(names, rows), *why, family)


def _z(one: RateTest) -> str:
    return "undefined" if one.test.statistic is None else half_up(one.test.statistic, 2)


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
            (f"{one_line(each.first)}, {one_line(each.second)}", *cells(each.alike, ""), *numbers(each.alike.n))
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
    return inset(TableHeading(f"{one_line(rater.by)}{f', {rater.mode}' if rater.mode else ''}"), table(names, rows))


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
    if figures.family is not None:
        yield from _FAMILIES[type(figures.family)](figures.family)
    if not figures.labelled and not any(scale.gold for axis in figures.axes for scale in axis.scales):
        yield from ("", NOBODY)
        return
    again = over_units(figures.resampling, figures.cluster)
    yield from ("", _NOTE, f"Intervals, where several items are of one {figures.cluster}: {again}; else over items.")


def _pair_tests(family: PairFigures) -> Iterator[Part]:
    for one in family.tests:
        names = ", ".join(map(one_line, one.reviewers))
        yield from ("", f"{names}, {one.which} labels, {counted(one.items, 'pair')} with two labels or more:")
        yield paper_tests_part(one.tests, "pairs")


_FAMILIES: Final[dict[type, Callable[[Any], Iterator[Part]]]] = {
    PairFigures: _pair_tests, AnswerFigures: answer_parts, WholeResponseFigures: whole_response_parts,
    QAFigures: qa_parts, RankingFigures: ranking_parts, KeyFactFigures: key_fact_parts,
    ReferenceUnitFigures: reference_unit_parts, QuestionReport: question_parts,
    RevisionFigures: lambda found: cleanup_parts(found.by_model),
}  # fmt: skip
"""What only one kind has, by the class of its figures."""


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
            yield from ("", inset(TableHeading(f"Labels: {axis_words(axis.axis)}"), table(names, rows, others="words")))
    if axis.axis == "support" and axis.labels:
        who = ", ".join(dict.fromkeys(one_line(each.reviewer) for each in axis.labels))
        yield f"{who} said only supported or not: compared on that scale alone, without figures of four labels."
    yield from adjudication_parts(axis.adjudication, axis.axis)
    if axis.labels and axis.scales and not any(scale.between for scale in axis.scales):
        yield no_agreement((each.reviewer for each in axis.labels), noun)
    if axis.gold_silent:
        yield f"{counted(axis.gold_silent, 'right label')} stay hidden until the unit is decided"
    for scale in axis.scales:
        yield from scale_parts(scale, axis.axis, cluster)
