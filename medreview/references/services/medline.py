"""PubMed and Europe PMC, which knows PubMed, PMC and preprints in one index.

PubMed through E-utilities ("The E-utilities In-Depth", NCBI Bookshelf NBK25499): ``esummary`` for records,
``ecitmatch`` and ``esearch`` for citations. ``esummary`` and ``ecitmatch`` take many at once. ``esearch`` gives numbers
only, whose records are asked for together with others. Europe PMC through ``search`` of its "Articles RESTful API".
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from medreview.references.comparing.names import names_of
from medreview.references.formats.fields import isbns_in, names_preprint_server, without_mark
from medreview.references.model import Author, IdentifierKind, Notice, NoticeKind, Record, Reference, WorkKind
from medreview.references.services.service import (
    LONGEST_NOTICE,
    RESULTS,
    Found,
    ListService,
    PlaceService,
    any_of,
    author_of,
    authors_of,
    content_words,
    distinct,
    doi_of,
    each_once,
    first_author,
    first_page,
    identifiers,
    matching,
    objects,
    pmcid_of,
    quotable,
    text_of,
    texts_of,
    title_of,
    with_mark,
    years_of,
)
from medreview.sources.fetching.network import Fetched, Services, europe_pmc_url, eutils_url
from medreview.sources.lookups import json_object, mapping, no_answer, plain, sequence
from medreview.sources.records.service_record import correction_of, type_of

_SUFFIX: Final = re.compile(r"(?:Jr|Sr|2nd|3rd|4th|I{1,3}|IV)\.?")
_INITIALS: Final = re.compile(r"[^\W\d_a-z]{1,4}|[^\W\d_]\.?(?:[ .-][^\W\d_]\.?){0,3}")
_INVALID: Final = ("Invalid uid", "Empty id list")


class PubMed(PlaceService):
    """Works by PMID and PMCID, and by title with author or year."""

    name = "pubmed"
    at_once: Mapping[IdentifierKind, int] = {"pmid": 150, "pmcid": 150}
    places_at_once = 50
    gives_numbers = True

    def __init__(self, services: Services) -> None:
        self.base = services.eutils
        self._services = services

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        database = "pmc" if kind == "pmcid" else "pubmed"
        ids = ",".join(value.upper().removeprefix("PMC") for value in values)
        return eutils_url("esummary.fcgi", {"db": database, "id": ids, "retmode": "json"}, self._services)

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
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
        sizes = {"retmax": str(RESULTS), "sort": "relevance", "retmode": "json"}
        return eutils_url("esearch.fcgi", {"db": "pubmed", "term": query, **sizes}, self._services)

    def read_citation(self, fetched: Fetched) -> tuple[Record, ...]:
        """Nothing but the numbers: records without a word, to be asked for one by one."""
        ids = mapping(json_object(fetched).get("esearchresult")).get("idlist")
        if not isinstance(ids, list):
            raise no_answer(fetched)
        numbers = [number for number in texts_of(ids) if number.isascii() and number.isdecimal()]
        return tuple(map(self._numbered, numbers))

    def place(self, reference: Reference) -> str:
        """Journal, year, volume, first page and author as ``ecitmatch`` takes them; ``""`` where too few are known."""
        page, name = first_page(reference), first_author(reference)
        if not (reference.container and reference.year and (page or reference.volume) and name):
            return ""
        parts = (reference.container, str(reference.year), reference.volume, page, name)
        return "|".join(quotable(part) for part in parts)

    def places_url(self, places: Sequence[str]) -> str:
        lines = "\r".join(f"{place}|r{number}|" for number, place in enumerate(places))
        return eutils_url("ecitmatch.cgi", {"db": "pubmed", "retmode": "xml", "bdata": lines}, self._services)

    def read_places(self, places: Sequence[str], fetched: Fetched) -> Found:
        if fetched.state is not None:
            json_object(fetched)
        lines = [line.split("|") for line in fetched.body.decode("utf-8", "replace").splitlines()]
        answers = {fields[-2].strip(): fields[-1].strip() for fields in lines if len(fields) >= 7}
        if not any(f"r{number}" in answers for number in range(len(places))):
            raise no_answer(fetched)
        found = {place: answers.get(f"r{number}", "") for number, place in enumerate(places)}
        return {place: (self._numbered(pmid),) for place, pmid in found.items() if pmid.isascii() and pmid.isdecimal()}

    def _numbered(self, pmid: str) -> Record:
        return Record(self.name, pmid, identifiers=identifiers(("pmid", pmid)))


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
    authors = authors_of(_summary_author(one) for one in objects(work.get("authors")))
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
        kind=_summary_kind(types, is_book=is_book, is_part=bool(titles and book and book != title)),
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
        notices=with_mark(_notices_of_corrections(corrections, types, preprint="Preprint" in types), mark),
    )


def _summary_author(author: Mapping[str, Any]) -> Author | None:
    name = text_of(author.get("name"))
    if text_of(author.get("authtype")) == "CollectiveName":
        return author_of("", "", name)
    words = name.split()
    while len(words) > 2 and _SUFFIX.fullmatch(words[-1]):
        words.pop()
    if len(words) > 1 and _INITIALS.fullmatch(words[-1]):
        return author_of(" ".join(words[:-1]), words[-1])
    return author_of(name, "")


def _summary_kind(types: Sequence[str], *, is_book: bool, is_part: bool) -> WorkKind:
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


_PREPRINTS: Final = "PPR"


class EuropePmc(ListService):
    """Works by DOI, PMID and PMCID, and by the fields of a citation."""

    name = "europe_pmc"
    at_once: Mapping[IdentifierKind, int] = {"doi": 25, "pmid": 25, "pmcid": 25}

    def __init__(self, services: Services) -> None:
        self.base = services.europe_pmc
        self._services = services

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        asked = [_term(kind, value) for value in values]
        # one article may be there as a record of PubMed, in full, and as a preprint
        return europe_pmc_url(" OR ".join(asked), self._services, 3 * len(values))

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
        return europe_pmc_url(query, self._services, RESULTS)

    def works(self, answer: Mapping[str, Any]) -> object:
        results = mapping(answer.get("resultList")).get("result")
        return [] if results is None and answer.get("hitCount") in (0, "0") else results

    def record(self, work: Mapping[str, Any]) -> Record | None:
        return europe_pmc_record(work)


def _term(kind: IdentifierKind, value: str) -> str:
    if kind == "pmid":
        return f"(EXT_ID:{value} AND SRC:MED)"
    return f'{"PMCID" if kind == "pmcid" else "DOI"}:"{value.replace(chr(34), "")}"'


def europe_pmc_record(work: Mapping[str, Any]) -> Record | None:
    """A result (``resultType=core``) as a record; ``None`` for one without an id."""
    record_id, source = text_of(work.get("id")), text_of(work.get("source"))
    if not record_id:
        return None
    issue = mapping(work.get("journalInfo"))
    journal, book = mapping(issue.get("journal")), mapping(work.get("bookOrReportDetails"))
    types = texts_of(mapping(work.get("pubTypeList")).get("pubType"))
    title, mark = without_mark(title_of(work.get("title")))
    authors = authors_of(_europe_pmc_author(one) for one in objects(mapping(work.get("authorList")).get("author")))
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
        kind=_europe_pmc_kind(source, types, is_part_of_book=bool(book)),
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
        notices=with_mark(_notices_of_corrections(corrections, types, preprint=source == _PREPRINTS), mark),
    )


def _europe_pmc_author(author: Mapping[str, Any]) -> Author | None:
    given = author.get("firstName") or author.get("initials")
    return author_of(author.get("lastName"), given, author.get("collectiveName"), author.get("fullName"))


def _named(correction: Mapping[str, Any]) -> str:
    number = text_of(correction.get("id"))
    return f"PMID {number}" if number and text_of(correction.get("source")) == "MED" else number


def _authors_line(line: str) -> tuple[Author, ...]:
    """The authors of ``Gray AB, Lee C.``, whose list may be cut."""
    people = (name.strip(" .").rpartition(" ") for name in line.split(","))
    return authors_of(author_of(family or last, last if family else "") for family, _, last in people)


def _europe_pmc_kind(source: str, types: Sequence[str], *, is_part_of_book: bool) -> WorkKind:
    if source == _PREPRINTS or "Preprint" in types:
        return "preprint"
    if is_part_of_book:
        return "book"
    return "article"


_PUBMED: Final[Mapping[str, NoticeKind]] = {
    "retractionin": "retracted",
    "partialretractionin": "retracted",
    "retractedandrepublishedin": "retracted",
    "expressionofconcernin": "concern",
    "correctedandrepublishedin": "corrected",
    "erratumin": "corrected",
    "updatein": "superseded",
    "preprintin": "published_as",
    "preprintof": "preprint_of",
}


def _notices_of_corrections(
    corrections: Iterable[tuple[str, str, str]], types: Sequence[str], *, preprint: bool = False
) -> tuple[Notice, ...]:
    """Notices of corrections, given as (kind, what it names, words), and of publication types.

    A newer version of a preprint is the article that it became, and what an article updates may be its preprint.
    """
    found: list[Notice] = []
    for kind, names, words in corrections:
        known = _PUBMED.get(correction_of(kind))
        if known == "superseded" and preprint:
            known = "published_as"
        elif correction_of(kind) == "updateof" and not preprint and names_preprint_server(words):
            known = "preprint_of"
        if known is not None:
            found.append(Notice(known, names, words[:LONGEST_NOTICE]))
    by_type = (Notice(known, "", one) for one in types if (known := _PUBMED.get(type_of(one))) is not None)
    return each_once([*found, *(notice for notice in by_type if not any(notice.kind == one.kind for one in found))])
