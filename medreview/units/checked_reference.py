"""A reference with its newest check, side by side with the records, and what is said of it beside a source it names.

Field by field, as a text to read, with the places that differ.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from medreview.labels import label_words
from medreview.references.model import (
    Author,
    Field,
    FieldDifference,
    Notice,
    NoticeKind,
    Record,
    Reference,
    ReferenceCheck,
    authority_name,
    check_of,
    reference_of,
)
from medreview.references.verdict import Verdict
from medreview.study.ids import REFERENCE, unit_id
from medreview.text import Span, counted, in_words, sha256
from medreview.units.cited_source import NamedBy
from medreview.units.documents import differing_words

_ONE: Final = """
SELECT f.reference_id, f.response_id, f.ordinal, f.number, f.start_cp, f.end_cp, f.text, f.text_sha256, f.reading,
       c.check_id, c.rules, c.result, c.verdict IS NULL AS withheld
FROM reference AS f JOIN reference_checked AS c USING (reference_id) WHERE f.reference_id = ?"""


class StoredReference(NamedTuple):
    """A reference that was checked. ``ordinal`` counts those of its response; ``rules`` name what compared it.

    ``in_text``: it stands in the response's own text, at ``reference.start``. ``withheld``: of the check only the
    records are here, and who was asked, as in a copy for a colleague.
    """

    reference_id: str
    response_id: str
    ordinal: int
    number: int | None
    in_text: bool
    text: str
    text_sha256: str
    reference: Reference
    check_id: str
    rules: str
    check: ReferenceCheck
    withheld: bool

    @property
    def short_name(self) -> str:
        """What it is called in its response: by the answer's own number, else by its place among the references."""
        return f"ref [{self.number}]" if self.number is not None else f"ref {self.ordinal}"


def load_reference(reader: sqlite3.Connection, reference_id: str) -> StoredReference:
    """Read one; raises ``KeyError`` when the study does not have it, or nobody has checked it."""
    row = reader.execute(_ONE, (reference_id,)).fetchone()
    if row is None:
        raise KeyError(reference_id)
    return StoredReference(
        reference_id=row["reference_id"],
        response_id=row["response_id"],
        ordinal=row["ordinal"],
        number=row["number"],
        in_text=row["start_cp"] is not None,
        text=row["text"],
        text_sha256=row["text_sha256"],
        reference=reference_of(json.loads(row["reading"])),
        check_id=row["check_id"],
        rules=row["rules"],
        check=check_of(json.loads(row["result"])),
        withheld=bool(row["withheld"]),
    )


def records_in_neutral_order(check: ReferenceCheck) -> tuple[Record, ...]:
    """All records that were found, each once, in an order that tells nothing of the verdict.

    The record of the identifier first and then the candidates, best first, would be the verdict in another form: two
    records, the first of which shares no title with the reference, stand so for ``other_work`` alone. By a hash of what
    they are, the order is the same whatever the rules made of them. That a record carries the printed identifier can be
    read in the record itself: that is evidence, not an opinion on it.
    """
    every = [*([check.record] if check.record else []), *check.candidates]
    once = {(record.authority, record.record_id): record for record in every}
    return tuple(once[key] for key in sorted(once, key=lambda key: sha256("\n".join(key))))


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
    """A field of a reference and of a record; ``printed`` and ``record``: the places of both in :class:`FieldTable`."""

    field: Field
    printed: Span
    record: Span


class FieldTable(NamedTuple):
    """The table of fields as ``text``, a row for each field that either has, and what is to be known of the record."""

    text: str
    rows: tuple[FieldRow, ...]

    def row(self, field: Field) -> FieldRow | None:
        """The row of a field, if it has one."""
        return next((row for row in self.rows if row.field == field), None)


def fields_beside(reference: Reference, record: Record) -> FieldTable:
    """A reference beside a record. It says what each has, and not whether that is the same."""
    printed, known = _of_reference(reference), _of_record(record)
    rows = ((name, (printed[name], known[name])) for name in printed)
    return _table(("field", "as printed", "record"), rows, list(_told(record)))


def fields_alone(reference: Reference) -> FieldTable:
    """A reference for which there is no record."""
    printed = _of_reference(reference)
    notes = ["No record was found for it in what was looked into."]
    return _table(("field", "as printed"), ((name, (value,)) for name, value in printed.items()), notes)


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


def differing(fields: FieldTable, difference: FieldDifference) -> Iterator[Span]:
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


def difference_words(difference: FieldDifference) -> str:
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


