"""The files of an export on references: what was read of each, its checks, what differs; and those of a file as CSV and
JSON."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from medreview.exchange.files.columns import CODE_POINTS, Cell, Column, ExportFile, cells, selected
from medreview.exchange.files.csv_file import flat_rows, flatten, names_in
from medreview.references.model import (
    Author,
    Identifier,
    Record,
    Reference,
    ReferenceCheck,
    check_of,
    reference_of,
    to_json,
)
from medreview.study.ids import REFERENCE, unit_id
from medreview.units.checked_reference import difference_words, notice_words, record_name

if TYPE_CHECKING:
    from medreview.references.input_file import CheckedReference

_VERDICTS: Final = ("match", "mismatch", "other_work", "not_found", "ambiguous", "not_checkable")
_REFERENCE: Final = Column("reference_id", "text", "The reference: a hash of its response, place and text.")
_NAMES: Final = "name:type, parted by blanks, as in the column payload of events.csv"
_ORDER: Final = "ORDER BY r.ordinal, current DESC, f.ordinal, f.reference_id"


def _read(name: str, meaning: str = "As read from it.", made: Callable[[Reference], Cell] | None = None) -> Column:
    """What was read of a reference, the ``read`` of a row."""
    return Column(name, "text", meaning, made=lambda one: made(one.read) if made else getattr(one.read, name))


def _told(name: str, meaning: str, made: Callable[[ReferenceCheck], Cell], levels: tuple[str, ...] = ()) -> Column:
    """What its newest check says, the ``check`` of a row, where it may be shown."""
    return Column(name, "text", meaning, levels=levels, made=lambda one: one.check and made(one.check))


def _found(name: str, meaning: str, made: Callable[[Record], Cell]) -> Column:
    """What an authority has of the work."""
    return _told(name, meaning, lambda check: None if check.record is None else made(check.record))


def _authors(authors: Iterable[Author], *, et_al: bool) -> str:
    names = [" ".join(filter(None, (author.family, author.given))) for author in authors]
    return "; ".join([*names, *(["et al."] if et_al else [])])


def _identifiers(identifiers: Iterable[Identifier]) -> str:
    return "; ".join(f"{one.kind} {one.value}" for one in identifiers)


_PLACE: Final = (
    Column("number", "integer", "The response's own number of it; empty without one."),
    Column("standing", "text", "Where it stands.", levels=("list", "footnote", "inline", "given", "alone")),
)
_READ: Final = (
    Column("text", "text", "What stands there.", sql="f.text"),
    _read("kind", "What sort of work it is by its words: article, guideline, ...; unknown when nothing tells it."),
    _read("authors", "As read from it, parted by semicolons.", lambda read: _authors(read.authors, et_al=read.et_al)),
    _read("title"),
    _read("container", "Journal, book of a chapter, or site, as read from it."),
    replace(_read("year"), type="integer"),
    _read("volume"),
    _read("issue"),
    _read("pages"),
    _read("publisher"),
    _read("edition"),
    _read("identifiers", "As read from it, parted by semicolons: doi 10.1000/x; pmid 123.",
          lambda read: _identifiers(read.identifiers)),
    _read("url", "The address in it."),
    Column("bare_url", "boolean", "1: it is an address alone, which describes nothing, so that it is not checked.",
           made=lambda one: one.read.bare_url),
    _read("unsure", "Fields that were read with doubt, parted by blanks.", lambda read: " ".join(read.unsure)),
)  # fmt: skip
_CHECKED: Final = (
    _told("verdict", "How it compares with what authorities have, by the newest check; empty when it was not checked, "
          "or must not be known yet, as in all that follows up to wrong_fields. not_found proves no invention.",
          lambda check: check.verdict, _VERDICTS),
    _told("because", "Why, in a sentence.", lambda check: check.because),
    _found("authority", "Which authority has the work that it is, or whose identifier it carries.",
           lambda record: record.authority),
    _found("authority_id", "Its id there.", lambda record: record.record_id),
    _found("found_title", "The work's title there.", lambda record: record.title),
    _found("found_authors", "Its authors there, parted by semicolons.",
           lambda record: _authors(record.authors, et_al=not record.complete)),
    _found("found_container", "Its journal, book or site there.", lambda record: next(iter(record.containers), None)),
    replace(_found("found_year", "Its year there.", lambda record: next(iter(record.years), None)), type="integer"),
    _found("found_identifiers", "Its identifiers there, as in the column identifiers.",
           lambda record: _identifiers(record.identifiers)),
    _found("notices", "What is to be known of that work, parted by semicolons: RETRACTED, a preprint and what it was "
           "published as.", lambda record: "; ".join(notice_words(record))),
    _told("differences", "What differs, parted by semicolons; field by field in reference_differences.csv.",
          lambda check: "; ".join(map(difference_words, check.differences))),
    _told("wrong_fields", "The fields in which it misleads, parted by blanks.",
          lambda check: " ".join(one.field for one in check.wrong)),
    Column("candidates", "text", "Other works that were found, parted by semicolons; the best first, where the verdict "
           "may be known.", made=lambda one: one.made_check and "; ".join(
               f"{record_name(record)}: {record.title}" for record in one.made_check.candidates)),
    Column("asked", "text", "Which authorities were asked, by what, and what came of it, parted by semicolons.",
           made=lambda one: one.made_check and "; ".join(
               f"{asked.authority} by {asked.by}: {asked.outcome}" for asked in one.made_check.asked)),
)  # fmt: skip

_REFERENCES: Final = (
    replace(_REFERENCE, sql="f.reference_id"),
    Column("unit_id", "text", "The reference as a unit of review: what people said of it stands in unit_labels.csv.",
           made=lambda one: unit_id(REFERENCE, one.reference_id)),
    Column("response_id", "text", "The response that it stands in: the unit to resample."),
    Column("record_id", "text", "The id of the response's record in the file it came from."),
    Column("response_model", "text", "The model that gave the response.", sql="r.model"),
    Column("origin", "text", "Where the question came from: a stratum."),
    Column("ordinal", "integer", "Its place among the references of the response, from 1.", sql="f.ordinal"),
    Column("current", "boolean", "0: the newest rules do not find it any more; it is kept for what was said of it.",
           sql="f.parser IS r.references_by"),
    *_PLACE,
    Column("start_cp", "integer", "Where it starts in the response; empty when it was listed beside the text.",
           unit=CODE_POINTS),
    Column("end_cp", "integer", "Where it ends.", unit=CODE_POINTS),
    *_READ,
    Column("source_ids", "text", "The sources of the response that it names, parted by blanks.", sql="""(
        SELECT group_concat(source_id, ' ') FROM (SELECT source_id FROM reference_source AS n
        WHERE n.reference_id = f.reference_id ORDER BY source_id))"""),
    *_CHECKED,
    Column("checked_at", "time", "When the newest check was made.", unit="UTC"),
    Column("check_id", "text", "The newest check; empty when there is none."),
    Column("parser", "text", "The rules that found it, by name and version.", sql="f.parser"),
    Column("found_at", "time", "When it was found first.", unit="UTC"),
    Column("reading", "text", f"Which values all that was read of it has: {_NAMES}. The values stand in "
           "reference_values.csv.", sql="f.reading", made=lambda one: flatten(json.loads(one.reading))[0]),
)  # fmt: skip
_FROM: Final = """FROM reference AS f JOIN response AS r USING (response_id)
    LEFT JOIN reference_checked AS c USING (reference_id)"""


def _reference_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(f"{selected(_REFERENCES)}, c.verdict AS known, c.result {_FROM} {_ORDER}"):
        check = None if row["check_id"] is None else check_of(json.loads(row["result"]))
        read, told = reference_of(json.loads(row["reading"])), None if row["known"] is None else check
        yield cells(_REFERENCES, SimpleNamespace(**dict(row), read=read, made_check=check, check=told))


REFERENCES: Final = ExportFile(
    "references.csv",
    _REFERENCES,
    _reference_rows,
    "What the responses say the works are that they cite, beside what authorities have of them. A work that was not "
    "found need not be invented.",
    key=("reference_id",),
    leads={"unit_id": "", "check_id": ""},
    facets=("verdict", "kind", "standing", "response_model"),
)

_DIFFERENCES: Final = (
    _REFERENCE,
    Column("ordinal", "integer", "Which difference, from 1."),
    Column("field", "text", "The field that differs."),
    Column("reference", "text", "What the reference says."),
    Column("found", "text", "What the authority has.", made=lambda one: one.record),
    Column("slip", "boolean", "1: it misleads nobody."),
    Column("why", "text", "Which slip it is, or why it misleads."),
)


def _difference_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    query = f"SELECT f.reference_id, f.parser IS r.references_by AS current, c.verdict, c.result {_FROM} {_ORDER}"
    for reference, _, verdict, result in reader.execute(query):
        for number, one in enumerate(() if verdict is None else check_of(json.loads(result)).differences, 1):
            yield cells(_DIFFERENCES, SimpleNamespace(**one._asdict(), reference_id=reference, ordinal=number))


DIFFERENCES: Final = ExportFile(
    "reference_differences.csv",
    _DIFFERENCES,
    _difference_rows,
    "Where references differ from the work, field by field; slips mislead nobody.",
    key=("reference_id", "ordinal"),
)

_OF_CHECKS: Final = """FROM reference_check AS c JOIN reference AS f USING (reference_id)
    JOIN response AS r USING (response_id) ORDER BY r.ordinal, f.ordinal, f.reference_id, c.checked_at, c.check_id"""
CHECKS: Final = ExportFile(
    "reference_checks.csv",
    (
        Column("check_id", "text", "A check of a reference; none is ever changed, and the newest counts."),
        _REFERENCE,
        Column("verdict", "text", "Its verdict; empty when it must not be known yet.", levels=_VERDICTS),
        Column("rules", "text", "What read the reference and what compared it, by name and version."),
        Column("library", "text", "A hash of the library that was asked; empty when none was."),
        Column("online", "boolean", "1: services could be asked; 0: only what they had answered before."),
        Column("checked_at", "time", "When it was made.", unit="UTC"),
        names_in("result", f"Which values it has: {_NAMES}. The values stand in reference_values.csv.", "c.result"),
    ),
    _OF_CHECKS,
    "Every check of a reference, the older ones too; the newest counts.",
    key=("check_id",),
)  # fmt: skip


def _value_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    of_reading = f"""SELECT f.reference_id, NULL, f.reading, f.parser IS r.references_by AS current
        FROM reference AS f JOIN response AS r USING (response_id) {_ORDER}"""
    yield from flat_rows((row[0], row[1], row[2]) for row in reader.execute(of_reading))
    yield from flat_rows(reader.execute(f"SELECT reference_id, c.check_id, c.result {_OF_CHECKS}"))


VALUES: Final = ExportFile(
    "reference_values.csv",
    (
        _REFERENCE,
        Column("check_id", "text", "The check; empty for a value of the reading."),
        Column("name", "text", "Name of the value, as written in the column reading of references.csv, or result of "
               "reference_checks.csv."),
        Column("value", "text", "The value."),
    ),
    _value_rows,
    "What was read of references and found by their checks, value by value.",
)  # fmt: skip

FILES: Final = (REFERENCES, DIFFERENCES, CHECKS, VALUES)
"""Every file of references."""

OF_FILE: Final = (
    Column("id", "text", "The answer that it stands in, or its own id in the file; empty without one."),
    Column("line", "integer", "The line that it, or its answer, begins at; empty of an entry of a library."),
    Column("model", "text", "The model that gave the answer."),
    Column("origin", "text", "Where the question came from."),
    *_PLACE,
    *_READ,
    *_CHECKED,
)
"""The columns of references of a file of answers or of a library."""


def payload(checked: "Iterable[CheckedReference]") -> Iterator[dict[str, Any]]:
    """Each reference for JSON: as printed, as it was read, and what a line of the filter says of it."""
    from medreview.references.jsonl_filter import answered

    for one in checked:
        told = one.brought
        yield {
            "id": told.name or None,
            "line": told.line or None,
            "model": told.model,
            "origin": told.origin,
            "reference": told.reference.text,
            "reading": to_json(told.reference),
            **({"verdict": None} if one.check is None else answered(one.check)),
        }


def file_rows(checked: "Iterable[CheckedReference]") -> Iterator[Sequence[Cell]]:
    """A row for each reference of a file, by :data:`OF_FILE`."""
    for one in checked:
        told, read = one.brought, one.brought.reference
        yield cells(OF_FILE, SimpleNamespace(
            id=told.name, line=told.line or None, model=told.model, origin=told.origin,
            number=read.number, standing=read.standing, text=read.text,
            read=read, check=one.check, made_check=one.check,
        ))  # fmt: skip
