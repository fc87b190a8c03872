"""Bring a colleague's decisions into a study: the union of both records."""

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.next_step import command
from medreview.study.audit_frame import join_frame
from medreview.study.check import UNREADABLE, told, unreadable
from medreview.study.events import insert_event, verify
from medreview.study.incoming import (
    REFERENCE_COLUMNS,
    bare_reading,
    event_fault,
    frame_fault,
    ocr_fault,
    page_fault,
    reference_fault,
)
from medreview.study.own_axes import misfits as axis_misfits
from medreview.study.own_axes import own_axes
from medreview.study.row_seals import Misfit, misfits, sealed_tables
from medreview.study.rows import insert
from medreview.study.statement_edits import number_edited
from medreview.study.study import Study
from medreview.study.unit_faults import UnitsHere, span_faults
from medreview.study.unit_table import number_added

_BEHIND: Final = "t.snapshot_id IN (SELECT snapshot FROM event)"


@dataclass(frozen=True, slots=True)
class MergeSummary:
    """How many events came in, were here already, or speak of units that this study does not have."""

    added: int
    known: int
    foreign: int


def merge(study: Study, other: Path) -> MergeSummary:
    """Add the other study's events that this one does not have, the pages they were made on, and the references that
    they are about. Twice adds nothing.

    Events on units that are not in this study are left out and counted. A page that comes in does not become the
    current one: judgements and decisions of this study rest on the one that it has. A reference that comes in is
    read again by this one's rules; checks of references, like judgements, are each study's own.
    All of it is verified before the first write. Raises :class:`UserError` when the other file is this one, no study, a
    study that has nothing in common with this one, its record does not verify, or anything that would be taken over
    does not fit its hashes or this study; nothing is taken over then.
    """
    if os.path.realpath(other) == os.path.realpath(study.path):
        raise UserError("A study cannot be merged with itself; name the colleague's file.")
    with Study.open(other, read_only=True) as theirs:
        try:
            accepted = _accepted(study, theirs)
        except UNREADABLE as error:
            raise UserError(f"{other} was not merged: {unreadable(error)}") from error

    def add(connection: sqlite3.Connection) -> MergeSummary:
        known = {row["event_id"]: row["hash"] for row in connection.execute("SELECT event_id, hash FROM event")}
        for row in accepted.events:
            if known.get(row["event_id"], row["hash"]) != row["hash"]:
                raise UserError(f"{other} was not merged: the event {row['event_id']} is another one in this study.")
        fresh = [row for row in accepted.events if row["event_id"] not in known]
        try:
            insert(connection, "reference", accepted.references)
        except sqlite3.IntegrityError as error:
            raise UserError(
                f"{other} was not merged: this program does not know a reference in it ({error})."
            ) from error
        here = UnitsHere(connection)
        here.add_made((row["kind"], row["unit"], json.loads(row["payload"])) for row in fresh)
        ours = [row for row in fresh if row["unit"] in here]
        kept = {row["hash"] for row in ours} | {row[0] for row in connection.execute("SELECT hash FROM event")} | {""}
        if any(row["previous_hash"] not in kept for row in ours):
            raise UserError(
                f"{other} was not merged: it holds decisions on other material, so that its record cannot be taken "
                "over in part. Merge studies that began as copies of one file."
            )
        last = connection.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0]
        try:
            for row in ours:
                insert_event(connection, row)
            number_edited(connection)
            number_added(connection)
            join_frame(connection, accepted.frame)
            pages = accepted.pages
            wanted = [pages[name] for name in {row["snapshot"] for row in ours} if name in pages]
            _add_pages(connection, wanted, accepted.by_ocr)
            wrong = next(span_faults(connection, last), "")
            other_axes = next(axis_misfits(connection, own_axes(connection)), "")
        except (ValueError, LookupError, sqlite3.IntegrityError) as error:
            raise UserError(f"{other} was not merged: what it holds does not fit this study ({error}).") from error
        if wrong:
            raise UserError(f"{other} was not merged: a span in it is not of the text that this study has. {wrong}")
        if other_axes:
            raise UserError(
                f"{other} was not merged: the axes of both studies together do not fit their labels; {other_axes} "
                f"Set axes that have them all, with `{command('axes', study.path)} axes.toml`, and merge again."
            )
        return MergeSummary(len(ours), len(accepted.events) - len(fresh), len(fresh) - len(ours))

    return study.write(add)


@dataclass(frozen=True, slots=True)
class _Accepted:
    """All that may be taken over from the other study, looked at: events by time, pages by id and what of each was read
    by OCR, the audit's frame, references that events are about and that this study does not have."""

    events: list[dict[str, Any]]
    references: list[dict[str, Any]]
    pages: dict[str, dict[str, Any]]
    by_ocr: dict[str, list[dict[str, Any]]]
    frame: list[dict[str, Any]]


