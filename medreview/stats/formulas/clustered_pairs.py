"""Agreement of two raters from counts that single pairs are added to and taken from, for figures that move with a key.

Everything is a function of whole numbers: the table of both raters' labels, and for each two of its cells the sum over
responses of the product of their counts. An update costs what its own response holds, a figure what the table holds,
whatever the number of items; and the same pairs give the same digits in whatever order they came.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.linearised import METHOD, linearised, linearised_spread

NOTHING: Final = "There is nothing that both labelled."
BOTH_CONSTANT: Final = "Both gave one and the same label throughout: kappa is 0/0."
_ONE_BY_ONE: Final = 100
"""Responses up to which the effect of each is worked out, as a rule for few responses may ask for it."""

_Weight = Callable[[int, int], int]


class ClusteredPairs:
    """Pairs of labels (first rater, second rater) of items that lie in responses. ``labels`` are the protocol's."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        self.n = 0
        self._place = {label: place for place, label in enumerate(self.labels)}
        cells = len(self.labels) ** 2
        self._counts = [0] * cells
        self._of: dict[Hashable, dict[int, int]] = {}
        self._products = [[0] * cells for _ in range(cells)]

    def add(self, cluster: Hashable, first: str, second: str, by: int = 1) -> None:
        """One more item of a response with these labels; with ``by=-1`` one fewer, which must be there."""
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
        """Responses with an item."""
        return len(self._of)

    @property
    def table(self) -> tuple[tuple[int, ...], ...]:
        """Counts, rows the first rater, columns the second."""
        q = len(self.labels)
        return tuple(tuple(self._counts[row * q : row * q + q]) for row in range(q))

    def percent_agreement(self, level: float = LEVEL) -> Estimate:
        """The share of identical labels, linearised over responses; Wilson where each response has one item.

        Undefined without an item.
        """
        name, n, agreed = "agreement", self.n, self._agreed
        if n == self.clusters:
            return proportion(name, agreed, n, level=level, nothing=NOTHING)
        return self._linearised(name, agreed / n, lambda a, b: n * (a == b) - agreed, n * n, 0.0, level)

    def cohen_kappa(self, level: float = LEVEL) -> Estimate:
        """Kappa with chance from each rater's own marginals (Cohen 1960), linearised over responses.

        Undefined without an item, and where both gave one label throughout; 0 where one rater did.
        """
        name, n, agreed = "Cohen's kappa", self.n, self._agreed
        first, second = self._marginals()
        expected = sum(a * b for a, b in zip(first, second, strict=True))
        if expected == n * n:
            reason = BOTH_CONSTANT if n else NOTHING
            return Estimate(name, None, None, None, METHOD, n, self.clusters, reason=reason, level=level)
        beyond = n * n - expected

        def weight(a: int, b: int) -> int:
            return (n * (a == b) - agreed) * beyond - (n - agreed) * (n * (second[a] + first[b]) - 2 * expected)

        return self._linearised(name, 1 - n * (n - agreed) / beyond, weight, beyond * beyond, -1.0, level)

    def gwet_ac1(self, level: float = LEVEL) -> Estimate:
        """AC1: chance from the mean marginals over the protocol's labels (Gwet 2008), linearised over responses.

        Undefined without an item.
        """
        name, n, agreed = "Gwet's AC1", self.n, self._agreed
        if not n:
            return Estimate(name, None, None, None, METHOD, 0, 0, reason=NOTHING, level=level)
        both = [a + b for a, b in zip(*self._marginals(), strict=True)]
        squares = sum(count * count for count in both)
        whole = 4 * n * n * (len(self.labels) - 1)
        beyond = whole - (4 * n * n - squares)

        def weight(a: int, b: int) -> int:
            return whole * ((n * (a == b) - agreed) * beyond - 2 * (n - agreed) * (squares - n * (both[a] + both[b])))

        value = 1 - (n - agreed) * whole / (n * beyond)
        return self._linearised(name, value, weight, n * n * beyond * beyond, -1.0, level)

    # Within

    @property
    def _agreed(self) -> int:
        return sum(self._counts[:: len(self.labels) + 1])

    def _marginals(self) -> tuple[list[int], list[int]]:
        table = self.table
        return [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]

    def _linearised(self, name: str, value: float, weight: _Weight, scale: int, least: float, level: float) -> Estimate:
        """The interval from what an item in each cell does to the value: ``weight`` of its labels, over ``scale``."""
        q = len(self.labels)
        pull = {cell: weight(*divmod(cell, q)) for cell, count in enumerate(self._counts) if count}
        if self.clusters <= _ONE_BY_ONE:
            sums = [sum(pull[cell] * count for cell, count in held.items()) for held in self._of.values()]
            effects = [whole / scale for whole in sorted(sums)]
            return linearised(name, value, effects, self.n, least=least, level=level)
        squares = sum(
            one * sum(other * self._products[here][there] for there, other in pull.items())
            for here, one in pull.items()
        )
        spread = math.sqrt(squares / (scale * scale))
        return linearised_spread(name, value, spread, self.clusters, self.n, least=least, level=level)
