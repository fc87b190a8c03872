"""Publication details compared: year, volume, issue, pages, identifiers, address, document number, publisher, edition.

Of pages, guidelines, labels and books these tell the work beside its title.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from medreview.citations.citation import Citation, canonical_key
from medreview.references.comparing.titles import (
    UPDATED,
    TitleComparison,
    bare_title,
    compare_titles,
    document_numbers,
    edition_number,
    is_label,
    numbers_of_record,
    of_another_maker,
)
from medreview.references.comparing.word_matching import FUNCTION_WORDS, Known, words
from medreview.references.model import Field, FieldDifference, Identifier, Record, Reference, identifier_line

_SCHEME: Final = re.compile(r"url:https?://(?:www\d?\.)?")
_BELOW_GUIDELINE: Final = re.compile(r"(nice\.org\.uk/guidance/[a-z]+\d+)/.*")
_INDEX: Final = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?)$", re.IGNORECASE)
_TRACKED: Final = re.compile(r"[?&](?:utm_[^&]*|fbclid=[^&]*)")
_LONGEST: Final = 2000
_DEEP: Final = 2


@lru_cache(maxsize=4096)
def address_key(url: str) -> str:
    """A key that is equal for two addresses of one page; ``""`` for one that is hardly that of one work.

    That is one with less than two parts below its site, unless it has a number or a query.

    Scheme, ``www``, a last slash, a fragment and marks of campaigns are left out, and so is what stands below the
    address of a guideline: its chapters and its downloads are parts of it.
    """
    if not url or len(url) > _LONGEST:
        return ""
    whole = canonical_key(Citation("url", url.strip()))
    key, scheme = _SCHEME.subn("", whole, count=1)
    if not scheme:
        return ""
    host, _, rest = key.partition("/")
    rest, _, query = rest.partition("?")
    query = _TRACKED.sub("", f"?{query}") if query else ""
    path = _INDEX.sub("", f"/{rest}").rstrip("/")
    if path.count("/") < _DEEP and len(query) < 2 and not any(char.isdigit() for char in path):
        return ""
    key = f"{host}{path}" + (f"?{query.lstrip('?&')}" if len(query) > 1 else "")
    return _BELOW_GUIDELINE.sub(r"\1", key.casefold()) if host == "nice.org.uk" else key


_NUMBER: Final = re.compile(r"\d+")
_RANGE: Final = re.compile(r"([A-Za-z]*\d+[A-Za-z]?)\s*[-–—‐‑−]+\s*([A-Za-z]*\d+[A-Za-z]?)")
_VERSION: Final = re.compile(r"(?:\.pub\d+|v\d+)$")
_DIGITS_LABEL: Final = re.compile(r"^(?:pmid|pmc)[:\s]*")
_DOI_LABEL: Final = re.compile(r"^(?:https?://)?(?:dx\.)?(?:doi\.org/|doi:)\s*")
_VERSIONED: Final = re.compile(r"/v\d+$")


def compare_year(reference: Reference, record: Record) -> FieldDifference | None:
    """A year off by one is a slip: many works are online a year before they are printed."""
    if reference.year is None or not record.years or reference.year in record.years:
        return None
    off = min(abs(reference.year - year) for year in record.years)
    has = " or ".join(map(str, record.years))
    if off == 1:
        return FieldDifference("year", str(reference.year), has, True, "year off by one")
    return FieldDifference("year", str(reference.year), has, False, f"The record's year is {off} years away.")


def compare_numbers(reference: Reference, record: Record) -> list[FieldDifference]:
    """Volume, issue and pages. None of them makes a verdict: records themselves err in them too often."""
    found = []
    has: Mapping[Field, str] = {"volume": record.volume, "issue": record.issue, "pages": record.pages}
    for name, known in has.items():
        printed = read_number(reference, name)
        if not known or (not printed and (name == "issue" or _is_a_document_number(record))):
            continue
        if not printed:
            found.append(FieldDifference(name, "", known, True, "left out"))
        elif not (same_pages(printed, known) if name == "pages" else same_number(printed, known)):
            found.append(FieldDifference(name, printed, known, True, "another number"))
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


def compare_identifiers(reference: Reference, record: Record, elsewhere: Sequence[Identifier]) -> list[FieldDifference]:
    """The identifiers of the reference that the record contradicts: it has another one of that kind.

    ``elsewhere``: those that lead to another work. One of a kind that the record does not have proves nothing.
    """
    found = []
    for identifier in reference.identifiers:
        own = [known for known in record.identifiers if known.kind == identifier.kind]
        if any(same_identifier(identifier, known) for known in own):
            continue
        label, others = identifier_line(identifier), ", ".join(map(identifier_line, own))
        if identifier in elsewhere:
            found.append(FieldDifference("identifier", label, others, False, "It is another work's."))
        elif own:
            version = any(_bare(identifier) == _bare(known) for known in own)
            why = "another version" if version else "The record has another one, and nobody has this one."
            found.append(FieldDifference("identifier", label, others, version, why))
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


def _bare(identifier: Identifier) -> str:
    return _VERSIONED.sub("", _VERSION.sub("", key(identifier).value))


_IN_EDITIONS: Final = frozenset({"book", "chapter", "report", "unknown"})
_NO_DOCUMENT: Final = frozenset({"article", "preprint"})
_HALF: Final = 0.5
"""Share of the shorter title's words from which on a page or a guideline is that one, and its title another."""
_UNTOLD: Final = FUNCTION_WORDS | {"guideline", "guidelines", "guidance"}


