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
