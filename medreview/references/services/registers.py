"""Registers of works: Crossref, DataCite, ClinicalTrials.gov, and OpenAlex, an index over all of them.

Crossref (REST API, ``/works``) has most articles' DOIs. ``filter=doi:a,doi:b`` asks for many works at once: filters of
one name count as "or". ``query.bibliographic`` finds by the words of a citation. ``select`` keeps lists of references
out of the answer; not every field can be selected.
DataCite (REST API, ``/dois``) has the DOIs of data sets, of arXiv and of other repositories.
ClinicalTrials.gov is the register of trials (API v2, ``/studies``).
OpenAlex (``/works``) counts what a day may cost; with a key it is a hundred times as much. ``filter=doi:a|b`` asks for
many at once; in a list a work has a hundred authors at the most.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from medreview.references.formats.fields import isbns_in, page_range, without_mark
from medreview.references.model import Author, IdentifierKind, Notice, NoticeKind, Record, Reference, WorkKind
from medreview.references.services.service import (
    LONGEST_NOTICE,
    RESULTS,
    Found,
    ListService,
    any_of,
    author_of,
    authors_of,
    content_words,
    distinct,
    doi_of,
    each_once,
    identifiers,
    objects,
    pmcid_of,
    quotable,
    text_of,
    texts_of,
    title_of,
    with_mark,
    years_of,
)
from medreview.sources.fetching.network import Fetched, Services, query_url
from medreview.sources.lookups import mapping, sequence

_CROSSREF_FIELDS: Final = (
    "DOI,type,title,subtitle,short-title,original-title,author,editor,container-title,short-container-title,group-title,"
    "published-print,published-online,published,issued,volume,issue,page,article-number,publisher,ISBN,updated-by,relation"
)
_BOOKS: Final = ("book", "monograph", "edited-book", "reference-book")
_CROSSREF_KINDS: Final[Mapping[str, WorkKind]] = {
    "journal-article": "article",
    "proceedings-article": "article",
    "posted-content": "preprint",
    **dict.fromkeys(_BOOKS, "book"),
    **dict.fromkeys(("book-chapter", "book-section", "book-part", "reference-entry"), "chapter"),
    "report": "report",
    "report-series": "report",
    "dataset": "dataset",
}
_LONGEST_CITATION: Final = 400
_NOT_THERE: Final = b"Resource not found."
"""Crossref's text for a single unregistered DOI; a page for people with status 404 is not an answer."""


class Crossref(ListService):
    """Works by DOI, books by ISBN, and by citation."""

    name = "crossref"
    at_once: Mapping[IdentifierKind, int] = {"doi": 50, "isbn": 20}

    def __init__(self, services: Services) -> None:
        self.base = services.crossref
        self._mail = services.mail

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        if len(values) == 1 and "," in values[0]:  # a comma would part the filter
            return query_url(self.base, f"works/{quote(values[0], safe='', errors='replace')}", {"mailto": self._mail})
        filters = [f"{kind}:{value}" for value in values]
        if kind == "isbn":  # chapters carry the number of their book
            filters += (f"type:{name}" for name in _BOOKS)
        most = 5 * len(values) if kind == "isbn" else len(values)  # a number may stand for several volumes
        return self._works({"filter": ",".join(filters), "rows": str(most)})

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        if fetched.status == 404 and fetched.body.strip() == _NOT_THERE:
            return {}
        return super().read_identifiers(kind, values, fetched)

    def citation(self, reference: Reference) -> str:
        """The words of a citation in a row, where there is a title, or an author with a journal."""
        names = [author.family for author in reference.authors[:3]]
        if not content_words(reference.title) and not (names and reference.container):
            return ""
        year = str(reference.year or "")
        parts = (*names, reference.title, reference.container, year, reference.volume, reference.pages)
        return " ".join(" ".join(parts).split())[:_LONGEST_CITATION]

    def citation_url(self, query: str) -> str:
        return self._works({"query.bibliographic": query, "rows": str(RESULTS)})

    def works(self, answer: Mapping[str, Any]) -> object:
        message = mapping(answer.get("message"))
        return [message] if "DOI" in message else message.get("items")

    def record(self, work: Mapping[str, Any]) -> Record | None:
        return crossref_record(work)

    def _works(self, parameters: Mapping[str, str]) -> str:
        return query_url(self.base, "works", {**parameters, "select": _CROSSREF_FIELDS, "mailto": self._mail})


