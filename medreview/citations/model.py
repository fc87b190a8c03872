"""What a citation is."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["url", "doi", "pmid", "pmcid", "nct", "arxiv"]


@dataclass(frozen=True, slots=True)
class Citation:
    """One reference as it stands in a response.

    ``value`` is the identifier without its label (``10.1000/x`` in lower case, ``123``, ``PMC123``, ``NCT01234567``,
    ``2101.00001v2``) or the URL as written. ``start`` and ``end`` are code points of the identifier, or of the whole
    URL, never of a label; both are ``None`` for an entry of a structured list.
    """

    kind: Kind
    value: str
    start: int | None = None
    end: int | None = None


class Unusable(NamedTuple):
    """An entry of a structured list that holds no citation: its 0-based place and its text."""

    place: int
    item: str


class ListedCitation(NamedTuple):
    """What a structured list of citations held."""

    citations: list[Citation]
    unusable: list[Unusable]
