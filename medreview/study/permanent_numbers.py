"""Permanent random numbers (Ohlsson 1995): one for every statement, the same in every copy of a study."""

from typing import Final

from medreview.text import sha256

_HEX_DIGITS: Final = 13
"""52 bits: every such fraction is a float, and none of them is 1."""


def permanent_number(study_id: str, unit: str) -> float:
    """A number in [0, 1) that depends on nothing but the study's id, its seed, and the unit's.

    A sample of those below a rate takes each unit with that probability, a larger sample contains the smaller one,
    and units that come later enter alike.
    """
    return int(sha256(f"{study_id}/{unit}")[:_HEX_DIGITS], 16) / 16**_HEX_DIGITS


def number_given_draw(study_id: str, unit: str, rate: float, position: int | None, size: int) -> float:
    """The number of a unit in a study whose audit was drawn once, as a list, before there were such numbers.

    Given that draw the numbers of its members (at a ``position`` of 1 to ``size``) are uniform below the rate, those of
    all others (``None``) from there on. Members keep their order, so that a half of it that was done stays the first.
    """
    own = permanent_number(study_id, unit)
    return rate + (1 - rate) * own if position is None else rate * (position - 1 + own) / size
