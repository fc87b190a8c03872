"""The figures of one kind of unit as parts of a report: agreement on any kind, and what each kind has of its own."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from medreview.cli.output import counted, given, one_line, stratum_name
from medreview.cli.reports.agreement_tables import paper_tests_part
from medreview.cli.reports.estimates import figures_part, over_units, p_cell, p_words, sentences
from medreview.cli.reports.facts import key_fact_parts
from medreview.cli.reports.generation import cleanup_parts
from medreview.cli.reports.item_answers import item_answer_parts
from medreview.cli.reports.layout import (
    NO_INTERVAL,
    Part,
    ReportTable,
    TableHeading,
    Title,
    cells,
    inset,
    reasons,
    table,
    value_cell,
)
from medreview.cli.reports.unit_agreement import (
    adjudication_parts,
    agreement_part,
    matrix,
    name_of,
    no_agreement,
    right_parts,
    scale_parts,
    test_words,
)
from medreview.cli.reports.unit_divisions import alike_parts, flag_parts
from medreview.labels import AXES, QUALITY, axis_words
from medreview.stats.formulas.classification import Classification
from medreview.stats.formulas.estimate import Estimate, half_up, quantity
from medreview.stats.formulas.ranks_and_ratings import RankCorrelation
from medreview.stats.reports.generated_items import PAPER, QuestionRater, QuestionReport
from medreview.stats.units.accused_references import Accusations, ReferenceUnitFigures
from medreview.stats.units.answer_figures import AnswerFigures, EvaluatorFigures
from medreview.stats.units.fact_report import KeyFactFigures
from medreview.stats.units.kind_labels import ALL_SUPPORTED
from medreview.stats.units.qa_figures import LEVELS, QAFigures, QARates, RateTest
from medreview.stats.units.rankings import ModelOrder, ModelRanks, OrderAgreement, RankingFigures
from medreview.stats.units.rated_outputs import FlagCorrelation, FlagDifference, OutputFlags
from medreview.stats.units.rater_agreement import (
    PairFigures,
    WholeResponseFigures,
)
from medreview.stats.units.statement_lists import StatementListFigures
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
    heading = f"{one_line(each.machine)} beside {one_line(each.reviewer)}, {each.which} labels"
    return figures_part(heading, shown, "response")


_AXIS: Final = "hallucination"
_ROLES: Final = {
    "judge": "model", "judges": "models together", "assisted": "model with an expert's remarks", "people": "people",
    "person": "one of them",
}  # fmt: skip
_NOTES: Final = (
    "hallucinated or not, against the right label. Macro: the mean over both classes; the figures of each class stand "
    "below, since most answers may be of one. A group is the majority of its members. A model with an expert's remarks "
    "may know the answer: it says how far the model follows, and is not a vote.",
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
                each.found.accuracy, each.found.macro_f1,
                value_cell(each.kappa_found), each.n,
            )
        )  # fmt: skip
    names = ("hallucinated or not", "accuracy", "95% interval", "macro F1", "95% interval", "kappa", "n")
    return table(names, rows, others="words")


def _evaluator(each: EvaluatorFigures) -> Part:
    name = one_line(each.name) + (f", {each.mode}" if each.mode else "")
    ties = [f"{counted(each.ties, 'answer')} on which its members are even, left out"] if each.ties else []
    split = [(given(name), found) for name, found in each.by_data_set.items()]
    split += [(f"{name_of(_AXIS, level)}, or none", found) for level, found in each.by_type.items()]
    split += [
        (f"{given(name)}: {name_of(_AXIS, level)}, or none", found)
        for name, types in each.by_set_and_type.items()
        for level, found in types.items()
    ]
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
        (name, found.accuracy, value_cell(found.macro_precision),
         value_cell(found.macro_recall), value_cell(found.macro_f1), found.accuracy.n)
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
        yield from ("", inset(TableHeading(head), _values("", rows), *reasons(rows)))
    yield (
        "For each span of the reference the least edit distance to a span of the model in the same answer; relative: "
        "over the longer length. Spans of no counterpart, where the model marked nothing, are left out, and below "
        "counted with their whole length."
    )


_LISTS_IN_PAPER: Final = (
    "In the paper two doctors find 330 and 329 of 330 statements contained, and 6 and 5 of 72 answers with a statement "
    "that is missing. Intervals over answers."
)


def statement_list_parts(figures: StatementListFigures) -> Iterator[Part]:
    """What each reviewer finds in the lists, by parser where there are several; then each two on the same lists."""
    if not figures.raters:
        return
    yield Title("Statement lists: what parsers make of answers")
    for one in figures.raters:
        head = f"{one_line(one.reviewer)}, {one.which} labels, {given(one.parser) if one.parser else 'all lists'}"
        contained, alone, misses = one.so
        rows = (
            ("statements contained in the answer", f"{contained:,} of {one.contained.n:,}", *cells(one.contained)),
            ("statements self-contained", f"{alone:,} of {one.self_contained.n:,}", *cells(one.self_contained)),
            ("answers that miss a statement", f"{misses:,} of {one.misses.n:,}", *cells(one.misses)),
        )
        found = (one.contained, one.self_contained, one.misses)
        told = [f"statements that are missing: {one.missing:,}"] if one.missing else []
        if one.unplaced:
            told.append(f"{counted(one.unplaced, 'list')} with a fault that has no place, left out of both shares")
        shown = table(("", "count", "share", "95% interval"), rows, others="words")
        yield from ("", inset(TableHeading(head), shown, *sentences(found), *told))
    yield _LISTS_IN_PAPER
    for each in figures.between:
        yield from ("", agreement_part(each.found, each.labels, each.title, "statement_list", "response"))


_QA_LEGEND: Final = (
    "hallucination: items on which a dispute or feedback stands, as settled where annotators differ, else if anybody "
    "set it; answerable: the others. plausible: relevance "
    f"{LEVELS[-1]} of {LEVELS[-1]}; ideal: plausible and without a flag; both of the items whose relevance is settled. "
    "All by Wilson. Relevance and flags as they stand now."
)


def qa_parts(figures: QAFigures) -> Iterator[Part]:
    """What models answered; then relevance and flags, rates, tests, agreement of two, minutes."""
    if figures.answered is not None:
        yield from item_answer_parts(figures.answered)
    if not figures.labels:
        return
    yield Title("QA items: rates")
    modes = ", ".join(f"{count:,} {mode}" for mode, count in sorted(figures.labels.items()))
    twice = figures.twice
    share = "" if twice.value is None else f"; two labels or more on {value_cell(twice)} of {twice.n:,} items"
    yield f"labels: {modes}{share}"
    names = ("relevance", *LEVELS, "not settled", "dispute", "feedback", "items")
    yield table(
        names,
        (
            (_name(one), *(one.relevance[level] for level in LEVELS), one.unsettled, one.disputed,
                                  one.with_feedback, one.items)
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
        yield from ("", inset(_values(title, rows, "share"), *reasons(rows)))
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
            yield from ("", figures_part(title, found, "passage"))
        yield "Of the same counts: PABAK (Brennan-Prediger) takes no account of how rare a flag is, Fleiss' kappa does."
    timed = [(_name(one), one.minutes) for one in figures.rates if one.minutes.value is not None]
    if timed:
        told = ((name, *cells(figure, digits=2), figure.n) for name, figure in timed)
        yield from ("", inset(table(("minutes for a label", "mean", "95% interval", "n"), told), *reasons(timed)))


def _name(one: QARates) -> str:
    return "all items" if not one.split else _stratum(one.split, one.stratum)


def _stratum(split: str, name: str) -> str:
    return TYPES.get(name, given(name)) if split == "type" else given(name)


def _values(title: str, rows: Iterable[tuple[str, Estimate]], value: str = "value") -> ReportTable:
    told = ((name, figure, figure.n, figure.dropped) for name, figure in rows)
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
            (f"{one_line(each.first)}, {one_line(each.second)}", *cells(each.alike, missing=""), each.alike.n)
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
            *cells(each.answerable, missing=""), *each.labels.values(), each.answerable.dropped,
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


def _axis(axis: AxisFigures, cluster: str, noun: str) -> Iterator[Part]:
    if axis.labels:
        levels = [label.level for label in AXES[axis.axis]]
        used = [level for level in levels if any(level in each.labels for each in axis.labels)]
        names = ("", "labels", *(name_of(axis.axis, level) for level in used), "all")
        rows = (
            (one_line(each.reviewer), each.which,
             *(each.labels.get(level, 0) for level in used), sum(each.labels.values()))
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


_RANKING_LEGEND: Final = (
    "mean rank: 1 is the best. usefulness: the mean of Good 3, Okay 2, Bad 1. By final labels; whole rankings are "
    "resampled."
)


def ranking_parts(figures: RankingFigures) -> Iterator[Part]:
    """Models, in all and by type; how alike orders are; what goes together over models."""
    if not figures.models:
        return
    yield Title("Rankings: models")
    if figures.twice.value is not None:
        yield f"ranked by two or more: {value_cell(figures.twice)} of {figures.twice.n:,} rankings"
    for kind in dict.fromkeys(one.type for one in figures.models):
        yield from ("", _models([one for one in figures.models if one.type == kind], kind))
    yield _RANKING_LEGEND
    yield from _output_flags(figures.flags)
    yield from _quality(figures.quality)
    if figures.agreement:
        yield from ("", _agreement(figures.agreement))
    if figures.order is not None:
        yield from ("", *_order(figures.order))
    for name, found in (
        ("mean rank and usefulness of the models", figures.rank_and_usefulness),
        ("hallucination rate of the QA items and usefulness of the models", figures.hallucination_and_usefulness),
    ):
        if found is not None:
            yield from ("", f"{name}: {_correlation(found)}")


def _quality(found: Mapping[str, tuple[Estimate, ...]]) -> Iterator[Part]:
    """How alike two rate an output, by type where there are several."""
    if len(found) > 1:
        rows = [(given(kind) if kind else "all types", figures) for kind, figures in found.items()]
        yield from alike_parts("Two raters on the quality of an output", rows)


def _models(models: list[ModelRanks], kind: str) -> Part:
    ranks = ((given(one.model), *_number(one.mean_rank), one.mean_rank.n) for one in models)
    qualities = (
        (given(one.model), *(one.qualities[label.level] for label in QUALITY), one.good,
         value_cell(one.bad, "undefined"), _number(one.usefulness)[0])
        for one in models
    )  # fmt: skip
    levels = tuple(label.name for label in QUALITY)
    held = [(f"{given(one.model)}, mean rank", one.mean_rank) for one in models]
    held += [(f"{given(one.model)}, quality", one.good) for one in models]
    return inset(
        TableHeading(f"type {given(kind)}" if kind else "all rankings"),
        table(("", "mean rank", "95% interval", "n"), ranks),
        table(("", *levels, "share Good", "95% interval", "share Bad", "useful"), qualities, others="words"),
        *reasons(held),
    )


def _agreement(found: tuple[OrderAgreement, ...]) -> Part:
    rows = (
        (one_line(one.raters) + (f", {given(one.type)}" if one.type else ""), one.which, *_number(one.tau),
         one.tau.n, one.rankings, one.tau.dropped)
        for one in found
    )  # fmt: skip
    names = ("mean Kendall's tau-b", "labels", "value", "95% interval", "pairs", "rankings", "left")
    held = [(f"{one_line(one.raters)}, {one.which}", one.tau) for one in found]
    notes = dict.fromkeys(one_line(note) for one in found for note in one.tau.notes)
    return inset(table(names, rows, long=("labels",), others="words"), *reasons(held), *notes)


def _order(order: ModelOrder) -> Iterator[Part]:
    models, reviewers = len(order.models), len(order.reviewers)
    yield f"{reviewers} reviewers on {models} models, by the mean ranks that each gave them, final labels:"
    yield f"{_correlation(order.concordance)}"
    rows = ((one_line(name), *_number(found.figure), p_words(found.test.pvalue)) for name, found in order.each.items())
    yield inset(table(("Spearman's rho with the others", "value", "95% interval", "p"), rows),
                *sentences([found.figure for found in order.each.values()]))  # fmt: skip
    methods = dict.fromkeys(found.test.name for found in order.each.values() if found.test.pvalue is not None)
    if methods:
        yield f"p: {', '.join(methods)}"


def _correlation(found: RankCorrelation) -> str:
    value, interval = _number(found.figure)
    ends = f" (95% interval {interval})" if interval not in ("", NO_INTERVAL) else ""
    why = f"; {one_line(found.figure.reason)}" if found.figure.reason else ""
    notes = "".join(f" {note}" for note in found.test.notes)
    return f"{found.figure.name} {value}{ends}; {test_words(found.test)}{why}{notes}"


def _number(figure: Estimate) -> tuple[str, str]:
    return cells(figure, digits=2)


_FLAG_LEGEND: Final = (
    "minus: share of labels that flag, the first minus the second, paired by ranking; p by Holm. z: of the rates, as "
    "in ClinIQLink, which takes outputs as independent; p by Bonferroni."
)


def _output_flags(flags: OutputFlags | None) -> Iterator[Part]:
    """Hallucinated outputs: rates, each two models, correlations over models; nothing where nobody was asked."""
    if flags is None:
        return
    yield Title(f"Hallucinated outputs: {flags.flagged:,} of {flags.asked:,}")
    for kind in dict.fromkeys(one.type for one in flags.models):
        of_kind = [(given(one.model), one) for one in flags.models if one.type == kind]
        yield from ([f"type {given(kind)}"] if kind else [])
        yield from flag_parts(of_kind)
    if flags.differences:
        yield from ("", _flag_differences(flags.differences))
    if flags.correlations:
        yield from ("", _flag_correlations(flags.correlations))


def _flag_differences(found: tuple[FlagDifference, ...]) -> Part:
    rows = (
        (
            f"{given(one.labels.first)} - {given(one.labels.second)}",
            *cells(one.labels.estimate, signed=True),
            p_cell(one.labels.adjusted, at_limit=one.labels.at_limit),
            "" if one.test.statistic is None else half_up(one.test.statistic, 2),
            p_cell(one.bonferroni, at_limit=False),
            one.labels.estimate.clusters,
        )
        for one in found
    )
    names = ("each two models", "minus", "95% interval", "p Holm", "z", "p Bonf.", "from")
    why = dict.fromkeys(reason for one in found for reason in (one.labels.estimate.reason, one.test.reason) if reason)
    return inset(table(names, rows), *why, f"{_FLAG_LEGEND} A family of {found[0].family}.")


def _flag_correlations(found: tuple[FlagCorrelation, ...]) -> Part:
    rows = (
        (
            f"{one.beside}, type {given(one.type)}" if one.type else one.beside,
            *cells(one.correlation.figure, 2), p_cell(one.correlation.test.pvalue, at_limit=False),
            one.models,
        )
        for one in found
    )  # fmt: skip
    tests = dict.fromkeys(one.correlation.test.name for one in found if one.correlation.test.pvalue is not None)
    why = dict.fromkeys(one.correlation.figure.reason for one in found if one.correlation.figure.reason)
    return inset(
        TableHeading("Spearman's rho of the models' hallucination rates with their ..."),
        table(("", "rho", "95% interval", "p", "models"), rows),
        *(f"p: {name}" for name in tests),
        *filter(None, why),
    )


_FAMILIES: Final[dict[type, Callable[[Any], Iterator[Part]]]] = {
    PairFigures: _pair_tests, AnswerFigures: answer_parts, WholeResponseFigures: whole_response_parts,
    QAFigures: qa_parts, RankingFigures: ranking_parts, KeyFactFigures: key_fact_parts,
    ReferenceUnitFigures: reference_unit_parts, QuestionReport: question_parts,
    StatementListFigures: statement_list_parts, RevisionFigures: lambda found: cleanup_parts(found.by_model),
}  # fmt: skip
"""What only one kind has, by the class of its figures."""
