"""CSL-JSON, the format of citation processors: Zotero's export, Crossref's answers, files of reference managers.

A file is an array of items, an object that holds one, one item, or an item a line (JSON Lines).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from medreview.exchange.imports.file_rows import BadRecord
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


_SPACE: Final = re.compile(r"[ \t\r\n]*")
_HOLDERS: Final = ("items", "references")
_SIGNS: Final = ("container-title", "issued", "DOI", "PMID", "ISBN")
_NAMING: Final = ("title", "DOI", "PMID", "PMCID", "ISBN", "URL", "note")
_NO_ITEM: Final = ("response", "answer", "output", "reference", "question")
_DECODER: Final = json.JSONDecoder()


def holds_items(text: str) -> bool:
    """Whether the first value of a text of JSON is an item of CSL, or holds some."""
    try:
        first = text.lstrip()
        if first.startswith("["):
            first = first[1:].lstrip()
            if first.startswith("]"):
                return False
        value, _ = _DECODER.raw_decode(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and (is_item(value) or any(map(is_item, _held(value))))


def is_item(value: object) -> bool:
    """Whether a value of JSON is a work as CSL has it, and neither an answer nor a line with a printed reference."""
    if not isinstance(value, dict) or any(name in value for name in _NO_ITEM):
        return False
    return any(name in value for name in _SIGNS) or ("type" in value and "title" in value)


def read_csl(text: str) -> Iterator[Record | BadRecord]:
    """The items of a text as records, and those that cannot be used.

    A line or array element that is not an item is left out alone; where an array breaks off, the items before are
    kept.
    """
    number = 0
    for line, value in _array(text) if _is_array(text) else _lines(text):
        if isinstance(value, str):
            yield BadRecord(line, value)
        elif any(value.get(name) for name in _NAMING):
            number += 1
            yield record_of(value, "library", number)
        else:
            yield BadRecord(line, "has neither a title nor an identifier")


def _held(value: Mapping[str, Any]) -> Sequence[Any]:
    return next((value[name] for name in _HOLDERS if isinstance(value.get(name), list)), ())


def _is_array(text: str) -> bool:
    """Not where the first line is a whole object: an item a line."""
    start = text.lstrip()
    if not start.startswith("{"):
        return True
    try:
        json.loads(start.partition("\n")[0])
    except (ValueError, RecursionError):
        return True
    return False


def _lines(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """The items of JSON Lines, and half a sentence for any other line."""
    loads = json.loads
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line.isspace():
            continue
        try:
            value = loads(line)
        except (ValueError, RecursionError):
            yield number, "is not complete JSON"
            continue
        if not isinstance(value, dict):
            yield number, "is not an object"
        elif held := _held(value):
            yield from ((number, one if isinstance(one, dict) else "is not an object") for one in held)
        else:
            yield number, value


def _array(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """The items of an array, of an object over several lines, or of several of these."""
    place = line = reached = 0
    while True:
        place = _end(_SPACE, text, place)
        if text[place : place + 1] in ("[", ",", "]"):
            place += 1
            continue
        if place >= len(text):
            return
        line += text.count("\n", reached, place)
        reached = place
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            yield line + 1, "is not complete JSON; what follows it is not read"
            return
        if not isinstance(value, dict):
            yield line + 1, "is not an object"
        elif held := _held(value):
            yield from ((line + 1, one if isinstance(one, dict) else "is not an object") for one in held)
        else:
            yield line + 1, value


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place
