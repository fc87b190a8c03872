"""Intervals that hold at every look: whoever reads after each label, and stops when it suits, is still right in 95%.

An interval of Wilson's holds for one look that was planned before. Read after every block of 20 from 40 to 400 labels,
it misses the truth at some look in about 22% of studies (``tests/bench/looks_simulation.py``).
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from medreview.stats.formulas.audit_sampling import Sampled, hajek_mean, sampled_figure, too_few
from medreview.stats.formulas.estimate import LEVEL, Estimate

EVERY_LOOK: Final = "confidence sequence, beta-binomial mixture, without replacement"
UNEQUAL: Final = (
    "not given: the statements were drawn with different probabilities, and this interval is only known for equal ones."
)
_HALVINGS: Final = 60
"""Steps of a bisection: more than the digits of a float."""


def anytime_share(
    name: str,
    sampled: Sequence[Sampled],
    size: int,
    *,
    missing: int = 0,
    unit: str = "response",
    level: float = LEVEL,
) -> Estimate:
    """The share in this study of ``size`` statements, of which these were drawn in this order, valid at every look.

    The value is that of ``audit_sampling.audit_share``, and undefined where that is. ``missing`` members have no
    value: they stay among the statements that were not seen. Without an interval where probabilities differ.
    """
    reason = too_few([one.value for one in sampled])
    value, ends = None, None
    if not reason:
        value = hajek_mean(sampled)
        if len({one.probability for one in sampled}) > 1:
            reason = UNEQUAL
        else:
            ends = at_every_look([one.value for one in sampled], size, level)
    return sampled_figure(name, value, ends, EVERY_LOOK, sampled, missing, level, unit, reason)


def at_every_look(values: Sequence[float], size: int, level: float = LEVEL) -> tuple[float, float]:
    """The confidence sequence, after these ``values`` in [0, 1], of the mean of all ``size`` from which they are drawn
    one after the other, at random and without replacement.

    A mean is left out once a game in which it would be fair has won 1 / (1 - level) times the stake, which has a
    chance of 1 - level at most over all looks (Ville 1939). Bets follow the values so far, as a beta-binomial mixture
    with a flat prior does: for values of 0 and 1 the winnings are the prior-posterior ratio of the hypergeometric
    (Waudby-Smith & Ramdas, Confidence sequences for sampling without replacement, NeurIPS 2020, section 2), whatever
    their order. A value in between counts as that power of both outcomes. The weighted geometric mean is at most the
    arithmetic one, so that the game stays fair at best: a betting confidence sequence without replacement
    (Waudby-Smith & Ramdas, J. R. Stat. Soc. B 86:1, 2024, section 5).

    The winnings are log-convex in the mean, so that two bisections find the ends, from the observed mean outwards.
    Raises ``ValueError`` without values, or for more of them than ``size``.
    """
    if not 0 < len(values) <= size:
        raise ValueError(f"between 1 and {size} values are needed, not {len(values)}")
    total, limit, bets = math.fsum(values), -math.log(1 - level), _bets(values, size)
    least, most = total, total + size - len(values)
    inside = min(max(size * total / len(values), least), most)
    return tuple(_end(bets, out, inside, limit) / size for out in (least, most))  # type: ignore[return-value]


class _Bet(NamedTuple):
    """A value, and what is known before it is drawn: the sum of those ``seen``, how many are ``left``, and the
    ``guess`` of the mixture, the mean of the values so far, one yes and one no."""

    value: float
    seen: float
    left: int
    guess: float


def _bets(values: Sequence[float], size: int) -> list[_Bet]:
    known = zip(values, accumulate(values, initial=0.0), strict=False)  # the last sum is of all of them
    return [_Bet(value, seen, size - n, (1 + seen) / (2 + n)) for n, (value, seen) in enumerate(known)]


def _end(bets: Sequence[_Bet], out: float, inside: float, limit: float) -> float:
    """The total next to ``out`` that is not left out; ``inside`` is not."""
    if _winnings(bets, out) < limit:
        return out
    for _ in range(_HALVINGS):
        middle = (out + inside) / 2
        if middle in (out, inside):  # no float lies between them
            break
        if _winnings(bets, middle) < limit:
            inside = middle
        else:
            out = middle
    return inside


def _winnings(bets: Sequence[_Bet], whole: float) -> float:
    """The logarithm of what was won against a ``whole``, the sum over all; infinite where it cannot be.

    ``expected`` is the mean of what is left, were it true.
    """
    won = 0.0
    for value, seen, left, guess in bets:
        expected = (whole - seen) / left
        if value > 0:
            if expected <= 0:
                return math.inf
            won += value * math.log(guess / expected)
        if value < 1:
            if expected >= 1:
                return math.inf
            won += (1 - value) * math.log((1 - guess) / (1 - expected))
    return won