def _table(head: Sequence[str], values: Iterator[tuple[Field, tuple[str, ...]]], notes: Sequence[str]) -> FieldTable:
    """Lines of cells between bars, which are lined up where they are shown; then the notes on the record."""
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
    return FieldTable("\n".join([*lines, *(f"\n{words}" for words in notes)]), tuple(rows))


def _cell(text: str) -> str:
    """On one line, without the bar that would end the cell; a dash for nothing."""
    return " ".join(text.replace("|", "/").split()) or "-"


_MINE: Final = """SELECT label FROM standing WHERE unit = ? AND reviewer = ? AND pass = 1 AND state = 'decided'"""
_VERDICTS: Final[dict[Verdict, str]] = {
    "match": "matches",
    "mismatch": "inaccurate",
    "other_work": "is ANOTHER WORK",
    "not_found": "not found",
    "ambiguous": "unclear",
    "not_checkable": "has nothing to look up",
}
"""What a verdict is called behind the name of the reference."""
_CALLED: Final[dict[Field, str]] = {"authors": "first author", "container": "journal", "identifier": "identifier"}


class SourceReference(NamedTuple):
    """What stands beside a source of the reference that names it.

    ``verdict`` in words, with what stands beside it; ``about``: what it is about, the part to be cut where there is
    little room, and the ``year`` behind that. ``more`` says why, and who was asked. ``worth_a_row``: there is more to
    say than that it is fine, or that there is nothing to look up.
    """

    unit: str
    verdict: str
    about: str
    year: str
    more: str
    worth_a_row: bool

    @property
    def said(self) -> str:
        """Verdict and what it is about."""
        return f"{self.verdict}{': ' if self.about else ''}{self.about}{self.year}"


def load_source_reference(
    reader: sqlite3.Connection, named: NamedBy, reviewer: str = "", *, by_name: bool = False
) -> SourceReference:
    """Read and word one, with what a reviewer said of it, if one is given; ``by_name``: it says which it is."""
    stored = load_reference(reader, named.reference_id)
    check = stored.check
    work = check.record if check.verdict != "other_work" else None
    notices = notice_words(work, brief=True) if work else []
    unit = unit_id(REFERENCE, named.reference_id)
    mine = reader.execute(_MINE, (unit, reviewer)).fetchone()
    said = [f"you: {label_words('reference', mine['label'])}"] if mine else []
    return SourceReference(
        unit=unit,
        verdict=" · ".join(
            (
                f"{stored.short_name if by_name else 'reference'} {_called(check)}",
                *notices,
                *said,
            )
        ),
        about=_about(stored),
        year=_year(check.record) if check.verdict == "other_work" else "",
        more=" ".join(filter(None, (check.because, _printed(stored), _asked(check)))),
        worth_a_row=bool(notices) or check.verdict not in ("match", "not_checkable") or check.unanswered,
    )


def _called(check: ReferenceCheck) -> str:
    return "could not be looked up" if check.unanswered else _VERDICTS[check.verdict]


def _about(stored: StoredReference) -> str:
    check = stored.check
    match check.verdict:
        case "other_work":
            return f"“{check.record.title}”" if check.record else ""
        case "mismatch":
            return "; ".join(sorted((_correction(stored, one) for one in check.wrong), key=len))
        case "ambiguous":
            return f"{counted(len(check.candidates), 'work')} may be meant"
        case "not_found":
            return _asked(check)
    return _asked(check) if check.unanswered else ""


def _year(record: Record | None) -> str:
    return f" {record.years[0]}" if record and record.years else ""


def _correction(stored: StoredReference, difference: FieldDifference) -> str:
    """What the record has, and what is printed instead of it."""
    known, printed = difference.record, difference.reference
    record = stored.check.record
    if difference.field == "authors" and record and record.authors and stored.reference.authors:
        known, printed = record.authors[0].family, stored.reference.authors[0].family
        if known == printed:
            return difference.why
    return f"{_CALLED.get(difference.field, difference.field)} {known or 'none'}, not {printed or 'none'}"


def _printed(stored: StoredReference) -> str:
    return f"Printed: “{stored.text}”"


def _asked(check: ReferenceCheck) -> str:
    """Who was asked, each once; of those that failed, that they did."""
    outcomes: dict[str, set[str]] = {}
    for asked in check.asked:
        outcomes.setdefault(authority_name(asked.authority), set()).add(asked.outcome)
    return f"asked {', '.join(_named(outcomes))}" if outcomes else ""


def _named(outcomes: dict[str, set[str]]) -> Iterator[str]:
    return (f"{name} (failed)" if results == {"failed"} else name for name, results in outcomes.items())
