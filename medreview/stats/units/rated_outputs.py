"""The outputs in rankings, each by itself: how good raters call it, whether they flag it, how alike two of them rate.

Labels of one ranking are alike, so that whole rankings are resampled.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.labels import OF_OUTPUTS, QUALITY
from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
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
    sample = ResponseSample(("good", "bad", "steps", "n"), rows, resampling, "ranking")
    nothing = f"Nobody said how good {whose} are."
    counts = Counter(level for levels in given.values() for level in levels)
    return QualityFigures(
        qualities={level: counts[level] for level in LEVELS},
        good=sample.share("share Good", "good", "n", undefined=nothing, whole="Good"),
        bad=sample.share("share Bad", "bad", "n", undefined=nothing, whole="Bad"),
        usefulness=sample.figure("usefulness", "steps", "n", undefined=nothing, scale="plain"),
    )


def quality_agreement(outputs: Sequence[RatedOutput], resampling: Resampling = DEFAULT) -> tuple[Estimate, ...]:
    """Of two raters on the quality of an output, with quadratic weights (ClinIQLink, table 2).

    Who they are may differ from output to output: the first two by name.
    """
    both = [one for one in outputs if len(one.qualities) > 1]
    pairs = [[one.qualities[name] for name in sorted(one.qualities)[:2]] for one in both]
    two = two_raters(
        [first for first, _ in pairs], [second for _, second in pairs], LEVELS,
        clusters=[one.ranking.unit for one in both], weights="quadratic",
        statistics=("percent_agreement", "cohen_kappa", "gwet_ac"), resampling=resampling, unit="ranking",
    )  # fmt: skip
    return tuple(two.figures.values())


def raters_of(outputs: Sequence[RatedOutput]) -> dict[str, int]:
    """How many labels each rater gave these outputs."""
    return dict(sorted(Counter(name for one in outputs for name in {**one.qualities, **one.flags}).items()))


def by_type(outputs: Sequence[RatedOutput]) -> Iterator[tuple[str, list[RatedOutput]]]:
    """All outputs as those of ``""``, then those of each type, where there are several types."""
    yield "", list(outputs)
    types = sorted({one.ranking.type for one in outputs})
    if len(types) > 1:
        yield from ((kind, [one for one in outputs if one.ranking.type == kind]) for kind in types)
