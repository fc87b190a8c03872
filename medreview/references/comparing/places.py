"""Year, volume, issue, pages and identifiers of a reference held against those of a record."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from medreview.references.comparing.documents import UPDATED
from medreview.references.model import Difference, Field, Identifier, Record, Reference

_NUMBER: Final = re.compile(r"\d+")
_RANGE: Final = re.compile(r"([A-Za-z]*\d+[A-Za-z]?)\s*[-–—‐‑−]+\s*([A-Za-z]*\d+[A-Za-z]?)")
_VERSION: Final = re.compile(r"(?:\.pub\d+|v\d+)$")
_DIGITS_LABEL: Final = re.compile(r"^(?:pmid|pmc)[:\s]*")
_DOI_LABEL: Final = re.compile(r"^(?:https?://)?(?:dx\.)?(?:doi\.org/|doi:)\s*")
_VERSIONED: Final = re.compile(r"/v\d+$")


def compare_year(reference: Reference, record: Record) -> Difference | None:
    """A year off by one is a slip: many works are online a year before they are printed."""
    if reference.year is None or not record.years or reference.year in record.years:
        return None
    off = min(abs(reference.year - year) for year in record.years)
    has = " or ".join(map(str, record.years))
    if off == 1:
        return Difference("year", str(reference.year), has, True, "year off by one")
    return Difference("year", str(reference.year), has, False, f"The record's year is {off} years away.")


def compare_numbers(reference: Reference, record: Record) -> list[Difference]:
    """Volume, issue and pages. None of them makes a verdict: records themselves err in them too often."""
    found = []
    has: Mapping[Field, str] = {"volume": record.volume, "issue": record.issue, "pages": record.pages}
    for name, known in has.items():
        printed = read_number(reference, name)
        if not known or (not printed and (name == "issue" or _is_a_document_number(record))):
            continue
        if not printed:
            found.append(Difference(name, "", known, True, "left out"))
        elif not (same_pages(printed, known) if name == "pages" else same_number(printed, known)):
            found.append(Difference(name, printed, known, True, "another number"))
    return found


def _is_a_document_number(record: Record) -> bool:
    """Whether what stands in place of pages is the number of a report, as formats keep it there."""
    return record.kind in UPDATED and record.pages[:1].isalpha()


def read_number(reference: Reference, name: Field) -> str:
    """Volume, issue or pages as printed; ``""`` when they were read within the title, where numbers say others."""
    value = {"volume": reference.volume, "issue": reference.issue, "pages": reference.pages}.get(name, "")
    place, title = reference.places.get(name), reference.places.get("title")
    return "" if place is not None and title is not None and place.overlap(title) else value


def printed_place(reference: Reference, record: Record) -> int:
    """1 when the first page is the same (a volume alone says little), -1 when volume and page are others, or 0."""
    pages, volume = read_number(reference, "pages"), read_number(reference, "volume")
    if not pages or not record.pages:
        return 0
    if page_range(pages)[0] == page_range(record.pages)[0]:
        return 1
    return -1 if volume and record.volume and not same_number(volume, record.volume) else 0


def same_number(one: str, other: str) -> bool:
    """Whether two volumes or issues have the same first number (``11(suppl 2)`` and ``11``), or no other text."""
    mine, yours = _NUMBER.search(one), _NUMBER.search(other)
    if mine and yours:
        return mine.group().lstrip("0") == yours.group().lstrip("0")
    return one.strip().casefold() == other.strip().casefold()


def same_pages(one: str, other: str) -> bool:
    """Whether two page ranges begin with the same page, and end with it where both have an end.

    ``1243-9`` ends where ``1243-1249`` does.
    """
    mine, yours = page_range(one), page_range(other)
    if mine[0] != yours[0]:
        return False
    return mine[1] == yours[1] or mine[1] == mine[0] or yours[1] == yours[0]


def page_range(pages: str) -> tuple[str, str]:
    """The first and the last page, the last one written out; of a single page the same one twice."""
    found = _RANGE.search(pages)
    if not found:
        alone = re.sub(r"\W+", "", pages).casefold()
        return alone, alone
    first, last = found.group(1).casefold(), found.group(2).casefold()
    digits = re.sub(r"\D", "", first)
    ending = re.sub(r"\D", "", last)
    if len(ending) < len(digits):
        ending = digits[: len(digits) - len(ending)] + ending
    return first, re.sub(r"\d+", ending, first) if digits else last


def compare_identifiers(reference: Reference, record: Record, elsewhere: Sequence[Identifier]) -> list[Difference]:
    """The identifiers of the reference that the record contradicts: it has another one of that kind.

    ``elsewhere``: those that lead to another work. One of a kind that the record does not have proves nothing.
    """
    found = []
    for identifier in reference.identifiers:
        own = [known for known in record.identifiers if known.kind == identifier.kind]
        if any(same_identifier(identifier, known) for known in own):
            continue
        label = written(identifier)
        if identifier in elsewhere:
            found.append(Difference("identifier", label, ", ".join(map(written, own)), False, "It is another work's."))
        elif own:
            version = any(_bare(identifier) == _bare(known) for known in own)
            why = "another version" if version else "The record has another one, and nobody has this one."
            found.append(Difference("identifier", label, ", ".join(map(written, own)), version, why))
    return found


def same_identifier(one: Identifier, other: Identifier) -> bool:
    """Whether two identifiers are the same: in any case, without leading zeros, an ISBN of 10 digits as one of 13."""
    return key(one) == key(other)


def key(identifier: Identifier) -> Identifier:
    """An identifier in the form in which all ways to write it are the same."""
    kind, value = identifier.kind, identifier.value.strip().casefold()
    if kind in ("pmid", "pmcid"):
        value = _DIGITS_LABEL.sub("", value).lstrip("0") if not value.isdigit() else value.lstrip("0")
    elif kind == "doi":
        value = (value if value.startswith("10.") else _DOI_LABEL.sub("", value)).rstrip(".,;")
    elif kind == "isbn":
        value = re.sub(r"[^0-9x]", "", value)
        value = value[3:12] if len(value) == 13 and value.startswith("978") else value[:9]
    elif kind == "arxiv":
        value = re.sub(r"^arxiv:\s*", "", _VERSION.sub("", value))
    return Identifier(kind, value)


def written(identifier: Identifier) -> str:
    """An identifier with its label, as a reader expects it."""
    labels = {"doi": "doi:", "pmid": "PMID ", "arxiv": "arXiv:", "isbn": "ISBN "}
    return labels.get(identifier.kind, "") + identifier.value


def _bare(identifier: Identifier) -> str:
    return _VERSIONED.sub("", _VERSION.sub("", key(identifier).value))
