"""Quantiles of Student's t without scipy, for a screen that answers at once."""

import math
from statistics import NormalDist


def student(level: float, freedom: float) -> float:
    """The two-sided quantile of Student's t: exact for 1 degree of freedom, for 2 and more, whole or not, within 0.1%
    (Hill 1970, Algorithm 396 of the ACM)."""
    tail = 1 - level
    if freedom == 1:
        return 1 / math.tan(tail * math.pi / 2)
    a = 1 / (freedom - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * freedom
    y = (d * tail) ** (2 / freedom)
    if y > 0.05 + a:
        x = NormalDist().inv_cdf(tail / 2)
        y = x * x
        if freedom < 5:
            c += 0.3 * (freedom - 4.5) * (x + 0.6)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = math.expm1(a * y * y)
    else:
        least = (freedom + 6) / (freedom * y) - 0.089 * d - 0.822
        y = ((1 / (least * (freedom + 2) * 3) + 0.5 / (freedom + 4)) * y - 1) * (freedom + 1) / (freedom + 2) + 1 / y
    return math.sqrt(freedom * y)
