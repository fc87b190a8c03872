"""The citations that a record lists beside its answer: texts, objects, or one text that holds several."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from medreview.exchange.imports.field_mapping import name_of, normalise_column, text_of
from medreview.exchange.imports.json_rows import kind_of, written_out
from medreview.exchange.imports.listed_fields import IDENTIFIERS, encoded, identifier, reference_line

_TEXTS: Final = ("title", "citation", "reference", "source", "text")
"""Members that may name what is cited in words, perhaps with its address among them."""
_NUMBERS: Final = ("number", "citation_number", "ref_number", "no", "index", "marker", "label")
"""Members that may hold the answer's own number of a citation."""
_NUMBER: Final = re.compile(r"\[?([1-9]\d{0,2})\]?")
_CITED: Final = re.compile(r"(?:(?:pmid|pmcid|doi|arxiv)[ \t]*:?[ \t]+)?\S+", re.IGNORECASE)
CITES: Final = re.compile(r"https?://|www\.|10\.\d{4,9}/|(?:pm(?:c)?(?:id)?|arxiv|nct)[ \t]*:?[ \t]*\d", re.IGNORECASE)
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
