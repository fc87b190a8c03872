"""Join another copy with a study: the union of both records, and of what judges, rules and services said."""

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.next_step import command
from medreview.study.audit_frame import join_frame
from medreview.study.check import UNREADABLE, told, unreadable
from medreview.study.events import insert_event, verify
from medreview.study.generated_rows import TABLES as GENERATED
from medreview.study.generated_rows import GeneratedRows
from medreview.study.incoming import (
    REFERENCE_COLUMNS,
    bare_reading,
    event_fault,
    frame_fault,
    ocr_fault,
    page_fault,
    reference_fault,
)
from medreview.study.machine_rows import KINDS, TABLES, Kind, MachineRows, RowsJoined
from medreview.study.own_axes import misfits as axis_misfits
from medreview.study.own_axes import own_axes
from medreview.study.package import package_of, without_judges
from medreview.study.row_seals import Misfit, misfits, sealed_tables
from medreview.study.rows import insert
from medreview.study.statement_edits import number_edited
from medreview.study.study import Study
from medreview.study.unit_faults import UnitsHere, span_faults
from medreview.study.unit_table import number_added

_BEHIND: Final = "t.snapshot_id IN (SELECT snapshot FROM event)"

Brought = Literal["decisions", "judgements", "generated"]
BRINGS: Final[dict[Brought, str]] = {
    "decisions": "what people decided and noted, with the pages and references behind it",
    "judgements": "what judges, rules and services said, and the pages that were fetched",
    "generated": "what generators made, with models' answers and their cost",
}
"""What a merge brings, by the name of the part."""
_DECISIONS: Final[tuple[Brought, ...]] = ("decisions",)


@dataclass(frozen=True, slots=True)
class MergeSummary:
    """How many events came in, were here already, or speak of units that this study does not have; how many pages came;
    of what machines said how many rows of each kind, and in ``left_out`` why none of it was taken over, a sentence."""

    added: int
    known: int
    foreign: int
    pages: int = 0
    rows: Mapping[Kind, RowsJoined] = field(default_factory=dict)
    left_out: str = ""

    def __add__(self, next_one: "MergeSummary") -> "MergeSummary":
        """Both together."""
        kinds = [kind for kind in KINDS if kind in self.rows or kind in next_one.rows]
        none = RowsJoined()
        return MergeSummary(
            self.added + next_one.added,
            self.known + next_one.known,
            self.foreign + next_one.foreign,
            self.pages + next_one.pages,
            {kind: self.rows.get(kind, none) + next_one.rows.get(kind, none) for kind in kinds},
            self.left_out if next_one.left_out in self.left_out else f"{self.left_out} {next_one.left_out}".lstrip(),
        )


def merge(
    study: Study,
    other: Path,
    parts: Collection[Brought] = _DECISIONS,
    reads: "Reads | None" = None,
) -> MergeSummary:
    """Add the other study's events that this one does not have, the pages they were made on, and the references that
    they are about; with the part ``judgements`` all its pages, and what judges, rules and services said
    (:mod:`medreview.study.machine_rows`); with ``generated`` what generators made (``generated_rows``); with either the
    answers of models. Twice adds nothing.

    What is on units that are not in this study is left out and counted. A page that comes in does not become the
    current one where this study has a page of that source which can be read: judgements and decisions of this study
    rest on it. What was said of another text of it is history then. A reference that comes in is read again by this
    one's rules. Nothing that machines said comes from a copy without judges, or into one.
    All of it is verified before the first write; what ``reads`` cannot read does not come in.
    Raises :class:`UserError` when the other file is this one, no study, a study that has nothing in common with this
    one, its record does not verify, or anything that would be taken over does not fit its hashes or this study; nothing
    is taken over then.
    """
    if os.path.realpath(other) == os.path.realpath(study.path):
        raise UserError("A study cannot be merged with itself; name the colleague's file.")
    with Study.open(other, read_only=True) as theirs:
        try:
            accepted = _accepted(study, theirs, parts, reads or Reads())
        except UNREADABLE as error:
            raise UserError(f"{other} was not merged: {unreadable(error)}") from error
        return study.write(lambda connection: _add(connection, study.path, accepted))


class Reads(NamedTuple):
    """What is known of the content of rows above this folder: each raises an error for what it cannot read.

    ``check``: how a reference compares with what was found, as JSON has it. ``unit``: a unit of a study by its id, as a
    reviewer is shown it.
    """

    check: Callable[[object], object] = str
    unit: Callable[[sqlite3.Connection, str], object] = lambda connection, unit: None


@dataclass(frozen=True, slots=True)
class _Accepted:
    """All that may be taken over from the other study, looked at: events by time, ids of pages, the audit's frame,
    references that events are about and that this study does not have; what machines said, or in ``left_out`` why not.

    ``reader``: where the pages are, in one view of that file. ``all_pages``: also those that no event is about come in.
    """

    path: Path
    reader: sqlite3.Connection
    events: list[dict[str, Any]]
    references: list[dict[str, Any]]
    pages: list[str]
    all_pages: bool
    frame: list[dict[str, Any]]
    machines: MachineRows | None
    generated: GeneratedRows | None
    reads: Reads
    left_out: str


