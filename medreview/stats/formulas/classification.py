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

from medreview.stats.formulas.agreement import encode
from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Floats,
    Resampling,
    Statistic,
    bootstrap_figure,
    contributions,
    count_cells,
    draw,
    resampled,
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
    unit: str = "",
    sides: tuple[str, str] = ("human", "judge"),
) -> Classification:
    """A judge's labels against the human's; items with ``None`` on either side are dropped and counted.

    Intervals of accuracy, precision and recall are Wilson's without clusters; all others are bootstrapped. ``unit``:
    what a cluster is, in the singular; ``sides``: what sentences call the reference and who is held against it.
    Raises ``ValueError`` for vectors of different lengths and labels outside the protocol.
    """
    view = judged_view(reference, prediction, labels, clusters, resampling)
    return classified(replace(view, unit=unit, sides=sides), labels)


def classified(view: "JudgedView", labels: Sequence[Hashable]) -> Classification:
    """The same of tables that are there already, such as those of ``drawn_view``."""
    hits = np.diagonal(view.tables, axis1=-2, axis2=-1)
    given, meant = view.tables.sum(axis=-2), view.tables.sum(axis=-1)
    right, items = hits.sum(axis=-1), given.sum(axis=-1)
    precision: dict[Hashable, Estimate] = {}
    recall: dict[Hashable, Estimate] = {}
    f1: dict[Hashable, Estimate] = {}
    for i, label in enumerate(labels):
        hit, either = hits[:, i], given[:, i] + meant[:, i] - hits[:, i]
        written = in_words(str(label))
        precision[label] = view.share(
            f"precision, {label}",
            _of(precisions, i),
            hit,
            given[:, i],
            f"The {view.sides[1]} never gave the label {written}.",
        )
        recall[label] = view.share(
            f"recall, {label}",
            _of(recalls, i),
            hit,
            meant[:, i],
            f"The {view.sides[0]} never gave the label {written}.",
        )
        f1[label] = view.resampled(f"F1, {label}", _of(f1_scores, i), hit, either, f"Neither gave the label {written}.")

    used = (given + meant).sum(axis=0) > 0

    def named(which: NDArray[np.bool_]) -> str:
        return ", ".join(in_words(str(label)) for label, one in zip(labels, which, strict=True) if one)

    def mean(name: str, per_label: Statistic, of: Floats) -> Estimate:
        absent = np.isnan(per_label(view.observed)[0]) & used
        notes = (f"Undefined and taken as 0 in the mean: {named(absent)}.",) if absent.any() else ()
        if used.any() and not used.all():
            notes = (*notes, f"Used by neither and left out of the mean: {named(~used)}.")
        figure = view.resampled(name, lambda tables: macro(per_label(tables), used), right, items, _NOTHING, notes)
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
        labels=tuple(labels),
        matrix=tuple(tuple(int(count) for count in row) for row in view.observed[0]),
        dropped=view.dropped,
        accuracy=view.share("accuracy", observed_agreement, right, items, _NOTHING),
        precision=precision,
        recall=recall,
        f1=f1,
        macro_precision=mean("macro precision", precisions, given),
        macro_recall=mean("macro recall", recalls, meant),
        macro_f1=mean("macro F1", f1_scores, given + meant - hits),
    )


@dataclass(frozen=True)
class JudgedView:
    """Tables per unit, their sum (a batch of one) and the sums of the resamples: what every figure here is made of.

    ``unit`` and ``sides`` are as of :func:`classification`.
    """

    tables: Floats
    observed: Floats
    resamples: Floats
    clustered: bool
    dropped: int
    resampling: Resampling
    unit: str = ""
    sides: tuple[str, str] = ("human", "judge")

    def share(self, name: str, finish: Statistic, right: Floats, of: Floats, undefined: str) -> Estimate:
        """A share of items, ``right`` of ``of`` per unit: Wilson when the unit is the item, else resampled."""
        if self.clustered:
            return self.resampled(name, finish, right, of, undefined)
        k, n = int(right.sum()), int(of.sum())
        nothing = undefined if len(self.tables) else _NOTHING
        return proportion(name, k, n, level=self.resampling.level, dropped=self.dropped, nothing=nothing)

    def resampled(
        self, name: str, finish: Statistic, right: Floats, of: Floats, undefined: str, notes: tuple[str, ...] = ()
    ) -> Estimate:
        """A share or a mean of shares with its interval; ``of`` counts the items per unit that bear on it."""
        level = self.resampling.level
        if not len(self.tables):
            return Estimate(name, None, None, None, "none", 0, None, self.dropped, _NOTHING, level, scale="share")
        what = f"the {self.sides[1]} is {'always ' if self.clustered else ''}right"
        cluster = self.unit or self.resampling.cluster
        unit = cluster if self.clustered else "item"
        return bootstrap_figure(
            name,
            float(finish(self.observed)[0]),
            finish(self.resamples),
            n=int(of.sum()),
            clusters=int((of > 0).sum()) if self.clustered else None,
            undefined=undefined,
            instead=partial(wholly, right, of, what, unit, level),
            left_out=without_each(self.tables[of > 0], finish, self.resampling) if self.clustered else None,
            scale="share",
            resampling=self.resampling,
            dropped=self.dropped,
            notes=notes,
            unit=cluster,
        )


