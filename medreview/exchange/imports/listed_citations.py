"""The citations that a record lists beside its answer, and the texts of cited pages that it gives with them.

Citations are texts, objects (written as one line with the fields named), or one text that holds several. Pages are
``references: [{url, text}]``, ``pages: {url: text}``, or ``contexts: [text]``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from medreview.exchange.imports.field_mapping import name_of, normalise_column, text_of
from medreview.exchange.imports.json_rows import CONTEXTS, kind_of, written_out
from medreview.storable import is_damaged
from medreview.text import NOT_IN_ADDRESS, sha256

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
_ADDRESS: Final = re.compile(r"https?://|\bftp://|www\.", re.IGNORECASE)
_CUTS: Final = re.compile(rf"[{NOT_IN_ADDRESS}]|\\(?![_*&#~|-])")
_AT_END: Final = re.compile(r"[.,;:!?'’‘*~–¹²³⁰⁴-⁹†‡\\|]+\Z")
_OPENING: Final = {")": "(", "]": "[", "}": "{"}
_URL: Final = re.compile(r"(?:https?://|ftp://|www\.)\S+\Z", re.IGNORECASE)


def identifier(named: Mapping[str, Any], name: str) -> str:
    """The identifier or address in a member, by its normalised name, as the text of a citation in which it is found
    whole; ``""`` for none. Raises ``ValueError`` if it is not text."""
    value = name_of(named, name)
    return IDENTIFIERS[name] + (encoded(value) if name in _ADDRESSES else value) if value else ""


def reference_line(named: Mapping[str, Any]) -> str:
    """``Authors: Roe A; Title: Metformin; Year: 2019; DOI: 10.5555/x``, every identifier among them.

    ``named``: the members by their normalised names. ``""`` where no words describe the work (neither a title nor a
    whole reference), and for a title alone, which needs no name. A member that is not text is left out, and the others
    are kept.
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
    """A value as the line has it; ``""`` if it is not a text, number, list of authors or date."""
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


_TEXTS: Final = ("title", "citation", "reference", "source", "text")
"""Members that may name what is cited in words, perhaps with its address among them."""
_NUMBERS: Final = ("number", "citation_number", "ref_number", "no", "index", "marker", "label")
"""Members that may hold the answer's own number of a citation."""
_NUMBER: Final = re.compile(r"\[?([1-9]\d{0,2})\]?")
_CITED: Final = re.compile(r"(?:(?:pmid|pmcid|doi|arxiv)[ \t]*:?[ \t]+)?\S+", re.IGNORECASE)
CITES: Final = re.compile(
    r"https?://|\bftp://|www\.|10\.\d{4,9}/|(?:pm(?:c)?(?:id)?|arxiv|nct)[ \t]*:?[ \t]*\d", re.IGNORECASE
)
_PARTS: Final = re.compile(r";|[,|](?=\s*(?:https?://|www\.|10\.\d{4}))")
_FILE: Final = re.compile(
    r"\.(?:pdf|x?html?|php|aspx?|jsp|txt|md|rtf|xml|csv|epub|odt|docx?|xlsx?|pptx?)(?:[?#]\S*)?[.,;]?\Z", re.IGNORECASE
)
_PARAMETER: Final = re.compile(r"&\w+=\S*\Z")
_PROSE: Final = re.compile(r"[,;:!?]\Z")
"""How a word ends after which, in an address with blanks, no part of the address would come."""
_LABEL: Final = re.compile(r"[ \t]*[;,]?[ \t]+(?=\[\d{1,3}\](?!\())")


