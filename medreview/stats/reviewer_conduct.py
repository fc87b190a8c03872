"""How one reviewer works: agreement with herself on a second pass, signs of labels given without looking, and pace.

Intra-rater agreement compares the labels of the second pass with those of the first. Each sign is a plain sentence with
its figure, and none of them a proof. ``conduct_report`` puts everything together, for the reviewer's own eyes.
"""

import math
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

import numpy as np

from medreview.labels import AXES, Mode
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.decision_timing import (
    Drift,
    Labelled,
    Pace,
    TimedDecision,
    drifts,
    paces,
    stretches,
    timed_decisions,
)
from medreview.stats.formulas.agreement import LEADING_PAIR, paired
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling, contributions, draw, sum_by_cluster
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.hypothesis_tests import Side, difference
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.shared_draws import ResponseSample
from medreview.stats.units.kind_labels import unit_clusters
from medreview.study.ids import kind_of
from medreview.units.label_comparisons import GoldResult, Twice, labelled_twice, told_results

FIRST: Final[dict[Mode, str]] = {
    "blind": "first labels of the first pass, given blind",
    "assisted": "labels of the first pass as they stand, given with the judges in sight",
}
SECOND: Final = "labels of the second pass, given before its judges were shown"

_SAME: Final = ("same", "another")


@dataclass(frozen=True)
class IntraRater:
    """Units of one ``kind`` that have a label of both passes on its ``axis``, the first one of a ``mode``.

    ``first`` and ``second`` say which labels these are. ``table`` has the first pass in rows, in the order of
    ``labels``; empty, and without kappa, for orders. ``same`` counts the labels that are the same.
    """

    kind: str
    axis: str
    mode: Mode
    first: str
    second: str
    same: int
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    agreement: tuple[Estimate, ...]


def intra_rater(
    reader: sqlite3.Connection,
    reviewer: str,
    resampling: Resampling,
    only: Collection[str] | None = None,
    answers: Clusters | None = None,
) -> tuple[IntraRater, ...]:
    """By kind, axis and mode of the first label; ``only``: of these units. What units come from is resampled;
    ``answers``: the clusters of the study, where they are known already."""

    def group(one: Twice) -> tuple[str, str, Mode]:
        return kind_of(one.unit), one.axis, one.mode

    twice = sorted(labelled_twice(reader, reviewer, only), key=group)
    answers = answers or study_clusters(reader)
    found = []
    for (kind, axis, mode), units in groupby(twice, key=group):
        held = list(units)
        cluster, of = unit_clusters(reader, kind, {one.unit for one in held}, answers)
        clusters = [of.get(one.unit, one.unit) for one in held]
        found.append(_agreement(kind, axis, mode, held, clusters, replace(resampling, cluster=cluster)))
    return tuple(found)


def _agreement(
    kind: str, axis: str, mode: Mode, held: Sequence[Twice], clusters: Sequence[str], resampling: Resampling
) -> IntraRater:
    levels = tuple(label.level for label in AXES[axis])
    first, second = [one.first for one in held], [one.second for one in held]
    if not levels:  # of orders only whether they are the same is asked
        first, second = [_SAME[0]] * len(held), [_SAME[not one.same] for one in held]
    found = paired(first, second, levels or _SAME, clusters, resampling)
    return IntraRater(
        kind=kind,
        axis=axis,
        mode=mode,
        first=FIRST[mode],
        second=SECOND,
        same=sum(one.same for one in held),
        labels=levels,
        table=found.table if levels else (),
        agreement=tuple(found.agreement(LEADING_PAIR if levels else LEADING_PAIR[:1]).values()),
    )


WORDS_PER_MINUTE: Final = 300
"""The upper end of how fast adults read plain prose in silence (Brysbaert 2019: 175 to 300 words a minute)."""
CHARACTERS_PER_WORD: Final = 6
"""Of English, with the blank behind the word."""
NOT_RECORDED: Final = (
    "Whether a source was scrolled, or another one opened, is not on record: the page that was on the screen is."
)

