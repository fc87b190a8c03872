"""A reference held against one record, field by field."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from medreview.references.comparing.names import (
    NameComparison,
    compare_authors,
    compare_containers,
    without_particles,
)
from medreview.references.comparing.publication import (
    PublicationEvidence,
    compare_documents,
    compare_identifiers,
    compare_numbers,
    compare_year,
    evidence_of,
    is_undated_edition,
    printed_place,
    read_number,
    same_pages,
    updated,
)
from medreview.references.comparing.titles import (
    TitleComparison,
    TitleLikeness,
    compare_titles,
    main_title,
    named_by,
    part_numbers,
    said_of,
)
from medreview.references.comparing.word_matching import Known, content_words, words
from medreview.references.model import Author, Field, FieldDifference, Identifier, Record, Reference, authors_line
from medreview.text import folded

_BY_TITLE: Final[Mapping[TitleLikeness, float]] = {"same": 3.0, "slips": 3.0, "changed": 1.5, "other": 0.0}
_OPENING: Final = ("(", "*", "_", '"', "“")
_BEFORE_JOURNAL: Final = (".", "?", "!", ",", "(", "*", "_", '"', "”", "in:")
_TEXT_READ: Final = 4000
_TITLE_ROOM: Final = 30
"""Code points beyond the length of the record's title in which the printed one may end."""
_SAID_BEFORE: Final = 40
"""Code points before a title in which it may be said that a comment or a correction of it is meant."""
_DOTS: Final = re.compile(r"[,;:*_]*\s?(?:\.{3}|…)")
_LONG_TITLE: Final = 5
"""Content words from which on a title is hardly that of two works."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A record with the comparison of each field.

    ``against``: how many of first author, journal and year are others; ``agreed``: how many are the same. ``title`` is
    ``None`` when the reference has none, or the record none. ``printed_place``: volume and first page agree (1), say
    otherwise (-1), or tell nothing (0). ``whole_range``: the last page agrees, too. ``literal``: how much
    is the same letter by letter, which tells two records of one work apart. ``other_identifier``: the record has
    another identifier of the kind that is printed. ``evidence``: what else tells it. ``other_edition``: it
    is the work, in an edition that is not the one described.
    """

    record: Record
    title: TitleComparison | None
    authors: NameComparison
    container: NameComparison
    year: FieldDifference | None
    year_known: bool
    printed_place: int
    whole_range: bool = False
    literal: float = 0.0
    other_identifier: bool = False
    evidence: PublicationEvidence = field(default_factory=PublicationEvidence)
    other_edition: bool = False

    @property
    def against(self) -> int:
        """How many of first author, journal and year are others."""
        wrong_year = self.year is not None and not self.year.slip
        return (self.authors.likeness == "wrong") + (self.container.likeness == "wrong") + wrong_year

    @property
    def agreed(self) -> int:
        """How many of first author, journal and year are the same, slips counted in."""
        right_year = self.year_known and (self.year is None or self.year.slip)
        return (self.authors.likeness in ("same", "slip")) + (self.container.likeness in ("same", "slip")) + right_year

    @property
    def same_title(self) -> bool:
        """Whether the titles differ by nothing that misleads."""
        return self.title is not None and self.title.likeness in ("same", "slips")

    @property
    def rank(self) -> float:
        """The higher the better a reference fits: by the title, then by the other fields."""
        title = 0.0
        if self.title is not None:
            title = _BY_TITLE[self.title.likeness] + 0.25 * self.title.rank
        exact = 0.25 * (self.year is None and self.year_known)
        exact += 0.125 * (self.authors.likeness == "same") + 0.125 * (self.container.likeness == "same")
        exact += 0.125 * self.whole_range
        return title + exact + self.agreed - self.against + 0.5 * self.printed_place

    @property
    def order(self) -> float:
        """As :attr:`rank`; it distinguishes records of one work, too."""
        return self.rank + self.literal

    def is_the_work(self) -> bool:
        """Whether the reference, found by its words alone, is this work, be it described with an error."""
        if self.other_edition or self.evidence.other_maker:
            return False
        if self.evidence.same:
            return self.against < 2 if self.title is None else self.title.likeness != "other"
        if self.title is None:
            told = self.authors.likeness in ("same", "slip") or self.printed_place > 0
            return told and self.against == 0 and self.agreed >= 2
        if self.same_title:
            long = self.title.content >= _LONG_TITLE
            if self.against <= 1:
                return long or self.agreed >= 1 or self.against == 0
            if self.against == 2:
                return (long and (self.agreed >= 1 or self.printed_place > 0)) or self.printed_place > 0
            return self.printed_place > 0
        if self.title.likeness == "changed":
            if self.evidence.other_number is not None:
                return False
            if self.printed_place < 0 or (self.other_identifier and self.printed_place < 1):
                return False
            if self.title.another_part and self.printed_place <= 0:
                return False
            if self.against:
                return self.against == 1 and self.agreed == 2 and self.title.content > _LONG_TITLE
            return self.agreed >= 2 or self.printed_place > 0
        return False

    def is_the_identified(self) -> bool:
        """Whether the reference is this work, which its identifier leads to, be it described with an error."""
        if self.title is None:
            return self.against < 2 or self.agreed > 0
        if self.same_title:
            return True
        if self.title.likeness == "changed":
            return self.agreed > self.against or self.title.content >= _LONG_TITLE
        return self.against == 0 and self.agreed == 3 and self.printed_place >= 0

    def differences(self, reference: Reference, elsewhere: Sequence[Identifier] = ()) -> tuple[FieldDifference, ...]:
        """Each difference with both readings, in the order in which a reference is read."""
        names = authors_line(reference.authors, more=reference.et_al), authors_line(self.record.authors)
        container = reference.container, next(iter(self.record.containers), "")
        found = _named_otherwise("authors", names, self.authors)
        if self.title is not None and self.title.likeness != "same":
            found.append(_title_difference(reference, self.title))
        found += _named_otherwise("container", container, self.container)
        if self.year is not None:
            found.append(self.year)
        found += compare_numbers(reference, self.record)
        found += compare_identifiers(reference, self.record, elsewhere)
        found += [each for each in (self.evidence.edition, self.evidence.other_number) if each is not None]
        return tuple(found)