def citations_of(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The list of citations in order, with collapsed white space.

    A list has a citation in each of its items, or in an object that numbers them (``{"1": "https://..."}``). Of an
    object that describes the work all that it says is taken (:func:`reference_line`), of any other its member ``url``
    (or ``doi``, ``pmid``, ...); with the answer's own number before it where every object has one. One text is split
    into lines, at ``[2]``, at semicolons, before an address after a comma or bar, and at white space where nothing but
    citations stands: an entry with author and title stays whole, and a label with its number (``PMID: 123``). A cell
    that holds a list as text is read as one. Raises ``ValueError``, which says what is wrong.
    """
    value = values.get("citations", "")
    if isinstance(value, str):
        value = written_out(value)
    if isinstance(value, dict):
        by_number = value and all(_NUMBER.fullmatch(str(name).strip()) for name in value)
        value = [f"[{_bare(name)}] {_cited(item)}" for name, item in value.items()] if by_number else [value]
    if isinstance(value, list):
        parts = [text_of({"citations": item}, "citations") for item in _items(value)]
    else:
        parts = list(_split(text_of(values, "citations")))
    return tuple(collapsed for part in parts if (collapsed := " ".join(part.split())))


def _items(value: list[Any]) -> Iterator[Any]:
    flat = [item for item in _flat(value) if item is not None]
    numbers = [_number_of(item) for item in flat]
    numbered = all(numbers) and len(set(numbers)) == len(numbers)
    for item, number in zip(flat, numbers, strict=True):
        yield f"[{number}] {_cited(item)}" if numbered else _cited(item)


def _flat(value: list[Any]) -> Iterator[Any]:
    for item in value:
        if isinstance(item, list):
            yield from item
        else:
            yield item


def _bare(number: object) -> str:
    return str(number).strip().strip("[]")


def _number_of(item: object) -> str:
    """The answer's own number of a citation object, ``""`` for none."""
    if isinstance(item, dict):
        named = {normalise_column(name): value for name, value in item.items()}
        for name in _NUMBERS:
            value = named.get(name)
            if isinstance(value, str | int) and not isinstance(value, bool) and _NUMBER.fullmatch(str(value).strip()):
                return _bare(value)
    return ""


def _cited(item: object) -> str:
    if isinstance(item, str):
        return encoded(" ".join(item.split()), whole=False) if _is_address(item) else item
    if not isinstance(item, dict):
        raise ValueError(f"has {kind_of(item)} among its citations, not text")
    named = {normalise_column(name): value for name, value in item.items() if value is not None}
    address = next(filter(None, (identifier(named, name) for name in IDENTIFIERS)), "")
    texts = [text for name in _TEXTS if isinstance(named.get(name), str) and (text := name_of(named, name))]
    citing = next(filter(CITES.search, texts), "")
    if not address and citing != named.get("title") and any(map(str.isspace, citing)):
        return citing  # a reference in words with what it cites: nothing names its parts better
    if found := reference_line(named) or address or citing or next(iter(texts), ""):
        return found
    raise ValueError(f"has an object among its citations that names none of {', '.join((*IDENTIFIERS, *_TEXTS))}")


def _is_address(item: str) -> bool:
    """Whether a text is one address. One with blanks is, where its last word ends as a file or with a parameter, and
    neither the words before that nor another citation among them show that the address ended sooner."""
    first, *more = item.split() or [""]
    if not more:
        return item.count("://") == 1
    *between, last = more
    return (
        item.count("://") == 1
        and first.lower().startswith(("http://", "https://"))
        and not _FILE.search(first)
        and not any(map(_PROSE.search, (first, *between)))
        and not CITES.search(" ".join(more))
        and bool(_FILE.search(last) or _PARAMETER.search(last))
    )


def _split(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        for numbered in _LABEL.split(line):
            parts = _PARTS.split(numbered)
            whole = not all(CITES.search(part) for part in parts if part.strip())
            for entry in [numbered] if whole else parts:
                found = _CITED.findall(entry)
                alone = all(map(CITES.search, found)) or not CITES.search(entry)
                yield from map(_cited, found if alone else [entry])


TEXTS: Final = (
    "text", "content", "page_content", "full_text", "body", "passage", "passages", "snippet", "excerpt", "cited_text",
)  # fmt: skip
"""The members of an object that may hold the text of a page, or a passage of it."""
_PASSAGES: Final = frozenset({"passage", "passages", "snippet", "excerpt", "cited_text", *CONTEXTS})
"""Fields and members whose texts are passages of pages."""
_INSIDE: Final = ("node", "document", "kwargs", "metadata", "meta")
"""Members of a document that say more of it: its text, or where it is from."""
_NAMES: Final = ("title", "name", "file_name", "filename", "source", "file_path")


@dataclass(frozen=True, slots=True)
class GivenPage:
    """A page as a record gives it. ``address``: a URL or identifier as written, or the entry of a document without one;
    ``text`` is empty where only that is given, and ``address`` where a text has none. ``whole``: the text is the page,
    and not a passage of it."""

    address: str
    text: str
    title: str
    whole: bool = True


def document_entry(name: str, text: str = "") -> str:
    """An entry of a list of citations for a document without an address: two texts of one name are two documents."""
    name = " ".join(name.split())[:200] or " ".join(text.split())[:60]
    return f"document:{name} #{sha256(f'{name}{chr(0)}{text}')[:8]}"


def given_pages(value: Any, field: str = "") -> list[GivenPage]:
    """The pages of a field, in order; none unless one of them has a text.

    A text without an address is a document, by its name or its first words. ``field``: its name, which says whether it
    holds passages, and that texts alone are those. Raises ``ValueError``, which says what is wrong, for a text that is
    invalid.
    """
    if isinstance(value, str):
        value = written_out(value)
    field = normalise_column(field)
    found = [_page(item, field) for item in _page_items(value, field)]
    pages = [page for page in found if page.address or page.text]
    return pages if any(page.text for page in pages) else []


def _page(item: Mapping[str, Any], field: str) -> GivenPage:
    name, text = next(((name, found) for name in TEXTS if (found := _text(item, name))), ("", ""))
    title = _title(item, "title") or _title(item, "name")
    address = _address(item)
    if text and not address:
        names = [said for name in _NAMES if (said := _title(item, name))]
        named = next(iter(names), "").replace("\\", "/").rstrip("/").rpartition("/")[2]
        address = document_entry(named, names[-1] if names else text)
    return GivenPage(address, text, title, whole=_PASSAGES.isdisjoint((name, field)))


def _page_items(value: Any, field: str) -> Iterator[Mapping[str, Any]]:
    """Each page as an object with normalised names, with what its members say of it among them."""
    if isinstance(value, dict) and not {normalise_column(name) for name in value}.isdisjoint(TEXTS):
        value = [value]
    if isinstance(value, dict):
        value = [
            {"url": address, **page} if isinstance(page, dict) else {"url": address, "text": page}
            for address, page in value.items()
        ]
    for item in value if isinstance(value, list) else []:
        if isinstance(item, str) and field in CONTEXTS:
            yield {"text": item}
        if isinstance(item, dict):
            yield _members(item)


def _members(item: Mapping[str, Any], depth: int = 2) -> dict[str, Any]:
    """The members of an object; of the objects inside it those that it has not itself."""
    named = {normalise_column(name): member for name, member in item.items()}
    for name in _INSIDE if depth else ():
        if isinstance(inner := named.pop(name, None), dict):
            named = {**_members(inner, depth - 1), **named}
    return named


def _address(item: Mapping[str, Any]) -> str:
    for name in IDENTIFIERS:
        if isinstance(item.get(name), str | int) and (address := identifier(item, name)):
            return " ".join(address.split())
    source = item.get("source")
    if isinstance(source, str) and _URL.match(source):
        return text_of(item, "source")
    return ""


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        value = "\n\n".join(value)
    return text_of({name: value}, name) if isinstance(value, str) and value.strip() else ""


def _title(item: Mapping[str, Any], name: str) -> str:
    return " ".join(text_of(item, name).split()) if isinstance(item.get(name), str) else ""
