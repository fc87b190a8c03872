"""Fields as files of reference managers write them, read the same way for every format; names of preprint servers."""

import re
from collections.abc import Iterable
from typing import Final

from medreview.citations.identifiers import find_arxiv, find_dois, find_pmcids, find_pmids
from medreview.references.model import Author, Identifier, Notice
from medreview.sources.records.service_record import retraction_mark

_PREPRINT_SERVER: Final = re.compile(r"rxiv|research square|res sq|preprint|ssrn", re.IGNORECASE)


def names_preprint_server(words: str) -> bool:
    """Whether a citation or the name of a container names a preprint server."""
    return _PREPRINT_SERVER.search(words) is not None


LONGEST: Final = 20_000
"""Characters kept of one value: an abstract has 3,000, and nothing that is read of a work is as long."""
_YEAR: Final = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?=(?:\d{4})?(?!\d))")
_ISBN: Final = re.compile(r"(?<![\dX-])(?:97[89][ -]?)?\d(?:[ -]?\d){8}[ -]?[\dXx](?![\dX-])")
_BRACKETED: Final = re.compile(r"(\d{1,8}|PMC\d{1,8})\s?\[(pmid|pmcid)\]", re.IGNORECASE)
_RETRACTED: Final = frozenset({"retracted", "retracted publication", "retracted article", "retraction"})
_BODY: Final = re.compile(
    r"\b(?:organi[sz]ation|committee|group|society|association|college|institute|ministry|department|agency|council"
    r"|collaboration|collaborators|investigators|consortium|federation|foundation|network|university|centers?|centres?"
    r"|academy|administration|initiative|panel|task force|working party|trialists|service|office|guidelines?)\b",
    re.IGNORECASE,
)
_INITIALS: Final = re.compile(r"(?:[A-Z]\.?[ -]?){1,4}")
_NOTE: Final = re.compile(r"\s*(?:pmc?id|doi|arxiv|(?:pmc)?\d{1,8}\s?\[pmc?id\])\b", re.IGNORECASE)
_ET_AL: Final = frozenset({"et al", "et al.", "others", "and others", "et.al."})


def years_in(*texts: str) -> tuple[int, ...]:
    """The years that dates name (``2019/05/12/``, ``2019 May-Jun``), each once, in order."""
    return tuple(dict.fromkeys(int(year) for text in texts for year in _YEAR.findall(text)[:2]))


def authors_of(names: Iterable[str]) -> tuple[tuple[Author, ...], bool]:
    """Authors from names as ``Family, Given``, and whether the list is whole (no "et al.")."""
    found: list[Author] = []
    complete = True
    for name in names:
        name = " ".join(name.split()).strip(" ;")
        if name.casefold() in _ET_AL:
            complete = False
        elif name:
            found.append(author_of(name))
    return tuple(found), complete


def author_of(name: str) -> Author:
    """One author from ``Family, Given``, ``Family, Jr., Given``, ``Family AB``, ``Given Family``, or a body's name."""
    family, comma, given = (part.strip() for part in name.partition(","))
    words = family.split()
    of_body = names_body(family)
    if comma and given and not of_body:
        rest, comma, last = (part.strip() for part in given.rpartition(","))
        return Author(family, last if comma and len(rest) <= 4 else given)
    if not comma and not of_body and len(words) > 1:
        if _INITIALS.fullmatch(words[-1]):
            return Author(" ".join(words[:-1]), words[-1])
        if len(words) <= 3:
            return Author(words[-1], " ".join(words[:-1]))
    return Author(name.strip(" ,"), body=len(words) > 1 or name.isupper())


def names_body(name: str) -> bool:
    """Whether a name of several words is that of a body of authors: a committee, a ministry, a study group."""
    return len(name.split()) > 1 and _BODY.search(name) is not None


def named_in(*texts: str) -> list[Identifier]:
    """Identifiers in addresses and notes: ``PMID: 123``, ``123[pmid]``, ``doi:10.1000/x``, ``.../pubmed/123``."""
    found: list[Identifier] = []
    for text in (text[:LONGEST] for text in texts if text):
        for match in _BRACKETED.finditer(text):
            digits = match[1].upper().removeprefix("PMC")
            pmcid = match[2].lower() == "pmcid"
            found.append(Identifier("pmcid", f"PMC{digits}") if pmcid else Identifier("pmid", digits))
        found += (Identifier("pmid", one.value) for one in find_pmids(text))
        found += (Identifier("pmcid", one.value) for one in find_pmcids(text))
        found += (Identifier("arxiv", one.value) for one in find_arxiv(text))
        found += dois_in(text)
    return found


def noted(*notes: str) -> list[Identifier]:
    """The same of notes, where one begins with an identifier, as reference managers write it. Others may name other
    works ("Comment in: ...")."""
    return named_in(*filter(_NOTE.match, notes))


def dois_in(*texts: str) -> list[Identifier]:
    """DOIs with or without a label or the address of a resolver."""
    return [Identifier("doi", one.value) for text in texts for one in find_dois(text[:LONGEST])]


def isbns_in(*texts: str) -> list[Identifier]:
    """ISBNs by their digits; an ISSN has only eight."""
    return [
        Identifier("isbn", re.sub(r"[ -]", "", found[0]).upper()) for text in texts for found in _ISBN.finditer(text)
    ]


def only_one(identifiers: Iterable[Identifier]) -> tuple[Identifier, ...]:
    """Of each kind the first, which is the most sure of; of ISBNs all, as each binding has its own."""
    found: dict[object, Identifier] = {}
    for one in identifiers:
        found.setdefault(one if one.kind == "isbn" else one.kind, one)
    return tuple(found.values())


def page_range(first: str, last: str) -> str:
    """``323-330``, whichever field has it."""
    first = re.sub(r"\s*[-–—]+\s*", "-", first)
    return f"{first}-{last}" if first and last and last != first and "-" not in first else first or last


def without_mark(title: str) -> tuple[str, tuple[Notice, ...]]:
    """A title without what publishers put before it when a work is retracted (``RETRACTED: ``), and the notice."""
    mark = retraction_mark(title)
    return (mark.title, (Notice(mark.kind, words=mark.words),)) if mark and mark.title else (title, ())


def retracted_by(words: Iterable[str]) -> tuple[Notice, ...]:
    """The notice when one of these keywords or types of publication says that the work is retracted."""
    told = next((word for word in words if word.strip(" .").casefold() in _RETRACTED), "")
    return (Notice("retracted", words=told),) if told else ()
