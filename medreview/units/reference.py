"""A reference of a response: is the work real, and the one that it is said to be?"""

import sqlite3
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final, NamedTuple

from medreview.labels import REFERENCE
from medreview.references.model import Asked, Record, ReferenceCheck, authority_name, level_of, outcome_words
from medreview.references.verdict import VERDICTS
from medreview.statements.own_citations import numbering
from medreview.study.ids import REFERENCE as NAME
from medreview.study.ids import STATEMENT, ids_of, unit_id
from medreview.text import Span, in_words
from medreview.units.checked_reference import (
    FieldTable,
    StoredReference,
    difference_words,
    differing,
    fields_alone,
    fields_beside,
    load_reference,
    notice_words,
    record_name,
    records_in_neutral_order,
)
from medreview.units.cited_source import load_sources
from medreview.units.documents import response_document, source_document
from medreview.units.kind import (
    RULES,
    CardPart,
    Document,
    Headline,
    Machines,
    Opinion,
    Rating,
    Shade,
    TextMark,
    UnitKind,
    UnitView,
)
from medreview.units.statement_view import response_name

_CHECKED: Final = """
SELECT f.reference_id, f.response_id, c.verdict
FROM response AS r JOIN reference_current AS f USING (response_id) JOIN reference_checked AS c USING (reference_id)
WHERE c.verdict IS NOT NULL ORDER BY r.ordinal, f.ordinal"""