def judged_view(
    reference: Sequence[Hashable],
    prediction: Sequence[Hashable],
    labels: Sequence[Hashable],
    clusters: Sequence[Hashable] | None,
    resampling: Resampling,
) -> JudgedView:
    """The tables of the items that both labelled; raises ``ValueError`` as ``classification`` does."""
    rows, columns = encode(reference, labels), encode(prediction, labels)
    if len(rows) != len(columns) or (clusters is not None and len(clusters) != len(rows)):
        raise ValueError("the reference, the prediction and the clusters need one entry per item")
    both = (rows >= 0) & (columns >= 0)
    q = len(labels)
    kept = None if clusters is None else [cluster for cluster, used in zip(clusters, both, strict=True) if used]
    units = count_cells(rows[both] * q + columns[both], q * q, kept)
    data = contributions(units)
    return JudgedView(
        tables=units.reshape(-1, q, q),
        observed=data.total.reshape(1, q, q),
        resamples=(draw(data, resampling) if len(units) else units).reshape(-1, q, q),
        clustered=kept is not None,
        dropped=int((~both).sum()),
        resampling=resampling,
    )


def drawn_view(units: Floats, sums: Floats, *, dropped: int = 0, resampling: Resampling = DEFAULT) -> JudgedView:
    """Tables over clusters, from resamples that other figures share (a column block of ``bootstrap.draw``).

    ``units`` (clusters x q*q) are the tables of the clusters, the human in rows; ``sums`` (replicates x q*q) those of
    the resamples, which ``resampling`` drew.
    """
    q = math.isqrt(units.shape[1])
    if units.any():
        sums = resampled(units, sums, np.ones(q * q), resampling)
    return JudgedView(
        tables=units[units.any(axis=1)].reshape(-1, q, q),
        observed=units.sum(axis=0).reshape(1, q, q),
        resamples=sums.reshape(-1, q, q),
        clustered=True,
        dropped=dropped,
        resampling=resampling,
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
    view = judged_view(human, judge, (True, False), clusters, resampling)
    cells = view.tables
    meant, given = cells.sum(axis=2), cells.sum(axis=1)
    right = cells[:, 0, 0] + cells[:, 1, 1]
    other = f"any other label than {positive}"
    return DiagnosticAccuracy(
        positive=positive,
        matrix=(
            (int(cells[:, 0, 0].sum()), int(cells[:, 0, 1].sum())),
            (int(cells[:, 1, 0].sum()), int(cells[:, 1, 1].sum())),
        ),
        dropped=view.dropped,
        sensitivity=view.share(
            f"sensitivity, {positive}", lambda tables: recalls(tables)[..., 0], cells[:, 0, 0], meant[:, 0],
            f"The human never gave the label {positive}.",
        ),
        specificity=view.share(
            f"specificity, {positive}", lambda tables: recalls(tables)[..., 1], cells[:, 1, 1], meant[:, 1],
            f"The human never gave {other}.",
        ),
        ppv=view.share(
            f"positive predictive value, {positive}", lambda tables: precisions(tables)[..., 0], cells[:, 0, 0],
            given[:, 0], f"The judge never gave the label {positive}.",
        ),
        npv=view.share(
            f"negative predictive value, {positive}", lambda tables: precisions(tables)[..., 1], cells[:, 1, 1],
            given[:, 1], f"The judge never gave {other}.",
        ),
        balanced_accuracy=view.resampled(
            f"balanced accuracy, {positive}", _balanced, right, meant.sum(axis=1),
            f"The human never gave the label {positive}, or nothing else.",
        ),
    )  # fmt: skip


def _binary(code: int, labels: Sequence[Hashable], positive: Hashable) -> bool | None:
    return None if code < 0 else bool(labels[code] == positive)


def _balanced(tables: Floats) -> Floats:
    return np.asarray(recalls(tables).mean(axis=-1), dtype=np.float64)
