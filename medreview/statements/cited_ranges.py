"""What a producer says that stretches of its answer cite: such as hold a claim, and such as are a mark behind one."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from medreview.citations import Citation, canonical_key, extract, from_list
from medreview.citations.markers import RESIDUE, Marker, MarkerTarget

_LINK: Final = r"\[[^\[\]\n]*+\]\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+\)"
_MARK: Final = re.compile(
    rf"[\s(]*+(?:(?:{_LINK}|<?https?://\S++|\[[^\[\]\n]{{1,100}}\]|【[^】]*+】|{RESIDUE})[\s().,;]*+)*+\Z"
)
"""A stretch that is nothing but marks: links, addresses, numbers or names of files in brackets."""


def claims_and_marks(text: str, ranges: Iterable[Sequence[Any]]) -> tuple[list[Marker], list[Marker]]:
    """The stretches of a response that hold a claim, and those that are a mark, found like the marks of the text.

    ``ranges``: as the table ``response`` has them.
    """
    claims: list[Marker] = []
    marks: list[Marker] = []
    for start, end, cited, _ in ranges:
        keys = tuple(canonical_key(citation) for citation in from_list(cited).citations)
        marker = Marker(start, end, (MarkerTarget(None, keys),))
        (marks if _MARK.match(text[start:end]) else claims).append(marker)
    return claims, marks


def cited_in(text: str, ranges: Iterable[Sequence[Any]]) -> list[Citation]:
    """The citations of a text, and the marks in it that only its producer can tell: ``[renal.pdf]``."""
    found = extract(text)
    taken = [(one.start, one.end) for one in found if one.start is not None and one.end is not None]
    told = {(start, end) for start, end, *_ in ranges if start < end and _MARK.match(text[start:end])}
    alone = (place for place in sorted(told) if not any(a < place[1] and place[0] < b for a, b in taken))
    return [*found, *(Citation("document", text[start:end], start, end) for start, end in alone)]