def crossref_record(item: Mapping[str, Any]) -> Record | None:
    """A work as a record; ``None`` for one without DOI."""
    doi = doi_of(item.get("DOI"))
    if not doi:
        return None
    main, *others = [title_of(title) for title in sequence(item.get("title"))] or [""]
    subtitle = next(iter(texts_of(item.get("subtitle"))), "")
    main, mark = without_mark(main)
    title = f"{main}: {subtitle}" if main and subtitle and subtitle.lower() not in main.lower() else main
    other_titles = (main, *others, *texts_of(item.get("short-title")), *texts_of(item.get("original-title")))
    authors = _crossref_authors(item.get("author")) or _crossref_authors(item.get("editor"))
    containers = (item.get("container-title"), item.get("short-container-title"), item.get("group-title"))
    return Record(
        authority=Crossref.name,
        record_id=doi,
        kind=_CROSSREF_KINDS.get(text_of(item.get("type")), "unknown"),
        title=title,
        other_titles=tuple(other for other in distinct(other_titles) if other != title),
        authors=authors,
        complete=bool(authors),
        containers=distinct(name for names in containers for name in texts_of(names)),
        years=years_of(item.get(name) for name in ("published-print", "published", "issued", "published-online")),
        volume=text_of(item.get("volume")),
        issue=text_of(item.get("issue")),
        pages=text_of(item.get("page")) or text_of(item.get("article-number")),
        publisher=text_of(item.get("publisher")),
        identifiers=identifiers(("doi", doi), *isbns_in(*texts_of(item.get("ISBN")))),
        url=f"https://doi.org/{doi}",
        notices=with_mark(_crossref_notices(item), mark),
    )


def _crossref_authors(value: object) -> tuple[Author, ...]:
    return authors_of(
        author_of(one.get("family"), one.get("given"), one.get("name") or one.get("literal")) for one in objects(value)
    )


_CROSSREF: Final[Mapping[str, NoticeKind]] = {
    "retraction": "retracted",
    "partial_retraction": "retracted",
    "removal": "withdrawn",
    "withdrawal": "withdrawn",
    "expression_of_concern": "concern",
    "correction": "corrected",
    "corrigendum": "corrected",
    "erratum": "corrected",
    "addendum": "corrected",
    "new_edition": "superseded",
    "new_version": "superseded",
}
_RELATIONS: Final[Mapping[str, NoticeKind]] = {
    "is-preprint-of": "published_as",
    "has-preprint": "preprint_of",
    "is-replaced-by": "superseded",
}


def _crossref_notices(item: Mapping[str, Any]) -> tuple[Notice, ...]:
    """Notices of a work in Crossref: who updates it, and what it is a preprint of, or has as one."""
    found = []
    for update in objects(item.get("updated-by")):
        kind = _CROSSREF.get(text_of(update.get("type")).lower().replace("-", "_").replace(" ", "_"))
        if kind is not None:
            years = years_of([update.get("updated")])
            words = text_of(update.get("label")) or text_of(update.get("type"))
            found.append(
                Notice(kind, doi_of(update.get("DOI")), f"{words}{f', {years[0]}' if years else ''}"[:LONGEST_NOTICE])
            )
    relations = item.get("relation")
    for name, kind in _RELATIONS.items():
        for related in objects(relations.get(name) if isinstance(relations, dict) else None):
            found.append(Notice(kind, doi_of(related.get("id")) or text_of(related.get("id"))[:LONGEST_NOTICE]))
    return each_once(found)


