"""Estimates, tables of two raters and precision and recall, as all reports on units print them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from medreview.cli.output import one_line
from medreview.cli.reports.estimates import figure_cells
from medreview.cli.reports.layout import Part, Table, cells, numbers, reasons, table
from medreview.labels import AXES, scale_of
from medreview.stats.formulas.classification import Classification
from medreview.stats.formulas.estimate import Estimate, half_up
from medreview.stats.formulas.hypothesis_tests import TestResult
from medreview.words import in_words

MISSING: Final = "not given"


def figure_table(figures: Iterable[Estimate], cluster: str = "from") -> Table:
    """One line for each figure; ``cluster`` heads the column of what is resampled."""
    rows = ((in_words(figure.name), *figure_cells(figure)) for figure in figures)
    return table(("", "value", "95% interval", "method", "n", cluster, "left"), rows)


def sentences(figures: Iterable[Estimate]) -> list[str]:
    """Why a value or an interval is missing, and the figures' own cautions; each once."""
    held = list(figures)
    notes = dict.fromkeys(note for figure in held for note in figure.notes)
    return [*reasons_of((in_words(figure.name), figure) for figure in held), *map(one_line, notes)]


def reasons_of(figures: Iterable[tuple[str, Estimate]]) -> list[str]:
    """Why values or intervals are missing; names from outside may stand in the sentences."""
    return [one_line(sentence) for sentence in reasons(figures)]


def matrix(
    first: str, second: str, labels: Sequence[str], counts: Sequence[Sequence[int]], axis: str = ""
) -> Iterator[Part]:
    """The table of two raters with its sums; without a count there is none."""
    if not any(map(sum, counts)):
        return
    names = [name_of(axis, label) for label in labels]
    rows = [(name, *numbers(*row, sum(row))) for name, row in zip(names, counts, strict=True)]
    sums = [sum(column) for column in zip(*counts, strict=True)]
    yield f"rows: {one_line(first)}; columns: {one_line(second)}"
    yield table(("rows / columns", *names, "all"), [*rows, ("all", *numbers(*sums, sum(sums)))], others="words")


def name_of(axis: str, label: str) -> str:
    """A label in the words of the screen where the axis has it."""
    scale = AXES.get(scale_of(axis), ())
    return next((one.name for one in scale if one.level == label), in_words(label))


def right_parts(found: Classification, axis: str = "") -> Iterator[Part]:
    """Precision, recall and F1 of each label and the means over labels; why some are missing."""
    rows = []
    for label in found.labels:
        each = (("precision", found.precision[label]), ("recall", found.recall[label]), ("F1", found.f1[label]))
        for place, (name, figure) in enumerate(each):
            rows.append(("" if place else name_of(axis, str(label)), name, *cells(figure, MISSING), *numbers(figure.n)))
    means = (("precision", found.macro_precision), ("recall", found.macro_recall), ("F1", found.macro_f1))
    for place, (name, figure) in enumerate(means):
        rows.append(("" if place else "mean of labels", name, *cells(figure, MISSING), *numbers(figure.n)))
    yield table(("label", "of it", "value", "95% interval", "n"), rows, long=("of it",))
    every = [figure for label in found.labels for figure in
             (found.precision[label], found.recall[label], found.f1[label])]  # fmt: skip
    yield from sentences((*every, *(figure for _, figure in means)))


def p_words(value: float | None) -> str:
    """A p value."""
    return "" if value is None else half_up(value) if value >= 0.0005 else "below 0.001"


def test_words(test: TestResult) -> str:
    """A test in one phrase: its name and p, or why there is none."""
    return f"{test.name}: {f'undefined, {test.reason}' if test.pvalue is None else f'p {p_words(test.pvalue)}'}"
