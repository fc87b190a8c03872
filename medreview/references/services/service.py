"""What a bibliographic service is to who asks it: queries made of a reference's own fields, and answers as records."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from medreview.references.model import IdentifierKind, Record, Reference
from medreview.sources.fetching.fetched import Fetched

RESULTS: Final = 5
"""So many works are asked for by a citation."""

_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_MOST_WORDS: Final = 12
_COMMON: Final = re.compile(
    "and|the|for|with|from|among|between|versus|into|upon|over|under|after|before|during|than|that|this|these|those"
    "|their|its|our|are|was|were|has|have|not|but|does|can|may|using|use|der|die|das|und|les|des|une|della|del|los|las"
)

Found = Mapping[str, tuple[Record, ...]]
"""The records of each identifier that was asked for; one without an entry is not known."""


class Service(Protocol):
    """A service; :class:`~medreview.sources.lookups.lookup_stage.NoAnswerError` is raised for what is no answer of it.

    ``name`` is the authority's in records, ``base`` its address. ``at_once``: of each kind of identifier that it knows,
    how many fit in one request.
    """

    name: str
    base: str
    at_once: Mapping[IdentifierKind, int]

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        """The URL that asks for these identifiers."""

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        """The records of these identifiers; others that the answer holds are left out."""

    def citation(self, reference: Reference) -> str:
        """What is asked for a reference by its words; ``""`` where they are too few."""

    def citation_url(self, query: str) -> str:
        """The URL that asks it."""

    def read_citation(self, fetched: Fetched) -> tuple[Record, ...]:
        """The works that the service finds for it, the best first."""


def content_words(text: str) -> list[str]:
    """The words of a title that say what it is about, in lower case, each once, twelve at the most."""
    words = (word.lower() for word in _WORD.findall(text))
    telling = [word for word in dict.fromkeys(words) if len(word) > 2 and not _COMMON.fullmatch(word)]
    return telling[:_MOST_WORDS]


def any_of(words: Sequence[str], field: str = "") -> str:
    """A query for any of the words, each with a field behind it where the service wants that."""
    return f"({' OR '.join(word + field for word in words)})"


def first_author(reference: Reference) -> str:
    """The first author's family name, or the body's name, as it can stand between quotes; ``""`` without one."""
    return quotable(reference.authors[0].family) if reference.authors else ""


def first_page(reference: Reference) -> str:
    """The first of its pages; ``""`` without any."""
    return re.split(r"[-–—,;\s]", reference.pages.strip(), maxsplit=1)[0]


def quotable(text: str) -> str:
    """A text without what would end or steer a quoted part of a query."""
    return " ".join(re.sub(r'["\\|()\[\]{}:<>*?~^!+=/]', " ", text).split())


def matching(values: Sequence[str], records: Sequence[Record], kind: IdentifierKind) -> Found:
    """Of the records those that carry an identifier that was asked for, by it, whatever its case."""
    found: dict[str, tuple[Record, ...]] = {}
    asked = {value.casefold(): value for value in values}
    for record in records:
        for identifier in record.identifiers:
            if identifier.kind == kind and (value := asked.get(identifier.value.casefold())) is not None:
                found[value] = (*found.get(value, ()), record)
    return found
