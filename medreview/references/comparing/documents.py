"""What is no title in a title: numbers of documents, editions, words for a kind of document; and who publishes it."""

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from medreview.references.comparing.words import word_set, words
from medreview.references.model import Author, Record, Reference, WorkKind

UPDATED: Final[frozenset[WorkKind]] = frozenset({"guideline", "web_page", "drug_label", "report"})
"""Works that are updated where they stand, under their old address and number."""

_NUMBER: Final = (
    r"(?:(?P<nice>NG|CG|TA|QS|PH|IPG|DG|MTG|HST|NICE guideline (?=\d))[ -]?(?P<nice_no>\d{1,4})\b"
    r"|(?P<who>WHO(?:/[A-Z0-9][A-Z0-9._-]*){2,})"
    r"|(?P<sign>SIGN) (?:guideline )?(?:no\.? )?(?P<sign_no>\d{1,3})\b)"
)
_NUMBERED: Final = re.compile(rf"(?<![A-Za-z0-9/]){_NUMBER}")
_NICE_PAGE: Final = re.compile(r"nice\.org\.uk/guidance/([a-z]{2,3}\d{1,4})\b", re.IGNORECASE)
_NICE: Final = re.compile(r"\bNICE\b|nice\.org\.uk|National Institute for (?:Health|Clinical)")
_KIND: Final = (
    r"(?:(?:NICE|SIGN|WHO)\s+)?(?:clinical\s+|public health\s+)?(?:guidelines?|guidance|technology appraisal"
    r"(?: guidance)?|quality standard)"
)
_WITH_NUMBER: Final = re.compile(
    rf"(?:^|(?<=[\s.,:;(\[–-]))[(\[]?(?:{_KIND}[\s:,]*)?[(\[]?(?-i:{_NUMBER})[)\]]{{0,2}}|[(\[]{_KIND}[)\]]",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"[(\[]?\b(?:(?:US |U\.S\. |full |highlights of )?prescribing information|package (?:insert|leaflet)|drug label"
    r"|product (?:label|labell?ing|monograph|information)|summary of product characteristics|SmPC"
    r"|medication guide)\b[)\]]?",
    re.IGNORECASE,
)
_SHEET: Final = re.compile(r"[(\[]?\bfact[ -]?sheet\b[)\]]?", re.IGNORECASE)
_EDITION: Final = re.compile(
    r"[,.;:]?\s*[(\[]?\b(?:(\d{1,3})(?:st|nd|rd|th)|(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth))"
    r"\s+ed(?:ition|n)?\b\.?[)\]]?",
    re.IGNORECASE,
)
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_READ: Final = 2000
_COMPANY: Final = word_set(
    """
    inc ltd llc co company corporation corp gmbh ag plc sa limited pharmaceuticals pharmaceutical pharma laboratories
    and the of usa us
    """
)


@lru_cache(maxsize=4096)
def document_numbers(text: str) -> frozenset[str]:
    """The numbers by which bodies call their documents (``NG28``, ``WHO/NMH/NVI/15.1``), in capitals.

    NICE's series count only where NICE is named, as their letters stand for much else.
    """
    text = text[:_READ]
    found = {number.upper() for number in _NICE_PAGE.findall(text)}
    named = _NICE.search(text) is not None
    for match in _NUMBERED.finditer(text):
        if match["nice"]:
            series = "NG" if match["nice"].startswith("NICE") else match["nice"]
            found |= {f"{series}{match['nice_no']}"} if named else set()
        else:
            found.add((match["who"] or f"SIGN{match['sign_no']}").rstrip("."))
    return frozenset(found)


def numbers_of_record(record: Record) -> frozenset[str]:
    """The document numbers of a record; formats keep them in its title, its address, or in place of pages."""
    named = " ".join(author.family for author in record.authors[:2] if author.body)
    return document_numbers(
        " ".join((record.title[:500], record.pages[:100], record.url[:500], named, record.publisher))
    )


@lru_cache(maxsize=4096)
def bare_title(title: str) -> str:
    """A title without a document's number, an edition, and the words for a drug label or a fact sheet."""
    bare = title[:_READ]
    for pattern in (_WITH_NUMBER, _LABEL, _SHEET, _EDITION):
        bare = pattern.sub(" ", bare)
    return bare.strip(" .,:;-–")


@lru_cache(maxsize=4096)
def is_label(text: str) -> bool:
    """Whether a text calls itself a drug label."""
    return _LABEL.search(text[:_READ]) is not None


def edition_number(edition: str, title: str = "") -> int | None:
    """The number of an edition (``21st``, ``Third edition``, ``20``), else the one in the title; ``None`` for none."""
    if found := re.search(r"(?<!\d)\d{1,3}(?!\d)", edition):
        return int(found[0])
    if found := _EDITION.search(title[:_READ]):
        return int(found[1]) if found[1] else _ORDINALS.index(found[2].casefold()) + 1
    first = edition.casefold().split()[:1]
    return _ORDINALS.index(first[0]) + 1 if first and first[0] in _ORDINALS else None


@lru_cache(maxsize=2048)
def bodies(name: str) -> frozenset[int]:
    """Which bodies of the table a name names, by acronym or whole, several of a joint work."""
    named = f" {' '.join(words(name))} "
    return frozenset(number for form, number in _table() if f" {form} " in named)


def of_another_maker(reference: Reference, record: Record) -> bool:
    """Whether both labels name a maker, and share no word of the names."""
    printed = _maker(reference.authors, reference.publisher, reference.container)
    known = _maker(record.authors, record.publisher)
    return bool(printed and known and not printed & known)


def _maker(authors: tuple[Author, ...], *names: str) -> frozenset[str]:
    named = [*(author.family for author in authors if author.body), *names]
    regulators = _regulators()
    own = [name for name in named if not bodies(name) & regulators]
    return frozenset(word for name in own for word in words(name) if word not in _COMPANY)


@cache
def _read_table() -> dict[str, list[list[str]] | list[str]]:
    return tomllib.loads(Path(__file__).with_name("bodies.toml").read_text("utf-8"))


@cache
def _table() -> tuple[tuple[str, int], ...]:
    return tuple((" ".join(words(name)), at) for at, names in enumerate(_read_table()["names"]) for name in names)


@cache
def _regulators() -> frozenset[int]:
    return frozenset(number for name in _read_table()["regulators"] for number in bodies(str(name)))
