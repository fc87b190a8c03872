"""Several tests side by side: p-values adjusted for the size of the family."""

import math
from collections.abc import Sequence
from typing import Literal

Method = Literal["holm", "bonferroni"]


def family_size(pvalues: Sequence[float | None]) -> int:
    """How many tests of a family have a p-value; what is undefined was no test."""
    return sum(_defined(p) for p in pvalues)


def adjusted(pvalues: Sequence[float | None], method: Method = "holm") -> tuple[float | None, ...]:
    """Adjusted p-values in the order given, 1 at the most; ``None`` (or nan) stays ``None`` and does not count.

    ``holm`` steps down from the smallest (Holm 1979): never larger than ``bonferroni`` (Dunn 1961), and as strict on
    the chance of a single false alarm. To be told with ``family_size``.
    """
    order = sorted((p, place) for place, p in enumerate(pvalues) if p is not None and _defined(p))
    found: list[float | None] = [None] * len(pvalues)
    reached = 0.0
    for rank, (p, place) in enumerate(order):
        times = len(order) - (rank if method == "holm" else 0)
        reached = max(reached, min(1.0, p * times))
        found[place] = reached
    return tuple(found)


def _defined(p: float | None) -> bool:
    return p is not None and not math.isnan(p)
