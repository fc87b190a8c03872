"""The rows of the exported files that hold references, their checks, and what differs."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from medreview.exchange.files import reference_columns
from medreview.exchange.files.columns import Column
from medreview.exchange.files.event_payload import Cell, flatten
from medreview.references.as_json import check_of, reference_of
from medreview.references.model import Asked, Author, Identifier, Record, Reference, ReferenceCheck
from medreview.study.unit_ids import REFERENCE, unit_id
from medreview.units.reference_fields import difference_words, notice_words, record_name

FILES: Final[dict[str, tuple[Column, ...]]] = {
    "references.csv": reference_columns.REFERENCES,
    "reference_differences.csv": reference_columns.DIFFERENCES,
    "reference_checks.csv": reference_columns.CHECKS,
    "reference_values.csv": reference_columns.VALUES,
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
