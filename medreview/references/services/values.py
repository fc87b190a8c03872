"""Values of services' JSON as fields of a record: texts without markup, years in all shapes, identifiers, names."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any, Final

from medreview.citations.identifiers import doi_value
from medreview.references.formats.fields import names_body
from medreview.references.model import Author, Identifier, IdentifierKind
from medreview.sources.lookups.lookup_stage import mapping, sequence
from medreview.storable import storable_text

_LONGEST: Final = 2_000
_MOST: Final = 1_000
_ATTRIBUTES: Final = r"""(?:\s+[\w:.-]{1,40}\s{0,3}=\s{0,3}(?:"[^"<>]{0,300}"|'[^'<>]{0,300}'))*\s{0,3}/?"""
_INLINE: Final = re.compile(
    rf"</?(?:(?:jats:|mml:)?(?:i|b|u|em|strong|sup|sub|scp|sc|inf|italic|bold|span|font|tt|ovl|underline|named-content"
    rf"|math|m[a-z]{{1,9}}|semantics|tex-math|inline-formula|alternatives)){_ATTRIBUTES}>",
    re.IGNORECASE,
)
_BLOCK: Final = re.compile(rf"</?(?:jats:)?(?:p|br|break|div|title|h[1-6]){_ATTRIBUTES}>", re.IGNORECASE)
_ANNOTATION: Final = re.compile(r"<(mml:)?annotation\b[^<>]{0,200}>[^<>]{0,500}</(mml:)?annotation>", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\ufeff]+")
_YEAR: Final = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_RESOLVER: Final = re.compile(r"(?:https?://)?(?:dx\.)?doi\.org/|doi:\s{0,3}", re.IGNORECASE)


def text_of(value: object) -> str:
    """A JSON text or number as text on one line, without markup, of at most 2,000 characters; ``""`` for the rest.

    Records hold HTML, JATS and MathML, some of it escaped once or twice; a ``<`` that begins no tag stays.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = storable_text(str(value)[: 5 * _LONGEST])
    for _ in range(3):
        text = _BLOCK.sub(" ", _INLINE.sub("", _ANNOTATION.sub("", text)))
        if (plain := unescape(text)) == text:
            break
        text = plain
    return " ".join(_CONTROL.sub(" ", storable_text(text)).split())[:_LONGEST]


def texts_of(value: object) -> tuple[str, ...]:
    """The texts of a list, or the one text that stands in its place; without empty ones and without duplicates."""
    items = value if isinstance(value, list) else [value]
    return distinct(text_of(item) for item in items[:_MOST])


def distinct(items: Iterable[str]) -> tuple[str, ...]:
    """The texts that are not empty, each once."""
    return tuple(dict.fromkeys(item for item in items if item))


def title_of(value: object) -> str:
    """A title as :func:`text_of`, without the full stop that some services put behind it, and without their brackets.

    PubMed writes a title that it translated as ``[Title].``
    """
    title = text_of(value).removesuffix(".").strip()
    if title.startswith("[") and title.endswith("]") and "[" not in title[1:] and "]" not in title[:-1]:
        return title[1:-1].removesuffix(".").strip()
    return title


def years_of(values: Iterable[object]) -> tuple[int, ...]:
    """The years of dates, each once, in their order.

    A date is a number, a text that names a year (``2015 Nov 26``, ``2019/07/01``), or Crossref's
    ``{"date-parts": [[2015, 11]]}``, of which parts may be missing or ``null``.
    """
    return tuple(dict.fromkeys(year for value in values for year in _years(value)))


def _years(value: object) -> Iterator[int]:
    if isinstance(value, dict):
        parts = sequence(value.get("date-parts"))
        first = sequence(parts[0]) if parts else ()
        value = first[0] if first else ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if found := _YEAR.search(text_of(value)):
        yield int(found[1])


def doi_of(value: object) -> str:
    """A DOI in lower case without the resolver's address; ``""`` for what is none."""
    text = text_of(value)
    found = _RESOLVER.match(text)
    doi = doi_value(text[found.end() :] if found else text)
    return doi if doi.startswith("10.") and "/" in doi else ""


def pmcid_of(value: object) -> str:
    """A PMCID as ``PMC123``; ``""`` for what is none."""
    found = re.search(r"(?:PMC)?(\d{1,10})", text_of(value), re.IGNORECASE)
    return f"PMC{found[1]}" if found else ""


def identifiers(*found: tuple[IdentifierKind, object]) -> tuple[Identifier, ...]:
    """The identifiers whose value is not empty, each once."""
    known = (Identifier(kind, value) for kind, value in found if isinstance(value, str) and value)
    return tuple(dict.fromkeys(known))


def author_of(family: object, given: object, body: object = "", whole: object = "") -> Author | None:
    """An author of a family name and given names; a body of authors; or one of whom only the whole name is known.

    A whole name that is no body's is taken apart at its comma, else its last word is the family name.
    """
    if name := text_of(family):
        return Author(name, text_of(given))
    if name := text_of(body):
        return Author(name, "", body=True)
    name = text_of(whole)
    if names_body(name):
        return Author(name, "", body=True)
    before, comma, after = name.partition(",")
    if comma:
        return Author(before.strip(), after.strip())
    first, _, last = name.rpartition(" ")
    return Author(last, first) if last else None


def authors_of(found: Iterable[Author | None]) -> tuple[Author, ...]:
    """The authors that have a name, a thousand at the most."""
    return tuple(author for author in found if author is not None)[:_MOST]


def objects(value: object) -> list[dict[str, Any]]:
    """The JSON objects of a list; one object in place of a list counts as a list of one."""
    items = [value] if isinstance(value, dict) else sequence(value)
    return [dict(mapping(item)) for item in items if isinstance(item, dict)]
