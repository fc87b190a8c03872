"""Import of an export: responses, statements, key facts and other units, and the events with their own hashes."""

import json
import math
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.exchange.files.columns import EVENTS, IMPORTED_VERSIONS, PAYLOAD
from medreview.exchange.files.csv_file import dumps
from medreview.exchange.files.export_folder import changed_files, read_manifest
from medreview.exchange.imports.answer_records import UNTOLD, Turn, add_responses, turn_rows
from medreview.exchange.imports.exported_rows import (
    ExportedRow,
    ExportFault,
    StoredAs,
    add_exported_generation,
    add_exported_units,
    read_rows,
    unflattened,
)
from medreview.labels import INVALID, invalid_as
from medreview.next_step import command
from medreview.progress import SILENT, Progress
from medreview.storable import unstorable
from medreview.study import Study
from medreview.study.audit_frame import join_frame, number_given_draw
from medreview.study.events import event_hash, insert_event
from medreview.study.incoming import event_fault
from medreview.study.own_axes import misfits, own_axes
from medreview.study.rows import insert
from medreview.study.statement_edits import number_edited
from medreview.study.unit_faults import UnitsHere, span_faults
from medreview.study.unit_table import number_added
from medreview.text import joined, read_parts, sha256

_REQUIRED: Final = ("responses.csv", "statements.csv", "citations.csv", "events.csv", "event_values.csv",
                  "key_facts.csv")  # fmt: skip
_EVENT_COLUMNS: Final = tuple(column.name for column in EVENTS if column.name != "payload")
_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class ExportedSummary:
    """Counts: events read, added, known, and ``foreign``, skipped because their statement is not in this study; new
    responses and statements."""

    read: int
    added: int
    known: int
    foreign: int
    responses: int
    statements: int


Also = Callable[[sqlite3.Connection, Path], None]
"""What brings in more of the folder of an export, which other rooms know, before the events, which may speak of it."""


def import_export(
    study: Study,
    folder: Path,
    progress: Progress = SILENT,
    *,
    as_copy: bool = False,
    also: Also | None = None,
) -> ExportedSummary:
    """Import an export in the dialect ``analysis`` into a study, in one transaction; idempotent.

    An empty study becomes the exported one (its id, title and date); one with material of its own takes the export of
    another study only ``as_copy``. Pages are not part of an export, and judgements of
    them are not imported: pages are fetched and judged as before. Key facts and units of every kind are imported. A
    response that is already split into statements in this study keeps these.
    Raises :class:`UserError` for an export that is incomplete, was changed, is in the dialect for Excel, or is of
    another study, for a row that cannot be stored or does not fit the others (by file, row and column), and when it has
    events on units that are not in this study, so that their hash chain cannot be imported in part. Nothing is
    imported then.
    """
    manifest = read_manifest(folder)
    if why := unstorable(manifest):
        raise UserError(f"{folder} was not imported: in its manifest.json {why}.")
    if manifest.get("deposit"):
        raise UserError(
            f"{folder} was made for a repository, with pseudonyms and without the record of decisions, and cannot be "
            "imported. Export the study without --deposit."
        )
    if manifest.get("left_out"):
        raise UserError(
            f"{folder} was exported without the labels of some reviewers, and so without the record of decisions; it "
            "cannot be imported. Export the study without --leave-out and --passed."
        )
    if manifest.get("dialect") != "analysis":
        raise UserError(
            f"{folder} is in the dialect for Excel, which changes texts; export again with the dialect analysis."
        )
    if manifest.get("export_version") not in IMPORTED_VERSIONS:
        raise UserError(f"{folder} was exported by another version of medreview; import it with that one.")
    missing = [name for name in _REQUIRED if name not in manifest["files"]]
    if changed := changed_files(folder, manifest["files"]) or missing:
        raise UserError(f"{folder} was not imported: {changed[0]} is missing or was changed since it was exported.")
    if not as_copy and manifest.get("study_id") != study.meta("study_id") and not _is_empty(study.reader):
        raise UserError(
            f"{folder} is an export of another study ({manifest.get('title') or 'no title'}, "
            f"{manifest.get('study_id')}), and this one is not a copy of it. To join what is in it all the same: "
            f"{command('import', study.path, folder, '--as-copy')}"
        )
    progress.begin("export", 1)
    try:
        kinds = {row[0] for row in study.reader.execute("SELECT kind FROM event_kind")}
        _check_chain(folder, manifest, kinds)
        summary = study.write(lambda connection: _import(connection, folder, manifest, also))
    except ExportFault as error:
        raise UserError(f"{folder} was not imported: {error}.") from error
    except (ValueError, LookupError) as error:
        raise UserError(f"{folder} was not imported: its files do not fit each other ({error}).") from error
    progress.step()
    return summary