def _accepted(study: Study, theirs: Study) -> _Accepted:
    """Read and verify, in one view of the file. Raises :class:`UserError` for what must not come in."""
    reader = theirs.sealed()
    reader.execute("BEGIN")
    wanted = _pages_behind(study, theirs)
    _refuse(theirs.path, [told(one) for one in _unfit(reader, wanted)])
    if wrong := verify(reader, (row[0] for row in study.reader.execute("SELECT hash FROM event"))):
        raise UserError(f"{theirs.path} was not merged: its record of decisions does not verify. {wrong[0]}")
    same = theirs.meta("study_id") == study.meta("study_id")
    if not same and not _in_common(study, theirs):
        raise UserError(
            f"{theirs.path} was not merged: it is another study ({theirs.meta('title')}, {theirs.meta('study_id')}), "
            "made separately, that shares no statement and no decision with this one. Merge copies of one study."
        )
    kinds = {row[0] for row in study.reader.execute("SELECT kind FROM event_kind")}
    events = [dict(row) for row in reader.execute("SELECT * FROM event ORDER BY event_id")]
    frame = [dict(row) for row in reader.execute("SELECT * FROM audit_frame")] if same else []
    one_page = "SELECT * FROM snapshot WHERE snapshot_id = ?"
    pages = {name: dict(reader.execute(one_page, (name,)).fetchone()) for name in wanted}
    read = "SELECT * FROM snapshot_ocr WHERE snapshot_id = ? ORDER BY page"
    by_ocr = {name: [dict(row) for row in reader.execute(read, (name,))] for name in wanted}
    wrong = [f"Of the event {row['event_id']} {why}." for row in events if (why := event_fault(row, kinds))]
    wrong += [f"Of the page {name} {why}." for name, row in pages.items() if (why := page_fault(row))]
    wrong += [
        f"Of the page {name} {why}."
        for name, rows in by_ocr.items()
        for row in rows
        if (why := ocr_fault(row, pages[name]["text"]))
    ]
    wrong += [f"Of the statement {row['statement_id']} {why}." for row in frame if (why := frame_fault(row))]
    references = _references_behind(study, theirs)
    wrong += [f"Of the reference {row['reference_id']} {why}." for row, why in references if why]
    _refuse(theirs.path, wrong)
    return _Accepted(events, [row for row, _ in references], pages, by_ocr, frame)


def _refuse(theirs: Path, wrong: list[str]) -> None:
    if wrong:
        raise UserError(f"{theirs} was not merged: what it holds cannot be relied on. {wrong[0]}")


def _unfit(reader: sqlite3.Connection, pages: list[str]) -> Iterator[Misfit]:
    """Rows that would come in and do not fit their seals, or are gone."""
    tables = {table.name: table for table in sealed_tables(reader)}
    for name in ("event", "audit_frame", "study", "reference", "snapshot", "snapshot_ocr"):
        if name not in tables:  # a view in its place may say something else each time
            raise LookupError(f"there is no table {name}")
        table = tables[name]
        if not name.startswith("snapshot"):
            yield from misfits(reader, table)
        else:
            yield from (one for one in misfits(reader, table, _BEHIND) if one.key.split(" ")[0] in pages)


def _in_common(study: Study, theirs: Study) -> bool:
    """Whether they share a statement, a stored unit or an event."""
    for column, table in (("statement_id", "statement"), ("unit_id", "unit"), ("event_id", "event")):
        here = {row[0] for row in study.reader.execute(f"SELECT {column} FROM {table}")}
        if any(row[0] in here for row in theirs.reader.execute(f"SELECT {column} FROM {table}")):
            return True
    return False


def _pages_behind(study: Study, theirs: Study) -> list[str]:
    """The snapshots that their events name and this study does not have, of sources that it has."""
    here = {row[0] for row in study.reader.execute("SELECT snapshot_id FROM snapshot")}
    sources = {row[0] for row in study.reader.execute("SELECT source_id FROM source")}
    query = f"SELECT snapshot_id, source_id FROM snapshot AS t WHERE {_BEHIND}"
    return [page for page, source in theirs.reader.execute(query) if page not in here and source in sources]


def _references_behind(study: Study, theirs: Study) -> list[tuple[dict[str, Any], str]]:
    """The references that their events name and this study does not have, of responses that it has; each with what is
    wrong with it, or ``""``. How theirs read them does not come along: that is made again here."""
    here = {row[0] for row in study.reader.execute("SELECT reference_id FROM reference")}
    texts = dict(study.reader.execute("SELECT response_id, text FROM response").fetchall())
    query = f"""SELECT {", ".join(REFERENCE_COLUMNS)} FROM reference AS f
                WHERE 'reference:' || f.reference_id IN (SELECT unit FROM event)"""
    rows = [dict(row) for row in theirs.reader.execute(query)]
    wanted = [row for row in rows if row["reference_id"] not in here and row["response_id"] in texts]
    return [(row | bare_reading(row), reference_fault(row, texts[row["response_id"]])) for row in wanted]


def _add_pages(
    connection: sqlite3.Connection, pages: list[dict[str, Any]], by_ocr: dict[str, list[dict[str, Any]]]
) -> None:
    for page in sorted(pages, key=lambda page: (page["source_id"], page["version"])):
        newest = connection.execute("SELECT max(version) FROM snapshot WHERE source_id = ?", (page["source_id"],))
        insert(connection, "snapshot", [page | {"version": 1 + (newest.fetchone()[0] or 0)}])
        insert(connection, "snapshot_ocr", by_ocr[page["snapshot_id"]])
