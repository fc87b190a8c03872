"""What a figure is: a value that never travels without its interval, its n and, when undefined, a sentence."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

LEVEL = 0.95

_BANDS = ((0.20, "slight"), (0.40, "fair"), (0.60, "moderate"), (0.80, "substantial"))


@dataclass(frozen=True)
class Estimate:
    """One statistic as it is shown and reported.

    ``value`` is ``None`` when undefined, ``low`` and ``high`` when there is no interval; ``reason`` then says why.
    ``level`` is that of the interval, ``method`` its name, ``seed`` that of its resamples. ``n`` counts the items used,
    ``dropped`` those left out because a judgement is missing, ``clusters`` the responses when they are the resampling
    unit. Shares are fractions. ``undefined_share`` is the share of resamples without a value; ``notes`` are cautions to
    print beside the figure.
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
    rounded = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    return f"{abs(rounded) if rounded == 0 else rounded:.{digits}f}"


def percent(fraction: float, digits: int = 1) -> str:
    """A fraction as a percentage, rounded half-up: ``0.285`` with no digits is ``29%``."""
    scaled = Decimal(repr(float(fraction))) * 100
    return f"{scaled.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP):.{digits}f}%"


def show(figure: Estimate, *, as_percent: bool = False, digits: int | None = None) -> str:
    """Value and interval in one phrase, such as ``0.474 (95% CI 0.135 to 0.736)``; without a value, the reason."""
    if figure.value is None:
        return f"undefined: {figure.reason}"
    places = digits if digits is not None else (1 if as_percent else 3)
    render = percent if as_percent else half_up
    if figure.low is None or figure.high is None:
        return f"{render(figure.value, places)} (no interval)"
    level = percent(figure.level, 0)
    return f"{render(figure.value, places)} ({level} CI {render(figure.low, places)} to {render(figure.high, places)})"


def landis_koch(value: float | None) -> str | None:
    """The verbal band of a kappa (Landis & Koch 1977), upper bounds inclusive; only beside the interval."""
    if value is None:
        return None
    if value < 0:
        return "poor"
    return next((band for top, band in _BANDS if value <= top), "almost perfect")
