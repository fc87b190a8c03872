"""Figures as flat rows: every estimate and every count of a report, with where in it they stand and what they are of.

A walk over the dataclasses of a report, so that a section that comes new has its rows by itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Final, NamedTuple

from medreview.stats.formulas.estimate import Estimate

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
        left_out=figure.dropped,
        reason=figure.reason,
        seed=figure.seed,
        notes=" ".join(figure.notes),
    )


def _word(value: str | bool) -> str:
    return value if isinstance(value, str) else "yes" if value else "no"


def _words(context: Mapping[str, str]) -> str:
    return "; ".join(f"{name}={word}" for name, word in context.items())
