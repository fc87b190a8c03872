"""Whether an item asks what another one of the same passage and type asks already."""

from collections.abc import Iterable
from typing import Final

from medreview.evidence.quantities import quantities
from medreview.units.qa_item import folded

ALIKE: Final = 90
"""Token set similarity (0..100) from which on two questions are one, when their numbers are equal."""


def is_duplicate(question: str, others: Iterable[str]) -> bool:
    """Whether a question is one of the others, of which only words that say little and their order may differ."""
    from rapidfuzz import fuzz

    own, numbers = folded(question), _numbers(question)
    return any(_numbers(other) == numbers and fuzz.token_set_ratio(own, folded(other)) >= ALIKE for other in others)


def _numbers(text: str) -> frozenset[tuple[float, float, str]]:
    return frozenset((one.low, one.high, one.unit) for one in quantities(text))
