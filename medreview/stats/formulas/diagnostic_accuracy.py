"""A judge as a diagnostic test for one label: sensitivity, specificity, predictive values, balanced accuracy."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from medreview.stats.formulas.agreement import encode
from medreview.stats.formulas.bootstrap import DEFAULT, Floats, Resampling
from medreview.stats.formulas.classification import judged_view, precisions, recalls
from medreview.stats.formulas.estimate import Estimate


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
