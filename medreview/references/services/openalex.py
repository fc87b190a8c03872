"""OpenAlex: an index over all of them (``/works``).

What a day may cost is counted; with a key it is a hundred times as much. ``filter=doi:a|b`` asks for many at once; in a
list a work has a hundred authors at the most.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from medreview.references.formats.fields import page_range, without_mark
from medreview.references.model import IdentifierKind, Notice, Record, Reference, WorkKind
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
    objects,
    pmcid_of,
    text_of,
    title_of,
    with_mark,
    years_of,
)
from medreview.sources.fetching.network import Fetched, Services, query_url
from medreview.sources.lookups.lookup_stage import json_object, mapping, no_answer

_SELECT: Final = (
    "id,doi,ids,title,display_name,publication_year,publication_date,type,authorships,primary_location,biblio,"
    "is_retracted"
)
_MOST_AUTHORS: Final = 100
_KINDS: Final[Mapping[str, WorkKind]] = {
    **dict.fromkeys(("article", "review", "letter", "editorial"), "article"),
    "preprint": "preprint",
    "book": "book",
    "book-chapter": "chapter",
    "report": "report",
    "dataset": "dataset",
}


class OpenAlex:
    """Works by DOI and PMID, and by title."""

    name = "openalex"
    at_once: Mapping[IdentifierKind, int] = {"doi": 50, "pmid": 50}

    def __init__(self, services: Services) -> None:
        self.base = services.openalex
        self._who = {"mailto": services.mail, "api_key": services.openalex_key}

    def identifier_url(self, kind: IdentifierKind, values: Sequence[str]) -> str:
        """As :meth:`~medreview.references.services.service.Service.identifier_url`."""
        # a comma or a bar would part the filter
        asked = "|".join(value for value in values if not set(value) & set(",|"))
        return self._works({"filter": f"{kind}:{asked}", "per_page": str(max(2, 2 * len(values)))})

    def read_identifiers(self, kind: IdentifierKind, values: Sequence[str], fetched: Fetched) -> Found:
        """As :meth:`~medreview.references.services.service.Service.read_identifiers`."""
        return matching(values, _records(fetched), kind)

    def citation(self, reference: Reference) -> str:
        """The words of the title, two at the least."""
        words = content_words(reference.title)
        return " ".join(words) if len(words) > 1 else ""

    def citation_url(self, query: str) -> str:
        """As :meth:`~medreview.references.services.service.Service.citation_url`."""
        return self._works({"search": query, "per_page": str(RESULTS)})

    def read_citation(self, fetched: Fetched) -> tuple[Record, ...]:
        """As :meth:`~medreview.references.services.service.Service.read_citation`."""
        return tuple(_records(fetched))

    def _works(self, parameters: Mapping[str, str]) -> str:
        return query_url(self.base, "works", {**parameters, "select": _SELECT, **self._who})


def _records(fetched: Fetched) -> list[Record]:
    results = json_object(fetched).get("results")
    if not isinstance(results, list):
        raise no_answer(fetched)
    found = (openalex_record(item) for item in objects(results))
    return [record for record in found if record is not None]


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
        kind=_KINDS.get(text_of(work.get("type")), "unknown"),
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
