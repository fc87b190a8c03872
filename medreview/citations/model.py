"""The data model of citations."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["url", "doi", "pmid", "pmcid", "nct", "arxiv"]


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation in a response.

    ``value`` is the identifier without its label (``10.1000/x`` in lower case, ``123``, ``PMC123``, ``NCT01234567``,
    ``2101.00001v2``) or the URL as written, which may begin with ``www.``. ``start`` and ``end`` are the half-open
    range of code points of the identifier, or of the whole URL, without a label; both are ``None`` for an entry of a
    structured list.
    """

    kind: Kind
    value: str
    start: int | None = None
    end: int | None = None


class Unusable(NamedTuple):
    """An entry of a structured list without a citation: its position (from 0) and its text."""

    position: int
    item: str


class ListedCitation(NamedTuple):
    """The citations of a structured list, and its entries without any."""

    citations: list[Citation]
    unusable: list[Unusable]
