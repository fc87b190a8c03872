"""The formats of six bibliographic services in their true shape, over invented works.

Crossref REST API (``/works``), DataCite REST API (``/dois``), E-utilities (``esummary``, ``esearch``, ``ecitmatch``),
Europe PMC (``search``, ``resultType=core``), OpenAlex (``/works``), ClinicalTrials.gov API v2 (``/studies``).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from zlib import crc32

CROSSREF_SELECTS = frozenset(
    """abstract, URL, resource, member, posted, score, created, degree, update-policy, short-title, license, ISSN,
    container-title, issued, update-to, issue, prefix, approved, indexed, article-number, clinical-trial-number,
    accepted, author, group-title, DOI, is-referenced-by-count, updated-by, event, chair, standards-body,
    original-title, funder, translator, published, archive, published-print, alternative-id, subject, subtitle,
    published-online, publisher-location, content-domain, reference, title, link, type, publisher, volume,
    references-count, ISBN, issn-type, assertion, deposited, page, content-created, short-container-title,
    relation, editor""".replace("\n", " ")
    .replace(" ", "")
    .split(",")
)
"""What Crossref lets be selected; anything else is a validation failure."""


@dataclass(frozen=True)
class Work:
    """An invented work. ``at``: the services that have it. ``more``: what a service says of it besides, by its name."""

    title: str
    authors: tuple[tuple[str, str], ...] = (("Hollis", "Mara K"), ("Penrose", "Ivo"))
    journal: str = "Journal of Invented Medicine"
    abbreviation: str = "J Invent Med"
    year: int = 2019
    volume: str = "12"
    issue: str = "3"
    pages: str = "101-109"
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    nct: str = ""
    isbn: str = ""
    at: tuple[str, ...] = ("pubmed", "europe_pmc", "crossref", "openalex")
    kind: str = "journal-article"
    more: dict[str, dict[str, Any]] = field(default_factory=dict)

    @cached_property
    def words(self) -> set[str]:
        """What a search finds it by."""
        names = " ".join(family for family, _ in self.authors)
        return set(re.findall(r"\w+", f"{self.title} {names} {self.journal} {self.year} {self.volume}".lower()))


Told = tuple[int, dict[str, Any] | str]
Speaker = Callable[[list[Work], str, dict[str, str]], Told]


def _best(works: Sequence[Work], query: str, most: int) -> list[Work]:
    words = set(re.findall(r"\w+", query.lower()))
    scored = [(len(words & work.words), work) for work in works]
    return [work for score, work in sorted(scored, key=lambda pair: -pair[0]) if score > 1][:most]


def crossref(works: list[Work], path: str, asked: dict[str, str]) -> Told:
    """``/works`` with ``filter`` or ``query.bibliographic``; ``/works/DOI``."""
    if path != "works":
        alone = [work for work in works if work.doi == path.removeprefix("works/").lower()]
        if not alone:
            return 404, "Resource not found."
        return 200, {"status": "ok", "message-type": "work", "message": crossref_item(alone[0])}
    select = asked.get("select", "").split(",")
    filters: dict[str, list[str]] = {}
    for part in asked.get("filter", "").split(",") if "filter" in asked else []:
        name, colon, value = part.partition(":")
        if not colon:
            return _refused("filter-not-available", part)
        filters.setdefault(name, []).append(value.lower())
    if unknown := [name for name in select if name not in CROSSREF_SELECTS]:
        return _refused("select-not-available", unknown[0])
    if filters:
        found = [
            work
            for work in works
            if work.doi in filters.get("doi", [work.doi])
            and work.isbn in filters.get("isbn", [work.isbn])
            and work.kind in filters.get("type", [work.kind])
        ]
    else:
        found = _best(works, asked["query.bibliographic"], int(asked["rows"]))
    items = [{name: value for name, value in crossref_item(work).items() if name in select} for work in found]
    message = {"facets": {}, "total-results": len(items), "items": items[: int(asked["rows"])], "items-per-page": 20}
    return 200, {"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": message}


def _refused(kind: str, value: str) -> Told:
    told = {"type": kind, "value": value, "message": f"{value} specified but there is no such thing for this route."}
    return 400, {"status": "failed", "message-type": "validation-failure", "message": [told]}


def crossref_item(work: Work) -> dict[str, Any]:
    """A work as Crossref has it."""
    return {
        "DOI": work.doi,
        "URL": f"https://doi.org/{work.doi}",
        "type": work.kind,
        "title": [work.title],
        "author": [
            {"given": given, "family": family, "sequence": "additional", "affiliation": []}
            for family, given in work.authors
        ],
        "container-title": [work.journal],
        "short-container-title": [work.abbreviation],
        "published-print": {"date-parts": [[work.year, 4]]},
        "issued": {"date-parts": [[work.year, 4]]},
        "volume": work.volume,
        "issue": work.issue,
        "page": work.pages,
        "publisher": "Invented Press",
        "score": 42.0,
        "reference": [{"key": "ref1", "unstructured": "A reference in full."}],
        **({"ISBN": [f"http://id.crossref.org/isbn/{work.isbn}"]} if work.isbn else {}),
        **work.more.get("crossref", {}),
    }


def datacite(works: list[Work], path: str, asked: dict[str, str]) -> Told:
    """``/dois`` with a query for DOIs or for words of titles."""
    assert path == "dois", path
    query = asked["query"]
    if query.startswith("doi:"):
        dois = re.findall(r'"([^"]+)"', query)
        found = [work for work in works if work.doi in dois]
    else:
        found = _best(works, query.removeprefix("titles.title:").replace(" OR ", " "), int(asked["page[size]"]))
    data = [{"id": work.doi, "type": "dois", "attributes": datacite_attributes(work)} for work in found]
    return 200, {"data": data, "meta": {"total": len(data), "totalPages": 1, "page": 1}}


def datacite_attributes(work: Work) -> dict[str, Any]:
    """A work as DataCite has it."""
    return {
        "doi": work.doi,
        "creators": [
            {"name": f"{family}, {given}", "nameType": "Personal", "givenName": given, "familyName": family}
            for family, given in work.authors
        ],
        "titles": [{"title": work.title}],
        "publisher": work.journal,
        "container": {},
        "publicationYear": work.year,
        "types": {"resourceTypeGeneral": "Dataset" if work.kind == "dataset" else "Preprint"},
        "relatedIdentifiers": [],
        "dates": [{"date": f"{work.year}-04-01", "dateType": "Issued"}],
        **work.more.get("datacite", {}),
    }


def europe_pmc(works: list[Work], path: str, asked: dict[str, str]) -> Told:
    """``search`` by identifiers joined by OR, or by fields."""
    assert (path, asked["resultType"], asked["format"]) == ("search", "core", "json")
    query, size = asked["query"], int(asked.get("pageSize", "25"))
    dois, pmcids = re.findall(r'DOI:"([^"]+)"', query), re.findall(r'PMCID:"([^"]+)"', query)
    pmids = re.findall(r"EXT_ID:(\d+) AND SRC:MED", query)
    if dois or pmcids or pmids:
        found = [work for work in works if work.doi in dois or work.pmid in pmids or work.pmcid in pmcids]
    elif words := re.match(r"TITLE:\(([^)]*)\)", query):
        found = _best(works, words[1].replace(" OR ", " "), size)
    else:
        author, year = re.findall(r'AUTH:"([^"]+)"', query)[0], re.findall(r"PUB_YEAR:(\d+)", query)[0]
        found = [work for work in works if str(work.year) == year and author in {family for family, _ in work.authors}]
        found = [
            work for work in found if any(name.lower() in query.lower() for name in (work.journal, work.abbreviation))
        ]
    results = [europe_pmc_result(work) for work in found[:size]]
    return 200, {
        "version": "6.9",
        "hitCount": len(results),
        "request": {"queryString": query},
        "resultList": {"result": results},
    }


def europe_pmc_result(work: Work) -> dict[str, Any]:
    """A work as Europe PMC has it."""
    people = [
        {
            "fullName": f"{family} {_initials(given)}",
            "firstName": given,
            "lastName": family,
            "initials": _initials(given),
        }
        for family, given in work.authors
    ]
    return {
        "id": work.pmid or work.pmcid or "PPR1",
        "source": "MED" if work.pmid else "PMC" if work.pmcid else "PPR",
        **({"pmid": work.pmid} if work.pmid else {}),
        **({"pmcid": work.pmcid} if work.pmcid else {}),
        **({"doi": work.doi} if work.doi else {}),
        "title": f"{work.title}.",
        "authorString": ", ".join(person["fullName"] for person in people) + ".",
        "authorList": {"author": people},
        "journalInfo": {
            "issue": work.issue,
            "volume": work.volume,
            "dateOfPublication": f"{work.year} Apr",
            "yearOfPublication": work.year,
            "journal": {"title": work.journal, "medlineAbbreviation": work.abbreviation},
        },
        "pubYear": str(work.year),
        "pageInfo": work.pages,
        "pubTypeList": {"pubType": ["Journal Article"]},
        "firstPublicationDate": f"{work.year}-04-01",
        **work.more.get("europe_pmc", {}),
    }


def eutils(works: list[Work], path: str, asked: dict[str, str]) -> Told:
    """``esummary``, ``esearch`` and ``ecitmatch``."""
    assert asked["tool"] == "medreview"
    if path == "esummary.fcgi":
        return _esummary(works, asked)
    if path == "esearch.fcgi":
        found = _best(works, re.sub(r"\[[^]]*\]", "", asked["term"]), int(asked["retmax"]))
        ids = [work.pmid for work in found]
        told = {
            "count": str(len(ids)),
            "retmax": str(len(ids)),
            "retstart": "0",
            "idlist": ids,
            "querytranslation": "x",
        }
        return 200, {"header": {"type": "esearch", "version": "0.3"}, "esearchresult": told}
    assert path == "ecitmatch.cgi", path
    lines = []
    for line in asked["bdata"].split("\r"):
        journal, year, volume, page, author, key, _ = line.split("|")
        there = [
            work.pmid
            for work in works
            if journal.lower() in (work.journal.lower(), work.abbreviation.lower())
            and (year, volume, page) == (str(work.year), work.volume, work.pages.partition("-")[0])
        ]
        answer = there[0] if len(there) == 1 else "AMBIGUOUS" if there else "NOT_FOUND;INVALID_JOURNAL"
        lines.append(f"{journal}|{year}|{volume}|{page}|{author}|{key}|{answer}\n")
    return 200, "".join(lines)


def _esummary(works: list[Work], asked: dict[str, str]) -> Told:
    wanted = asked["id"].split(",")
    if any(not number.isdecimal() for number in wanted):
        return 200, {"header": {"type": "esummary", "version": "0.3"}, "esummaryresult": ["Invalid uid"]}
    is_pmc = asked["db"] == "pmc"
    by_number = {work.pmcid.removeprefix("PMC") if is_pmc else work.pmid: work for work in works}
    result: dict[str, Any] = {"uids": wanted}
    for number in wanted:
        work = by_number.get(number)
        result[number] = (
            {"uid": number, "error": "cannot get document summary"}
            if work is None
            else esummary_item(work, number, is_pmc)
        )
    return 200, {"header": {"type": "esummary", "version": "0.3"}, "result": result}


def esummary_item(work: Work, number: str, is_pmc: bool = False) -> dict[str, Any]:
    """A work as ``esummary`` has it."""
    ids = [("pmid" if is_pmc else "pubmed", work.pmid), ("doi", work.doi), ("pmcid" if is_pmc else "pmc", work.pmcid)]
    return {
        "uid": number,
        "pubdate": f"{work.year} Apr",
        "epubdate": f"{work.year} Mar 2",
        "source": work.abbreviation,
        "authors": [
            {"name": f"{family} {_initials(given)}", "authtype": "Author", "clusterid": ""}
            for family, given in work.authors
        ],
        "title": f"{work.title}.",
        "volume": work.volume,
        "issue": work.issue,
        "pages": work.pages,
        "lang": ["eng"],
        "pubtype": ["Journal Article"],
        "articleids": [{"idtype": kind, "idtypen": 1, "value": value} for kind, value in ids if value],
        "references": [],
        "fulljournalname": work.journal,
        "elocationid": f"doi: {work.doi}",
        "doctype": "citation",
        "booktitle": "",
        "vernaculartitle": "",
        **work.more.get("pubmed", {}),
    }


def openalex(works: list[Work], path: str, asked: dict[str, str]) -> Told:
    """``/works`` with a filter of DOIs or PMIDs, or a search."""
    assert path == "works", path
    if "filter" in asked:
        kind, _, values = asked["filter"].partition(":")
        found = [work for work in works if getattr(work, kind) in values.split("|")]
    else:
        found = _best(works, asked["search"], int(asked["per_page"]))
    return 200, {"meta": {"count": len(found), "page": 1}, "results": [openalex_result(work) for work in found]}


def openalex_result(work: Work) -> dict[str, Any]:
    """A work as OpenAlex has it."""
    first, _, last = work.pages.partition("-")
    return {
        "id": f"https://openalex.org/W{crc32(work.title.encode())}",
        "doi": f"https://doi.org/{work.doi}" if work.doi else None,
        "ids": {"pmid": f"https://pubmed.ncbi.nlm.nih.gov/{work.pmid}"} if work.pmid else {},
        "title": work.title,
        "display_name": work.title,
        "publication_year": work.year,
        "publication_date": f"{work.year}-04-01",
        "type": "article",
        "authorships": [
            {"author_position": "middle", "author": {"display_name": f"{given} {family}"}, "raw_author_name": family}
            for family, given in work.authors
        ],
        "primary_location": {"source": {"display_name": work.journal, "type": "journal"}},
        "biblio": {"volume": work.volume, "issue": work.issue, "first_page": first, "last_page": last or first},
        "is_retracted": False,
        **work.more.get("openalex", {}),
    }


def clinical_trials(works: list[Work], path: str, asked: dict[str, str]) -> Told:
    """``/studies`` with ids or words of titles."""
    assert path == "studies", path
    if "filter.ids" in asked:
        wanted = asked["filter.ids"].split(",")
        if any(not re.fullmatch(r"NCT\d{8}", number) for number in wanted):
            return 400, "filter.ids contains an invalid id"
        found = [work for work in works if work.nct in wanted]
    else:
        found = _best(works, asked["query.titles"].replace(" OR ", " "), int(asked["pageSize"]))
    return 200, {"studies": [{"protocolSection": trial_protocol(work)} for work in found]}


def trial_protocol(work: Work) -> dict[str, Any]:
    """A trial as ClinicalTrials.gov has it."""
    return {
        "identificationModule": {
            "nctId": work.nct,
            "briefTitle": work.title,
            "officialTitle": f"A Randomised, Double-Blind Trial: {work.title}",
            "organization": {"fullName": "Invented University"},
        },
        "statusModule": {
            "startDateStruct": {"date": f"{work.year}-03"},
            "studyFirstSubmitDate": f"{work.year}-01-15",
            "lastUpdateSubmitDate": f"{work.year + 2}-06-30",
        },
        "sponsorCollaboratorsModule": {"leadSponsor": {"name": "Invented University"}},
        **work.more.get("clinical_trials", {}),
    }


def _initials(given: str) -> str:
    return "".join(word[0] for word in given.split())


SPOKEN: dict[str, Speaker] = {
    "pubmed": eutils,
    "europe_pmc": europe_pmc,
    "crossref": crossref,
    "datacite": datacite,
    "clinical_trials": clinical_trials,
    "openalex": openalex,
}
