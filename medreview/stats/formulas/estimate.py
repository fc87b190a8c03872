"""What a figure is: a value that never travels without its interval, its n and, when undefined, a sentence.

Its scale says how it is written: tables, pages, plots and screens ask :func:`number`, and never go by its name.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, Literal, NamedTuple, get_args

LEVEL = 0.95

Scale = Literal[
    "share", "ratio", "coefficient", "amount", "seconds", "plain", "share_difference", "coefficient_difference"
]
"""``share``: part of a whole, written as a percentage. ``ratio``: from 0 to 1 as well, but part of nothing (a cosine, a
relative distance, Kendall's W). ``coefficient``: from -1 to 1 with 1 for full agreement (kappa, alpha, a correlation).
``amount``: above 0 (citations of a response, characters, minutes); ``seconds`` likewise. ``plain``: anything else (a
mean rank). A difference of two shares is written in points of a hundred."""

_BANDS = ((0.20, "slight"), (0.40, "fair"), (0.60, "moderate"), (0.80, "substantial"))


class _Form(NamedTuple):
    """How numbers of a scale are written: times ``factor``, ``unit`` behind each, ``noun`` behind one in a sentence."""

    factor: int = 1
    digits: int = 3
    unit: str = ""
    noun: str = ""


_FORMS: Final[dict[Scale, _Form]] = {
    **dict.fromkeys(get_args(Scale), _Form()),
    "share": _Form(100, 1, unit="%"),
    "share_difference": _Form(100, 1, noun=" points"),
}


@dataclass(frozen=True)
class Estimate:
    """One statistic as it is shown and reported.

    ``value`` is ``None`` when undefined, ``low`` and ``high`` when there is no interval; ``reason`` then says why.
    ``level`` is that of the interval, ``method`` its name, ``seed`` that of its resamples. ``n`` counts the items used,
    ``dropped`` those left out because a judgement is missing, ``clusters`` the responses when they are the resampling
    unit. Shares are fractions; ``scale`` says what is one. ``undefined_share`` is the share of resamples without a
    value; ``notes`` are cautions to print beside the figure.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    method: str
    n: int
    clusters: int | None = None
    dropped: int = 0
    reason: str | None = None
    level: float = LEVEL
    seed: int | None = None
    undefined_share: float | None = None
    notes: tuple[str, ...] = ()
    _: KW_ONLY
    scale: Scale

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for half an interval, or for a missing value or interval without a reason."""
        if (self.low is None) != (self.high is None):
            raise ValueError(f"{self.name}: an interval has two ends")
        if (self.value is None or self.low is None) and not self.reason:
            raise ValueError(f"{self.name}: what is missing needs a reason")

    def __str__(self) -> str:
        """Name, value and interval: ``Cohen's kappa: 0.474 (95% CI 0.135 to 0.736)``."""
        return f"{self.name}: {show(self)}"


def estimate_named(estimates: Iterable[Estimate], name: str) -> Estimate:
    """The first of several estimates with a name; raises ``KeyError`` that names those there are."""
    held = list(estimates)
    for estimate in held:
        if estimate.name == name:
            return estimate
    raise KeyError(f"no estimate {name!r}; there are {', '.join(dict.fromkeys(each.name for each in held))}")


def half_up(value: float, digits: int = 3) -> str:
    """A number for display, rounded half-up (away from zero) on its shortest decimal form, never as ``-0``."""
    return _rounded(Decimal(repr(float(value))), digits)


def percent(fraction: float, digits: int = 1) -> str:
    """A fraction as a percentage, rounded half-up: ``0.285`` with no digits is ``29%``."""
    return number(fraction, "share", digits)


def number(value: float, scale: Scale, digits: int | None = None, *, unit: bool = True, signed: bool = False) -> str:
    """A number as its scale is written: ``28.1%``, ``0.281``, ``3.1`` (points). ``unit``: with the ``%``; ``signed``:
    with a ``+`` where it is above 0."""
    form = _FORMS[scale]
    exact = form.factor * Decimal(repr(float(value)))
    written = _rounded(exact, form.digits if digits is None else digits)
    return f"{'+' if signed and value > 0 else ''}{written}{form.unit if unit else ''}"


def quantity(value: float, scale: Scale, digits: int | None = None) -> str:
    """The same where no heading says what it is counted in: ``28.1%``, ``0.281``, ``3.1 points``."""
    return f"{number(value, scale, digits)}{_FORMS[scale].noun}"


def show(figure: Estimate, *, digits: int | None = None) -> str:
    """Value and interval in one phrase, such as ``0.474 (95% CI 0.135 to 0.736)``; without a value, the reason."""
    if figure.value is None:
        return f"undefined: {figure.reason}"
    value = quantity(figure.value, figure.scale, digits)
    if figure.low is None or figure.high is None:
        return f"{value} (no interval)"
    low, high = (number(end, figure.scale, digits) for end in (figure.low, figure.high))
    return f"{value} ({percent(figure.level, 0)} CI {low} to {high})"


def brief(figure: Estimate) -> str:
    """Value and interval in few cells, a digit fewer: ``86% [73, 93]``, ``.68 [.41, .87]``; ``-`` without a value."""
    if figure.value is None:
        return "-"
    value = _bare(figure.value, figure.scale, unit=True)
    if figure.low is None or figure.high is None:
        return value
    return f"{value} [{', '.join(_bare(end, figure.scale, unit=False) for end in (figure.low, figure.high))}]"


def landis_koch(value: float | None) -> str | None:
    """The verbal band of a kappa (Landis & Koch 1977), upper bounds inclusive; only beside the interval."""
    if value is None:
        return None
    if value < 0:
        return "poor"
    return next((band for top, band in _BANDS if value <= top), "almost perfect")


def _bare(value: float, scale: Scale, *, unit: bool) -> str:
    written = number(value, scale, _FORMS[scale].digits - 1, unit=unit)
    return written.replace("0.", ".", 1) if written.lstrip("-").startswith("0.") else written


def _rounded(exact: Decimal, digits: int) -> str:
    rounded = exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    return f"{abs(rounded) if rounded == 0 else rounded:.{digits}f}"
