"""Which paragraphs are kept: by a threshold on each feature, or the best share of them by all three."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from medreview.generators.passages.features import Features

RULES: Final[Mapping[str, str]] = {
    "few_tokens": "under 15 tokens",
    "few_sentences": "under two sentences",
    "too_long": "over 1,000 tokens",
    "boilerplate": "navigation, disclaimer, imprint",
    "table": "30% of its lines are rows of a table",
    "caption": "caption of a figure or table",
    "latex": "LaTeX",
    "low_density": "few entities",
    "incoherent": "consecutive sentences unevenly alike",
    "unfocused": "many meanings",
    "twice": "the same text again",
}
"""Every rule that leaves a paragraph out, in the order in which they are asked, and what it means."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """A passage is kept that has this entity density at least, and this variance and this entropy at most.

    The paper's own are lost in the text of it that is at hand; these are ours.
    """

    density: float = 0.05
    variance: float = 0.05
    entropy: float = 1.0

    def failed(self, one: Features) -> tuple[str, ...]:
        """The codes of the rules that a passage fails."""
        fails = {
            "low_density": one.density < self.density,
            "incoherent": one.variance > self.variance,
            "unfocused": one.entropy > self.entropy,
        }
        return tuple(code for code, failed in fails.items() if failed)


def thresholds_keeping(share: float, every: Sequence[Features]) -> Thresholds:
    """The thresholds that keep the best ``share`` (0..1) of some passages, and those that are as good as the last one.

    A passage is as good as its worst place in the three orders, by density, variance and entropy: the thresholds are
    what the passages that are kept reach in each.
    """
    if not every:
        return Thresholds()
    orders = (
        sorted(-one.density for one in every),
        sorted(one.variance for one in every),
        sorted(one.entropy for one in every),
    )
    places = [
        {value: at for at, value in reversed(list(enumerate(order)))} for order in orders
    ]  # of equal values the first place
    worst = [max(places[0][-one.density], places[1][one.variance], places[2][one.entropy]) for one in every]
    last = sorted(worst)[max(1, ceil(share * len(every))) - 1]
    kept = [one for one, place in zip(every, worst, strict=True) if place <= last]
    return Thresholds(
        min(one.density for one in kept), max(one.variance for one in kept), max(one.entropy for one in kept)
    )
