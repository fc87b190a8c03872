"""How rare a term is in medical texts.

A page of a few sentences cannot show which words of a statement tell something: in it every word is rare. So shares of
a statement's words weigh them by a background of abstracts and trial reports, in ``background.toml`` (counts only; its
sources and their licences stand in its head).
"""

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from math import log
from pathlib import Path
from typing import Final

_RARE: Final = 2
"""In how many pieces a term stands that is not in the table, which has those of five or more."""


@cache
def _rarities() -> tuple[dict[str, float], float]:
    """By term its inverse document frequency, and that of a term that is not in the table."""
    table = tomllib.loads(Path(__file__).with_name("background.toml").read_text("utf-8"))

    def of(count: int) -> float:
        return log(1 + (table["pieces"] - count + 0.5) / (count + 0.5))

    by_count = ((of(int(count)), terms) for count, terms in table["terms"].items())
    return {term: rarity for rarity, terms in by_count for term in terms.split()}, of(_RARE)


@lru_cache(maxsize=2_000)
def rarities(terms: tuple[str, ...]) -> Mapping[str, float]:
    """The inverse document frequencies of terms in the background, above 0; highest for those that are not in it."""
    known, highest = _rarities()
    return {term: known.get(term, highest) for term in terms}
