"""What a figure is: a value with its interval, its n and a reason when undefined; cautions; figures as flat rows.

The thresholds say below which numbers a figure comes with a caution: reports, the workbench's panel and the small jury
all ask here. ``figure_rows`` walks over the dataclasses of a report, so that a new section has its rows by itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, is_dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, Literal, NamedTuple, get_args

FEW_ITEMS: Final = 30
"""Items below which no figure of agreement is to be leant on."""

JACKKNIFE_BELOW: Final = 200
"""Clusters (questions, responses) below which an interval leaves out each in turn instead of resampling them: with 30
of them percentile intervals cover about 88% instead of 95% in simulation, with 100 still down to 92%."""

FEW_FOR_PERCENTILES: Final = 100
"""Clusters below which a percentile interval, where nothing better is known, is too narrow."""

FEWEST: Final = 5
"""Statements, or labels, below which a part does not stand alone: a figure of so few tells each, and no rate."""

FEWEST_CLUSTERS: Final = 3
"""Clusters below which a figure has no interval: that of two is as wide as the scale, half of the time."""

FEWEST_COMPARED: Final = 5
"""Clusters of each side below which a difference has no interval: beside 40 others, that of two, three or four holds
the truth in 48 to 90% of simulated studies instead of 95%."""

FEW_CLUSTERS: Final = 10
"""Clusters below which any interval over clusters can be too narrow."""

RARE: Final = 10
"""Items below which a label is too rare for kappa, whose interval then covers too little: with one or two hardly half
of the time."""

UNDEFINED_LIMIT: Final = 0.05
"""The share of resamples without a value above which a figure has no interval."""


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
    ``dropped`` those left out because a judgement is missing. ``cluster`` names, in the singular, what the items lie in
    (a question, a response, a case) and ``clusters`` counts these; ``""`` and ``None`` where items are taken as
    independent. Shares are fractions; ``scale`` says what is one. ``undefined_share`` is the share of resamples without
    a value; ``notes`` are cautions to print beside the figure.
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
    cluster: str = ""

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


COUNT: Final = "count"
"""The method of a number that is no estimate: counts, and what a report says beside its estimates."""

_NO_FIGURES: Final = frozenset({"provenance", "resampling"})
"""They say how figures were made."""
_SENTENCES: Final = frozenset({"reason", "why"})
"""Texts that do not tell what a figure is of."""


class FigureRow(NamedTuple):
    """One figure.

    ``path``: its place in the JSON (``reviewers[0].agreement[0].comparisons[1].agreement[0]``). ``context``: what it is
    of, the texts that stand around it on the way there (``reviewer=anna; mode=blind; second=judge 1``). The others are
    the fields of an :class:`Estimate`; a plain number has a value alone.
    """

    path: str
    context: str
    statistic: str
    value: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: str = COUNT
    n: int | None = None
    clusters: int | None = None
    cluster: str = ""
    left_out: int | None = None
    reason: str | None = None
    seed: int | None = None
    notes: str = ""


def figure_rows(figures: object) -> Iterator[FigureRow]:
    """Every estimate and number of a report (a dataclass of dataclasses, tuples and mappings), in its order.

    Sentences and names are no rows: names are in the context of what stands beside them.
    """
    yield from _rows(figures, "", {}, "")


def _rows(value: object, path: str, context: Mapping[str, str], name: str) -> Iterator[FigureRow]:
    if isinstance(value, Estimate):
        yield _estimate(value, path, context)
    elif is_dataclass(value):
        named = [(field.name, getattr(value, field.name)) for field in fields(value) if field.name not in _NO_FIGURES]
        words = {each: _word(held) for each, held in named if isinstance(held, (str, bool)) and held != ""}
        inner = {**context, **{each: word for each, word in words.items() if each not in _SENTENCES}}
        for each, held in named:
            yield from _rows(held, f"{path}.{each}" if path else each, inner, each)
    elif isinstance(value, Mapping):
        for key, held in value.items():
            yield from _rows(held, f"{path}.{key}", {**context, name: str(key)}, name)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield FigureRow(path, _words(context), name, value)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for place, held in enumerate(value):
            yield from _rows(held, f"{path}[{place}]", context, name)


def _estimate(figure: Estimate, path: str, context: Mapping[str, str]) -> FigureRow:
    return FigureRow(
        path=path,
        context=_words(context),
        statistic=figure.name,
        value=figure.value,
        low=figure.low,
        high=figure.high,
        level=figure.level,
        method=figure.method,
        n=figure.n,
        clusters=figure.clusters,
        cluster=figure.cluster,
        left_out=figure.dropped,
        reason=figure.reason,
        seed=figure.seed,
        notes=" ".join(figure.notes),
    )


def _word(value: str | bool) -> str:
    return value if isinstance(value, str) else "yes" if value else "no"


def _words(context: Mapping[str, str]) -> str:
    return "; ".join(f"{name}={word}" for name, word in context.items())
