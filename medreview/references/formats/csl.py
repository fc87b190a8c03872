"""Works in CSL-JSON, the format of citation processors: Zotero's export, Crossref's answers, a line of JSON each."""

from collections.abc import Mapping
from typing import Any, Final

from medreview.references.formats.fields import dois_in, isbns_in, named_in, noted, only_one, retracted_by, without_mark
from medreview.references.formats.fields import years_in as _years_in
from medreview.references.model import Author, Identifier, Record, WorkKind

_KINDS: Final[Mapping[str, WorkKind]] = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article", "review": "article",
    "paper-conference": "article", "journal-article": "article", "proceedings-article": "article",
    "article": "preprint", "posted-content": "preprint", "book": "book", "monograph": "book", "edited-book": "book",
    "chapter": "chapter", "book-chapter": "chapter", "entry-encyclopedia": "chapter", "entry-dictionary": "chapter",
    "report": "report", "thesis": "report", "webpage": "web_page", "post-weblog": "web_page", "post": "web_page",
    "website": "web_page", "dataset": "dataset", "standard": "guideline", "regulation": "report",
}  # fmt: skip
_DATES: Final = ("issued", "published-print", "published-online", "published", "available-date", "original-date")
_TITLES: Final = ("title-short", "original-title", "short-title", "translated-title")
_CONTAINERS: Final = ("container-title", "container-title-short", "journalAbbreviation", "short-container-title")
_OF_AUTHOR: Final = ("family", "given", "non-dropping-particle", "literal", "name")
_ET_AL: Final = frozenset({"et al", "et al.", "others"})


_MORE_IDENTIFIERS: Final = frozenset({"PMCID", "note", "URL", "ISBN"})


def record_of(item: Mapping[str, Any], authority: str, ordinal: int) -> Record:
    """The record of a CSL item; its id is the item's own, or its ordinal when it has none.

    A value of a form that CSL does not know is passed over.
    """
    title, marks = without_mark(_text(item.get("title")))
    authors, complete = _authors(item.get("author") or item.get("editor"))
    notices = (*marks, *retracted_by((_text(item.get("status")), _text(item.get("genre")))))
    return Record(
        authority=authority,
        record_id=_text(item.get("id")) or str(ordinal),
        kind=_KINDS.get(_text(item.get("type")), "unknown"),
        title=title,
        other_titles=tuple(text for name in _TITLES if name in item for text in _texts(item[name]) if text != title),
        authors=authors,
        complete=complete,
        containers=tuple(dict.fromkeys(text for name in _CONTAINERS if name in item for text in _texts(item[name]))),
        years=tuple(dict.fromkeys(year for name in _DATES if name in item for year in _years(item[name]))),
        volume=_text(item.get("volume")),
        issue=_text(item.get("issue")),
        pages=_text(item.get("page")) or _text(item.get("number")),
        publisher=_text(item.get("publisher")),
        edition=_text(item.get("edition")),
        identifiers=identifiers_of(item),
        url=_text(item.get("URL")),
        notices=notices[:1],
    )


def identifiers_of(item: Mapping[str, Any]) -> tuple[Identifier, ...]:
    """The identifiers of a CSL item, those of its note and its URL included."""
    found: list[Identifier] = []
    doi, pmid = item.get("DOI"), item.get("PMID")
    if item.keys().isdisjoint(_MORE_IDENTIFIERS) and type(doi) is type(pmid) is str and doi[:3] == "10.":
        return (Identifier("doi", doi), Identifier("pmid", pmid)) if pmid.isdigit() else (Identifier("doi", doi),)
    if doi := _text(doi):
        found += (Identifier("doi", doi),) if doi.startswith("10.") else dois_in(doi)
    for name in ("PMID", "PMCID"):
        if value := _text(item.get(name)):
            digits = value.upper().removeprefix(name).removeprefix("PMC").strip(" :")
            if digits.isdigit():
                found.append(Identifier("pmid", digits) if name == "PMID" else Identifier("pmcid", f"PMC{digits}"))
    if note := _text(item.get("note")):
        found += noted(*note.splitlines())
    if url := _text(item.get("URL")):
        found += named_in(url)
    if isbn := _text(item.get("ISBN")):
        found += isbns_in(isbn)
    return only_one(found)


def _text(value: object) -> str:
    """A value, or the first of a list of them, as text; a list in a list is passed over, however deep it goes."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list):
        return next((text for one in value if not isinstance(one, list) and (text := _text(one))), "")
    return ""


def _texts(value: object) -> list[str]:
    if isinstance(value, list):
        return [text for one in value if not isinstance(one, list) and (text := _text(one))]
    return [text] if (text := _text(value)) else []


def _authors(value: object) -> tuple[tuple[Author, ...], bool]:
    """The authors, and whether the list is whole."""
    found: list[Author] = []
    complete = True
    for one in value if isinstance(value, list) else ():
        if not isinstance(one, dict):
            continue
        family, given, particle, literal, name = map(_text, map(one.get, _OF_AUTHOR))
        whole = literal or name
        if family.casefold() in _ET_AL or whole.casefold() in _ET_AL:
            complete = False
        elif family:
            found.append(Author(f"{particle} {family}".strip(), given))
        elif whole or given:
            found.append(Author(whole or given, body=True))
    return tuple(found), complete


def _years(value: object) -> tuple[int, ...]:
    if not isinstance(value, dict):
        return _years_in(_text(value))
    parts = value.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0]:
        return _years_in(_text(parts[0][0]))
    return _years_in(_text(value.get("raw")) or _text(value.get("literal")))
