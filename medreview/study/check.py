"""Integrity check of a study; read-only."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from medreview.study.events import misfitting
from medreview.study.incoming import body_digest
from medreview.study.lock import not_as_closed
from medreview.study.machine_rows import said_faults
from medreview.study.migrations import new_schema, schema_of
from medreview.study.package import Package, package_of
from medreview.study.row_seals import Misfit, SealedTable, misfits, sealed_tables
from medreview.study.signed_seals import Seal, seals
from medreview.study.statement_edits import retired_faults
from medreview.study.study import Study
from medreview.study.unit_faults import content_faults, gold_faults, span_faults, unknown_units
from medreview.text import joined, sha256

MOST: Final = 8
"""Sentences of one part of the check, and of one table; what is more is counted."""

UNREADABLE: Final = (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""Errors of reading damaged rows: invalid texts and JSON, values of another type, invalid ranges."""

_QUOTED: Final = 160

_TEXTS: Final = (
    ("response", "response_id"), ("statement", "statement_id"), ("snapshot", "snapshot_id"), ("passage", "passage_id"),
    ("case_note", "note_id"), ("reference", "reference_id"),
)  # fmt: skip
"""Tables of texts that are stored with their hashes."""

Named = set[tuple[str, str]]
"""Rows by table and key that an earlier sentence reported, in more detail than a seal can."""