def fit(reference: Reference, record: Record, known: Known) -> Fit:
    """The comparison of a reference with a record.

    Where the rules read a field with doubt, and the record's own reading stands in the text of the reference, that
    field is taken as the record has it.
    """
    titles = [title for title in (record.title, *record.other_titles) if title]
    title = compare_titles(_with_dots(reference), titles, known) if reference.title and titles else None
    journal_at = _journal_at(reference.text, record.containers)
    if title is None or title.likeness in ("changed", "other"):
        title = _read_again(reference, record, titles, journal_at, known) or title
    evidence = evidence_of(reference, record)
    documents = None
    if title is not None and title.likeness in ("changed", "other"):
        title = documents = compare_documents(reference.title, record, titles, evidence, known) or title
    if title is not None and title.likeness != "same" and is_only_named(reference):
        title = named_by(reference.title, titles) or (documents if evidence.same else None)
    if title is not None and title.likeness in ("same", "slips"):
        title = _of_another_sort(reference, title) or title
    authors = compare_authors(reference, record)
    if authors.likeness == "wrong" and _read_elsewhere(reference, record):
        authors = NameComparison("unknown")
    container = compare_containers(reference.container, record.containers)
    if container.likeness == "wrong" and journal_at is not None:
        container = NameComparison("unknown")
    year = compare_year(reference, record)
    if year is not None and not year.slip and _within_name(reference, record):
        year = None
    year = updated(evidence, record, year)
    other_year = year is not None and not year.slip
    place = printed_place(reference, record)
    return Fit(
        record,
        title,
        authors,
        container,
        year,
        year_known=bool(reference.year and record.years),
        printed_place=place,
        whole_range=place > 0 and same_pages(reference.pages, record.pages),
        literal=_literal(reference, record),
        other_identifier=any(not one.slip for one in compare_identifiers(reference, record, ())),
        evidence=evidence,
        other_edition=evidence.edition is not None
        or (other_year and (evidence.other_number is not None or is_undated_edition(reference, record))),
    )


def is_only_named(reference: Reference) -> bool:
    """Whether running text calls a work by a name that need not be its title: a trial's, a guideline's."""
    return reference.standing == "inline" and "title" in reference.unsure


def _with_dots(reference: Reference) -> str:
    """The title as it was read, with the dots behind it that say that it was cut."""
    place = reference.places.get("title")
    after = place.end - reference.start if place else len(reference.text)
    return reference.title + "…" * bool(_DOTS.match(reference.text, after))


def _of_another_sort(reference: Reference, title: TitleComparison) -> TitleComparison | None:
    """The comparison with what is said of the other work by one of both titles only ("Comment on: ...", "...: authors'
    reply"), or with another part than the record's; ``None`` where neither is."""
    place = reference.places.get("title")
    start = place.start - reference.start if place else 0
    before = reference.text[max(0, start - _SAID_BEFORE) : start].rpartition(". ")[2].strip(' *_"“(')
    mine, yours = said_of(f"{before} {reference.title}".strip()) or said_of(reference.title), said_of(title.title)
    if bool(mine) != bool(yours):
        return replace(title, likeness="changed", changes=((mine, yours),))
    of_record = part_numbers(title.title)
    parts = part_numbers(reference.text) if len(of_record) == 1 else of_record
    if parts and not parts & of_record:
        change = f"part {min(parts)}", f"part {min(of_record)}"
        return replace(title, likeness="changed", changes=(change,), another_part=True)
    return None


def _named_otherwise(name: Field, values: tuple[str, str], compared: NameComparison) -> list[FieldDifference]:
    if compared.likeness not in ("slip", "wrong"):
        return []
    return [FieldDifference(name, *values, compared.likeness == "slip", compared.why)]


