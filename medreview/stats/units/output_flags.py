"""Hallucinated outputs in rankings: the rate of each model, models beside each other, and what goes with the rate.

An output is flagged as soon as one rater flags it; of the outputs that somebody was asked about. Ours beside ClinIQLink
(section 3.4): its intervals and z tests take outputs as independent, but those of one ranking answer one question and
several raters flag one output. So the share of labels over whole rankings stands beside each rate, and the difference
of two models, paired by ranking, beside each z test.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from medreview.stats.formulas.bootstrap import DEFAULT, Resampling, contributions, draw
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.hypothesis_tests import (
    Side,
    StatisticDifference,
    TestResult,
    difference,
    in_family,
    two_proportions,
    with_holm,
)
from medreview.stats.formulas.intervals import pooled_share, share_of
from medreview.stats.formulas.ranks_and_ratings import RankCorrelation, spearman
from medreview.stats.units.rated_outputs import RatedOutput, by_type

RATE: Final = "hallucination rate"
BY_LABEL: Final = "share of labels that flag"
_LEAST_MODELS: Final = 3
_NOTHING: Final = "Nobody said of an output whether it is hallucinated."


@dataclass(frozen=True)
class FlagRates:
    """The outputs of one ``model``, of all types (``type`` is ``""``) or of one.

    ``rate``: outputs that anybody flagged / outputs that anybody was asked about, by Wilson where each is of another
    ranking, else over rankings. ``by_label``: flags / labels, several raters of an output counting once each, over
    rankings.
    """

    model: str
    type: str
    rate: Estimate
    by_label: Estimate


@dataclass(frozen=True)
class FlagDifference:
    """Two models. ``labels``: the share of labels of the first minus that of the second, paired by ranking, p by Holm.

    ``test``: the paper's z test of the two rates; ``holm``, ``bonferroni``: its p among the ``family`` of these.
    """

    labels: StatisticDifference
    test: TestResult
    holm: float | None
    bonferroni: float | None
    family: int


@dataclass(frozen=True)
class FlagCorrelation:
    """Spearman's rho of the models' hallucination rates with their ``beside``: usefulness, mean rank or share Good; of
    the questions of a ``type``, ``""`` for all."""

    type: str
    beside: str
    models: int
    correlation: RankCorrelation


@dataclass(frozen=True)
class OutputFlags:
    """``asked``: outputs that somebody was asked about; ``flagged``: those that anybody flagged."""

    asked: int
    flagged: int
    models: tuple[FlagRates, ...]
    differences: tuple[FlagDifference, ...]
    correlations: tuple[FlagCorrelation, ...]


def flag_rates(outputs: Sequence[RatedOutput], model: str = "", kind: str = "") -> FlagRates:
    """Those of some outputs; ``model`` and ``kind`` name them."""
    asked = [one for one in outputs if one.flags]
    of_rankings: dict[str, list[RatedOutput]] = {}
    for one in asked:
        of_rankings.setdefault(one.ranking.unit, []).append(one)
    left = len(outputs) - len(asked)
    flagged = [(sum(map(_flagged, each)), len(each)) for each in of_rankings.values()]
    labels = [
        (sum(sum(one.flags.values()) for one in each), sum(len(one.flags) for one in each))
        for each in of_rankings.values()
    ]
    return FlagRates(
        model,
        kind,
        rate=share_of(RATE, flagged, dropped=left, unit="ranking", nothing=_NOTHING),
        by_label=pooled_share(BY_LABEL, labels, dropped=left, unit="ranking", nothing=_NOTHING),
    )


def _flagged(one: RatedOutput) -> bool:
    return any(one.flags.values())


Beside = Mapping[tuple[str, str], Mapping[str, float | None]]
"""By model and type, what stands beside the rate: usefulness, mean rank, share Good."""


def output_flags(
    outputs: Sequence[RatedOutput], beside: Beside, resampling: Resampling = DEFAULT
) -> OutputFlags | None:
    """``None`` where nobody was asked of any output; outputs without a model are of none."""
    asked = [one for one in outputs if one.flags and one.model]
    if not asked:
        return None
    rates = [
        flag_rates([one for one in of_type if one.model == model], model, kind)
        for kind, of_type in by_type(asked)
        for model in sorted({one.model for one in of_type})
    ]
    return OutputFlags(
        asked=len(asked),
        flagged=sum(map(_flagged, asked)),
        models=tuple(rates),
        differences=tuple(_differences(asked, resampling)),
        correlations=tuple(_correlations(rates, beside)),
    )


def _differences(asked: Sequence[RatedOutput], resampling: Resampling) -> Iterator[FlagDifference]:
    """Each two models, on all outputs; rankings that have one of the two only vary as such."""
    models = sorted({one.model for one in asked})
    place = {unit: row for row, unit in enumerate(dict.fromkeys(one.ranking.unit for one in asked))}
    units = np.zeros((len(place), 2 * len(models)))
    for one in asked:
        column = 2 * models.index(one.model)
        units[place[one.ranking.unit], column] += sum(one.flags.values())
        units[place[one.ranking.unit], column + 1] += len(one.flags)
    sums = draw(contributions(units), resampling)
    columns = np.eye(2 * len(models))
    sides = [Side.share(model, *columns[2 * number : 2 * number + 2]) for number, model in enumerate(models)]
    pairs = list(combinations(range(len(models)), 2))
    found = with_holm([
        difference(sides[one], sides[other], BY_LABEL, units, sums, scale="share_difference", resampling=resampling,
                   unit="ranking")
        for one, other in pairs
    ])  # fmt: skip
    of_model = [[one for one in asked if one.model == model] for model in models]
    tests = [
        two_proportions(
            [sum(map(_flagged, of_model[each])) for each in pair], [len(of_model[each]) for each in pair]
        )
        for pair in pairs
    ]  # fmt: skip
    for labels, test, by in zip(found, tests, in_family(tests), strict=True):
        yield FlagDifference(labels, test, *by)


def _correlations(rates: Sequence[FlagRates], beside: Beside) -> Iterator[FlagCorrelation]:
    for kind in dict.fromkeys(one.type for one in rates):
        of_kind = [one for one in rates if one.type == kind]
        for name in ("usefulness", "mean rank", "share Good"):
            known = [
                (one.rate.value, value)
                for one in of_kind
                if one.rate.value is not None and (value := beside.get((one.model, kind), {}).get(name)) is not None
            ]
            if len(known) >= _LEAST_MODELS:
                found = spearman([rate for rate, _ in known], [value for _, value in known])
                yield FlagCorrelation(kind, name, len(known), found)
