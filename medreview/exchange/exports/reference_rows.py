"""The exported files, columns and rows, of references: what was read of each, its checks, and what differs."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from medreview.exchange.files.columns import CODE_POINTS, Column
from medreview.exchange.files.csv_file import Cell, flatten
from medreview.references.model import (
    Asked,
    Author,
    Identifier,
    Record,
    Reference,
    ReferenceCheck,
    check_of,
    reference_of,
)
from medreview.study.ids import REFERENCE, unit_id
from medreview.units.checked_reference import difference_words, notice_words, record_name

_VERDICTS: Final = ("match", "mismatch", "other_work", "not_found", "ambiguous", "not_checkable")
_REFERENCE: Final = Column("reference_id", "text", "The reference: a hash of its response, place and text.")
_NAMES: Final = "name:type, parted by blanks, as in the column payload of events.csv"

REFERENCES: Final = (
    _REFERENCE,
    Column("unit_id", "text", "The reference as a unit of review: what people said of it stands in unit_labels.csv."),
    Column("response_id", "text", "The response that it stands in: the unit to resample."),
    Column("record_id", "text", "The id of the response's record in the file it came from."),
    Column("response_model", "text", "The model that gave the response."),
    Column("origin", "text", "Where the question came from: a stratum."),
    Column("ordinal", "integer", "Its place among the references of the response, from 1."),
    Column("current", "boolean", "0: the newest rules do not find it any more; it is kept for what was said of it."),
    Column("number", "integer", "The response's own number of it; empty without one."),
    Column("standing", "text", "Where it stands.", levels=("list", "footnote", "inline", "given", "alone")),
    Column("start_cp", "integer", "Where it starts in the response; empty when it was listed beside the text.",
           unit=CODE_POINTS),
    Column("end_cp", "integer", "Where it ends.", unit=CODE_POINTS),
    Column("text", "text", "What stands there."),
    Column("kind", "text", "What sort of work it is by its words: article, guideline, ...; unknown when nothing tells "
           "it."),
    Column("authors", "text", "As read from it, parted by semicolons."),
    Column("title", "text", "As read from it."),
    Column("container", "text", "Journal, book of a chapter, or site, as read from it."),
    Column("year", "integer", "As read from it."),
    Column("volume", "text", "As read from it."),
    Column("issue", "text", "As read from it."),
    Column("pages", "text", "As read from it."),
    Column("publisher", "text", "As read from it."),
    Column("edition", "text", "As read from it."),
    Column("identifiers", "text", "As read from it, parted by semicolons: doi 10.1000/x; pmid 123."),
    Column("url", "text", "The address in it."),
    Column("bare_url", "boolean", "1: it is an address alone, which describes nothing, so that it is not checked."),
    Column("unsure", "text", "Fields that were read with doubt, parted by blanks."),
    Column("source_ids", "text", "The sources of the response that it names, parted by blanks."),
    Column("verdict", "text", "How it compares with what authorities have, by the newest check; empty when it was not "
           "checked, or must not be known yet, as in all that follows up to wrong_fields. not_found proves no "
           "invention.", levels=_VERDICTS),
    Column("because", "text", "Why, in a sentence."),
    Column("authority", "text", "Which authority has the work that it is, or whose identifier it carries."),
    Column("authority_id", "text", "Its id there."),
    Column("found_title", "text", "The work's title there."),
    Column("found_authors", "text", "Its authors there, parted by semicolons."),
    Column("found_container", "text", "Its journal, book or site there."),
    Column("found_year", "integer", "Its year there."),
    Column("found_identifiers", "text", "Its identifiers there, as in the column identifiers."),
    Column("notices", "text", "What is to be known of that work, parted by semicolons: RETRACTED, a preprint and what "
           "it was published as."),
    Column("differences", "text", "What differs, parted by semicolons; field by field in "
           "reference_differences.csv."),
    Column("wrong_fields", "text", "The fields in which it misleads, parted by blanks."),
    Column("candidates", "text", "Other works that were found, parted by semicolons; the best first, where the verdict "
           "may be known."),
    Column("asked", "text", "Which authorities were asked, by what, and what came of it, parted by semicolons."),
    Column("checked_at", "time", "When the newest check was made.", unit="UTC"),
    Column("check_id", "text", "The newest check; empty when there is none."),
    Column("parser", "text", "The rules that found it, by name and version."),
    Column("found_at", "time", "When it was found first.", unit="UTC"),
    Column("reading", "text", f"Which values all that was read of it has: {_NAMES}. The values stand in "
           "reference_values.csv."),
)  # fmt: skip

DIFFERENCES: Final = (
    _REFERENCE,
    Column("ordinal", "integer", "Which difference, from 1."),
    Column("field", "text", "The field that differs."),
    Column("reference", "text", "What the reference says."),
    Column("found", "text", "What the authority has."),
    Column("slip", "boolean", "1: it misleads nobody."),
    Column("why", "text", "Which slip it is, or why it misleads."),
)

CHECKS: Final = (
    Column("check_id", "text", "A check of a reference; none is ever changed, and the newest counts."),
    _REFERENCE,
    Column("verdict", "text", "Its verdict; empty when it must not be known yet.", levels=_VERDICTS),
    Column("rules", "text", "What read the reference and what compared it, by name and version."),
    Column("library", "text", "A hash of the library that was asked; empty when none was."),
    Column("online", "boolean", "1: services could be asked; 0: only what they had answered before."),
    Column("checked_at", "time", "When it was made.", unit="UTC"),
    Column("result", "text", f"Which values it has: {_NAMES}. The values stand in reference_values.csv."),
)  # fmt: skip

VALUES: Final = (
    _REFERENCE,
    Column("check_id", "text", "The check; empty for a value of the reading."),
    Column("name", "text", "Name of the value, as written in the column reading of references.csv, or result of "
           "reference_checks.csv."),
    Column("value", "text", "The value."),
)  # fmt: skip


FILES: Final[dict[str, tuple[Column, ...]]] = {
    "references.csv": REFERENCES,
    "reference_differences.csv": DIFFERENCES,
    "reference_checks.csv": CHECKS,
    "reference_values.csv": VALUES,
}
"""Every file of references with its columns."""

_REFERENCES: Final = """
SELECT f.*, f.parser IS r.references_by AS current, r.record_id, r.model, r.origin, c.check_id, c.verdict, c.result,
       c.checked_at,
       (SELECT group_concat(source_id, ' ') FROM (SELECT source_id FROM reference_source AS n
        WHERE n.reference_id = f.reference_id ORDER BY source_id)) AS source_ids