_ARXIV: Final = "10.48550/arxiv."
_DATACITE_KINDS: Final[Mapping[str, WorkKind]] = {
    "preprint": "preprint",
    "journalarticle": "article",
    "conferencepaper": "article",
    "dataset": "dataset",
    "collection": "dataset",
    "software": "dataset",
    "book": "book",
    "bookchapter": "chapter",
    "report": "report",
}
_DATACITE_NOTICES: Final[Mapping[str, NoticeKind]] = {
    "isversionof": "published_as",
    "ispreviousversionof": "superseded",
    "isobsoletedby": "superseded",
}


class DataCite(ListService):
    """Works by DOI, arXiv's by their number, and by title."""

    name = "datacite"
    at_once: Mapping[IdentifierKind, int] = {"doi": 40, "arxiv": 40}

    def __init__(self, services: Services) -> None:
        self.base = services.datacite
        self._mail = services.mail

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        dois = [_arxiv_doi(value) if kind == "arxiv" else value for value in values]
        quoted = [f'"{doi.replace(chr(92), "").replace(chr(34), "")}"' for doi in dois]
        return self._dois(f"doi:{any_of(quoted)}", len(values))

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        if kind != "arxiv":
            return super().read_identifiers(kind, values, fetched)
        by_doi = super().read_identifiers("doi", [_arxiv_doi(value) for value in values], fetched)
        return {value: by_doi[_arxiv_doi(value)] for value in values if _arxiv_doi(value) in by_doi}

    def citation(self, reference: Reference) -> str:
        """Any of the title's words, two at the least."""
        words = [quotable(word) for word in content_words(reference.title)]
        return f"titles.title:{any_of(words)}" if len(words) > 1 else ""

    def citation_url(self, query: str) -> str:
        return self._dois(query, RESULTS)

    def works(self, answer: Mapping[str, Any]) -> object:
        return answer.get("data")

    def record(self, work: Mapping[str, Any]) -> Record | None:
        return datacite_record(mapping(work.get("attributes")))

    def _dois(self, query: str, results: int) -> str:
        sizes = {"page[size]": str(results), "page[number]": "1", "sort": "relevance", "disable-facets": "true"}
        return query_url(self.base, "dois", {"query": query, **sizes, "mailto": self._mail})


def _arxiv_doi(value: str) -> str:
    return _ARXIV + re.sub(r"v\d{1,3}\Z", "", value.lower())


def datacite_record(work: Mapping[str, Any]) -> Record | None:
    """The attributes of a DOI as a record; ``None`` for one without DOI."""
    doi = doi_of(work.get("doi"))
    if not doi:
        return None
    titles = distinct(title_of(one.get("title")) for one in objects(work.get("titles")))
    types = mapping(work.get("types"))
    kind = _DATACITE_KINDS.get(text_of(types.get("resourceTypeGeneral")).lower(), "unknown")
    container, publisher = mapping(work.get("container")), work.get("publisher")
    name = text_of(publisher.get("name") if isinstance(publisher, dict) else publisher)
    arxiv = doi.removeprefix(_ARXIV) if doi.startswith(_ARXIV) else ""
    authors = authors_of(_datacite_author(one) for one in objects(work.get("creators")))
    dates = [one.get("date") for one in objects(work.get("dates")) if one.get("dateType") in ("Issued", "Submitted")]
    return Record(
        authority=DataCite.name,
        record_id=doi,
        kind="preprint" if arxiv else kind,
        title=titles[0] if titles else "",
        other_titles=titles[1:],
        authors=authors,
        complete=bool(authors),
        containers=distinct([text_of(container.get("title")), name]),
        years=years_of([work.get("publicationYear"), *dates]),
        volume=text_of(container.get("volume")),
        issue=text_of(container.get("issue")),
        pages=page_range(text_of(container.get("firstPage")), text_of(container.get("lastPage"))),
        publisher=name,
        edition=text_of(work.get("version")),
        identifiers=identifiers(("doi", doi), ("arxiv", arxiv)),
        url=f"https://doi.org/{doi}",
        notices=tuple(_datacite_notices(work, is_preprint=bool(arxiv) or kind == "preprint")),
    )


