"""What tells a page, a guideline, a label or a book beside its title: address, number, maker, edition."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from medreview.references.comparing.addresses import address_key
from medreview.references.comparing.documents import (
    UPDATED,
    bare_title,
    document_numbers,
    edition_number,
    is_label,
    numbers_of_record,
    of_another_maker,
)
from medreview.references.comparing.titles import TitleComparison, compare_titles
from medreview.references.comparing.words import FUNCTION_WORDS, Known, words
from medreview.references.model import Difference, Record, Reference

_IN_EDITIONS: Final = frozenset({"book", "chapter", "report", "unknown"})
_NO_DOCUMENT: Final = frozenset({"article", "preprint"})
_HALF: Final = 0.5
"""Share of the shorter title's words from which on a page or a guideline is that one, and its title another."""
_UNTOLD: Final = FUNCTION_WORDS | {"guideline", "guidelines", "guidance"}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a reference and a record have beside title, authors, journal and year.

    ``address``, ``number``: both have the same one. ``other_number``, ``edition``: the body's number, the edition is
    another one. ``label``: both are drug labels. ``other_maker``: of labels of two makers.
    """

    address: bool = False
    number: bool = False
    other_number: Difference | None = None
    edition: Difference | None = None
    label: bool = False
    other_maker: bool = False

    @property
    def same(self) -> bool:
        """Whether address or number lead to the record."""
        return self.address or self.number


def evidence_of(reference: Reference, record: Record) -> Evidence:
    """What tells whether a reference is the document of a record."""
    key = address_key(reference.url)
    printed = document_numbers(reference.text)
    known = numbers_of_record(record) if printed else frozenset[str]()
    other = None
    if printed and known and not printed & known:
        why = "The record has another number."
        other = Difference("identifier", ", ".join(sorted(printed)), ", ".join(sorted(known)), False, why)
    label = (reference.kind == "drug_label" or is_label(reference.title)) and (
        record.kind == "drug_label" or is_label(record.title)
    )
    return Evidence(
        address=bool(key) and key == address_key(record.url),
        number=bool(printed & known),
        other_number=other,
        edition=_edition(reference, record) if record.kind in _IN_EDITIONS else None,
        label=label,
        other_maker=label and of_another_maker(reference, record),
    )


def updated(evidence: Evidence, record: Record, year: Difference | None) -> Difference | None:
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
    printed: str, record: Record, titles: Iterable[str], evidence: Evidence, known: Known
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


def _edition(reference: Reference, record: Record) -> Difference | None:
    one = edition_number(reference.edition, reference.title)
    other = edition_number(record.edition, record.title) if one is not None else None
    if one is None or other is None or one == other:
        return None
    return Difference("edition", str(one), str(other), False, "The record is of another edition.")
