"""Agreement of two raters from counts that single pairs are added to and taken from, for figures that move with a key.

Everything is a function of whole numbers: the table of both raters' labels, the tables of the clusters and, for each
two cells, the sum over clusters of the product of their counts. An update costs what its own cluster holds. A figure
of many clusters is linearised, and costs what the table holds; one of few is the jackknife of the reports. Either way
the same pairs give the same digits in whatever order they came.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Final

from medreview.stats.formulas.estimate import JACKKNIFE_BELOW, LEVEL, UNDEFINED_LIMIT, Estimate, Scale, percent
from medreview.stats.formulas.intervals import (
    jackknife_over,
    left_out_interval,
    linearised,
    linearised_over,
    proportion,
)

NOTHING: Final = "There is nothing that both labelled."
BOTH_CONSTANT: Final = "Both gave one label throughout: kappa is 0/0."

_Weight = Callable[[int, int], int]
_Value = Callable[[int, int, Sequence[int], Sequence[int]], float | None]
"""A statistic from the number of items, how many of them agree, and both raters' marginals; ``None`` if undefined."""


class ClusteredPairs:
    """Pairs of labels (first rater, second rater) of items that lie in clusters; ``cluster`` is what one of these is.

    ``labels`` are the protocol's.
    """

    def __init__(self, labels: Sequence[str], cluster: str = "response") -> None:
        self.labels = tuple(labels)
        self.cluster = cluster
        self.n = 0
        self._place = {label: place for place, label in enumerate(self.labels)}
        cells = len(self.labels) ** 2
        self._counts = [0] * cells
        self._of: dict[Hashable, dict[int, int]] = {}
        self._products = [[0] * cells for _ in range(cells)]

    def add(self, cluster: Hashable, first: str, second: str, by: int = 1) -> None:
        """One more item of a cluster with these labels; with ``by=-1`` one fewer, which must be there."""
        cell = self._place[first] * len(self.labels) + self._place[second]
        here = self._of.setdefault(cluster, {})
        for other, count in here.items():
            self._products[cell][other] += by * count
            self._products[other][cell] += by * count
        self._products[cell][cell] += 1
        here[cell] = here.get(cell, 0) + by
        if not here[cell]:
            del here[cell]
        if not here:
            del self._of[cluster]
        self._counts[cell] += by
        self.n += by

    @property
    def clusters(self) -> int:
        """Clusters with an item."""
        return len(self._of)

    @property
    def table(self) -> tuple[tuple[int, ...], ...]:
        """Counts, rows the first rater, columns the second."""
        q = len(self.labels)
        return tuple(tuple(self._counts[row * q : row * q + q]) for row in range(q))

    def percent_agreement(self, level: float = LEVEL) -> Estimate:
        """The share of identical labels, with an interval over clusters; Wilson where each cluster has one item.

        Undefined without an item.
        """
        n, agreed = self.n, self._agreed
        if n == self.clusters:
            return proportion("agreement", agreed, n, level=level, nothing=NOTHING)
        return self._estimate("agreement", _share, "share", lambda a, b: n * (a == b) - agreed, n * n, NOTHING, level)

    def cohen_kappa(self, level: float = LEVEL) -> Estimate:
        """Kappa with chance from each rater's own marginals (Cohen 1960), with an interval over clusters.

        Undefined without an item, and where both gave one label throughout; 0 where one rater did.
        """
        n, agreed = self.n, self._agreed
        first, second = self._marginals()
        expected = _products(first, second)
        beyond = n * n - expected

        def weight(a: int, b: int) -> int:
            return (n * (a == b) - agreed) * beyond - (n - agreed) * (n * (second[a] + first[b]) - 2 * expected)

        nothing = BOTH_CONSTANT if n else NOTHING
        return self._estimate("Cohen's kappa", _kappa, "coefficient", weight, beyond * beyond, nothing, level)

    def gwet_ac1(self, level: float = LEVEL) -> Estimate:
        """AC1: chance from the mean marginals over the protocol's labels (Gwet 2008), with an interval over clusters.

        Undefined without an item.
        """
        n, agreed = self.n, self._agreed
        both = [a + b for a, b in zip(*self._marginals(), strict=True)]
        squares = _products(both, both)
        whole = 4 * n * n * (len(both) - 1)
        beyond = whole - (4 * n * n - squares)

        def weight(a: int, b: int) -> int:
            return whole * ((n * (a == b) - agreed) * beyond - 2 * (n - agreed) * (squares - n * (both[a] + both[b])))

        return self._estimate("Gwet's AC1", _ac1, "coefficient", weight, n * n * beyond * beyond, NOTHING, level)

    # Within

    @property
    def _agreed(self) -> int:
        return sum(self._counts[:: len(self.labels) + 1])

    def _marginals(self) -> tuple[list[int], list[int]]:
        table = self.table
        return [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]

    def _estimate(
        self, name: str, value_of: _Value, scale: Scale, weight: _Weight, whole: int, nothing: str, level: float
    ) -> Estimate:
        """A statistic with its interval; ``weight`` over ``whole``: what an item with two labels does to it."""
        value = value_of(self.n, self._agreed, *self._marginals())
        if value is None:
            return self._without(name, None, linearised_over(self.cluster), nothing, level, scale)
        if self.clusters < JACKKNIFE_BELOW:
            return self._jackknifed(name, value, value_of, scale, level)
        spread = self._spread(weight, whole)
        return linearised(name, value, spread, self.clusters, self.n, scale, level=level, unit=self.cluster)

    def _without(
        self, name: str, value: float | None, method: str, reason: str, level: float, scale: Scale
    ) -> Estimate:
        """A figure that has no interval, and why."""
        return Estimate(
            name, value, None, None, method, self.n, self.clusters, 0, reason, level, scale=scale, cluster=self.cluster
        )

    def _jackknifed(self, name: str, value: float, value_of: _Value, scale: Scale, level: float) -> Estimate:
        left_out = self._left_out(value_of)
        known = [each for each in left_out if each is not None]
        undefined = self._undefined() if value_of is _kappa else 0.0
        if self.clusters > 1 and (undefined > UNDEFINED_LIMIT or len(known) < len(left_out)):
            reason = f"No interval: {percent(undefined)} of the resamples have no value, too few of one label."
            return self._without(name, value, jackknife_over(self.cluster), reason, level, scale)
        return left_out_interval(name, value, known or [value], self.n, scale, level, self.cluster)

    def _left_out(self, value_of: _Value) -> list[float | None]:
        """The value without each cluster."""
        q, agreed_of_all = len(self.labels), self._agreed
        pairs = [divmod(cell, q) for cell in range(q * q)]
        of_first, of_second = self._marginals()
        found: list[float | None] = []
        for held in self._of.values():
            n, agreed, first, second = self.n, agreed_of_all, of_first.copy(), of_second.copy()
            for cell, count in held.items():
                a, b = pairs[cell]
                first[a] -= count
                second[b] -= count
                n -= count
                if a == b:
                    agreed -= count
            found.append(value_of(n, agreed, first, second))
        return found

    def _undefined(self) -> float:
        """The share of all samples of whole clusters in which both raters give one and the same label throughout."""
        constant: Counter[int] = Counter()
        for held in self._of.values():
            if len(held) == 1:
                (cell,) = held
                constant[cell] += cell % (len(self.labels) + 1) == 0
        return sum((count / self.clusters) ** self.clusters for count in constant.values())

    def _spread(self, weight: _Weight, scale: int) -> float:
        """The root of the sum over clusters of what each does to the value, squared: in whole numbers until then."""
        q = len(self.labels)
        pull = {cell: weight(*divmod(cell, q)) for cell, count in enumerate(self._counts) if count}
        squares = sum(
            one * sum(other * self._products[here][there] for there, other in pull.items())
            for here, one in pull.items()
        )
        return math.sqrt(squares / (scale * scale))


def _products(first: Sequence[int], second: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(first, second, strict=True))


def _share(n: int, agreed: int, _first: Sequence[int], _second: Sequence[int]) -> float | None:
    return agreed / n if n else None


def _kappa(n: int, agreed: int, first: Sequence[int], second: Sequence[int]) -> float | None:
    beyond = n * n - _products(first, second)
    return 1 - n * (n - agreed) / beyond if beyond else None


def _ac1(n: int, agreed: int, first: Sequence[int], second: Sequence[int]) -> float | None:
    both = [a + b for a, b in zip(first, second, strict=True)]
    whole = 4 * n * n * (len(both) - 1)
    beyond = whole - (4 * n * n - _products(both, both))
    return 1 - (n - agreed) * whole / (n * beyond) if n else None
