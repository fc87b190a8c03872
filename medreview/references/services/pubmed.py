"""PubMed through E-utilities: ``esummary`` for records, ``ecitmatch`` and ``esearch`` for citations.

"The E-utilities In-Depth", NCBI Bookshelf NBK25499. ``esummary`` and ``ecitmatch`` take many at once. ``esearch`` gives
numbers only, whose records are asked for together with others.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from medreview.references.comparing.journals import names_of
from medreview.references.formats.fields import isbns_in, without_mark
from medreview.references.model import Author, IdentifierKind, Record, Reference, WorkKind
from medreview.references.services.service import (
    RESULTS,
    Found,
    any_of,
    author_of,
    authors_of,
    content_words,
    distinct,
    doi_of,
    first_author,
    first_page,
    identifiers,
    matching,
    notices_of_corrections,
    objects,
    pmcid_of,
    quotable,
    text_of,
    texts_of,
    title_of,
    with_mark,
    years_of,
)
from medreview.sources.fetching.network import Fetched, Services, eutils_url
from medreview.sources.lookups.lookup_stage import json_object, mapping, no_answer, plain, sequence

MATCHES_AT_ONCE: Final = 50
_SUFFIX: Final = re.compile(r"(?:Jr|Sr|2nd|3rd|4th|I{1,3}|IV)\.?")
_INITIALS: Final = re.compile(r"[^\W\d_a-z]{1,4}|[^\W\d_]\.?(?:[ .-][^\W\d_]\.?){0,3}")
_INVALID: Final = ("Invalid uid", "Empty id list")


class PubMed:
    """Works by PMID and PMCID, and by title with author or year."""

    name = "pubmed"
    at_once: Mapping[IdentifierKind, int] = {"pmid": 150, "pmcid": 150}

    def __init__(self, services: Services) -> None:
        self.base = services.eutils
        self._services = services

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        """As :meth:`~medreview.references.services.service.Service.identifier_url`."""
        database = "pmc" if kind == "pmcid" else "pubmed"
        ids = ",".join(value.upper().removeprefix("PMC") for value in values)
        return eutils_url("esummary.fcgi", {"db": database, "id": ids, "retmode": "json"}, self._services)

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        """As :meth:`~medreview.references.services.service.Service.read_identifiers`."""
        answer = json_object(fetched)
        if not isinstance(result := answer.get("result"), dict):
            said = " ".join(texts_of(answer.get("esummaryresult")))
            if len(values) == 1 and said.startswith(_INVALID):
                return {}
            raise no_answer(fetched)
        found = (summary_record(result.get(plain(uid)), kind) for uid in sequence(result.get("uids")))
        return matching(values, [record for record in found if record is not None], kind)

    def citation(self, reference: Reference) -> str:
        """Any of the title's words, by the first author or of about that year; else author, journal and year."""
        words = content_words(reference.title)
        author, year = first_author(reference), reference.year
        # Between quotes only authors without initials would be found; without them some words are operators.
        author = " ".join(word for word in author.split() if word not in ("AND", "OR", "NOT"))
        told = [f"{author}[Author]"] if author and not reference.authors[0].body else []
        if len(words) < 2:
            if not (told and year and reference.container):
                return ""
            journals = [f'"{quotable(name)}"[Journal]' for name in names_of(reference.container)]
            return f"{told[0]} AND {any_of(journals)} AND {year}[Date - Publication]"
        told += [f"{year - 1}:{year + 1}[Date - Publication]"] if year else []
        return any_of([quotable(word) for word in words], "[Title]") + (f" AND {any_of(told)}" if told else "")

    def citation_url(self, query: str) -> str:
        """As :meth:`~medreview.references.services.service.Service.citation_url`."""
        sizes = {"retmax": str(RESULTS), "sort": "relevance", "retmode": "json"}
        return eutils_url("esearch.fcgi", {"db": "pubmed", "term": query, **sizes}, self._services)

    def read_citation(self, fetched: Fetched) -> tuple[Record, ...]:
        """Nothing but the numbers: records without a word, to be asked for one by one."""
        ids = mapping(json_object(fetched).get("esearchresult")).get("idlist")
        if not isinstance(ids, list):
            raise no_answer(fetched)
        numbers = [number for number in texts_of(ids) if number.isascii() and number.isdecimal()]
        return tuple(Record(self.name, number, identifiers=identifiers(("pmid", number))) for number in numbers)

    def place(self, reference: Reference) -> str:
        """Journal, year, volume, first page and author as ``ecitmatch`` takes them; ``""`` where too few are known."""
        page, name = first_page(reference), first_author(reference)
        if not (reference.container and reference.year and (page or reference.volume) and name):
            return ""
        parts = (reference.container, str(reference.year), reference.volume, page, name)
        return "|".join(quotable(part) for part in parts)

    def places_url(self, places: Sequence[str]) -> str:
        """The URL that asks for the articles at these places, each with its number in the list as its key."""
        lines = "\r".join(f"{place}|r{number}|" for number, place in enumerate(places))
        return eutils_url("ecitmatch.cgi", {"db": "pubmed", "retmode": "xml", "bdata": lines}, self._services)

    def read_places(self, places: Sequence[str], fetched: Fetched) -> Mapping[str, str]:
        """The PMID at each place where there is one article; raises ``NoAnswerError`` for any other answer."""
        if fetched.state is not None:
            json_object(fetched)
        lines = [line.split("|") for line in fetched.body.decode("utf-8", "replace").splitlines()]
        answers = {fields[-2].strip(): fields[-1].strip() for fields in lines if len(fields) >= 7}
        if not any(f"r{number}" in answers for number in range(len(places))):
            raise no_answer(fetched)
        found = {place: answers.get(f"r{number}", "") for number, place in enumerate(places)}
        return {place: pmid for place, pmid in found.items() if pmid.isascii() and pmid.isdecimal()}


