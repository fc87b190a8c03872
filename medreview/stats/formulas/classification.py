"""A judge against a human reference: confusion matrix, accuracy, precision, recall, F1, McNemar, sensitivity.

``diagnostic_accuracy`` takes the judge as a diagnostic test for one label: sensitivity, specificity, predictive values
and balanced accuracy.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from medreview.stats.formulas.agreement import PairTables, encode, paired
from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Floats,
    Resampling,
    Statistic,
    bootstrap_figure,
    undefined_figure,
    wholly,
    without_each,
)
from medreview.stats.formulas.coefficients import observed_agreement, over_labels, ratio
from medreview.stats.formulas.estimate import RARE, Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.text import in_words

_NOTHING = "No item has both a reference label and a judgement."


@dataclass(frozen=True)
class Classification:
    """``matrix`` has the human in rows, in the order of ``labels``; macro figures are means over the labels
    that one of the two used, without an interval where one of these has fewer than ten items to go by."""

    labels: tuple[Hashable, ...]
    matrix: tuple[tuple[int, ...], ...]
    dropped: int
    accuracy: Estimate
    precision: Mapping[Hashable, Estimate]
    recall: Mapping[Hashable, Estimate]
    f1: Mapping[Hashable, Estimate]
    macro_precision: Estimate
    macro_recall: Estimate
    macro_f1: Estimate


def precisions(tables: Floats) -> Floats:
    """Per label (..., q): of the items the judge gave this label, the share the human did too; ``nan`` when none."""
    return ratio(np.diagonal(tables, axis1=-2, axis2=-1), over_labels(tables, -2))


def recalls(tables: Floats) -> Floats:
    """Per label (..., q): of the items the human gave this label, the share the judge did too; ``nan`` when none."""
    return ratio(np.diagonal(tables, axis1=-2, axis2=-1), over_labels(tables, -1))


def f1_scores(tables: Floats) -> Floats:
    """Per label (..., q): 2tp / (2tp + fp + fn); ``nan`` only when neither gave the label."""
    return ratio(2 * np.diagonal(tables, axis1=-2, axis2=-1), over_labels(tables, -1) + over_labels(tables, -2))


def macro(per_label: Floats, used: NDArray[np.bool_]) -> Floats:
    """The mean over the labels that are ``used`` (...), an undefined one taken as 0; macro-F1 is the mean of the F1
    scores."""
    return np.asarray(np.nan_to_num(per_label[..., used]).mean(axis=-1), dtype=np.float64)


def classification(
    reference: Sequence[Hashable],
    prediction: Sequence[Hashable],
    labels: Sequence[Hashable],
    *,
    clusters: Sequence[Hashable] | None = None,
    resampling: Resampling = DEFAULT,
    sides: tuple[str, str] = ("human", "judge"),
) -> Classification:
    """A judge's labels against the human's; items with ``None`` on either side are dropped and counted.

    Intervals of accuracy, precision and recall are Wilson's without clusters; all others are bootstrapped. ``sides``:
    what sentences call the reference and who is held against it.
    Raises ``ValueError`` for vectors of different lengths and labels outside the protocol.
    """
    return classified(paired(reference, prediction, labels, clusters, resampling), sides)


def classified(view: PairTables, sides: tuple[str, str] = ("human", "judge")) -> Classification:
    """The same of tables that are there already."""
    labels = view.labels
    hits = np.diagonal(view.units, axis1=-2, axis2=-1)
    given, meant = view.units.sum(axis=-2), view.units.sum(axis=-1)
    right, items = hits.sum(axis=-1), given.sum(axis=-1)
    share, varied = partial(_share, view, sides), partial(_resampled, view, sides)
    precision: dict[Hashable, Estimate] = {}
    recall: dict[Hashable, Estimate] = {}
    f1: dict[Hashable, Estimate] = {}
    for i, label in enumerate(labels):
        hit, either = hits[:, i], given[:, i] + meant[:, i] - hits[:, i]
        never = f"never gave the label {in_words(str(label))}."
        precision[label] = share(f"precision, {label}", _of(precisions, i), hit, given[:, i], f"The {sides[1]} {never}")
        recall[label] = share(f"recall, {label}", _of(recalls, i), hit, meant[:, i], f"The {sides[0]} {never}")
        f1[label] = varied(
            f"F1, {label}", _of(f1_scores, i), hit, either, f"Neither gave the label {in_words(str(label))}."
        )

    used = (given + meant).sum(axis=0) > 0

    def named(which: NDArray[np.bool_]) -> str:
        return ", ".join(in_words(str(label)) for label, one in zip(labels, which, strict=True) if one)

    def mean(name: str, per_label: Statistic, of: Floats) -> Estimate:
        absent = np.isnan(per_label(view.observed)[0]) & used
        notes = (f"Undefined and taken as 0 in the mean: {named(absent)}.",) if absent.any() else ()
        if used.any() and not used.all():
            notes = (*notes, f"Used by neither and left out of the mean: {named(~used)}.")
        figure = varied(name, lambda tables: macro(per_label(tables), used), right, items, _NOTHING, notes)
        rare = [
            f"{in_words(str(label))} ({count})"
            for label, count, one in zip(labels, of.sum(axis=0).astype(int), used, strict=True)
            if one and count < RARE
        ]
        # What one or two items show always, or never, would narrow the interval of the whole mean.
        if figure.low is None or not rare:
            return figure
        reason = f"No interval: it takes {RARE} items of every label in the mean; too few of {', '.join(rare)}."
        return replace(figure, low=None, high=None, reason=reason)

    return Classification(
        labels=labels,
        matrix=view.table,
        dropped=view.dropped,
        accuracy=share("accuracy", observed_agreement, right, items, _NOTHING),
        precision=precision,
        recall=recall,
        f1=f1,
        macro_precision=mean("macro precision", precisions, given),
        macro_recall=mean("macro recall", recalls, meant),
        macro_f1=mean("macro F1", f1_scores, given + meant - hits),
    )


def _share(
    view: PairTables, sides: tuple[str, str], name: str, finish: Statistic, right: Floats, of: Floats, undefined: str
) -> Estimate:
    """A share of items, ``right`` of ``of`` per unit: Wilson when the unit is the item, else resampled."""
    if view.clustered:
        return _resampled(view, sides, name, finish, right, of, undefined)
    nothing, level = undefined if len(view.units) else _NOTHING, view.resampling.level
    return proportion(name, int(right.sum()), int(of.sum()), level=level, dropped=view.dropped, nothing=nothing)


def _resampled(
    view: PairTables, sides: tuple[str, str], name: str, finish: Statistic, right: Floats, of: Floats, undefined: str,
    notes: tuple[str, ...] = (),
) -> Estimate:  # fmt: skip
    """A share or a mean of shares with its interval; ``of`` counts the items per unit that bear on it."""
    level = view.resampling.level
    if not len(view.units):
        return undefined_figure(
            name, _NOTHING, scale="share", resampling=view.resampling, clusters=None, dropped=view.dropped
        )
    what = f"the {sides[1]} is {'always ' if view.clustered else ''}right"
    return bootstrap_figure(
        name,
        float(finish(view.observed)[0]),
        finish(view.resamples),
        n=int(of.sum()),
        clusters=int((of > 0).sum()) if view.clustered else None,
        undefined=undefined,
        instead=partial(wholly, right, of, what, view.cluster if view.clustered else "item", level),
        left_out=without_each(view.units[of > 0], finish, view.resampling) if view.clustered else None,
        scale="share",
        resampling=view.resampling,
        dropped=view.dropped,
        notes=notes,
    )


def _of(per_label: Statistic, index: int) -> Statistic:
    return lambda tables: np.asarray(per_label(tables)[..., index], dtype=np.float64)


@dataclass(frozen=True)
class McNemar:
    """``b`` and ``c`` count the items that only the first and only the second got right; ``method`` names the test.

    ``statistic`` and ``pvalue`` are ``None`` where the test is undefined; ``reason`` then says why.
    """

    statistic: float | None
    pvalue: float | None
    b: int
    c: int
    method: str
    reason: str | None = None


def mcnemar(b: int, c: int, *, exact: bool = True, correction: bool = False) -> McNemar:
    """Do two paired yes/no labels differ in their rate? (McNemar 1947)

    The exact binomial test, two-sided; b = c = 0 gives p = 1. Otherwise chi-squared with one degree of freedom, with
    or without continuity correction: 0/0, and undefined, when b = c = 0.
    """
    if exact:
        smaller, discordant = min(b, c), b + c
        term = tail = 1
        for k in range(smaller):
            term = term * (discordant - k) // (k + 1)
            tail += term
        return McNemar(float(smaller), min(1.0, 2 * tail / 2**discordant), b, c, "McNemar, exact binomial")
    name = "McNemar, chi-squared" + (", continuity-corrected" if correction else "")
    if b + c == 0:
        return McNemar(None, None, b, c, name, "The two never differ: chi-squared is 0/0.")
    statistic = max(0.0, abs(b - c) - (1 if correction else 0)) ** 2 / (b + c)
    return McNemar(statistic, math.erfc(math.sqrt(statistic / 2)), b, c, name)


def clustered_mcnemar(only_first: Sequence[float], only_second: Sequence[float], unit: str = "response") -> McNemar:
    """The same where items of one cluster resemble each other: chi-squared, one degree of freedom (Obuchowski 1998).

    Per cluster (``unit`` says what that is), how many items only the first and only the second got right; a cluster
    without such items counts, too. The difference of a cluster varies, not that of an item.
    """
    differences = [first - second for first, second in zip(only_first, only_second, strict=True)]
    b, c = int(sum(only_first)), int(sum(only_second))
    name, clusters = f"McNemar over {unit}s", len(differences)
    squares = sum(difference**2 for difference in differences)
    if squares == 0 or clusters < 2:
        why = f"One {unit} cannot show how {unit}s differ." if clusters < 2 else f"In no {unit} do the two differ."
        return McNemar(None, None, b, c, name, why)
    statistic = (clusters - 1) / clusters * (b - c) ** 2 / squares
    return McNemar(statistic, math.erfc(math.sqrt(statistic / 2)), b, c, name)


@dataclass(frozen=True)
class DiagnosticAccuracy:
    """Of the label ``positive`` against all others. ``matrix``: human in rows, positive first ((tp, fn), (fp, tn)).

    ``balanced_accuracy`` is the mean of sensitivity and specificity.
    """

    positive: Hashable
    matrix: tuple[tuple[int, int], tuple[int, int]]
    dropped: int
    sensitivity: Estimate
    specificity: Estimate
    ppv: Estimate
    npv: Estimate
    balanced_accuracy: Estimate


def diagnostic_accuracy(
    reference: Sequence[Hashable],
    prediction: Sequence[Hashable],
    labels: Sequence[Hashable],
    positive: Hashable,
    *,
    clusters: Sequence[Hashable] | None = None,
    resampling: Resampling = DEFAULT,
) -> DiagnosticAccuracy:
    """Does the judge find what the human found ``positive``, and only that? Definitions as in Altman & Bland (1994).

    Items with ``None`` on either side are dropped and counted. Intervals are Wilson's without clusters, except that of
    balanced accuracy; else all are resampled. Predictive values hold for this mix of labels only. Each is undefined
    without items to divide by. Raises ``ValueError`` for a ``positive`` that is not in the protocol, and as
    ``classification`` does.
    """
    if positive not in labels:
        raise ValueError(f"the label {positive!r} is not in the protocol")
    human, judge = (
        [_binary(code, labels, positive) for code in encode(side, labels)] for side in (reference, prediction)
    )
    view = paired(human, judge, (True, False), clusters, resampling)
    share = partial(_share, view, ("human", "judge"))
    cells = view.units
    meant, given = cells.sum(axis=2), cells.sum(axis=1)
    right = cells[:, 0, 0] + cells[:, 1, 1]
    never, other = f"never gave the label {positive}", f"never gave any other label than {positive}"
    return DiagnosticAccuracy(
        positive=positive,
        matrix=((view.table[0][0], view.table[0][1]), (view.table[1][0], view.table[1][1])),
        dropped=view.dropped,
        sensitivity=share(
            f"sensitivity, {positive}", _of(recalls, 0), cells[:, 0, 0], meant[:, 0], f"The human {never}."
        ),
        specificity=share(
            f"specificity, {positive}", _of(recalls, 1), cells[:, 1, 1], meant[:, 1], f"The human {other}."
        ),
        ppv=share(
            f"positive predictive value, {positive}", _of(precisions, 0), cells[:, 0, 0], given[:, 0],
            f"The judge {never}.",
        ),
        npv=share(
            f"negative predictive value, {positive}", _of(precisions, 1), cells[:, 1, 1], given[:, 1],
            f"The judge {other}.",
        ),
        balanced_accuracy=_resampled(
            view, ("human", "judge"), f"balanced accuracy, {positive}", _balanced, right, meant.sum(axis=1),
            f"The human {never}, or nothing else.",
        ),
    )  # fmt: skip


def _binary(code: int, labels: Sequence[Hashable], positive: Hashable) -> bool | None:
    return None if code < 0 else bool(labels[code] == positive)


def _balanced(tables: Floats) -> Floats:
    return np.asarray(recalls(tables).mean(axis=-1), dtype=np.float64)
