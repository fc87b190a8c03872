"""A citation that is given as an object: what it says of the work, written as one line with its fields named."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from medreview.exchange.imports.field_mapping import name_of, normalise_column
from medreview.storable import is_damaged
from medreview.text import NOT_IN_ADDRESS

IDENTIFIERS: Final[Mapping[str, str]] = {
    "url": "",
    "link": "",
    "href": "",
    "uri": "",
    "doi": "",
    "pmid": "PMID: ",
    "pmcid": "PMCID: ",
    "nct": "",
    "arxiv": "arXiv:",
}
"""Member of a citation object -> the label that its value needs to be recognised as an identifier."""

_ADDRESSES: Final = ("url", "link", "href", "uri")
_NAMED: Final = {"doi": "DOI: ", "nct": "NCT: ", **dict.fromkeys(_ADDRESSES, "URL: ")}
"""How a line names those that need no label to be recognised."""
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "Authors": ("authors", "author", "authors_list", "author_list", "first_author"),
    "Title": ("title", "article_title", "paper_title"),
    "Journal": (
        "journal", "journal_name", "journal_title", "container_title", "container", "venue", "publication", "booktitle",
        "website", "site", "site_name",
    ),
    "Publisher": ("publisher",),
    "Year": ("year", "publication_year", "pub_year", "issued", "date", "publication_date", "published", "pub_date"),
    "Volume": ("volume", "vol"),
    "Issue": ("issue",),
    "Pages": ("pages", "page"),
}  # fmt: skip
"""Name in the line -> the members that may hold it, preferred first."""
_WHOLE: Final = ("citation", "reference")
"""Members that hold a whole reference where there is no title."""
_YEAR: Final = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_ADDRESS: Final = re.compile(r"https?://|www\.", re.IGNORECASE)
_CUTS: Final = re.compile(rf"[{NOT_IN_ADDRESS}]|\\(?![_*&#~|-])")
_AT_END: Final = re.compile(r"[.,;:!?'’‘*~–¹²³⁰⁴-⁹†‡\\|]+\Z")
_OPENING: Final = {")": "(", "]": "[", "}": "{"}
_URL: Final = re.compile(r"(?:https?://|www\.)\S+\Z", re.IGNORECASE)


def identifier(named: Mapping[str, Any], name: str) -> str:
    """The identifier or address in a member, by its normalised name, as the text of a citation in which it is found
    whole; ``""`` for none. Raises ``ValueError`` for what is no text."""
    value = name_of(named, name)
    return IDENTIFIERS[name] + (encoded(value) if name in _ADDRESSES else value) if value else ""


def reference_line(named: Mapping[str, Any]) -> str:
    """``Authors: Roe A; Title: Metformin; Year: 2019; DOI: 10.5555/x``, every identifier among them.

    ``named``: the members by their normalised names. ``""`` where no words describe the work (neither a title nor a
    whole reference), and for a title alone, which needs no name. A member that is no text is left out: it is no reason
    to lose the others.
    """
    words = {name: said for name, members in _WORDS.items() if (said := _first(named, members, name))}
    known = [f"{name}: {said}" for name, said in words.items()]
    if "Title" not in words:
        known = [whole] if (whole := _first(named, _WHOLE, "")) else []
    if not known:
        return ""
    whole_line = "; ".join(known)
    names = [
        f"{_NAMED.get(name) or label}{said}" for name, label, said in _identifiers(named) if said not in whole_line
    ]
    if "Title" not in words:
        return " ".join([*known, *names])
    return "; ".join([*known, *names]) if len(known) + len(names) > 1 else ""


def _first(named: Mapping[str, Any], members: tuple[str, ...], name: str) -> str:
    return next((said for member in members if (said := _said(named.get(member), name))), "")


def _said(value: object, name: str) -> str:
    """A value as the line has it; ``""`` for what is no text, number, list of authors or date."""
    if isinstance(value, list) and name == "Authors":
        return "; ".join(filter(None, map(_author, value)))
    if isinstance(value, list) and len(value) == 1:  # as CSL exports have titles
        return _said(value[0], name)
    if isinstance(value, dict) and name == "Year":  # {"date-parts": [[2019, 5, 3]]}
        found = _YEAR.search(str(value))
        return found[0] if found else ""
    if isinstance(value, dict) and name == "Authors":
        return _author(value)
    if not isinstance(value, str | int | float) or (isinstance(value, str) and is_damaged(value)):
        return ""
    said = " ".join(name_of({"said": value}, "said").split()) if not isinstance(value, bool) else ""
    return said.rstrip(" ;") if name else said


def _author(value: object) -> str:
    """``Roe, Ann`` of an author with parts; else the name as it stands."""
    if not isinstance(value, dict):
        return _said(value, "") if isinstance(value, str) else ""
    named = {normalise_column(name): part for name, part in value.items()}
    family = _first(named, ("family", "last", "last_name", "lastname", "surname"), "")
    given = _first(named, ("given", "first", "first_name", "firstname", "given_name", "initials"), "")
    return ", ".join(filter(None, (family, given))) or _first(named, ("name", "full_name", "literal"), "")


def _identifiers(named: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Member, label and value: identifiers first, then the first address."""
    for name, label in IDENTIFIERS.items():
        if name not in _ADDRESSES and (said := _said(named.get(name), "")):
            yield name, label, said
    address = _first(named, _ADDRESSES, "")
    if not address and _URL.match(source := _said(named.get("source"), "")):
        address = source
    if address:
        yield "url", "", encoded(address)


def encoded(address: str, *, whole: bool = True) -> str:
    """An address that stands alone in a field, with all at which one in running text would end percent-encoded; any
    other text as it is. Without ``whole`` brackets and punctuation at its end may belong to the text around it."""
    address = address.strip()
    if not _ADDRESS.match(address):
        return address
    found = _CUTS.sub(_percent, address)
    if not whole:
        return found
    opened: dict[str, list[int]] = {"(": [], "[": [], "{": []}
    alone: set[int] = set()
    for at, sign in enumerate(found):
        if sign in opened:
            opened[sign].append(at)
        elif sign in _OPENING:
            if opened[_OPENING[sign]]:
                opened[_OPENING[sign]].pop()
            else:
                alone.add(at)
    alone.update(*opened.values())
    found = "".join(_percent(sign) if at in alone else sign for at, sign in enumerate(found))
    return _AT_END.sub(_percent, found)


def _percent(found: re.Match[str] | str) -> str:
    text = found if isinstance(found, str) else found[0]
    return "".join(f"%{byte:02X}" for byte in text.encode())
