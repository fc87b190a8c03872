"""What all bibliographic services have in common: their class, queries from a reference's own fields, JSON values.

Values become fields of a record: texts without markup, years in all shapes, identifiers, names. Retractions, concerns,
corrections and versions become notices.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from typing import Any, Final

from medreview.citations.identifiers import doi_value
from medreview.references.formats.fields import names_body
from medreview.references.model import Author, Identifier, IdentifierKind, Notice, Record, Reference
from medreview.sources.fetching.network import Fetched
from medreview.sources.lookups import json_object, mapping, no_answer, sequence
from medreview.storable import storable_text

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


class Service(ABC):
    """A service that is asked for identifiers and for citations.

    ``name`` is the authority's in records, ``base`` its address. ``at_once``: of each kind of identifier that it knows,
    how many fit in one request. ``gives_numbers``: what it finds are identifiers, whose records are to be asked for.
    :class:`~medreview.sources.lookups.NoServiceAnswerError` is raised for an unusable answer.
    """

    name: str
    base: str
    at_once: Mapping[IdentifierKind, int]
    gives_numbers = False

    @abstractmethod
    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        """The URL that asks for these identifiers."""

    @abstractmethod
    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        """The records of these identifiers; others that the answer holds are left out."""

    @abstractmethod
    def citation(self, reference: Reference) -> str:
        """What is asked for a reference by its words; ``""`` where they are too few."""

    @abstractmethod
    def citation_url(self, query: str) -> str:
        """The URL that asks it."""

    @abstractmethod
    def read_citation(self, fetched: Fetched) -> tuple[Record, ...]:
        """The works that the service finds, the best first."""


class ListService(Service):
    """One that answers both with a list of works."""

    @abstractmethod
    def works(self, answer: Mapping[str, Any]) -> object:
        """The list of works in an answer; anything else is no answer of the service."""

    @abstractmethod
    def record(self, work: Mapping[str, Any]) -> Record | None:
        """One of these works; ``None`` for one without an id."""

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        """As of every service."""
        return matching(values, self.read_citation(fetched), kind)

    def read_citation(self, fetched: Fetched) -> tuple[Record, ...]:
        """As of every service."""
        works = self.works(json_object(fetched))
        if not isinstance(works, list):
            raise no_answer(fetched)
        found = (self.record(work) for work in objects(works))
        return tuple(record for record in found if record is not None)


class PlaceService(Service):
    """One that also finds articles by their place: journal, year, volume, page; ``places_at_once`` in one request."""

    places_at_once: int

    @abstractmethod
    def place(self, reference: Reference) -> str:
        """Where an article stands; ``""`` where too little is known."""

    @abstractmethod
    def places_url(self, places: Sequence[str]) -> str:
        """The URL that asks for the articles at these places."""

    @abstractmethod
    def read_places(self, places: Sequence[str], fetched: Fetched) -> Found:
        """The article at each place where there is one."""


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


_LONGEST_TEXT: Final = 2_000
_MOST: Final = 1_000
_ATTRIBUTES: Final = r"""(?:\s+[\w:.-]{1,40}\s{0,3}=\s{0,3}(?:"[^"<>]{0,300}"|'[^'<>]{0,300}'))*\s{0,3}/?"""
_INLINE: Final = re.compile(
    rf"</?(?:(?:jats:|mml:)?(?:i|b|u|em|strong|sup|sub|scp|sc|inf|italic|bold|span|font|tt|ovl|underline|named-content"
    rf"|math|m[a-z]{{1,9}}|semantics|tex-math|inline-formula|alternatives)){_ATTRIBUTES}>",
    re.IGNORECASE,
)
_BLOCK: Final = re.compile(rf"</?(?:jats:)?(?:p|br|break|div|title|h[1-6]){_ATTRIBUTES}>", re.IGNORECASE)
_ANNOTATION: Final = re.compile(r"<(mml:)?annotation\b[^<>]{0,200}>[^<>]{0,500}</(mml:)?annotation>", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\ufeff]+")
_YEAR: Final = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_RESOLVER: Final = re.compile(r"(?:https?://)?(?:dx\.)?doi\.org/|doi:\s{0,3}", re.IGNORECASE)


def text_of(value: object) -> str:
    """A JSON text or number as text on one line, without markup, of at most 2,000 characters; ``""`` for the rest.

    Records hold HTML, JATS and MathML, some of it escaped once or twice; a ``<`` that begins no tag stays.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = storable_text(str(value)[: 5 * _LONGEST_TEXT])
    for _ in range(3):
        text = _BLOCK.sub(" ", _INLINE.sub("", _ANNOTATION.sub("", text)))
        if (plain := unescape(text)) == text:
            break
        text = plain
    return " ".join(_CONTROL.sub(" ", storable_text(text)).split())[:_LONGEST_TEXT]


def texts_of(value: object) -> tuple[str, ...]:
    """The texts of a list, or the one text that stands in its place; without empty ones and without duplicates."""
    items = value if isinstance(value, list) else [value]
    return distinct(text_of(item) for item in items[:_MOST])


def distinct(items: Iterable[str]) -> tuple[str, ...]:
    """The texts that are not empty, each once."""
    return tuple(dict.fromkeys(item for item in items if item))


def title_of(value: object) -> str:
    """A title as :func:`text_of`, without the full stop that some services put behind it, and without their brackets.

    PubMed writes a title that it translated as ``[Title].``
    """
    title = text_of(value).removesuffix(".").strip()
    if title.startswith("[") and title.endswith("]") and "[" not in title[1:] and "]" not in title[:-1]:
        return title[1:-1].removesuffix(".").strip()
    return title


def years_of(values: Iterable[object]) -> tuple[int, ...]:
    """The years of dates, each once, in their order.

    A date is a number, a text that names a year (``2015 Nov 26``, ``2019/07/01``), or Crossref's
    ``{"date-parts": [[2015, 11]]}``, of which parts may be missing or ``null``.
    """
    return tuple(dict.fromkeys(year for value in values for year in _years(value)))


def _years(value: object) -> Iterator[int]:
    if isinstance(value, dict):
        parts = sequence(value.get("date-parts"))
        first = sequence(parts[0]) if parts else ()
        value = first[0] if first else ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if found := _YEAR.search(text_of(value)):
        yield int(found[1])


def doi_of(value: object) -> str:
    """A DOI in lower case without the resolver's address; ``""`` for other values."""
    text = text_of(value)
    found = _RESOLVER.match(text)
    doi = doi_value(text[found.end() :] if found else text)
    return doi if doi.startswith("10.") and "/" in doi else ""


def pmcid_of(value: object) -> str:
    """A PMCID as ``PMC123``; ``""`` for other values."""
    found = re.search(r"(?:PMC)?(\d{1,10})", text_of(value), re.IGNORECASE)
    return f"PMC{found[1]}" if found else ""


def identifiers(*found: tuple[IdentifierKind, object]) -> tuple[Identifier, ...]:
    """The identifiers whose value is not empty, each once."""
    known = (Identifier(kind, value) for kind, value in found if isinstance(value, str) and value)
    return tuple(dict.fromkeys(known))


def author_of(family: object, given: object, body: object = "", whole: object = "") -> Author | None:
    """An author of a family name and given names; a body of authors; or one of whom only the whole name is known.

    A whole name that is no body's is taken apart at its comma, else its last word is the family name.
    """
    if name := text_of(family):
        return Author(name, text_of(given))
    if name := text_of(body):
        return Author(name, "", body=True)
    name = text_of(whole)
    if names_body(name):
        return Author(name, "", body=True)
    before, comma, after = name.partition(",")
    if comma:
        return Author(before.strip(), after.strip())
    first, _, last = name.rpartition(" ")
    return Author(last, first) if last else None


def authors_of(found: Iterable[Author | None]) -> tuple[Author, ...]:
    """The authors that have a name, a thousand at the most."""
    return tuple(author for author in found if author is not None)[:_MOST]


def objects(value: object) -> list[dict[str, Any]]:
    """The JSON objects of a list; one object in place of a list counts as a list of one."""
    items = [value] if isinstance(value, dict) else sequence(value)
    return [dict(mapping(item)) for item in items if isinstance(item, dict)]


LONGEST_NOTICE: Final = 300


def with_mark(notices: Sequence[Notice], mark: Sequence[Notice]) -> tuple[Notice, ...]:
    """The notices, and that of a mark in the title ("Retracted: ") where none of them says so."""
    told = any(one.kind in ("retracted", "withdrawn") for one in notices)
    return tuple(notices) if told else (*mark, *notices)


def each_once(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Each notice once by its kind and what it names: several services and registers report the same one."""
    return tuple({(notice.kind, notice.names): notice for notice in reversed(notices)}.values())[::-1]