def _import(
    connection: sqlite3.Connection, folder: Path, manifest: Mapping[str, Any], also: Also | None
) -> ExportedSummary:
    try:
        return _take_over(connection, folder, manifest, also)
    except sqlite3.IntegrityError as error:  # a row that points to none, a level that there is not
        raise ValueError(str(error)) from error


def _take_over(
    connection: sqlite3.Connection, folder: Path, manifest: Mapping[str, Any], also: Also | None
) -> ExportedSummary:
    if _is_empty(connection):
        connection.executemany(
            "UPDATE study SET value = ? WHERE key = ?",
            [(str(manifest[key]), key) for key in ("study_id", "title", "created_at")],
        )
    parsed = {row[0] for row in connection.execute("SELECT response_id FROM response WHERE parser IS NOT NULL")}
    cited = {row[0] for row in connection.execute("SELECT response_id FROM response WHERE cited = 1")}
    responses = 0
    rows = read_rows(folder / "responses.csv")
    while batch := list(islice(rows, _BATCH)):
        responses += add_responses(connection, map(_response, batch))
        insert(connection, "turn", (turn for row in batch for turn in _turns(row)))
    statements = _add_statements(connection, folder, parsed)
    if manifest["study_id"] == _study_id(connection):
        join_frame(connection, _audit_frame(folder, manifest["study_id"]))
    _add_citations(connection, folder, cited)
    _mark_done(connection, folder, parsed, cited)
    _add_key_facts(connection, folder)
    add_exported_units(connection, folder)
    add_exported_generation(connection, folder)
    if also is not None:
        also(connection, folder)
    added, known, foreign = _add_events(connection, folder)
    number_edited(connection)
    number_added(connection)
    return ExportedSummary(added + known + foreign, added, known, foreign, responses, statements)


def _is_empty(connection: sqlite3.Connection) -> bool:
    found = connection.execute("SELECT EXISTS (SELECT 1 FROM response) OR EXISTS (SELECT 1 FROM event)")
    return not found.fetchone()[0]


def _response(row: ExportedRow) -> dict[str, Any]:
    if sha256(row["text"]) != row["text_sha256"]:
        raise row.wrong("text", f"the text of response {row['response_id']} has another hash")
    copied = ("response_id", "record_id", "model", "origin", "imported_at", "imported_from", "text_sha256", "question",
              "text")  # fmt: skip
    listed = json.dumps(row["listed"].split("\n"), ensure_ascii=False) if row["listed"] else None
    # An export of an earlier version does not say which are invalid.
    invalid = row.get("invalid", invalid_as(row["text"]))
    if invalid not in ("", *INVALID):
        raise row.wrong("invalid", f"{invalid!r} is not one of {', '.join(INVALID)}")
    # As above: how it came about, and what its stretches cite.
    later = {name: row.get(name) or nothing for name, nothing in UNTOLD.items()}
    return {name: row[name] for name in copied} | {"listed": listed, "invalid": invalid} | later


def _turns(row: ExportedRow) -> list[dict[str, Any]]:
    """What was said before a response."""
    try:
        said = [Turn(**turn) for turn in json.loads(row.get("turns") or "[]")]
    except (ValueError, TypeError, RecursionError):
        raise row.wrong("turns", "this is not a list of turns with a role and a text") from None
    return list(turn_rows(row["response_id"], said))


def _add_statements(connection: sqlite3.Connection, folder: Path, parsed: set[str]) -> int:
    """Insert the statements of responses without any in this study."""
    added = 0
    rows = read_rows(folder / "statements.csv")
    for response_id, of_response in groupby(rows, key=lambda row: row["response_id"]):
        if response_id in parsed:
            continue
        rows_of = list(of_response)
        text = _text(connection, rows_of[0])
        added += insert(connection, "statement", (_statement(row, text) for row in rows_of))
        there = {
            row[0]
            for row in connection.execute("SELECT statement_id FROM statement WHERE response_id = ?", (response_id,))
        }
        for row in rows_of:
            if row["statement_id"] not in there:
                raise row.wrong("ordinal", "another statement has this place or this id")
    return added


