"""How far a model's spans are from an expert's: edit distance to the nearest one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from medreview.stats.formulas.estimate import Estimate, Scale

if TYPE_CHECKING:
    from medreview.stats.formulas.bootstrap import Resampling

MissingRule = Literal["exclude", "length"]

_FIGURES: Final[tuple[tuple[str, Scale], ...]] = (
    ("mean edit distance", "amount"), ("median edit distance", "amount"), ("mean relative edit distance", "ratio"),
)  # fmt: skip
_NOTHING = "No expert span has a model span to compare with."


@dataclass(frozen=True)
class SpanItem:
    """One response: the exact texts of the expert's spans and of the model's.

    ``cluster``: what is resampled with it, such as its question; ``""`` for the response itself.
    """

    expert: Sequence[str]
    model: Sequence[str]
    cluster: str = ""


@dataclass(frozen=True)
class SpanDistances:
    """Per expert span, pooled in order: distance in code points and the same over the longer length.

    ``None`` is a span without a candidate that the rule ``exclude`` left out; ``without_candidate`` counts them
    under either rule.
    """

    distances: tuple[int | None, ...]
    relative: tuple[float | None, ...]
    without_candidate: int
    mean: Estimate
    median: Estimate
    mean_relative: Estimate


def nearest(expert: str, candidates: Sequence[str]) -> tuple[int, float] | None:
    """Least Levenshtein distance in code points to any candidate, and that over the longer length; ``None`` if none.

    Of equally near candidates the one with the smaller relative distance counts.
    """
    from rapidfuzz.distance import Levenshtein

    found = ((Levenshtein.distance(expert, candidate), max(len(expert), len(candidate))) for candidate in candidates)
    return min(((distance, distance / longer if longer else 0.0) for distance, longer in found), default=None)


def span_distances(
    items: Sequence[SpanItem],
    missing: MissingRule = "exclude",
    resampling: "Resampling | None" = None,
) -> SpanDistances:
    """Distances of all expert spans to the nearest model span of the same response, with pooled mean and median.

    ``missing``: an expert span without any model span is left out and counted (``exclude``) or taken as the distance
    to the empty text (``length``). Intervals resample the clusters.
    """
    import numpy as np

    from medreview.stats.formulas import bootstrap
    from medreview.stats.formulas.coefficients import ratio

    resampling = resampling or bootstrap.DEFAULT
    pairs: list[list[tuple[int, float] | None]] = []
    lonely = 0
    for item in items:
        found = [nearest(span, item.model) for span in item.expert]
        lonely += found.count(None)
        if missing == "length":
            found = [
                nearest(span, [""]) if pair is None else pair for span, pair in zip(item.expert, found, strict=True)
            ]
        pairs.append(found)
    pooled = [pair for found in pairs for pair in found]
    known = [[pair for pair in found if pair is not None] for found in pairs]
    groups: dict[str, list[tuple[int, float]]] = {}
    for place, (item, near) in enumerate(zip(items, known, strict=True)):
        if near:
            groups.setdefault(item.cluster or str(place), []).extend(near)
    used = list(groups.values())
    n, clusters = sum(map(len, used)), len(used)
    dropped = len(pooled) - n
    if n == 0:
        mean, median, mean_relative = (
            bootstrap.undefined_figure(name, _NOTHING, scale=scale, resampling=resampling, dropped=dropped)
            for name, scale in _FIGURES
        )
    else:
        grid = sorted({distance for kept in used for distance, _ in kept})
        column = {distance: index for index, distance in enumerate(grid)}
        units = np.zeros((clusters, len(grid) + 1))
        for row, kept in zip(units, used, strict=True):
            for distance, relative in kept:
                row[column[distance]] += 1
                row[-1] += relative
        values = np.array(grid, dtype=np.float64)
        data = bootstrap.contributions(units)
        sums, observed = bootstrap.draw(data, resampling), data.total

        def figure(of: tuple[str, Scale], finish: "bootstrap.Statistic", *, smooth: bool = True) -> Estimate:
            name, scale = of
            return bootstrap.bootstrap_figure(
                name, float(finish(observed)[0]), finish(sums), n=n, clusters=clusters, undefined=_NOTHING,
                instead="", left_out=bootstrap.without_each(units, finish, resampling) if smooth else None,
                scale=scale, resampling=resampling, dropped=dropped,
            )  # fmt: skip

        mean = figure(_FIGURES[0], lambda s: ratio(s[:, :-1] @ values, s[:, :-1].sum(axis=1)))
        median = figure(_FIGURES[1], lambda s: bootstrap.medians(s[:, :-1], values), smooth=False)
        mean_relative = figure(_FIGURES[2], lambda s: ratio(s[:, -1], s[:, :-1].sum(axis=1)))
    return SpanDistances(
        distances=tuple(None if pair is None else pair[0] for pair in pooled),
        relative=tuple(None if pair is None else pair[1] for pair in pooled),
        without_candidate=lonely,
        mean=mean,
        median=median,
        mean_relative=mean_relative,
    )
