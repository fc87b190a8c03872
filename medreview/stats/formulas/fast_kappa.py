"""Cohen's kappa without numpy and without resampling, for a screen that answers while the reviewer works."""

from collections import Counter
from collections.abc import Hashable, Sequence

from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.linearised import METHOD, linearised

_BOTH_CONSTANT = "Both gave one and the same label throughout: kappa is 0/0."


def fast_kappa(
    pairs: Sequence[tuple[Hashable, Hashable]], clusters: Sequence[Hashable], level: float = LEVEL
) -> Estimate:
    """Kappa of two raters (Cohen 1960) with the interval linearised over responses.

    ``pairs`` are the labels of the items that both labelled, ``clusters`` their responses. The reports resample
    instead; the two intervals come close from about 100 responses on.
    """
    n = len(pairs)
    name = "Cohen's kappa"
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(first[label] * second[label] for label in first)
    if expected == n**2:
        reason = _BOTH_CONSTANT if n else "There is nothing that both labelled."
        return Estimate(name, None, None, None, METHOD, n, len(set(clusters)), reason=reason, level=level)
    chance = expected / n**2
    agreed = sum(a == b for a, b in pairs) / n
    effects: dict[Hashable, float] = dict.fromkeys(clusters, 0.0)
    for (a, b), cluster in zip(pairs, clusters, strict=True):
        share = (second[a] + first[b]) / n - 2 * chance
        pull = ((a == b) - agreed) * (1 - chance) - (1 - agreed) * share
        effects[cluster] += pull / (n * (1 - chance) ** 2)
    kappa = 1 - (1 - agreed) / (1 - chance)
    return linearised(name, kappa, effects.values(), n, least=-1.0, level=level)
