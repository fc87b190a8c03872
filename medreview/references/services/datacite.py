"""DataCite: the registry of the DOIs of data sets, of arXiv and of other repositories (REST API, ``/dois``)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from medreview.references.formats.fields import page_range
from medreview.references.model import Author, IdentifierKind, Notice, NoticeKind, Record, Reference, WorkKind
from medreview.references.services.service import (
    RESULTS,
    Found,
    any_of,
    author_of,
    authors_of,
    content_words,
    distinct,
    doi_of,
    identifiers,
    matching,
    objects,
    quotable,
    text_of,
    title_of,
    years_of,
)
from medreview.sources.fetching.network import Fetched, Services, query_url
from medreview.sources.lookups.lookup_stage import json_object, mapping, no_answer

_ARXIV: Final = "10.48550/arxiv."
_KINDS: Final[Mapping[str, WorkKind]] = {
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
_NOTICES: Final[Mapping[str, NoticeKind]] = {
    "isversionof": "published_as",
    "ispreviousversionof": "superseded",
    "isobsoletedby": "superseded",
}


class DataCite:
    """Works by DOI, arXiv's by their number, and by title."""

    name = "datacite"
    at_once: Mapping[IdentifierKind, int] = {"doi": 40, "arxiv": 40}

    def __init__(self, services: Services) -> None:
        self.base = services.datacite
        self._mail = services.mail

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        """As :meth:`~medreview.references.services.service.Service.identifier_url`."""
        dois = [_arxiv_doi(value) if kind == "arxiv" else value for value in values]
        quoted = [f'"{doi.replace(chr(92), "").replace(chr(34), "")}"' for doi in dois]
        return self._dois(f"doi:{any_of(quoted)}", len(values))

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        """As :meth:`~medreview.references.services.service.Service.read_identifiers`; without the version of arXiv."""
        records = _records(fetched)
        if kind != "arxiv":
            return matching(values, records, kind)
        by_doi = matching(tuple(_arxiv_doi(value) for value in values), records, "doi")
        return {value: by_doi[_arxiv_doi(value)] for value in values if _arxiv_doi(value) in by_doi}

    def citation(self, reference: Reference) -> str:
        """Any of the title's words, two at the least."""
        words = [quotable(word) for word in content_words(reference.title)]
        return f"titles.title:{any_of(words)}" if len(words) > 1 else ""

    def citation_url(self, query: str) -> str:
        """As :meth:`~medreview.references.services.service.Service.citation_url`."""
        return self._dois(query, RESULTS)

    def read_citation(self, fetched: Fetched) -> tuple[Record, ...]:
        """As :meth:`~medreview.references.services.service.Service.read_citation`."""
        return tuple(_records(fetched))

    def _dois(self, query: str, results: int) -> str:
        sizes = {"page[size]": str(results), "page[number]": "1", "sort": "relevance", "disable-facets": "true"}
        return query_url(self.base, "dois", {"query": query, **sizes, "mailto": self._mail})


def _arxiv_doi(value: str) -> str:
    return _ARXIV + re.sub(r"v\d{1,3}\Z", "", value.lower())


def _records(fetched: Fetched) -> list[Record]:
    data = json_object(fetched).get("data")
    if not isinstance(data, list):
        raise no_answer(fetched)
    found = (datacite_record(mapping(item.get("attributes"))) for item in objects(data))
    return [record for record in found if record is not None]


def datacite_record(work: Mapping[str, Any]) -> Record | None:
    """The attributes of a DOI as a record; ``None`` for one without DOI."""
    doi = doi_of(work.get("doi"))
    if not doi:
        return None
    titles = distinct(title_of(one.get("title")) for one in objects(work.get("titles")))
    types = mapping(work.get("types"))
    kind = _KINDS.get(text_of(types.get("resourceTypeGeneral")).lower(), "unknown")
    container, publisher = mapping(work.get("container")), work.get("publisher")
    name = text_of(publisher.get("name") if isinstance(publisher, dict) else publisher)
    arxiv = doi.removeprefix(_ARXIV) if doi.startswith(_ARXIV) else ""
    authors = authors_of(_author(one) for one in objects(work.get("creators")))
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
        notices=tuple(_notices(work, is_preprint=bool(arxiv) or kind == "preprint")),
    )


def _author(creator: Mapping[str, Any]) -> Author | None:
    body = text_of(creator.get("nameType")).lower() == "organizational"
    if body:
        return author_of("", "", creator.get("name"))
    return author_of(creator.get("familyName"), creator.get("givenName"), "", creator.get("name"))


def _notices(work: Mapping[str, Any], *, is_preprint: bool) -> list[Notice]:
    found = []
    for related in objects(work.get("relatedIdentifiers")):
        kind = _NOTICES.get(text_of(related.get("relationType")).lower())
        if kind is None or (kind == "published_as" and not is_preprint):
            continue
        if (doi := doi_of(related.get("relatedIdentifier"))) and not doi.startswith(_ARXIV):
            found.append(Notice(kind, doi))
    return found