def _literal(reference: Reference, record: Record) -> float:
    """How much is the same letter by letter, case apart, mostly the title; an article goes before its preprint."""
    same = 0.75 * (folded(reference.title) == folded(record.title))
    same += 0.25 * (reference.container in record.containers) + 0.25 * (
        read_number(reference, "volume") == record.volume
    )
    same += 0.1 * (record.kind != "preprint")
    return same + 0.25 * (reference.pages == record.pages)


def _title_difference(reference: Reference, title: TitleComparison) -> FieldDifference:
    slip = title.likeness == "slips"
    if slip:
        why = ", ".join(title.slips)
    elif title.likeness == "changed":
        why = " ".join(_changed(*change) for change in title.changes)
    else:
        why = "It is another title."
    return FieldDifference("title", reference.title, title.title, slip, why)


def _changed(printed: str, record: str) -> str:
    if not printed:
        return f"The reference leaves out “{record}”."
    if not record:
        return f"The reference adds “{printed}”."
    return f"The reference has “{printed}” where the record has “{record}”."


def _standing(reference: Reference, titles: Sequence[str]) -> str | None:
    """The title, of several words, that stands word for word in the reference, be it without its subtitle.

    Where the rules read that much as the title, a subtitle tells works apart.
    """
    whole = f" {' '.join(words(reference.text))} "
    read = f" {' '.join(words(reference.title))} "
    for title in titles:
        if not _may_be_cut_from(reference, title):
            continue
        if len(content_words(title)) >= _LONG_TITLE and f" {' '.join(words(title))} " in whole:
            return title
        main = f" {' '.join(words(main_title(title)))} "
        if len(content_words(main)) >= _LONG_TITLE - 1 and main in whole and main not in read:
            return title
    return None


def _may_be_cut_from(reference: Reference, title: str) -> bool:
    """Whether the title that was read, if any, is mostly of this title: a book's title is not a chapter's."""
    read = content_words(reference.title)
    own = {*words(title)}
    return not read or "title" in reference.unsure or 2 * sum(word in own for word in read) >= len(read)


def _journal_at(text: str, names: Sequence[str]) -> int | None:
    """Where the record's journal or site stands in the text between punctuation, or first, as one does.

    The rules may have cut it elsewhere: at its points, at a number in its name.
    """
    text = text[:_TEXT_READ].casefold()
    for name in names:
        name = name.strip(" .").casefold()
        at = text.find(name) if len(name) > 2 else -1
        while at >= 0:
            before, after = text[:at].rstrip(), text[at + len(name) :].lstrip()
            apart = text[at - 1 : at] in _OPENING or text[at - 1].isspace()  # not within a DOI or an address
            if (not before or (before.endswith(_BEFORE_JOURNAL) and apart)) and not after[:1].isalpha():
                return at
            at = text.find(name, at + 1)
    return None


def _read_again(
    reference: Reference, record: Record, titles: Sequence[str], journal_at: int | None, known: Known
) -> TitleComparison | None:
    """The title read with the record in hand, where the rules may have cut it wrongly; ``None`` when it fits no better.

    It may stand word for word in the text, go on to where the record's journal stands, or go on beyond what was read.
    """
    if stands := _standing(reference, titles):
        return TitleComparison("same", stands, content=len(content_words(stands)))
    place = reference.places.get("title")
    if not titles or (place is None and reference.title):
        return None
    start = place.start - reference.start if place is not None else 0
    ends = [start + len(record.title) + _TITLE_ROOM]
    if journal_at is not None and start < journal_at:
        ends.insert(0, journal_at)
    for end in ends:
        longer = reference.text[start:end].strip(' .,;*_"“”')
        if longer == reference.title or not _may_be_cut_from(reference, record.title):
            continue
        found = compare_titles(longer, titles, known)
        if found.likeness != "other":
            return found
    return None


def _within_name(reference: Reference, record: Record) -> bool:
    """Whether what was read as the year belongs to the journal's name (Periodontology 2000)."""
    return any(str(reference.year) in words(name) for name in record.containers) and any(
        re.search(rf"(?<![\d-]){year}(?![\d-])", reference.text) for year in record.years
    )


def _read_elsewhere(reference: Reference, record: Record) -> bool:
    """Whether what was read as the first author is something else: the record's first one stands at the beginning, or
    the name is words of the record's title, and the record's first author stands in the text."""
    if _begins(reference.text, record.authors):
        return not _begins(reference.text, reference.authors)
    name = f" {' '.join(words(reference.authors[0].family))} "
    own = f" {' '.join(words(record.authors[0].family))} "
    return name in f" {' '.join(words(record.title))} " and own in f" {' '.join(words(reference.text))} "


def _begins(text: str, authors: Sequence[Author]) -> bool:
    """Whether a text begins with the family name of the first author."""
    beginning = [word for word in words(text[:200]) if not word.isdigit()]
    for author in authors[:1]:
        family = words(author.family)
        names = (family, without_particles(family))
        return any(name and tuple(beginning[: len(name)]) == name for name in names)
    return False
