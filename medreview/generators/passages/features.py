"""What a passage is measured by: coherence variance (Sheng 2023), semantic entropy (Kuhn 2023), as in ClinIQLink."""

from collections import Counter
from dataclasses import dataclass
from math import log

import numpy as np

from medreview.generators.passages.vectors import Matrix, cosines


@dataclass(frozen=True, slots=True)
class Features:
    """``density``: entities per token, 0..1; ``variance`` of the cosines of consecutive sentences, 0..1; ``entropy`` in
    nats over clusters of sentences, 0 to the logarithm of their number."""

    density: float
    variance: float
    entropy: float


def coherence_variance(vectors: Matrix) -> float:
    """The variance (of the population) of the cosines of consecutive rows; 0 for fewer than three."""
    if len(vectors) < 3:
        return 0.0
    return float(np.var(np.sum(vectors[:-1] * vectors[1:], axis=1)))


def semantic_entropy(vectors: Matrix, alike: float) -> float:
    """-sum p ln p over the clusters of the rows: two are in one when their cosine is above ``alike``, or a chain of
    such joins them."""
    clusters = _clusters(cosines(vectors) > alike)
    shares = [size / len(clusters) for size in Counter(clusters).values()]
    return -sum(share * log(share) for share in shares) + 0.0


def _clusters(joined: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> list[int]:
    """The number of the cluster of each row."""
    found = [-1] * len(joined)
    for first in range(len(joined)):
        if found[first] >= 0:
            continue
        found[first], waiting = first, [first]
        while waiting:
            for other in np.flatnonzero(joined[waiting.pop()]):
                if found[other] < 0:
                    found[other] = first
                    waiting.append(int(other))
    return found