def _add(connection: sqlite3.Connection, path: Path, accepted: "_Accepted") -> MergeSummary:
    """Take over what was accepted, inside the caller's transaction, into the study at ``path``."""
    other = accepted.path
    known = {row["event_id"]: row["hash"] for row in connection.execute("SELECT event_id, hash FROM event")}
    for row in accepted.events:
        if known.get(row["event_id"], row["hash"]) != row["hash"]:
            raise UserError(f"{other} was not merged: the event {row['event_id']} is another one in this study.")
    fresh = [row for row in accepted.events if row["event_id"] not in known]
    try:
        insert(connection, "reference", accepted.references)
    except sqlite3.IntegrityError as error:
        raise UserError(f"{other} was not merged: this program does not know a reference in it ({error}).") from error
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
        seen = {row["snapshot"] for row in ours}
        pages = [page for page in accepted.pages if accepted.all_pages or page in seen]
        _add_pages(connection, accepted.reader, pages)
        rows: dict[Kind, RowsJoined] = {}
        made = RowsJoined()
        if accepted.generated:
            made = accepted.generated.write(connection, accepted.reads.unit)
        if accepted.all_pages:
            _set_current(connection, accepted.reader, pages)
        if accepted.machines:
            rows = accepted.machines.write(connection)
        if made != RowsJoined():
            rows["generated"] = made
        wrong = next(span_faults(connection, last), "")
        other_axes = next(axis_misfits(connection, own_axes(connection)), "")
    except (ValueError, LookupError, TypeError, AttributeError, sqlite3.IntegrityError) as error:
        raise UserError(f"{other} was not merged: what it holds does not fit this study ({error}).") from error
    if wrong:
        raise UserError(f"{other} was not merged: a span in it is not of the text that this study has. {wrong}")
    if other_axes:
        raise UserError(
            f"{other} was not merged: the axes of both studies together do not fit their labels; {other_axes} "
            f"Set axes that have them all, with `{command('plan', 'axes', path)} axes.toml`, and merge again."
        )
    counts = len(ours), len(accepted.events) - len(fresh), len(fresh) - len(ours)
    return MergeSummary(*counts, len(pages), rows, accepted.left_out)


def _accepted(study: Study, theirs: Study, parts: Collection[Brought], reads: Reads) -> _Accepted:
    """Read and verify, in one view of the file. Raises :class:`UserError` for what must not come in."""
    reader = theirs.sealed()
    reader.execute("BEGIN")
    left_out = _withheld(study, theirs) if set(parts) - {"decisions"} else ""
    said, made = (part in parts and not left_out for part in ("judgements", "generated"))
    same = theirs.meta("study_id") == study.meta("study_id")
    ours = package_of(study.reader)
    of_copies = same and not (ours and ours.without)
    wanted = _pages_wanted(study, theirs, "1" if said else _BEHIND)
    tables = [table.name for table in TABLES] * (said or made) + [*GENERATED] * made
    _refuse(theirs.path, (told(one) for one in _unfit(reader, wanted, tables, all_pages=said)))
    if wrong := verify(reader, (row[0] for row in study.reader.execute("SELECT hash FROM event"))):
        raise UserError(f"{theirs.path} was not merged: its record of decisions does not verify. {wrong[0]}")
    if not same and not _in_common(study, theirs):
        raise UserError(
            f"{theirs.path} was not merged: it is another study ({theirs.meta('title')}, {theirs.meta('study_id')}), "
            "made separately, that shares no statement and no decision with this one. Merge copies of one study."
        )
    decided = "decisions" in parts
    kinds = {row[0] for row in study.reader.execute("SELECT kind FROM event_kind")}
    events = [dict(row) for row in reader.execute("SELECT * FROM event ORDER BY event_id")] if decided else []
    frame = [dict(row) for row in reader.execute("SELECT * FROM audit_frame")] if same and decided else []
    references = _references_behind(study, theirs) if decided else []
    calls = of_copies and (said or made)
    machines = MachineRows(reader, said=said, calls=calls, pages=wanted) if said or calls else None
    generated = GeneratedRows(reader) if made and of_copies else None

    def faults() -> Iterator[str]:
        yield from (f"Of the event {row['event_id']} {why}." for row in events if (why := event_fault(row, kinds)))
        yield from (f"Of the page {name} {why}." for name in wanted if (why := _page_fault(reader, name)))
        yield from (f"Of the statement {row['statement_id']} {why}." for row in frame if (why := frame_fault(row)))
        yield from (f"Of the reference {row['reference_id']} {why}." for row, why in references if why)
        if machines:
            yield from machines.faults(study.reader, reads.check)
        if generated:
            yield from generated.faults(study.reader)

    _refuse(theirs.path, faults())
    bare = [row for row, _ in references]
    return _Accepted(theirs.path, reader, events, bare, wanted, said, frame, machines, generated, reads, left_out)


