"""Signs of labels given without looking: each a plain sentence with its figure, and none of them a proof."""

import math
import sqlite3
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np

from medreview.stats.conduct.timed_decisions import TimedDecision, stretches
from medreview.stats.formulas.bootstrap import Resampling, contributions, draw
from medreview.stats.formulas.coefficients import ratio
from medreview.stats.formulas.differences import Side, difference
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.response_sample import ResponseSample
from medreview.units.gold_results import GoldResult, told_results

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
            "Blind labels that differed from the judges' and are theirs now. Who looks again may find them right.",
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
    """A share of decisions, resampled over responses."""
    rows: dict[str, list[float]] = {}
    for each, hit in zip(decisions, hits, strict=True):
        row = rows.setdefault(each.response_id, [0.0, 0.0])
        row[0] += hit
        row[1] += 1
    sample = ResponseSample(("hits", "n"), list(rows.values()), resampling)
    return sample.share(name, "hits", "n", undefined=nothing, whole="so", dropped=dropped)


def _assisted_minus_blind(
    assisted: Sequence[TimedDecision], blind: Sequence[TimedDecision], resampling: Resampling
) -> Estimate:
    """The difference of two shares."""
    rows: dict[str, list[float]] = {}
    for place, group in ((0, assisted), (2, blind)):
        for each in group:
            row = rows.setdefault(each.response_id, [0.0] * 4)
            row[place] += each.as_judges is True
            row[place + 1] += 1
    units = np.array(list(rows.values()), dtype=np.float64).reshape(-1, 4)
    return difference(
        Side("assisted", lambda sums: ratio(sums[:, 0], sums[:, 1]), np.array([0.0, 1.0, 0.0, 0.0])),
        Side("blind", lambda sums: ratio(sums[:, 2], sums[:, 3]), np.array([0.0, 0.0, 0.0, 1.0])),
        "agreement with the judges",
        units,
        draw(contributions(units), resampling) if len(units) else units,
        scale="share_difference",
        undefined=_NO_BLIND if assisted else _NO_ASSISTED,
        resampling=resampling,
    ).estimate


def _gold(name: str, results: Sequence[GoldResult]) -> Estimate:
    right = sum(one.right for one in results)
    return proportion(name, right, len(results), nothing="No such item is decided and told.")
