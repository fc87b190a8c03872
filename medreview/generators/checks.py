"""Rules that validators of several generators share. Each gives words on what is wrong, or what a rule is made from."""

import re
from math import isclose
from typing import Final

from medreview.evidence.grounding import Grounding, ground
from medreview.evidence.quantities import Quantity, quantities
from medreview.labels import SAME_WORDS

_DEIXIS: Final = re.compile(
    r"\b(?:according to|(?:information|details|data) (?:given|provided|above)|(?:mentioned|described) (?:above|here|in)"
    r"|the (?:passage|text|paragraph|article|excerpt|document|authors?|above|given (?:text|passage))"
    r"|this (?:passage|text|paragraph|article|document|study|page))\b",
    re.IGNORECASE,
)


def quote_codes(quote: str, text: str) -> tuple[str, ...]:
    """Why a quote is no proof that something stands in a text: ``no_quote``, ``quote_altered``, ``quote_absent``."""
    if not quote.strip():
        return ("no_quote",)
    found = grounded(quote, text)
    if found.status in SAME_WORDS:
        return ()
    return ("quote_altered",) if found.status in ("near", "altered") else ("quote_absent",)


def grounded(quote: str, text: str) -> Grounding:
    """Where a quote stands in a text, and how true to it."""
    return ground(quote, text)


def numbers_missing(claim: str, source: str) -> list[str]:
    """The numbers of a claim that a source does not have with the same value and unit, as they are written.

    A number without a unit is there when any number of the source is written so; one by a further unit (1,000 mg a day)
    also where the source has it without (1,000 mg). A bound (at most 4) is there where the number is, unless that is
    one to the other side.
    """
    there = quantities(source)
    return [claim[one.start : one.end] for one in quantities(claim) if not any(_is_there(one, it) for it in there)]


def _is_there(claimed: Quantity, there: Quantity) -> bool:
    sides = {sign[0] for sign in (claimed.sign, there.sign)}
    if {"<", ">"} <= sides:
        return False
    if claimed.equals(there):
        return True
    if claimed.unit and (claimed.unit == there.unit or claimed.unit.split("/")[0] != there.unit.split("/")[0]):
        return False
    return isclose(claimed.number, there.number) and isclose(claimed.high * there.low, there.high * claimed.low)


def points_at_its_text(text: str) -> bool:
    """Whether a question speaks of a text that whoever is asked does not see (``according to the passage``)."""
    return _DEIXIS.search(text) is not None


def words(text: str) -> int:
    """The number of words, by white space."""
    return len(text.split())
