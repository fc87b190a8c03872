"""Cohen's kappa without numpy and without resampling, for a screen that answers while the reviewer works."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from statistics import NormalDist

from medreview.stats.formulas.estimate import LEVEL, Estimate

_BOTH_CONSTANT = "Both gave one and the same label throughout: kappa is 0/0."


def fast_kappa(
    pairs: Sequence[tuple[Hashable, Hashable]], clusters: Sequence[Hashable], level: float = LEVEL
) -> Estimate:
    """Kappa of two raters (Cohen 1960) with the interval linearised over responses.

    ``pairs`` are the labels of the items that both labelled, ``clusters`` their responses. The reports resample
    instead; the two intervals come close from about 100 responses on.
    """
    n, groups = len(pairs), len(set(clusters))
    name, method = "Cohen's kappa", "linearised over responses"
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(first[label] * second[label] for label in first)
    if expected == n**2:
        reason = _BOTH_CONSTANT if n else "There is nothing that both labelled."
        return Estimate(name, None, None, None, method, n, groups, reason=reason, level=level)
    chance = expected / n**2
    agreed = sum(a == b for a, b in pairs) / n
    kappa = 1 - (1 - agreed) / (1 - chance)
    pull: dict[Hashable, float] = defaultdict(float)
    for (a, b), cluster in zip(pairs, clusters, strict=True):
        share = (second[a] + first[b]) / n - 2 * chance
        pull[cluster] += ((a == b) - agreed) * (1 - chance) - (1 - agreed) * share
    spread = math.sqrt(sum(value**2 for value in pull.values()))
    if groups < 2 or spread < 1e-12:
        reason = "One response cannot show how responses differ." if groups < 2 else "No response differs from another."
        return Estimate(name, kappa, None, None, method, n, groups, reason=reason, level=level)
    error = spread * math.sqrt(groups / (groups - 1)) / (n * (1 - chance) ** 2)
    half = _student(level, groups - 1) * error
    return Estimate(name, kappa, max(-1.0, kappa - half), min(1.0, kappa + half), method, n, groups, level=level)


def _student(level: float, freedom: int) -> float:
    """The two-sided quantile of Student's t: exact for 1 and 2 degrees of freedom, else within 1% (Abramowitz & Stegun
    26.7.5)."""
    tail = 1 - level
    if freedom == 1:
        return 1 / math.tan(tail * math.pi / 2)
    if freedom == 2:
        return math.sqrt(2 / (tail * (2 - tail)) - 2)
    z = NormalDist().inv_cdf(1 - tail / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, 1))
