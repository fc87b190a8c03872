"""Crossref: the registry of most articles' DOIs (REST API, ``/works``).

``filter=doi:a,doi:b`` asks for many works at once: filters of one name count as "or". ``query.bibliographic`` finds by
the words of a citation. ``select`` keeps lists of references out of the answer; not every field can be selected.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from medreview.references.formats.fields import isbns_in, without_mark
from medreview.references.model import Author, IdentifierKind, Record, Reference, WorkKind
from medreview.references.services.service import (
    RESULTS,
    Found,
    author_of,
    authors_of,
    content_words,
    distinct,
    doi_of,
    identifiers,
    matching,
    notices_of_crossref,
    objects,
    text_of,
    texts_of,
    title_of,
    with_mark,
    years_of,
)
from medreview.sources.fetching.network import Fetched, Services, query_url
from medreview.sources.lookups.lookup_stage import json_object, mapping, no_answer, sequence

_SELECT: Final = (
    "DOI,type,title,subtitle,short-title,original-title,author,editor,container-title,short-container-title,group-title,"
    "published-print,published-online,published,issued,volume,issue,page,article-number,publisher,ISBN,updated-by,relation"
)
_BOOKS: Final = ("book", "monograph", "edited-book", "reference-book")
_KINDS: Final[Mapping[str, WorkKind]] = {
    "journal-article": "article",
    "proceedings-article": "article",
    "posted-content": "preprint",
    **dict.fromkeys(_BOOKS, "book"),
    **dict.fromkeys(("book-chapter", "book-section", "book-part", "reference-entry"), "chapter"),
    "report": "report",
    "report-series": "report",
    "dataset": "dataset",
}
_LONGEST: Final = 400
_NOT_THERE: Final = b"Resource not found."
"""Crossref's text for a single unregistered DOI; a page for people with status 404 is not an answer."""


class Crossref:
    """Works by DOI, books by ISBN, and by citation."""

    name = "crossref"
    at_once: Mapping[IdentifierKind, int] = {"doi": 50, "isbn": 20}

    def __init__(self, services: Services) -> None:
        self.base = services.crossref
        self._mail = services.mail

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        """As :meth:`~medreview.references.services.service.Service.identifier_url`."""
        if len(values) == 1 and "," in values[0]:  # a comma would part the filter
            return query_url(self.base, f"works/{quote(values[0], safe='', errors='replace')}", {"mailto": self._mail})
        filters = [f"{kind}:{value}" for value in values]
        if kind == "isbn":  # chapters carry the number of their book
            filters += (f"type:{name}" for name in _BOOKS)
        most = 5 * len(values) if kind == "isbn" else len(values)  # a number may stand for several volumes
        return self._works({"filter": ",".join(filters), "rows": str(most)})

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        """As :meth:`~medreview.references.services.service.Service.read_identifiers`."""
        if fetched.status == 404 and fetched.body.strip() == _NOT_THERE:
            return {}
        return matching(values, _records(fetched), kind)

    def citation(self, reference: Reference) -> str:
        """The words of a citation in a row, where there is a title, or an author with a journal."""
        names = [author.family for author in reference.authors[:3]]
        if not content_words(reference.title) and not (names and reference.container):
            return ""
        year = str(reference.year or "")
        parts = (*names, reference.title, reference.container, year, reference.volume, reference.pages)
        return " ".join(" ".join(parts).split())[:_LONGEST]

    def citation_url(self, query: str) -> str:
        """As :meth:`~medreview.references.services.service.Service.citation_url`."""
        return self._works({"query.bibliographic": query, "rows": str(RESULTS)})

    def read_citation(self, fetched: Fetched) -> tuple[Record, ...]:
        """As :meth:`~medreview.references.services.service.Service.read_citation`."""
        return tuple(_records(fetched))

    def _works(self, parameters: Mapping[str, str]) -> str:
        return query_url(self.base, "works", {**parameters, "select": _SELECT, "mailto": self._mail})


def _records(fetched: Fetched) -> list[Record]:
    message = mapping(json_object(fetched).get("message"))
    items = [message] if "DOI" in message else message.get("items")
    if not isinstance(items, list):
        raise no_answer(fetched)
    found = (crossref_record(item) for item in objects(items))
    return [record for record in found if record is not None]


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
    authors = _authors(item.get("author")) or _authors(item.get("editor"))
    containers = (item.get("container-title"), item.get("short-container-title"), item.get("group-title"))
    return Record(
        authority=Crossref.name,
        record_id=doi,
        kind=_KINDS.get(text_of(item.get("type")), "unknown"),
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
        notices=with_mark(notices_of_crossref(item), mark),
    )


def _authors(value: object) -> tuple[Author, ...]:
    return authors_of(
        author_of(one.get("family"), one.get("given"), one.get("name") or one.get("literal")) for one in objects(value)
    )