def _withheld(study: Study, theirs: Study) -> str:
    """Why nothing that machines said can be taken over, a sentence; ``""`` where it can."""
    if without_judges(theirs.reader):
        return "A copy without what judges say brings decisions alone."
    if without_judges(study.reader):
        return "Of what judges say nothing came: this study is a copy without it, and stays blind."
    return ""


def _page_fault(reader: sqlite3.Connection, name: str) -> str:
    """What is wrong with a page, and with what of it was read by OCR."""
    page, by_ocr = _page(reader, name)
    return page_fault(page) or next((why for row in by_ocr if (why := ocr_fault(row, page["text"]))), "")


def _page(reader: sqlite3.Connection, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    page = dict(reader.execute("SELECT * FROM snapshot WHERE snapshot_id = ?", (name,)).fetchone())
    read = reader.execute("SELECT * FROM snapshot_ocr WHERE snapshot_id = ? ORDER BY page", (name,))
    return page, [dict(row) for row in read]


def _refuse(theirs: Path, wrong: Iterator[str]) -> None:
    if first := next(wrong, ""):
        raise UserError(f"{theirs} was not merged: what it holds cannot be relied on. {first}")


def _unfit(
    reader: sqlite3.Connection, pages: Collection[str], further: Collection[str], *, all_pages: bool
) -> Iterator[Misfit]:
    """Rows that would come in and do not fit their seals, or are gone; ``further``: names of tables."""
    tables = {table.name: table for table in sealed_tables(reader)}
    wanted = frozenset(pages)
    beside = ("source", "visit") if all_pages else ()
    for name in ("event", "audit_frame", "study", "reference", "snapshot", "snapshot_ocr", *beside, *further):
        if name not in tables:  # a view in its place may say something else each time
            raise LookupError(f"there is no table {name}")
        table = tables[name]
        if not name.startswith("snapshot"):
            yield from misfits(reader, table)
        elif wanted:
            found = misfits(reader, table, "true" if all_pages else _BEHIND)
            yield from (one for one in found if one.key.split(" ")[0] in wanted)


def _in_common(study: Study, theirs: Study) -> bool:
    """Whether they share a statement, a stored unit or an event."""
    for column, table in (("statement_id", "statement"), ("unit_id", "unit"), ("event_id", "event")):
        here = {row[0] for row in study.reader.execute(f"SELECT {column} FROM {table}")}
        if any(row[0] in here for row in theirs.reader.execute(f"SELECT {column} FROM {table}")):
            return True
    return False


def _pages_wanted(study: Study, theirs: Study, where: str) -> list[str]:
    """Of their snapshots ``AS t`` those that this study does not have, of sources that it has; in the order of each."""
    here = {row[0] for row in study.reader.execute("SELECT snapshot_id FROM snapshot")}
    sources = {row[0] for row in study.reader.execute("SELECT source_id FROM source")}
    query = f"SELECT snapshot_id, source_id FROM snapshot AS t WHERE {where} ORDER BY source_id, version"
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


def _add_pages(connection: sqlite3.Connection, theirs: sqlite3.Connection, pages: Collection[str]) -> None:
    for name in pages:
        page, by_ocr = _page(theirs, name)
        newest = connection.execute("SELECT max(version) FROM snapshot WHERE source_id = ?", (page["source_id"],))
        # Whether it speaks to judges is looked for again: no other file says that a page is harmless.
        new = {"version": 1 + (newest.fetchone()[0] or 0), "instructions": None}
        insert(connection, "snapshot", [page | new])
        insert(connection, "snapshot_ocr", by_ocr)


_READABLE: Final = "EXISTS (SELECT 1 FROM snapshot_content AS n WHERE n.snapshot_id = {} AND n.readable)"


def _set_current(connection: sqlite3.Connection, theirs: sqlite3.Connection, pages: Collection[str]) -> None:
    """Let pages that came be the current ones where they are theirs' and this study had none, or none that can be read;
    with every time that they were asked for."""
    came = frozenset(pages)
    visits = [dict(row) for row in theirs.execute("SELECT * FROM visit ORDER BY visit_id")]
    for row in visits:
        del row["visit_id"]
    insert(connection, "visit", (row for row in visits if row["snapshot_id"] in came))
    current = theirs.execute("SELECT current_snapshot, domain, source_id FROM source").fetchall()
    connection.executemany(
        f"""UPDATE source SET current_snapshot = ?1, domain = ?2 WHERE source_id = ?3 AND (current_snapshot IS NULL
            OR (NOT {_READABLE.format("current_snapshot")} AND {_READABLE.format("?1")}))""",
        [tuple(row) for row in current if row[0] in came],
    )