@dataclass(frozen=True, slots=True)
class PublicationEvidence:
    """What a reference and a record have beside title, authors, journal and year.

    ``address``, ``number``: both have the same one. ``other_number``, ``edition``: the body's number, the edition is
    another one. ``label``: both are drug labels. ``other_maker``: of labels of two makers.
    """

    address: bool = False
    number: bool = False
    other_number: FieldDifference | None = None
    edition: FieldDifference | None = None
    label: bool = False
    other_maker: bool = False

    @property
    def same(self) -> bool:
        """Whether address or number lead to the record."""
        return self.address or self.number


def evidence_of(reference: Reference, record: Record) -> PublicationEvidence:
    """What tells whether a reference is the document of a record."""
    key = address_key(reference.url)
    printed = document_numbers(reference.text)
    known = numbers_of_record(record) if printed else frozenset[str]()
    other = None
    if printed and known and not printed & known:
        why = "The record has another number."
        other = FieldDifference("identifier", ", ".join(sorted(printed)), ", ".join(sorted(known)), False, why)
    label = (reference.kind == "drug_label" or is_label(reference.title)) and (
        record.kind == "drug_label" or is_label(record.title)
    )
    return PublicationEvidence(
        address=bool(key) and key == address_key(record.url),
        number=bool(printed & known),
        other_number=other,
        edition=_edition(reference, record) if record.kind in _IN_EDITIONS else None,
        label=label,
        other_maker=label and of_another_maker(reference, record),
    )


def updated(evidence: PublicationEvidence, record: Record, year: FieldDifference | None) -> FieldDifference | None:
    """The difference in the year, a slip where the work is updated under its old address, number or name."""
    lives = evidence.number or evidence.label or (evidence.address and record.kind in UPDATED)
    return year._replace(slip=True, why="updated") if year is not None and not year.slip and lives else year


def is_undated_edition(reference: Reference, record: Record) -> bool:
    """Whether the reference names an edition beyond the first, and the record of that book names none."""
    return (
        record.kind == "book"
        and edition_number(record.edition, record.title) is None
        and (edition_number(reference.edition, reference.title) or 1) > 1
    )


def compare_documents(
    printed: str, record: Record, titles: Iterable[str], evidence: PublicationEvidence, known: Known
) -> TitleComparison | None:
    """The comparison of titles without numbers, editions and words for the kind of document; ``None`` if no better.

    Of one document, and of labels, one title may have all words of the other in another order; pages are renamed.
    """
    bare = bare_title(printed)
    if record.kind in _NO_DOCUMENT and bare == _ends_off(printed) and not evidence.same:
        return None
    for title in titles:
        other = bare_title(title)
        if not bare or not other:
            continue
        if (bare, other) != (_ends_off(printed), _ends_off(title)):
            found = compare_titles(bare, [other], known)
            if found.likeness in ("same", "slips"):
                slips = ("kind, number or edition left out or added", *found.slips)
                return replace(found, likeness="slips", title=title, slips=slips)
            if found.likeness == "changed":
                return replace(found, title=title)
        if not (evidence.same or evidence.label):
            continue
        mine, yours = ([word for word in words(each) if word not in _UNTOLD] for each in (bare, other))
        both, fewer = len({*mine} & {*yours}), min(len({*mine}), len({*yours}))
        if not both:
            continue
        share = both / max(len({*mine}), len({*yours}))
        if both == fewer and compare_titles(bare, [other], known).likeness == "other":
            return TitleComparison("slips", title, (), ("short name",), share, len(yours))
        if evidence.same and both >= _HALF * fewer and both > 1:
            found = compare_titles(bare, [other], known)
            return (
                found if found.likeness == "changed" else TitleComparison("changed", title, ((bare, other),), (), share)
            )
    return None


def _ends_off(title: str) -> str:
    return title.strip(" .,:;-–")


def _edition(reference: Reference, record: Record) -> FieldDifference | None:
    one = edition_number(reference.edition, reference.title)
    other = edition_number(record.edition, record.title) if one is not None else None
    if one is None or other is None or one == other:
        return None
    return FieldDifference("edition", str(one), str(other), False, "The record is of another edition.")