_NO_ASSISTED: Final = "No assisted decision met a verdict of the judges."
_NO_BLIND: Final = "No blind label met a verdict of the judges."


@dataclass(frozen=True)
class Sign:
    """``sentence``: what is counted, and what else than haste can make it so."""

    name: str
    sentence: str
    figure: Estimate


@dataclass(frozen=True)
class LongestRun:
    """The longest run of one ``label`` in a row within a sitting, of ``n`` decisions in all sittings.

    ``by_chance``: how long the longest run of it would be about, were the same labels drawn in any order (Schilling
    1990); ``None`` where only this label was given.
    """

    label: str
    length: int
    share: float
    n: int
    by_chance: float | None


def signs(
    reader: sqlite3.Connection,
    reviewer: str,
    decisions: Sequence[TimedDecision],
    resampling: Resampling,
    pass_no: int = 1,
    only: Collection[str] | None = None,
) -> tuple[Sign, ...]:
    """Of the first decisions; and of the gold items that no open block hides, of the units in ``only``."""
    assisted = [each for each in decisions if each.mode == "assisted" and each.judges]
    blind = [each for each in decisions if each.mode == "blind" and each.judges]
    differing = [each for each in blind if not each.as_judges]
    timed = [each for each in decisions if each.seconds is not None]
    readable = [each for each in decisions if each.readable]
    gold = [one for one in told_results(reader, reviewer, pass_no) if only is None or one.unit in only]
    return (
        Sign(
            "assisted decisions that follow the judges",
            "Assisted decisions with the label that the judges had. Right judges are to be followed.",
            _share(
                "follows the judges", assisted, [each.as_judges is True for each in assisted], resampling, _NO_ASSISTED,
            ),
        ),
        Sign(
            "taken over with one key",
            "Assisted decisions that took the judges' verdict over without a digit of one's own.",
            _share("taken over", assisted, [each.via == "accept" for each in assisted], resampling, _NO_ASSISTED),
        ),
        Sign(
            "agreement with the judges, assisted minus blind, in points",
            "How much more often assisted labels are those of the judges than blind ones. Other statements: triage and "
            "audit choose differently.",
            _assisted_minus_blind(assisted, blind, resampling),
        ),
        Sign(
            "changed to the judges' verdict",
            "Blind labels that differed from the judges' and are theirs now. On a second look they may be right.",
            _share(
                "changed to theirs", differing, [each.current == each.judges for each in differing], resampling,
                "No blind label differs from the judges'.",
            ),
        ),
        Sign(
            "sooner than can be read",
            "Decisions in less active time than it takes to read the statement and the best passage of the page on the "
            f"screen at {WORDS_PER_MINUTE} words a minute (six characters a word). Neighbours have been read before.",
            _share(
                "sooner than can be read", timed, [_sooner(each) for each in timed], resampling,
                "No decision has its time on record.", len(decisions) - len(timed),
            ),
        ),
        Sign(
            "without a page on the screen",
            "Decisions on statements whose response has a readable page, while none was on the screen. " + NOT_RECORDED,
            _share(
                "without a page", readable, [not each.page for each in readable], resampling,
                "No response has a readable page.", len(decisions) - len(readable),
            ),
        ),
        Sign(
            "gold items right",
            "Labels on items whose right label is known. Gold items are hard on purpose, or easy: see who made them.",
            _gold("gold items right", gold),
        ),
        Sign(
            "checks of attention right",
            "The same of those that take no judgement, only attention.",
            _gold("checks of attention right", [one for one in gold if one.gold.attention]),
        ),
    )  # fmt: skip