def _statement(row: ExportedRow, response: str) -> dict[str, Any]:
    start, end = row.span(response)
    try:
        parts = read_parts(row.get("parts_cp", ""))
    except ValueError:
        raise row.wrong("parts_cp", "these are not ranges") from None
    if start is not None and end is not None and response[start:end] != row["text"]:
        raise row.wrong("start_cp", f"statement {row['statement_id']} does not stand there in its response")
    if parts and joined(response, parts) != row["text"]:
        raise row.wrong("parts_cp", f"the parts of statement {row['statement_id']} do not hold its text")
    if sha256(row["text"]) != row["text_sha256"]:
        raise row.wrong("text", f"the text of statement {row['statement_id']} has another hash")
    copied = ("statement_id", "response_id", "text_sha256", "text")
    return {name: row[name] for name in copied} | {
        "ordinal": row.integer("ordinal"),
        "start": start,
        "end": end,
        "parts": json.dumps(parts),
    }


def _audit_frame(folder: Path, study_id: str) -> Iterator[dict[str, Any]]:
    """The permanent random numbers of the statements, if an audit is drawn; also of one that an older version drew."""
    drawn = [row for row in read_rows(folder / "statements.csv") if row["inclusion_prob"]]
    rate = max((row.number("inclusion_prob", 1) for row in drawn), default=0.0)
    for row in read_rows(folder / "statements.csv") if drawn else ():
        if "audit_position" in row:
            position = row.integer_or_none("audit_position")
            number = number_given_draw(study_id, row["statement_id"], rate, position, len(drawn))
            yield {"statement_id": row["statement_id"], "number": number, "stratum": "all", "rate": rate,
                   "flagged": None}  # fmt: skip
        elif row["audit_number"]:
            yield {
                "statement_id": row["statement_id"],
                "number": row.number("audit_number", math.nextafter(1, 0)),
                "stratum": row["stratum"],
                "rate": row.number("inclusion_prob", 1),
                "flagged": row.integer_or_none("audit_flagged")
                if "audit_flagged" in row
                else _OLD_FLAGS.get(row["stratum"]),
            }


_OLD_FLAGS: Final = {"flagged": 1, "not flagged": 0}
"""What an export of an earlier version says of a statement's flag, by its stratum."""


def _add_citations(connection: sqlite3.Connection, folder: Path, cited: set[str]) -> None:
    def wanted() -> Iterator[ExportedRow]:
        return (row for row in read_rows(folder / "citations.csv") if row["response_id"] not in cited)

    names = {"source_id": "source_id", "key": "source_key", "kind": "source_kind", "value": "source_value",
             "url": "source_url", "domain": "source_domain"}  # fmt: skip
    insert(connection, "source", ({name: row[column] for name, column in names.items()} for row in wanted()))
    insert(
        connection,
        "citation",
        (
            {name: row[name] for name in ("response_id", "source_id", "kind", "value")}
            | dict(zip(("ordinal", "start", "end"), (row.integer("ordinal"), *row.span(text)), strict=True))
            for row, text in ((row, _text(connection, row)) for row in wanted())
        ),
    )


def _add_key_facts(connection: sqlite3.Connection, folder: Path) -> None:
    """Insert the new key facts, after the existing ones on the same question."""
    stored = StoredAs(connection, "key_fact")
    for row in read_rows(folder / "key_facts.csv"):
        last = connection.execute(
            "SELECT coalesce(max(ordinal), 0) FROM key_fact WHERE question_sha256 = ?", (row["question_sha256"],)
        ).fetchone()[0]
        # An export of an earlier version has no suggestions.
        insert(connection, "key_fact", [stored(row, ordinal=last + 1, suggestion=row.get("suggestion", ""))])