def _datacite_author(creator: Mapping[str, Any]) -> Author | None:
    body = text_of(creator.get("nameType")).lower() == "organizational"
    if body:
        return author_of("", "", creator.get("name"))
    return author_of(creator.get("familyName"), creator.get("givenName"), "", creator.get("name"))


def _datacite_notices(work: Mapping[str, Any], *, is_preprint: bool) -> list[Notice]:
    found = []
    for related in objects(work.get("relatedIdentifiers")):
        kind = _DATACITE_NOTICES.get(text_of(related.get("relationType")).lower())
        if kind is None or (kind == "published_as" and not is_preprint):
            continue
        if (doi := doi_of(related.get("relatedIdentifier"))) and not doi.startswith(_ARXIV):
            found.append(Notice(kind, doi))
    return found


_TRIAL_FIELDS: Final = (
    "NCTId,BriefTitle,OfficialTitle,Acronym,OrgFullName,LeadSponsorName,OverallOfficialName,StudyFirstSubmitDate,"
    "StartDate,PrimaryCompletionDate,CompletionDate,LastUpdateSubmitDate,ResultsFirstSubmitDate"
)
_REGISTER: Final = "ClinicalTrials.gov"


class ClinicalTrials(ListService):
    """Trials by NCT number, and by title."""

    name = "clinical_trials"
    at_once: Mapping[IdentifierKind, int] = {"nct": 50}

    def __init__(self, services: Services) -> None:
        self.base = services.clinical_trials

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        return self._studies({"filter.ids": ",".join(values), "pageSize": str(len(values))})

    def citation(self, reference: Reference) -> str:
        """Any of the title's words, two at the least; or the one of an acronym."""
        words = [quotable(word) for word in content_words(reference.title)]
        return any_of(words) if len(words) > 1 or (reference.title.isupper() and words) else ""

    def citation_url(self, query: str) -> str:
        return self._studies({"query.titles": query, "pageSize": str(RESULTS)})

    def works(self, answer: Mapping[str, Any]) -> object:
        return answer.get("studies")

    def record(self, work: Mapping[str, Any]) -> Record | None:
        return trial_record(mapping(work.get("protocolSection")))

    def _studies(self, parameters: Mapping[str, str]) -> str:
        return query_url(self.base, "studies", {**parameters, "fields": _TRIAL_FIELDS, "format": "json"})


def trial_record(protocol: Mapping[str, Any]) -> Record | None:
    """The protocol of a trial as a record; ``None`` for one without a number.

    Its sponsor and its officials count as authors, and every date of it as a year that a reference may name.
    """
    module = mapping(protocol.get("identificationModule"))
    number = text_of(module.get("nctId")).upper()
    if not number:
        return None
    titles = distinct(title_of(module.get(name)) for name in ("briefTitle", "officialTitle", "acronym"))
    sponsor = mapping(mapping(protocol.get("sponsorCollaboratorsModule")).get("leadSponsor")).get("name")
    officials = objects(mapping(protocol.get("contactsLocationsModule")).get("overallOfficials"))
    organization = mapping(module.get("organization")).get("fullName")
    status = mapping(protocol.get("statusModule"))
    dates = [status.get(f"{name}Date") for name in ("studyFirstSubmit", "resultsFirstSubmit", "lastUpdateSubmit")]
    dates += [
        mapping(status.get(f"{name}DateStruct")).get("date") for name in ("start", "primaryCompletion", "completion")
    ]
    return Record(
        authority=ClinicalTrials.name,
        record_id=number,
        kind="trial",
        title=titles[0] if titles else "",
        other_titles=titles[1:],
        authors=authors_of(
            [
                author_of("", "", sponsor or organization),
                *(author_of("", "", "", text_of(one.get("name")).partition(",")[0]) for one in officials),
            ]
        ),
        complete=False,
        containers=(_REGISTER,),
        years=years_of(dates),
        publisher=text_of(organization),
        identifiers=identifiers(("nct", number)),
        url=f"https://clinicaltrials.gov/study/{number}",
    )