def longest_run(decisions: Sequence[TimedDecision]) -> LongestRun | None:
    """Within the sittings of one queue each; ``None`` without decisions."""
    found = [
        (sum(1 for _ in same), label)
        for one in stretches(decisions)
        for label, same in groupby(one, key=lambda each: each.label)
    ]
    if not found:
        return None
    length, label = max(found)
    n, given = len(decisions), Counter(each.label for each in decisions)[label]
    share = given / n
    expected = math.log(n * (1 - share)) / -math.log(share) if n * (1 - share) >= 1 else None
    return LongestRun(label, length, share, n, None if expected is None else max(1.0, expected))


def reading_seconds(characters: int) -> float:
    """The time to read a text once, in silence."""
    return characters / CHARACTERS_PER_WORD / WORDS_PER_MINUTE * 60


def _sooner(decision: TimedDecision) -> bool:
    return decision.seconds is not None and decision.seconds < reading_seconds(decision.characters)


def _share(
    name: str, decisions: Sequence[TimedDecision], hits: Sequence[bool], resampling: Resampling, nothing: str,
    dropped: int = 0,
) -> Estimate:  # fmt: skip
    """A share of decisions, resampled over clusters."""
    rows = [(float(hit), 1.0) for hit in hits]
    sample = ResponseSample(("hits", "n"), rows, resampling, clusters=[each.cluster for each in decisions])
    return sample.share(name, "hits", "n", undefined=nothing, whole="so", dropped=dropped)


def _assisted_minus_blind(
    assisted: Sequence[TimedDecision], blind: Sequence[TimedDecision], resampling: Resampling
) -> Estimate:
    """The difference of two shares."""
    rows: list[tuple[int, ...]] = [(each.as_judges is True, 1, 0, 0) for each in assisted]
    rows += [(0, 0, each.as_judges is True, 1) for each in blind]
    clusters = [each.cluster for each in (*assisted, *blind)]
    units = sum_by_cluster(np.array(rows, dtype=np.float64).reshape(-1, 4), clusters)
    return difference(
        Side.share("assisted", (1, 0, 0, 0), (0, 1, 0, 0)),
        Side.share("blind", (0, 0, 1, 0), (0, 0, 0, 1)),
        "agreement with the judges",
        units,
        draw(contributions(units), resampling) if len(units) else units,
        scale="share_difference",
        undefined=_NO_BLIND if assisted else _NO_ASSISTED,
        resampling=resampling,
    ).estimate


def _gold(name: str, results: Sequence[GoldResult]) -> Estimate:
    right = sum(one.right for one in results)
    return proportion(name, right, len(results), nothing="No such item is decided and shown.")


@dataclass(frozen=True)
class Conduct:
    """How one reviewer works: ``decisions`` first ones on statements, and all that follows from them.

    For the reviewer's own eyes. ``intra_rater`` is of every kind of unit; all else is of statements.
    """

    reviewer: str
    decisions: int
    pace: tuple[Pace, ...]
    drift: tuple[Drift, ...]
    intra_rater: tuple[IntraRater, ...]
    signs: tuple[Sign, ...]
    longest_run: LongestRun | None


def conduct_report(
    reader: sqlite3.Connection,
    reviewer: str,
    labels: Mapping[str, Labelled],
    pass_no: int = 1,
    only: Collection[str] | None = None,
    resampling: Resampling = DEFAULT,
    clusters: Clusters | None = None,
) -> Conduct:
    """That of one pass, from the labels of a reviewer and the events; of the statements ``only``, if given.

    ``clusters``: those of the study, where they are known already.
    """
    decisions = timed_decisions(reader, reviewer, labels, pass_no)
    clusters = clusters or study_clusters(reader)
    resampling = replace(resampling, cluster=clusters.name)
    return Conduct(
        reviewer=reviewer,
        decisions=len(decisions),
        pace=paces(decisions),
        drift=drifts(decisions, resampling),
        intra_rater=intra_rater(reader, reviewer, resampling, only, clusters),
        signs=signs(reader, reviewer, decisions, resampling, pass_no, only),
        longest_run=longest_run(decisions),
    )
