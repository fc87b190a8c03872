"""Evaluators of answers against the right labels, and distances of marked words, as tables."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import counted, given, one_line
from medreview.cli.reports.layout import Heading, Part, Title, cells, inset, numbers, table, value_cell
from medreview.cli.reports.units.figure_tables import (
    MISSING,
    matrix,
    name_of,
    reasons_of,
    right_parts,
    sentences,
)
from medreview.stats.formulas.classification import Classification
from medreview.stats.units.answers import AnswerFigures, EvaluatorFigures, SpanFigures

_AXIS: Final = "hallucination"
_ROLES: Final = {
    "judge": "model", "judges": "models together", "assisted": "model with an expert's remarks", "people": "people",
    "person": "one of them",
}  # fmt: skip
_NOTES: Final = (
    "hallucinated or not, against the right label. Macro: the mean over both classes; the figures of each class stand "
    "below, since most answers may be of one. A group is the majority of its members. A model with an expert's remarks "
    "may have been told the answer: it says how far the model follows, and is no vote.",
)


def answer_parts(figures: AnswerFigures) -> Iterator[Part]:
    """Side by side: every evaluator; then each one by class, data set and type; then the distances of spans."""
    if figures.right_labels or figures.silent:
        yield Title(f"Evaluators beside {counted(figures.right_labels, 'right label')}")
        types = ", ".join(f"{name_of(_AXIS, level)} {count:,}" for level, count in figures.types.items())
        yield from ([f"right labels: {types}"] if types else [])
        if figures.silent:
            later = counted(figures.silent, "more right label")
            yield f"told later: {later}, once the answers are decided; stats --gold scores models against all of them"
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
        Heading(f"{name}: {counted(each.n, 'answer')}"),
        *ties,
        *right_parts(each.found, _AXIS),
        *matrix("the right label", each.name, [str(label) for label in each.found.labels], each.found.matrix, _AXIS),
        *(_split(split) if split else ()),
        "of which type:",
        table(
            ("", "value", "95% interval", "n", "left"),
            ((title, *cells(figure, MISSING), *numbers(figure.n, figure.dropped)) for title, figure in (
                ("accuracy", each.type.accuracy), ("macro precision", each.type.macro_precision),
                ("macro recall", each.type.macro_recall), ("macro F1", each.type.macro_f1),
                ("Cohen's kappa", each.kappa_type), ("Cohen's kappa, hallucinated or not", each.kappa_found),
            )),
        ),
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
        yield from ("", inset(Heading(_span_words(each)), table(
            ("", "value", "95% interval", "n", "left"),
            ((name, *cells(figure, MISSING), *numbers(figure.n, figure.dropped)) for name, figure in rows),
        ), *reasons_of(rows)))  # fmt: skip
    yield (
        "For each span of the reference the least edit distance to a span of the model in the same answer; relative: "
        "over the longer length. Spans of no counterpart, where the model marked nothing, are left out, and below "
        "counted with their whole length."
    )


def _span_words(each: SpanFigures) -> str:
    return (
        f"{one_line(each.judge)} and {each.reference}: {counted(each.spans, 'span')} in "
        f"{counted(each.answers, 'answer')}, {each.without:,} of no counterpart"
    )