_OPENALEX_FIELDS: Final = (
    "id,doi,ids,title,display_name,publication_year,publication_date,type,authorships,primary_location,biblio,"
    "is_retracted"
)
_MOST_AUTHORS: Final = 100
_OPENALEX_KINDS: Final[Mapping[str, WorkKind]] = {
    **dict.fromkeys(("article", "review", "letter", "editorial"), "article"),
    "preprint": "preprint",
    "book": "book",
    "book-chapter": "chapter",
    "report": "report",
    "dataset": "dataset",
}


class OpenAlex(ListService):
    """Works by DOI and PMID, and by title."""

    name = "openalex"
    at_once: Mapping[IdentifierKind, int] = {"doi": 50, "pmid": 50}

    def __init__(self, services: Services) -> None:
        self.base = services.openalex
        self._who = {"mailto": services.mail, "api_key": services.openalex_key}

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        # a comma or a bar would part the filter
        asked = "|".join(value for value in values if not set(value) & set(",|"))
        return self._works({"filter": f"{kind}:{asked}", "per_page": str(max(2, 2 * len(values)))})

    def citation(self, reference: Reference) -> str:
        """The words of the title, two at the least."""
        words = content_words(reference.title)
        return " ".join(words) if len(words) > 1 else ""

    def citation_url(self, query: str) -> str:
        return self._works({"search": query, "per_page": str(RESULTS)})

    def works(self, answer: Mapping[str, Any]) -> object:
        return answer.get("results")

    def record(self, work: Mapping[str, Any]) -> Record | None:
        return openalex_record(work)

    def _works(self, parameters: Mapping[str, str]) -> str:
        return query_url(self.base, "works", {**parameters, "select": _OPENALEX_FIELDS, **self._who})


def openalex_record(work: Mapping[str, Any]) -> Record | None:
    """A work as a record; ``None`` for one without an id."""
    record_id = text_of(work.get("id")).rpartition("/")[2]
    if not record_id:
        return None
    ids, biblio = mapping(work.get("ids")), mapping(work.get("biblio"))
    source = mapping(mapping(work.get("primary_location")).get("source"))
    doi = doi_of(work.get("doi") or ids.get("doi"))
    title, mark = without_mark(title_of(work.get("title") or work.get("display_name")))
    people = objects(work.get("authorships"))
    authors = authors_of(
        author_of("", "", "", mapping(one.get("author")).get("display_name") or one.get("raw_author_name"))
        for one in people
    )
    retracted = [Notice("retracted", "", "OpenAlex says so")] if work.get("is_retracted") is True else []
    return Record(
        authority=OpenAlex.name,
        record_id=record_id,
        kind=_OPENALEX_KINDS.get(text_of(work.get("type")), "unknown"),
        title=title,
        authors=authors,
        complete=0 < len(people) < _MOST_AUTHORS,
        containers=distinct([text_of(source.get("display_name")), text_of(source.get("abbreviated_title"))]),
        years=years_of([work.get("publication_year"), work.get("publication_date")]),
        volume=text_of(biblio.get("volume")),
        issue=text_of(biblio.get("issue")),
        pages=page_range(text_of(biblio.get("first_page")), text_of(biblio.get("last_page"))),
        publisher=text_of(source.get("host_organization_name")),
        identifiers=identifiers(
            ("doi", doi),
            ("pmid", _number(ids.get("pmid"))),
            ("pmcid", pmcid_of(ids.get("pmcid")) if ids.get("pmcid") else ""),
        ),
        url=f"https://doi.org/{doi}" if doi else f"https://openalex.org/{record_id}",
        notices=with_mark(retracted, mark),
    )


def _number(value: object) -> str:
    found = re.search(r"\d{1,9}\Z", text_of(value).rstrip("/"))
    return found[0] if found else ""