FROM reference AS f JOIN response AS r USING (response_id) LEFT JOIN reference_checked AS c USING (reference_id)
ORDER BY r.ordinal, current DESC, f.ordinal, f.reference_id"""
_CHECKS: Final = """
SELECT c.* FROM reference_check AS c JOIN reference AS f USING (reference_id) JOIN response AS r USING (response_id)
ORDER BY r.ordinal, f.ordinal, f.reference_id, c.checked_at, c.check_id"""


def reference_files(reader: sqlite3.Connection) -> dict[str, Callable[[], Iterable[Sequence[Cell]]]]:
    """Each of :data:`FILES` with what gives its rows."""
    return {
        "references.csv": partial(_reference_rows, reader),
        "reference_differences.csv": partial(_difference_rows, reader),
        "reference_checks.csv": partial(_check_rows, reader),
        "reference_values.csv": partial(_value_rows, reader),
    }


def _reference_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_REFERENCES):
        yield (
            row["reference_id"], unit_id(REFERENCE, row["reference_id"]), row["response_id"], row["record_id"],
            row["model"], row["origin"], row["ordinal"], row["current"], row["number"], row["standing"],
            row["start_cp"], row["end_cp"], row["text"],
            *reading_cells(reference_of(json.loads(row["reading"]))), row["source_ids"],
            *_checked(row), row["checked_at"], row["check_id"], row["parser"], row["found_at"],
            flatten(json.loads(row["reading"]))[0],
        )  # fmt: skip


def reading_cells(read: Reference) -> Sequence[Cell]:
    """What was read of a reference: the columns from ``kind`` to ``unsure``."""
    return (
        read.kind, _authors(read.authors, et_al=read.et_al), read.title, read.container, read.year, read.volume,
        read.issue, read.pages, read.publisher, read.edition, _identifiers(read.identifiers), read.url,
        int(read.bare_url), " ".join(read.unsure),
    )  # fmt: skip


def _checked(row: sqlite3.Row) -> Sequence[Cell]:
    """What its newest check says: from ``verdict`` to ``asked``."""
    if row["check_id"] is None:
        return (None,) * 14
    check = check_of(json.loads(row["result"]))
    if row["verdict"] is None:
        return (*(None,) * 12, _records(check.candidates), _asked(check.asked))
    return check_cells(check)


def check_cells(check: ReferenceCheck) -> Sequence[Cell]:
    """What a check says: the columns from ``verdict`` to ``asked``."""
    return (check.verdict, check.because, *_found(check), _records(check.candidates), _asked(check.asked))


def _found(check: ReferenceCheck) -> Sequence[Cell]:
    """The work, and what differs: from ``authority`` to ``wrong_fields``."""
    differs = ("; ".join(map(difference_words, check.differences)), " ".join(one.field for one in check.wrong))
    record = check.record
    if record is None:
        return (*(None,) * 8, *differs)
    return (
        record.authority, record.record_id, record.title, _authors(record.authors, et_al=not record.complete),
        next(iter(record.containers), None), next(iter(record.years), None), _identifiers(record.identifiers),
        "; ".join(notice_words(record)), *differs,
    )  # fmt: skip


def _authors(authors: Iterable[Author], *, et_al: bool) -> str:
    names = [" ".join(filter(None, (author.family, author.given))) for author in authors]
    return "; ".join([*names, *(["et al."] if et_al else [])])


def _identifiers(identifiers: Iterable[Identifier]) -> str:
    return "; ".join(f"{one.kind} {one.value}" for one in identifiers)


def _records(records: Iterable[Record]) -> str:
    return "; ".join(f"{record_name(record)}: {record.title}" for record in records)


def _asked(asked: Iterable[Asked]) -> str:
    return "; ".join(f"{one.authority} by {one.by}: {one.outcome}" for one in asked)


def _difference_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_REFERENCES):
        if row["verdict"] is not None:
            for number, one in enumerate(check_of(json.loads(row["result"])).differences, 1):
                yield row["reference_id"], number, one.field, one.reference, one.record, int(one.slip), one.why


def _check_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_CHECKS):
        named = [row[name] for name in ("check_id", "reference_id", "verdict", "rules", "library", "online")]
        yield (*named, row["checked_at"], flatten(json.loads(row["result"]))[0])


def _value_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_REFERENCES):
        for name, value in flatten(json.loads(row["reading"]))[1].items():
            yield row["reference_id"], None, name, value
    for row in reader.execute(_CHECKS):
        for name, value in flatten(json.loads(row["result"]))[1].items():
            yield row["reference_id"], row["check_id"], name, value
