"""Two opinions on the same statements: the answer first, then the table behind it, then label by label."""

from collections.abc import Iterable, Iterator
from typing import Final

from medreview.cli.output import one_line
from medreview.cli.reports.estimates import figure_table, p_value, sentences
from medreview.cli.reports.layout import Heading, Part, cells, inset, numbers, table, value_cell
from medreview.stats.formulas.classification import Classification
from medreview.stats.formulas.estimate import Estimate, landis_koch
from medreview.stats.formulas.thresholds import RARE
from medreview.stats.reports.between_reviewers import KINDS
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.label_scales import SCALES
from medreview.words import in_words

SCALE_TITLES: Final = {scale.name: scale.title for scale in SCALES}
_OF_KIND: Final = {str(kind): about.title for kind, about in KINDS.items()}


def comparison_part(comparison: Comparison) -> Part:
    """Percent agreement, kappa and AC1 with intervals; what was left out; the table; the figures of each label."""
    first, second = one_line(comparison.first), one_line(comparison.second)
    parts: list[Part] = [Heading(f"{first} and {second}, {SCALE_TITLES[comparison.scale]}")]
    if comparison.labels_of:
        parts.append(_OF_KIND[comparison.labels_of])
    if comparison.made_of:
        parts.append("of these " + ", ".join(f"{count:,} {how}" for how, count in comparison.made_of.items()))
    left = ", ".join(f"{count:,} {reason}" for reason, count in comparison.dropped.items())
    if comparison.n == 0:
        parts.append(f"Nothing to compare; left out: {left}." if left else "Nothing to compare.")
        return inset(*parts)
    figures = (*comparison.agreement, *comparison.weighted)
    parts += [figure_table(figures), *sentences(figures), *_band(comparison.estimate("Cohen's kappa"))]
    if comparison.weighted:
        parts.append(f"weights: by the steps between {', '.join(map(in_words, comparison.order))}, in this order")
    if left:
        parts.append(f"left out: {left}")
    parts += [*_matrix(comparison, first, second), *_mcnemar(comparison, first, second)]
    if comparison.per_label is not None:
        parts += _per_label(comparison.per_label, first, second)
    parts += comparison.cautions
    return inset(*parts)


def _band(kappa: Estimate) -> Iterator[str]:
    """The word for a kappa, with those for the ends of its interval: alone it would say more than is known."""
    if kappa.value is None or kappa.low is None or kappa.high is None:
        return
    ends = dict.fromkeys((landis_koch(kappa.low), landis_koch(kappa.high)))
    yield f"kappa is {landis_koch(kappa.value)} (Landis & Koch), its interval {' to '.join(map(str, ends))}"


def _mcnemar(comparison: Comparison, first: str, second: str) -> Iterable[str]:
    test = comparison.mcnemar
    if test is not None:
        said = f"undefined: {test.reason}" if test.pvalue is None else p_value(test.pvalue)
        yield f"only {first} says supported: {test.b:,}; only {second}: {test.c:,}; {test.method}, {said}"


def _matrix(comparison: Comparison, first: str, second: str) -> Iterator[Part]:
    names = [in_words(label) for label in comparison.labels]
    totals = (*(comparison.second_counts[label] for label in comparison.labels), comparison.n)
    rows = [
        (name, *numbers(*row, comparison.first_counts[label]))
        for label, name, row in zip(comparison.labels, names, comparison.table, strict=True)
    ]
    yield f"rows: {first}; columns: {second}"
    yield table(("rows / columns", *names, "all"), [*rows, ("all", *numbers(*totals))])


def _per_label(told: Classification, first: str, second: str) -> Iterator[Part]:
    """Precision, recall and F1 of each label and their means; accuracy is the percent agreement."""
    rows = [
        (
            in_words(str(label)), *cells(told.precision[label], "none"),
            *cells(told.recall[label], "none"), value_cell(told.f1[label]),
        )
        for label in told.labels
    ]  # fmt: skip
    means = (*cells(told.macro_precision, "none"), *cells(told.macro_recall, "none"))
    yield f"{second}, label by label, with the labels of {first} as the right ones"
    yield table(
        ("", "precision", "95% interval", "recall", "95% interval", "F1"),
        [*rows, ("mean (macro)", *means, value_cell(told.macro_f1))],
    )
    shown = [each for label in told.labels for each in (told.precision[label], told.recall[label])]
    if any(figure.value is None for figure in shown):
        yield (
            f"Precision is undefined where {second} never gave the label, recall where {first} never did; both are "
            "0 in the mean."
        )
    if any(mean.value is not None and mean.low is None for mean in (told.macro_precision, told.macro_recall)):
        yield f"A mean has no interval where a label has fewer than {RARE} items to go by."
