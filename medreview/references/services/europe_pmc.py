"""Europe PMC: PubMed, PMC and preprints in one index (its "Articles RESTful API", ``search``)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from medreview.references.comparing.journals import names_of
from medreview.references.formats.fields import without_mark
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
from medreview.sources.fetching.network import Fetched, Services, europe_pmc_url
from medreview.sources.lookups.lookup_stage import json_object, mapping, no_answer

_PREPRINTS: Final = "PPR"


class EuropePmc:
    """Works by DOI, PMID and PMCID, and by the fields of a citation."""

    name = "europe_pmc"
    at_once: Mapping[IdentifierKind, int] = {"doi": 25, "pmid": 25, "pmcid": 25}

    def __init__(self, services: Services) -> None:
        self.base = services.europe_pmc
        self._services = services

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        """As :meth:`~medreview.references.services.service.Service.identifier_url`."""
        asked = [_term(kind, value) for value in values]
        # one article may be there as a record of PubMed, in full, and as a preprint
        return europe_pmc_url(" OR ".join(asked), self._services, 3 * len(values))

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        """As :meth:`~medreview.references.services.service.Service.read_identifiers`."""
        return matching(values, _records(fetched), kind)

    def citation(self, reference: Reference) -> str:
        """Any of the title's words, by the first author or of about that year; without a title the article's place."""
        author, year = first_author(reference), reference.year
        told = [f'AUTH:"{author}"'] if author else []
        words = [quotable(word) for word in content_words(reference.title)]
        if len(words) > 1:
            told += [f"PUB_YEAR:[{year - 1} TO {year + 1}]"] if year else []
            return f"TITLE:{any_of(words)}" + (f" AND {any_of(told)}" if told else "")
        if not (author and year and reference.container):
            return ""
        journals = [f'JOURNAL:"{quotable(name)}"' for name in names_of(reference.container)]
        told += [f"PUB_YEAR:{year}", any_of(journals)]
        told += [f'VOLUME:"{quotable(reference.volume)}"'] if reference.volume else []
        told += [f'PAGE_INFO:"{quotable(first_page(reference))}*"'] if reference.pages else []
        return " AND ".join(told)

    def citation_url(self, query: str) -> str:
        """As :meth:`~medreview.references.services.service.Service.citation_url`."""
        return europe_pmc_url(query, self._services, RESULTS)

    def read_citation(self, fetched: Fetched) -> tuple[Record, ...]:
        """As :meth:`~medreview.references.services.service.Service.read_citation`."""
        return tuple(_records(fetched))


def _term(kind: IdentifierKind, value: str) -> str:
    if kind == "pmid":
        return f"(EXT_ID:{value} AND SRC:MED)"
    return f'{"PMCID" if kind == "pmcid" else "DOI"}:"{value.replace(chr(34), "")}"'


def _records(fetched: Fetched) -> list[Record]:
    answer = json_object(fetched)
    results = mapping(answer.get("resultList")).get("result")
    if results is None and answer.get("hitCount") in (0, "0"):
        results = []
    if not isinstance(results, list):
        raise no_answer(fetched)
    found = (europe_pmc_record(item) for item in objects(results))
    return [record for record in found if record is not None]


def europe_pmc_record(work: Mapping[str, Any]) -> Record | None:
    """A result (``resultType=core``) as a record; ``None`` for one without an id."""
    record_id, source = text_of(work.get("id")), text_of(work.get("source"))
    if not record_id:
        return None
    issue = mapping(work.get("journalInfo"))
    journal, book = mapping(issue.get("journal")), mapping(work.get("bookOrReportDetails"))
    types = texts_of(mapping(work.get("pubTypeList")).get("pubType"))
    title, mark = without_mark(title_of(work.get("title")))
    authors = authors_of(_author(one) for one in objects(mapping(work.get("authorList")).get("author")))
    doi = doi_of(work.get("doi"))
    names = [journal.get(name) for name in ("title", "medlineAbbreviation", "isoabbreviation")]
    dates = [issue.get("printPublicationDate"), issue.get("yearOfPublication"), work.get("pubYear")]
    dates += [book.get("yearOfPublication"), work.get("electronicPublicationDate"), work.get("firstPublicationDate")]
    corrections = (
        (text_of(one.get("type")), _named(one), text_of(one.get("reference")))
        for one in objects(mapping(work.get("commentCorrectionList")).get("commentCorrection"))
    )
    pmid = text_of(work.get("pmid")) or (record_id if source == "MED" else "")
    return Record(
        authority=EuropePmc.name,
        record_id=f"{source}:{record_id}" if source else record_id,
        kind=_kind(source, types, is_part_of_book=bool(book)),
        title=title,
        authors=authors or _authors_line(text_of(work.get("authorString"))),
        complete=bool(authors),
        containers=distinct(text_of(name) for name in [*names, book.get("comprisingTitle"), book.get("seriesName")]),
        years=years_of(date for date in dates if date),
        volume=text_of(issue.get("volume")),
        issue=text_of(issue.get("issue")),
        pages=text_of(work.get("pageInfo")),
        publisher=text_of(book.get("publisher")),
        edition=text_of(book.get("edition")),
        identifiers=identifiers(
            ("pmid", pmid), ("pmcid", pmcid_of(work.get("pmcid")) if work.get("pmcid") else ""), ("doi", doi)
        ),
        url=f"https://europepmc.org/article/{source}/{record_id}" if source else "",
        notices=with_mark(notices_of_corrections(corrections, types, preprint=source == _PREPRINTS), mark),
    )


def _author(author: Mapping[str, Any]) -> Author | None:
    given = author.get("firstName") or author.get("initials")
    return author_of(author.get("lastName"), given, author.get("collectiveName"), author.get("fullName"))


def _named(correction: Mapping[str, Any]) -> str:
    number = text_of(correction.get("id"))
    return f"PMID {number}" if number and text_of(correction.get("source")) == "MED" else number


def _authors_line(line: str) -> tuple[Author, ...]:
    """The authors of ``Gray AB, Lee C.``, whose list may be cut."""
    people = (name.strip(" .").rpartition(" ") for name in line.split(","))
    return authors_of(author_of(family or last, last if family else "") for family, _, last in people)


def _kind(source: str, types: Sequence[str], *, is_part_of_book: bool) -> WorkKind:
    if source == _PREPRINTS or "Preprint" in types:
        return "preprint"
    if is_part_of_book:
        return "book"
    return "article"