def _mark_done(connection: sqlite3.Connection, folder: Path, parsed: set[str], cited: set[str]) -> None:
    """Copy from the exported study whether a response is parsed and its citations extracted, where it was not yet."""
    for row in read_rows(folder / "responses.csv"):
        if row["response_id"] not in parsed:
            connection.execute(
                "UPDATE response SET parser = ?, dropped = ? WHERE response_id = ?",
                (row["parser"] or None, row.integer("dropped"), row["response_id"]),
            )
        if row["response_id"] not in cited:
            connection.execute(
                "UPDATE response SET cited = ? WHERE response_id = ?", (row.integer("cited"), row["response_id"])
            )


def _add_events(connection: sqlite3.Connection, folder: Path) -> tuple[int, int, int]:
    """Insert the events by time; the numbers of new, known and foreign ones."""
    present = {row["event_id"]: row["hash"] for row in connection.execute("SELECT event_id, hash FROM event")}
    units = UnitsHere(connection)
    units.add_made((event["kind"], event["unit"], json.loads(event["payload"])) for _, event in _events(folder))
    known_hashes = {"", *present.values()}
    added = known = foreign = 0
    last = connection.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0]
    for row, event in _events(folder):
        if event["event_id"] in present:
            if present[event["event_id"]] != event["hash"]:
                raise UserError(f"{folder} was not imported: event {event['event_id']} is another one in this study.")
            known += 1
        elif event["unit"] not in units:
            foreign += 1
        elif event["previous_hash"] not in known_hashes:
            raise UserError(
                f"{folder} was not imported: some of its events are on statements that this study does not have, so "
                "that its record cannot be taken over in part. Import it into a new study."
            )
        else:
            try:
                insert_event(connection, event)
            except ValueError as error:
                raise row.wrong("payload", str(error)) from error
            known_hashes.add(event["hash"])
            added += 1
    if wrong := next(span_faults(connection, last), ""):
        raise ValueError(wrong.rstrip("."))
    if wrong := next(misfits(connection, own_axes(connection)), ""):
        raise ValueError(wrong.rstrip("."))
    return added, known, foreign


def _events(folder: Path) -> Iterator[tuple[ExportedRow, dict[str, Any]]]:
    others: dict[str, dict[str, str]] = {}
    for row in read_rows(folder / "event_values.csv"):
        others.setdefault(row["event_id"], {})[row["name"]] = row["value"]
    return ((row, _event(row, others.get(row["event_id"], {}))) for row in read_rows(folder / "events.csv"))


def _event(row: ExportedRow, others: Mapping[str, str]) -> dict[str, Any]:
    # An older export has not all of these columns; the values are in event_values.csv then.
    values = {name: row[column.name] for name, column in PAYLOAD.items() if column.name in row} | dict(others)
    event: dict[str, Any] = {name: row[name] for name in _EVENT_COLUMNS}
    payload = unflattened(row, "payload", values)
    return event | {
        "pass": row.integer("pass"),
        "snapshot": row["snapshot"] or None,
        "undoes_event": row["undoes_event"] or None,
        "payload": dumps(payload),
    }


def _check_chain(folder: Path, manifest: Mapping[str, Any], kinds: Collection[str]) -> None:
    """Verify the events and their chain. A predecessor is always older, so that one pass by time detects every gap.

    Raises :class:`UserError` for a changed or missing event, and :class:`ExportFault` for one that cannot be of this
    program.
    """
    hashes = {""}
    newest = ""
    for row, event in _events(folder):
        newest = event["hash"]
        if event_hash(event) != newest or event["previous_hash"] not in hashes:
            what = f"event {event['event_id']} was changed, or the one before it is missing"
            raise UserError(f"{folder} was not imported: {what}.")
        if why := event_fault(event, kinds):
            raise row.wrong("event_id", f"of event {event['event_id']} {why}")
        hashes.add(newest)
    if newest != manifest.get("event_head"):
        raise UserError(f"{folder} was not imported: its newest event is not the one that the manifest names.")


def _text(connection: sqlite3.Connection, row: ExportedRow) -> str:
    """The text of a row's response."""
    query = "SELECT text FROM response WHERE response_id = ?"
    found = connection.execute(query, (row["response_id"],)).fetchone()
    if found is None:
        raise row.wrong("response_id", f"response {row['response_id']} is missing")
    return str(found["text"])


def _study_id(connection: sqlite3.Connection) -> str:
    return str(connection.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0])