class ReferenceKind(UnitKind):
    """``reference:REFERENCE_ID``: one that was checked, of those that the newest rules found.

    The rules' verdicts ``ambiguous`` and ``not_checkable`` are ``cannot_judge`` on the reviewer's axis: they say so
    themselves, and would else have no place in any figure. The records are no opinion: they are shown from the start.
    """

    name = NAME
    title = "references"
    noun = "reference"
    about = "Is the work real, and the one that it is said to be?"
    headline = Headline("as described", {"reference": ("match",)})
    axis = "reference"
    levels = REFERENCE
    crosses_to = STATEMENT
    filters = MappingProxyType({"kind": "s.kind", "standing": "s.standing"})
    rows = """SELECT 'reference:' || f.reference_id AS unit, r.ordinal AS cluster, f.ordinal AS ordinal, f.text,
       r.model, r.origin, r.record_id, coalesce(json_extract(f.reading, '$.kind'), 'unknown') AS kind, f.standing
FROM reference_current AS f JOIN response AS r USING (response_id)
WHERE EXISTS (SELECT 1 FROM reference_check AS c WHERE c.reference_id = f.reference_id)"""

    def in_use(self, reader: sqlite3.Connection) -> bool:
        """Whether references of the study were checked."""
        checked = reader.execute("SELECT EXISTS (SELECT 1 FROM reference_check)").fetchone()[0]
        return bool(checked) or super().in_use(reader)

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The reference as it is printed; beside each record that was found its fields, then the pages of the sources
        that it names; the response beside."""
        (reference_id,) = ids_of(unit)
        stored = load_reference(reader, reference_id)
        row = reader.execute("SELECT * FROM response WHERE response_id = ?", (stored.response_id,)).fetchone()
        group = response_name(row["ordinal"])
        place = [Span(stored.reference.start, stored.reference.end)] if stored.in_text else []
        return UnitView(
            unit=unit,
            kind=self.name,
            name=f"{group} {stored.short_name}",
            group=group,
            text=stored.text,
            text_sha256=stored.text_sha256,
            parts=(CardPart("reference", stored.text, main=True), CardPart("read as", _read_as(stored), tone="dim")),
            documents=(*_record_documents(stored), *_pages(reader, stored)),
            beside=response_document(row["ordinal"], row["text"], place),
            model=row["model"],
            origin=row["origin"],
            record_id=row["record_id"],
            response_id=stored.response_id,
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """The rules' verdict and why, who was asked; what differs from the record that they hold it against."""
        stored = load_reference(reader, ids_of(unit)[0])
        check = stored.check
        if stored.withheld:
            return Machines()
        opinion = Opinion(
            opinion_id=stored.check_id,
            judge=RULES,
            model="",
            prompt=stored.rules,
            said=in_words(check.verdict),
            label=level_of(check.verdict),
            reason=" ".join(_reasons(check)),
        )
        found = list(_found(stored))
        return Machines(
            opinions=(opinion,),
            level=level_of(check.verdict),
            badges=" · ".join(_badges(check)),
            marks=tuple((one.key, mark) for one in found for mark in one.marks),
            remarks=tuple((one.key, one.below, one.words) for one in found),
            opens=next((key for record, (key, *_) in _documents(stored) if record == check.record), ""),
        )

    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response."""
        query = "SELECT response_id FROM reference WHERE reference_id = ?"
        return str(reader.execute(query, ids_of(unit)).fetchone()[0])

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """The rules' verdict on each reference, as a level of the reviewer's axis."""
        for row in reader.execute(_CHECKED):
            unit = unit_id(self.name, row["reference_id"])
            yield Rating(unit, row["response_id"], self.axis, RULES, True, "", level_of(row["verdict"]))

    def recorded(self, reader: sqlite3.Connection, view: UnitView) -> dict[str, str]:
        """Which check's records were on the screen."""
        return {"check": load_reference(reader, ids_of(view.unit)[0]).check_id}

    def flags_of(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response: what a reviewer says of a reference takes the place of the rules' verdict in its flags."""
        row = reader.execute("SELECT response_id FROM reference WHERE reference_id = ?", ids_of(unit)).fetchone()
        return str(row[0]) if row else ""


def asked_words(check: ReferenceCheck) -> str:
    """Who was asked by what, and what came of it; ``""`` when nobody was."""
    return f"Asked: {', '.join(map(_asked, check.asked))}." if check.asked else ""


def _asked(asked: Asked) -> str:
    why = f": {asked.words}" if asked.words and asked.outcome == "failed" else ""
    return f"{authority_name(asked.authority)} by {asked.by} ({outcome_words(asked)}{why})"


def _read_as(stored: StoredReference) -> str:
    named = (f"{one.kind} {one.value}" for one in stored.reference.identifiers)
    return " · ".join([in_words(stored.reference.kind), *named])


def _fields(stored: StoredReference) -> Iterator[tuple[str, str, FieldTable]]:
    """Key, title and table of each record; of the reference alone without records."""
    records = records_in_neutral_order(stored.check)
    for number, record in enumerate(records, 1):
        yield f"record:{number}", record_name(record), fields_beside(stored.reference, record)
    if not records:
        yield "record:0", "no record", fields_alone(stored.reference)


def _record_documents(stored: StoredReference) -> Iterator[Document]:
    return (Document(key, title, fields.text) for key, title, fields in _fields(stored))


def _pages(reader: sqlite3.Connection, stored: StoredReference) -> Iterator[Document]:
    """The sources of the response that the reference names, as far as there is a page to read."""
    rows = reader.execute("SELECT source_id FROM reference_source WHERE reference_id = ?", (stored.reference_id,))
    named = {row[0] for row in rows}
    for source in load_sources(reader, stored.response_id, numbering(reader, stored.response_id)):
        if source.source_id in named and source.snapshot_id is not None:
            yield source_document(reader, source, f"source:{source.source_id}")


def _documents(stored: StoredReference) -> Iterator[tuple[Record, tuple[str, str, FieldTable]]]:
    """Each record with its key, title and table."""
    return zip(records_in_neutral_order(stored.check), _fields(stored), strict=False)


class _Found(NamedTuple):
    """A difference in the document ``key``: its marks, and the place whose row its words stand below."""

    key: str
    marks: tuple[TextMark, ...]
    below: int
    words: str


def _found(stored: StoredReference) -> Iterator[_Found]:
    """The differences from the record that the rules hold the reference against."""
    for record, (key, _, fields) in _documents(stored):
        for difference in stored.check.differences if record == stored.check.record else ():
            row = fields.row(difference.field)
            if row is None:
                continue
            shade: Shade = "doubted" if difference.slip else "clash"
            marks = tuple(TextMark(*place, shade) for place in differing(fields, difference))
            longer = max(row.printed, row.record, key=lambda place: place.end - place.start)
            yield _Found(key, marks, longer.end - 1, f"{'slip' if difference.slip else 'differs'}: {difference.why}")


def _reasons(check: ReferenceCheck) -> Iterator[str]:
    yield check.because or f"{VERDICTS[check.verdict]}."
    if check.differences:
        yield "; ".join(map(difference_words, check.differences)) + "."
    yield from filter(None, (asked_words(check),))


def _badges(check: ReferenceCheck) -> Iterator[str]:
    if check.verdict != "match":
        yield f"reference: {in_words(check.verdict)}"
    if check.record and check.verdict != "other_work":
        yield from notice_words(check.record, brief=True)
