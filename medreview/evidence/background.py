"""How rare a term is in medical texts.

A page of a few sentences cannot show which words of a statement tell something: in it every word is rare. So shares of
a statement's words weigh them by a background of abstracts and trial reports, in ``background.toml`` (counts only; its
sources and their licences stand in its head).
"""

import tomllib
from functools import cache
from math import log
from pathlib import Path
from typing import Final

_RARE: Final = 2
"""In how many pieces a term stands that is not in the table, which has those of five or more."""


@cache
def _counts() -> tuple[int, dict[str, int]]:
    """The number of pieces of text, and by term that of the pieces in which it stands."""
    table = tomllib.loads(Path(__file__).with_name("background.toml").read_text("utf-8"))
    return table["pieces"], {term: int(count) for count, terms in table["terms"].items() for term in terms.split()}


def rarity(term: str) -> float:
    """The inverse document frequency of a term in the background, above 0; highest for a term that is not in it."""
    pieces, counts = _counts()
    count = counts.get(term, _RARE)
    return log(1 + (pieces - count + 0.5) / (count + 0.5))
