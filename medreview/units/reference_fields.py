"""A reference and a record side by side, field by field, as a text to read, and the places in it that differ."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from medreview.references.authorities import authority_name
from medreview.references.model import Author, Difference, Field, Notice, NoticeKind, Record, Reference
from medreview.text import Span
from medreview.units.word_changes import differing_words
from medreview.words import in_words

_AUTHORS: Final = 12
"""Authors of a record that are named; of more, how many others there are."""
_NAMES: Final[dict[Field, str]] = {"container": "published in", "identifier": "ids"}
"""What a field is called where its own name would not be understood."""
_NOTICES: Final[dict[NoticeKind, str]] = {
    "retracted": "RETRACTED",
    "concern": "expression of concern",
    "corrected": "corrected",
    "withdrawn": "WITHDRAWN",
    "superseded": "replaced by a newer edition",
    "published_as": "a preprint; published as",
    "preprint_of": "there was a preprint of it",
}
_POINT_ELSEWHERE: Final[tuple[NoticeKind, ...]] = ("superseded", "published_as", "preprint_of")
"""Notices that are of use with what they name."""


class FieldRow(NamedTuple):
    """A field of a reference and of a record; ``printed`` and ``record`` are the places of both in :class:`Fields`."""

    field: Field
    printed: Span
    record: Span


class Fields(NamedTuple):
    """The table of fields as ``text``, a row for each field that either has, and what is to be known of the record."""

    text: str
    rows: tuple[FieldRow, ...]

    def row(self, field: Field) -> FieldRow | None:
        """The row of a field, if it has one."""
        return next((row for row in self.rows if row.field == field), None)


def fields_beside(reference: Reference, record: Record) -> Fields:
    """A reference beside a record. It says what each has, and not whether that is the same."""
    printed, known = _of_reference(reference), _of_record(record)
    rows = ((name, (printed[name], known[name])) for name in printed)
    return _table(("field", "as printed", "record"), rows, list(_told(record)))


def fields_alone(reference: Reference) -> Fields:
    """A reference for which there is no record."""
    printed = _of_reference(reference)
    told = ["No record was found for it in what was looked into."]
    return _table(("field", "as printed"), ((name, (value,)) for name, value in printed.items()), told)


def field_name(field: Field) -> str:
    """What a field is called where people read it."""
    return _NAMES.get(field, field)


def record_name(record: Record) -> str:
    """An authority and its id of a work: ``PubMed 31234567``."""
    return f"{authority_name(record.authority)} {record.record_id}".rstrip()


def notice_words(record: Record, *, brief: bool = False) -> list[str]:
    """What stands beside a record in a few words each, with what it names: ``RETRACTED 10.5555/x``; ``brief``: only
    where it is of no use without that: ``RETRACTED``, ``a preprint; published as 10.5555/x``."""
    return [_notice(notice, brief=brief) for notice in record.notices]


def differing(fields: Fields, difference: Difference) -> Iterator[Span]:
    """The words of both readings that differ; whole readings where no word is the same."""
    row = fields.row(difference.field)
    if row is None:
        return
    one, other = (fields.text[place.start : place.end] for place in (row.printed, row.record))
    for here, there in differing_words(one, other):
        yield from (
            (Span(row.printed.start + here.start, row.printed.start + here.end),) if here.end > here.start else ()
        )
        yield from (
            (Span(row.record.start + there.start, row.record.start + there.end),) if there.end > there.start else ()
        )


def difference_words(difference: Difference) -> str:
    """A difference in words: what the record has, what is printed, and whether it misleads."""
    name = field_name(difference.field)
    how = f"slip, {difference.why}" if difference.slip else difference.why
    return f"{name}: {difference.record or 'nothing'}, not {difference.reference or 'nothing'} ({how.rstrip('.')})"


def _of_reference(reference: Reference) -> dict[Field, str]:
    """The fields in the order in which they are read: what tells the work stands where no screen cuts it off."""
    named = "; ".join(map(_author, reference.authors))
    return {
        "authors": f"{named}; et al." if reference.et_al else named,
        "title": reference.title,
        "container": reference.container,
        "year": str(reference.year) if reference.year is not None else "",
        "identifier": "; ".join(f"{one.kind} {one.value}" for one in reference.identifiers),
        "volume": reference.volume,
        "issue": reference.issue,
        "pages": reference.pages,
        "publisher": reference.publisher,
        "edition": reference.edition,
        "url": reference.url,
    }


def _of_record(record: Record) -> dict[Field, str]:
    named = [_author(author) for author in record.authors[:_AUTHORS]]
    more = len(record.authors) - len(named)
    named += [f"and {more} more"] if more > 0 else [] if record.complete or not named else ["and more"]
    return {
        "authors": "; ".join(named),
        "title": " = ".join(filter(None, (record.title, *record.other_titles))),
        "container": " = ".join(record.containers),
        "year": ", ".join(map(str, record.years)),
        "volume": record.volume,
        "issue": record.issue,
        "pages": record.pages,
        "publisher": record.publisher,
        "edition": record.edition,
        "identifier": "; ".join(f"{one.kind} {one.value}" for one in record.identifiers),
        "url": record.url,
    }


def _author(author: Author) -> str:
    return author.family if author.body or not author.given else f"{author.family} {author.given}"


def _notice(notice: Notice, *, brief: bool) -> str:
    kind = _NOTICES.get(notice.kind, in_words(notice.kind))
    named = not brief or notice.kind in _POINT_ELSEWHERE
    return " ".join(filter(None, (kind, notice.names if named else "")))


def _told(record: Record) -> Iterator[str]:
    for notice, said in zip(record.notices, notice_words(record), strict=True):
        yield f"{said}: {notice.words}" if notice.words else said


def _table(head: Sequence[str], values: Iterator[tuple[Field, tuple[str, ...]]], told: Sequence[str]) -> Fields:
    """Lines of cells between bars, which are lined up where they are shown; then what is told of the record."""
    lines = [f"| {' | '.join(head)} |"]
    at, rows = len(lines[0]) + 1, []
    for name, readings in values:
        if not any(readings):
            continue
        cells = [field_name(name), *(_cell(reading) for reading in readings)]
        places, start = [], at + 2
        for cell in cells:
            places.append(Span(start, start + len(cell)))
            start += len(cell) + 3
        rows.append(FieldRow(name, places[1], places[-1]))
        lines.append(f"| {' | '.join(cells)} |")
        at += len(lines[-1]) + 1
    return Fields("\n".join([*lines, *(f"\n{words}" for words in told)]), tuple(rows))


def _cell(text: str) -> str:
    """On one line, without the bar that would end the cell; a dash for nothing."""
    return " ".join(text.replace("|", "/").split()) or "-"