def check(connection: sqlite3.Connection) -> list[str]:
    """The problems of the file, one sentence each; empty when it is intact.

    Checks SQLite's own structure, foreign keys, the schema, the hashes of all texts and page bodies, the hash chain of
    the events, the seal of every row, and every stored range against its text where the text is in this file; what
    judges and rules said is looked at by the rules of a merge (``machine_rows``). Raises nothing, whatever is damaged.
    """
    with _whatever_the_bytes(connection):
        return list(_problems(connection))


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with a study, one sentence each, and how many events it has; ``None`` when that cannot be read.

    ``package``: what it says of itself, if it is a copy for a colleague. ``seals``: all of them, oldest first; what is
    wrong with one is among the faults.
    """

    faults: list[str]
    events: int | None
    package: Package | None = None
    seals: list[Seal] = field(default_factory=list)


def check_study(study: Study, allowed_signers: Path | None = None) -> Checked:
    """:func:`check`, whether the file has the event that was its newest when it was last closed, and its signed seals.

    ``allowed_signers``: a file as ssh has it. Each seal must then be of a key that it allows, and there must be one.
    Raises :class:`UserError` when that cannot be looked up.
    """
    faults = check(study.sealed())
    faults += _bounded(lambda: iter(not_as_closed(study.reader, study.path)))
    found: list[Seal] = []
    try:
        found = seals(study.reader, allowed_signers)
        if allowed_signers and not found:
            faults.append("There is no seal in it.")
    except UNREADABLE as error:
        faults.append(unreadable(error))
    faults += [one.words for one in found if one.standing in ("broken", "signer unknown")]
    try:
        events = int(study.reader.execute("SELECT count(*) FROM event").fetchone()[0])
        return Checked(faults, events, package_of(study.reader), found)
    except UNREADABLE:
        return Checked(faults, None, None, found)


@contextmanager
def _whatever_the_bytes(connection: sqlite3.Connection) -> Iterator[None]:
    """Read texts that cannot be decoded, too: such bytes become half characters, which fit no hash."""
    before = connection.text_factory
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = before


def _problems(connection: sqlite3.Connection) -> Iterator[str]:
    named: Named = set()
    for part in (_structure, _foreign_keys, _schema, partial(_texts, named), partial(_bodies, named),
                 partial(content_faults, named), partial(_events, named)):  # fmt: skip
        yield from _bounded(partial(part, connection))
    try:
        tables = sealed_tables(connection)
    except UNREADABLE as error:
        yield unreadable(error)
        tables = []
    for table in tables:
        yield from _bounded(partial(_seals, named, connection, table), f"rows of {table.name}")
    for part in (_ranges, said_faults, _spans, retired_faults, gold_faults, unknown_units):
        yield from _bounded(partial(part, connection))


def _bounded(part: Callable[[], Iterator[str]], what: str = "like this") -> Iterator[str]:
    """Its first sentences and how many more there are; what cannot be read is one of them."""
    try:
        found = part()
        yield from islice(found, MOST)
        if more := sum(1 for _ in found):
            yield f"And {more} more {what}."
    except UNREADABLE as error:
        yield unreadable(error)


def unreadable(error: Exception) -> str:
    """A sentence about what could not be read, however long its message is."""
    said = " ".join(str(error).split())
    return f"What is stored cannot be read: {said[:_QUOTED] or type(error).__name__}."


def _structure(connection: sqlite3.Connection) -> Iterator[str]:
    found = connection.execute("PRAGMA integrity_check")
    return (f"SQLite: {row[0]}." for row in found if row[0] != "ok")


def _foreign_keys(connection: sqlite3.Connection) -> Iterator[str]:
    for row in connection.execute("PRAGMA foreign_key_check"):
        yield f"A row of {row[0]} points to a missing row of {row[2]}."


def _schema(connection: sqlite3.Connection) -> Iterator[str]:
    """Tables, indexes, views and triggers that are not those of this version."""
    here, right = schema_of(connection), new_schema()
    for place in sorted(here.keys() | right.keys(), key=str):
        what = " ".join(place)
        if place not in here:
            yield f"The {what} is missing in this file."
        elif place not in right:
            yield f"The {what} in this file is not of this program."
        elif here[place] != right[place]:
            yield f"The {what} was changed."


def _texts(named: Named, connection: sqlite3.Connection) -> Iterator[str]:
    for table, key in _TEXTS:
        for row in connection.execute(f"SELECT {key} AS id, text, text_sha256 FROM {table}"):
            if sha256(row["text"]) != row["text_sha256"]:
                named.add((table, str(row["id"])))
                yield f"The text of {table} {row['id']} was changed after it was stored."


def _bodies(named: Named, connection: sqlite3.Connection) -> Iterator[str]:
    for row in connection.execute("SELECT snapshot_id, raw_sha256, body FROM snapshot"):
        if body_digest(row["body"]) != row["raw_sha256"]:
            named.add(("snapshot", str(row["snapshot_id"])))
            yield f"The page of snapshot {row['snapshot_id']} was changed after it was stored."


def _events(named: Named, connection: sqlite3.Connection) -> Iterator[str]:
    for seq, sentence in misfitting(connection):
        named.add(("event", str(seq)))
        yield sentence


def _seals(named: Named, connection: sqlite3.Connection, table: SealedTable) -> Iterator[str]:
    for one in misfits(connection, table):
        if (one.table, one.key) not in named:
            yield told(one)


def told(one: Misfit) -> str:
    """A sentence about a row that its seal does not fit."""
    if one.seal is None:
        return f"The row {one.key} of {one.table} was put there by another program."
    if not one.key:
        return f"A row of {one.table} is missing: it was removed by another program, or its key was changed."
    return f"The row {one.key} of {one.table} was changed after it was stored."


def _ranges(connection: sqlite3.Connection) -> Iterator[str]:
    query = """SELECT s.statement_id, s.text, substr(r.text, s."start" + 1, s."end" - s."start") AS found
               FROM statement AS s JOIN response AS r USING (response_id) WHERE s."start" IS NOT NULL"""
    for row in connection.execute(query):
        if row["found"] != row["text"]:
            yield f"Statement {row['statement_id']} does not stand where it is said to stand in its response."
    query = """SELECT s.statement_id, s.text, s.parts, r.text AS response
               FROM statement AS s JOIN response AS r USING (response_id) WHERE s.parts <> '[]'"""
    for row in connection.execute(query):
        if joined(row["response"], json.loads(row["parts"])) != row["text"]:
            yield f"Statement {row['statement_id']} does not stand where it is said to stand in its response."
    query = """SELECT left_out_id FROM left_out JOIN response USING (response_id)
               WHERE "start" < 0 OR "end" > length(response.text) OR "start" >= "end" """
    for row in connection.execute(query):
        yield f"What is left out as {row['left_out_id']} lies outside its response."
    query = """SELECT f.reference_id, f.text, substr(r.text, f.start_cp + 1, f.end_cp - f.start_cp) AS found
               FROM reference AS f JOIN response AS r USING (response_id) WHERE f.start_cp IS NOT NULL"""
    for row in connection.execute(query):
        if row["found"] != row["text"]:
            yield f"Reference {row['reference_id']} does not stand where it is said to stand in its response."
    query = """SELECT snapshot_id, page FROM snapshot_ocr AS o JOIN snapshot AS p USING (snapshot_id)
               WHERE start_cp < 0 OR end_cp > length(p.text) OR start_cp > end_cp OR EXISTS (
                   SELECT 1 FROM json_each(o.doubtful) AS w WHERE json_extract(w.value, '$[0]') < start_cp
                   OR json_extract(w.value, '$[1]') > end_cp)"""
    for row in connection.execute(query):
        yield f"What was read by OCR on page {row['page']} of snapshot {row['snapshot_id']} lies outside of it."


def _spans(connection: sqlite3.Connection) -> Iterator[str]:
    yield from span_faults(connection)
    query = """SELECT seq, kind FROM event AS d WHERE kind IN ('span_del', 'span_move') AND NOT EXISTS (
                   SELECT 1 FROM event AS e WHERE e.event_id = json_extract(d.payload, '$.span')
                   AND (e.kind, e.unit, e.reviewer) = ('span_add', d.unit, d.reviewer))"""
    for row in connection.execute(query):
        does = "deletes" if row["kind"] == "span_del" else "moves"
        yield f"Event {row['seq']} {does} a span that was not marked by the same reviewer on the same statement."
