"""Agreement coefficients on summed counts, for one table or for thousands of resamples at once.

Two raters: ``tables`` is (..., q, q), rows the first rater, categories in the protocol's order. Many raters:
``Ballots``, means over items. All return (...) values with ``nan`` where a coefficient is 0/0. Chance-corrected ones
are written as 1 - observed/expected disagreement on whole counts, so that 0 and 1 come out exactly.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from medreview.stats.formulas.bootstrap import Floats

Weights = Literal["none", "linear", "quadratic", "ordinal"] | Sequence[Sequence[float]]
Metric = Literal["nominal", "ordinal", "interval"]


def disagreement(weights: Weights, q: int) -> Floats:
    """How far apart two categories are (q x q): 0 on the diagonal, not scaled; a given matrix is checked and used.

    ``ordinal`` counts the pairs of ranks that two categories span (Gwet, Handbook of Inter-Rater Reliability).
    Raises ``ValueError`` for fewer than two categories, or a matrix of the wrong shape or without distance.
    """
    if q < 2:
        raise ValueError("a protocol has two labels or more")
    ranks = np.arange(q, dtype=np.float64)
    steps: Floats = np.abs(ranks[:, None] - ranks[None, :])
    if isinstance(weights, str):
        known: dict[str, Floats] = {
            "none": (steps > 0).astype(np.float64),
            "linear": steps,
            "quadratic": steps**2,
            "ordinal": steps * (steps + 1) / 2,
        }
        return known[weights]
    matrix = np.array(weights, dtype=np.float64)
    if matrix.shape != (q, q) or (matrix < 0).any() or np.diagonal(matrix).any() or not matrix.any():
        raise ValueError(f"a disagreement matrix has {q} x {q} distances with 0 on the diagonal")
    return matrix


def agreement_weights(weights: Weights, q: int) -> Floats:
    """Disagreement turned into agreement: 1 on the diagonal, 0 for the farthest pair of categories."""
    distance = disagreement(weights, q)
    return np.asarray(1 - distance / distance.max(), dtype=np.float64)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Division that is ``nan`` where there is nothing to divide by."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    out = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=out, where=np.abs(denominator) > 1e-12)
    return out


def over_labels(counts: Floats, axis: int) -> Floats:
    """Sums of whole counts over the labels, one of the last axes, which has few places.

    A vector is added for each label: thousands of short rows, each summed for itself, take ten times as long. Whole
    numbers are exact in any order.
    """
    first, *others = np.moveaxis(counts, axis, 0)
    total = np.array(first, dtype=np.float64)
    for other in others:
        total += other
    return total


def _weighted(matrices: Floats, weights: Floats) -> Floats:
    return np.asarray((matrices * weights).sum(axis=(-2, -1)), dtype=np.float64)


def _count(tables: Floats) -> Floats:
    return over_labels(over_labels(tables, -1), -1)


def _outer(left: Floats, right: Floats) -> Floats:
    return np.asarray(left[..., :, None] * right[..., None, :], dtype=np.float64)


def observed_agreement(tables: Floats) -> Floats:
    """The share of items with identical labels."""
    return ratio(np.trace(tables, axis1=-2, axis2=-1), _count(tables))


def cohen_kappa(tables: Floats, weights: Weights = "none") -> Floats:
    """Chance from each rater's own marginals (Cohen 1960, 1968): 0 when one is constant, ``nan`` when both are."""
    distance = disagreement(weights, tables.shape[-1])
    expected = _weighted(_outer(over_labels(tables, -1), over_labels(tables, -2)), distance)
    return 1 - ratio(_count(tables) * _weighted(tables, distance), expected)


def scott_pi(tables: Floats) -> Floats:
    """Chance from the pooled marginals (Scott 1955)."""
    distance = disagreement("none", tables.shape[-1])
    pooled = tables.sum(axis=-1) + tables.sum(axis=-2)
    return 1 - ratio(4 * _count(tables) * _weighted(tables, distance), _weighted(_outer(pooled, pooled), distance))


def gwet_ac(tables: Floats, weights: Weights = "none") -> Floats:
    """AC1, with weights AC2: chance is Tw/(q(q-1)) times the sum of p(1-p) over the protocol's q labels (Gwet 2008)."""
    agree = agreement_weights(weights, tables.shape[-1])
    total = _count(tables)
    shares = ratio(over_labels(tables, -1) + over_labels(tables, -2), 2 * total[..., None])
    return _gwet(ratio(_weighted(tables, agree), total), shares, agree)


def brennan_prediger(tables: Floats, weights: Weights = "none") -> Floats:
    """Chance is the same for every label of the protocol, 1/q (Brennan & Prediger 1981); PABAK with two labels."""
    agree = agreement_weights(weights, tables.shape[-1])
    expected = agree.mean()
    return np.asarray((ratio(_weighted(tables, agree), _count(tables)) - expected) / (1 - expected), dtype=np.float64)


