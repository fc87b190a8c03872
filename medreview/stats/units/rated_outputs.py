"""The outputs in rankings, each by itself: how good raters call it, whether they flag it, rates of models.

Labels of one ranking are alike, so that whole rankings are resampled. An output is flagged as soon as one rater flags
it; of the outputs that somebody was asked about. Ours beside ClinIQLink (section 3.4): its intervals and z tests take
outputs as independent, but those of one ranking answer one question and several raters flag one output. So the share of
labels over whole rankings stands beside each rate, and the difference of two models, paired by ranking, beside each z
test.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from medreview.labels import OF_OUTPUTS, QUALITY
from medreview.stats.formulas.agreement import first_two
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
from medreview.stats.formulas.shared_draws import ResponseSample
from medreview.stats.units.kind_labels import FINAL, OF_MODE, KindLabels, Which
from medreview.units.ranking import ranking_name

STEPS: Final[Mapping[str, int]] = {label.level: len(QUALITY) - place for place, label in enumerate(QUALITY)}
"""Good is 3, Okay 2, Bad 1."""
LEVELS: Final = tuple(label.level for label in QUALITY)
_RANKINGS: Final = """
SELECT unit_id, ordinal, text, json_extract(content, '$.type') AS type, json_extract(content, '$.outputs') AS outputs
FROM unit WHERE kind = 'ranking' ORDER BY ordinal"""


@dataclass(frozen=True, slots=True)
class ShownRanking:
    """A ranking: its ``name`` on the screen, the question, the model of each output, by its number less one."""

    unit: str
    name: str
    question: str
    type: str
    models: tuple[str, ...]


def shown_rankings(reader: sqlite3.Connection, only: Collection[str] | None = None) -> dict[str, ShownRanking]:
    """Every ranking by its unit, in order; ``only``: of these units."""
    return {
        row["unit_id"]: ShownRanking(
            row["unit_id"],
            ranking_name(row["ordinal"]),
            row["text"],
            row["type"] or "",
            tuple(one["model"] for one in json.loads(row["outputs"])),
        )
        for row in reader.execute(_RANKINGS)
        if only is None or row["unit_id"] in only
    }


@dataclass(frozen=True, slots=True)
class RatedOutput:
    """One output: its number in the ranking, what each rater calls it, and whether they flagged it as hallucinated."""

    ranking: ShownRanking
    number: int
    qualities: Mapping[str, str]
    flags: Mapping[str, bool]

    @property
    def model(self) -> str:
        """Who wrote it; ``""`` where that is not known."""
        return self.ranking.models[self.number - 1]


def rated_outputs(labels: KindLabels, rankings: Mapping[str, ShownRanking], which: Which = FINAL) -> list[RatedOutput]:
    """Every output that a reviewer rated or flagged, ranking by ranking; ``which``: by which labels.

    Who ranks has taken back the order where there is none: what is left there of qualities and flags does not count.
    """
    ranked = {(one.reviewer, one.unit) for one in labels.given if one.axis == "rank"}
    rankers = {name for name, _ in ranked}
    said: dict[tuple[str, int], dict[str, dict[str, str]]] = {}
    for one in labels.given:
        if one.reviewer in rankers and (one.reviewer, one.unit) not in ranked:
            continue
        if one.axis in OF_OUTPUTS and one.unit in rankings and (which == FINAL or OF_MODE[one.mode] == which):
            number, level = int(one.item.rpartition("/")[2]), one.current if which == FINAL else one.label
            said.setdefault((one.unit, number), {}).setdefault(one.axis, {})[one.reviewer] = level
    return [
        RatedOutput(
            ranking,
            number,
            qualities=given.get("quality", {}),
            flags={name: level == "flagged" for name, level in given.get("hallucinated", {}).items()},
        )
        for unit, ranking in rankings.items()
        for number in range(1, len(ranking.models) + 1)
        if (given := said.get((unit, number)))
    ]


@dataclass(frozen=True)
class QualityFigures:
    """Some outputs: how often each quality was given, the shares Good and Bad of these labels, and ``usefulness``, the
    mean of Good 3, Okay 2, Bad 1. Whole rankings are resampled."""

    qualities: Mapping[str, int]
    good: Estimate
    bad: Estimate
    usefulness: Estimate


def quality_figures(outputs: Sequence[RatedOutput], whose: str, resampling: Resampling = DEFAULT) -> QualityFigures:
    """``whose``: the outputs in words, for the sentence where nobody rated one."""
    given: dict[str, list[str]] = {}
    for one in outputs:
        given.setdefault(one.ranking.unit, []).extend(one.qualities.values())
    rows = [
        (levels.count("good"), levels.count("bad"), sum(STEPS[level] for level in levels), len(levels))
        for levels in given.values()
        if levels
    ]
    sample = ResponseSample(("good", "bad", "steps", "n"), rows, resampling.over("ranking"))
    nothing = f"Nobody said how good {whose} are."
    counts = Counter(level for levels in given.values() for level in levels)
    return QualityFigures(
        qualities={level: counts[level] for level in LEVELS},
        good=sample.share("share Good", "good", "n", undefined=nothing, whole="Good"),
        bad=sample.share("share Bad", "bad", "n", undefined=nothing, whole="Bad"),
        usefulness=sample.figure("usefulness", "steps", "n", undefined=nothing, scale="plain"),
    )


def quality_agreement(outputs: Sequence[RatedOutput], resampling: Resampling = DEFAULT) -> tuple[Estimate, ...]:
    """Of two raters on the quality of an output (ClinIQLink, table 2); who they are may differ from one to the next."""
    both = [one for one in outputs if len(one.qualities) > 1]
    rankings = [one.ranking.unit for one in both]
    return first_two([one.qualities for one in both], LEVELS, rankings, resampling.over("ranking"))


def raters_of(outputs: Sequence[RatedOutput]) -> dict[str, int]:
    """How many labels each rater gave these outputs."""
    return dict(sorted(Counter(name for one in outputs for name in {**one.qualities, **one.flags}).items()))


def by_type(outputs: Sequence[RatedOutput]) -> Iterator[tuple[str, list[RatedOutput]]]:
    """All outputs as those of ``""``, then those of each type, where there are several types."""
    yield "", list(outputs)
    types = sorted({one.ranking.type for one in outputs})
    if len(types) > 1:
        yield from ((kind, [one for one in outputs if one.ranking.type == kind]) for kind in types)


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
        difference(sides[one], sides[other], BY_LABEL, units, sums, scale="share_difference",
                   resampling=resampling.over("ranking"))
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