def summary_record(summary: object, kind: IdentifierKind = "pmid") -> Record | None:
    """A document summary as a record; ``None`` for an error in its place.

    ``kind``: which database it comes from. A chapter or guideline of the Bookshelf may have its only title in
    ``booktitle``, and no authors.
    """
    work = mapping(summary)
    number = text_of(work.get("uid"))
    if not number or "error" in work:
        return None
    ids = {text_of(one.get("idtype")).lower(): text_of(one.get("value")) for one in objects(work.get("articleids"))}
    titles = distinct(title_of(work.get(name)) for name in ("title", "vernaculartitle"))
    book = title_of(work.get("booktitle"))
    types = texts_of(work.get("pubtype"))
    authors = authors_of(_author(one) for one in objects(work.get("authors")))
    pmid = number if kind == "pmid" else ids.get("pmid", "")
    pmcid = pmcid_of(ids.get("pmc") or ids.get("pmcid")) if kind == "pmid" else pmcid_of(number)
    title, mark = without_mark(titles[0] if titles else book)
    is_book = bool(book) or text_of(work.get("doctype")).lower() == "book"
    corrections = (
        (text_of(one.get("reftype")), _pmid(one.get("pmid")), text_of(one.get("refsource")))
        for one in objects(work.get("references"))
    )
    dates = ("pubdate", "printpubdate", "epubdate", "docdate", "srcdate")
    return Record(
        authority=PubMed.name,
        record_id=number,
        kind=_kind(types, is_book=is_book, is_part=bool(titles and book and book != title)),
        title=title,
        other_titles=titles[1:],
        authors=authors,
        complete=bool(authors),
        containers=distinct(
            [book if book != title else "", *(text_of(work.get(name)) for name in ("fulljournalname", "source"))]
        ),
        years=years_of(work.get(name) for name in dates),
        volume=text_of(work.get("volume")),
        issue=text_of(work.get("issue")),
        pages=text_of(work.get("pages")) or _article_number(text_of(work.get("elocationid"))),
        publisher=text_of(work.get("publishername")),
        edition=text_of(work.get("edition")),
        identifiers=identifiers(
            ("pmid", pmid if pmid != "0" else ""),
            ("pmcid", pmcid),
            ("doi", doi_of(ids.get("doi", ""))),
            *isbns_in(ids.get("isbn", "")),
        ),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid else f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/",
        notices=with_mark(notices_of_corrections(corrections, types, preprint="Preprint" in types), mark),
    )


def _author(author: Mapping[str, Any]) -> Author | None:
    name = text_of(author.get("name"))
    if text_of(author.get("authtype")) == "CollectiveName":
        return author_of("", "", name)
    words = name.split()
    while len(words) > 2 and _SUFFIX.fullmatch(words[-1]):
        words.pop()
    if len(words) > 1 and _INITIALS.fullmatch(words[-1]):
        return author_of(" ".join(words[:-1]), words[-1])
    return author_of(name, "")


def _kind(types: Sequence[str], *, is_book: bool, is_part: bool) -> WorkKind:
    if "Preprint" in types:
        return "preprint"
    if is_book:
        return "chapter" if is_part else "book"
    return "article"


def _article_number(location: str) -> str:
    """The article's number of an ``elocationid`` such as ``e1234. doi: 10.5555/x``."""
    first = re.split(r"\.?\s|$", location.removeprefix("pii:").strip(), maxsplit=1)[0]
    return first if re.fullmatch(r"[A-Za-z]{0,3}\d{1,10}", first) else ""


def _pmid(value: object) -> str:
    number = text_of(value)
    return f"PMID {number}" if number.isdecimal() and number != "0" else ""