def krippendorff_alpha(
    coincidences: Floats, metric: Metric = "nominal", values: Sequence[float] | None = None
) -> Floats:
    """1 - Do/De on coincidence matrices (..., q, q) (Krippendorff 2011); of two raters: table plus its transpose.

    ``values`` places the labels for ``interval``; without it they stand one apart.
    """
    q = coincidences.shape[-1]
    marginals = coincidences.sum(axis=-1)
    if metric == "nominal":
        distance = disagreement("none", q)
    elif metric == "interval":
        place = np.arange(q, dtype=np.float64) if values is None else np.array(values, dtype=np.float64)
        distance = (place[:, None] - place[None, :]) ** 2
    else:
        # Between the middles of two labels lie as many values as ranks separate them.
        middle = marginals.cumsum(axis=-1) - marginals / 2
        distance = (middle[..., :, None] - middle[..., None, :]) ** 2
    observed = (marginals.sum(axis=-1) - 1) * _weighted(coincidences, distance)
    return 1 - ratio(observed, _weighted(_outer(marginals, marginals), distance))


def kappa_standard_error(table: Floats, weights: Weights = "none") -> float | None:
    """Large-sample standard error of one table's kappa (Fleiss, Cohen & Everitt 1969), items taken as independent.

    ``None`` when kappa is undefined.
    """
    total = float(table.sum())
    kappa = float(cohen_kappa(table, weights))
    if np.isnan(kappa):
        return None
    agree = agreement_weights(weights, table.shape[-1])
    shares = table / total
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    expected = float(rows @ agree @ columns)
    mean_weight = (agree @ columns)[:, None] + (rows @ agree)[None, :]
    spread = float((shares * (agree - mean_weight * (1 - kappa)) ** 2).sum())
    variance = (spread - (kappa - expected * (1 - kappa)) ** 2) / (total * (1 - expected) ** 2)
    return float(np.sqrt(max(variance, 0.0)))


class Ballots:
    """Per-item vectors for any number of raters, missing votes allowed, and the coefficients on their sums.

    ``vectors(counts)`` turns vote counts (n x q) into vectors whose sums the methods take (..., K).
    """

    def __init__(self, q: int, weights: Weights = "none") -> None:
        self.q = q
        self.agree = agreement_weights(weights, q)
        self.identical = np.eye(q)

    def vectors(self, counts: Floats) -> Floats:
        """Columns: any vote, two votes, agreeing pairs (plain, weighted), label shares (q), coincidences (q*q)."""
        votes = counts.sum(axis=1)
        paired = votes >= 2
        pairs = np.where(paired, votes * (votes - 1), 1)
        joint = _outer(counts, counts) - counts[:, :, None] * np.eye(self.q)
        joint[~paired] = 0
        plain = _weighted(joint, self.identical) / pairs
        weighted = _weighted(joint, self.agree) / pairs
        shares = counts / np.maximum(votes, 1)[:, None]
        coincidences = joint / np.where(paired, votes - 1, 1)[:, None, None]
        head = np.stack([votes >= 1, paired, plain, weighted], axis=1).astype(np.float64)
        return np.concatenate([head, shares, coincidences.reshape(len(counts), -1)], axis=1)

    def _shares(self, sums: Floats) -> Floats:
        return ratio(sums[..., 4 : 4 + self.q], sums[..., :1])

    def paired(self, sums: Floats) -> Floats:
        """How many items have two votes."""
        return np.asarray(sums[..., 1])

    def mean_pairwise_agreement(self, sums: Floats) -> Floats:
        """The mean over items of agreeing pairs / pairs."""
        return ratio(sums[..., 2], sums[..., 1])

    def fleiss_kappa(self, sums: Floats) -> Floats:
        """Multi-rater pi (Fleiss 1971), with missing votes the generalised form (Gwet, Handbook)."""
        expected = (self._shares(sums) ** 2).sum(axis=-1)
        return 1 - ratio(1 - self.mean_pairwise_agreement(sums), 1 - expected)

    def gwet_ac(self, sums: Floats) -> Floats:
        """AC1, with weights AC2 (Gwet 2008)."""
        return _gwet(ratio(sums[..., 3], sums[..., 1]), self._shares(sums), self.agree)

    def brennan_prediger(self, sums: Floats) -> Floats:
        """Chance 1/q for every label of the protocol."""
        expected = self.agree.mean()
        return np.asarray((ratio(sums[..., 3], sums[..., 1]) - expected) / (1 - expected), dtype=np.float64)

    def krippendorff_alpha(
        self, sums: Floats, metric: Metric = "nominal", values: Sequence[float] | None = None
    ) -> Floats:
        """Alpha from the summed coincidences."""
        matrices = sums[..., 4 + self.q :].reshape(*sums.shape[:-1], self.q, self.q)
        return krippendorff_alpha(matrices, metric, values)


def _gwet(observed: Floats, shares: Floats, agree: Floats) -> Floats:
    q = len(agree)
    expected = agree.sum() / (q * (q - 1)) * (shares * (1 - shares)).sum(axis=-1)
    return ratio(observed - expected, 1 - expected)
