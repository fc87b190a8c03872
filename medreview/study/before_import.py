"""The copy of a study that is made before each import, and taking the newest import back.

To take an import back is to put that copy in the place of the study: rows of events and pages are never deleted from a
file. So it is only done where nothing would be lost that cannot be made again.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.study.backup import OF_IMPORT, backup_folder, dated_backup
from medreview.study.connection import connect, file_faults
from medreview.study.lock import WriterLock, close_note
from medreview.study.study import Study
from medreview.study.unit_faults import UnitsHere

_KEY: Final = "newest_import"
_LOOKS: Final = ("shown", "listed", "look", "audit_rate")
"""Kinds of events that are nobody's word on a unit: what was seen, and the draw that comes with the first look."""


@dataclass(slots=True)
class Import:
    """An import under way. ``added``: whether it has added anything; only then it can be taken back."""

    added: bool = False


@dataclass(frozen=True, slots=True)
class TakenBack:
    """An import that was taken back: its files, how many responses, units and key facts are gone with it, the addresses
    of the pages that are, and the copy of the study as it was with it."""

    files: list[str]
    responses: int
    units: int
    facts: int
    pages: list[str]
    copy: str


@contextmanager
def before_import(study: Study, files: Sequence[Path]) -> Iterator[Import]:
    """Copy the study to its backups before files are imported, and note how to take them back.

    The copy replaces that of the import before. It goes away where nothing was added, or where an error left none. An
    import that was killed leaves a note without what it added (``holds``).
    """
    folder = backup_folder(study.path)
    copy = dated_backup(study.path, OF_IMPORT)
    older, before = study.meta(_KEY), _holds(study.reader)
    note = {"files": [path.name for path in files], "copy": copy.name}
    _write_note(study, json.dumps(note))
    done = Import()
    try:
        yield done
    finally:
        after = _holds(study.reader)
        if done.added or after != before:
            _write_note(study, json.dumps(note | {"holds": after}))
            for other in folder.glob(f"*{OF_IMPORT}.medreview"):
                if other != copy:
                    other.unlink(missing_ok=True)
        else:
            _write_note(study, older)
            copy.unlink(missing_ok=True)
            if not any(folder.iterdir()):
                folder.rmdir()


def _holds(reader: sqlite3.Connection) -> dict[str, int]:
    """What a study holds that only files, people and models bring, and its newest event."""
    counts = {table: f"SELECT count(*) FROM {table}" for table in ("response", "unit", "key_fact", "gold", "llm_call")}
    queries = counts | {"event": "SELECT coalesce(max(seq), 0) FROM event"}
    return {name: int(reader.execute(query).fetchone()[0]) for name, query in queries.items()}


def _write_note(study: Study, note: str) -> None:
    def change(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM study WHERE key = ?", (_KEY,))
        if note:
            connection.execute("INSERT INTO study VALUES (?, ?)", (_KEY, note))

    study.write(change)


def take_back(path: Path) -> TakenBack:
    """Put a study back to what it was before its newest import, with all that was made of it since.

    All that was fetched, split and judged by rules since is gone with it; the next `run` makes it again. Raises
    :class:`UserError` when there is no such import, or somebody has decided, looked at what was there before, or paid a
    model since: nothing is changed then. A killed import did not record what it added: all that came in since it began
    goes with it.
    """
    with Study.open(path) as study:
        said = json.loads(study.meta(_KEY) or "{}")
        copy = backup_folder(path) / Path(str(said.get("copy"))).name
        if not said or not copy.is_file():
            raise UserError(f"{path} has no import that can be taken back: only the newest one can, and only once.")
        with closing(connect(copy, read_only=True, at_rest=True)) as before:
            _refuse(study.reader, before, said.get("holds"), copy)
            then, older = _holds(before), {*_pages(before)}
        pages = [url for snapshot, url in _pages(study.reader).items() if snapshot not in older]
        now = _holds(study.reader)
        kept = dated_backup(path)
    _replace(path, copy)
    copy.unlink()
    responses, units, facts = (now[name] - then[name] for name in ("response", "unit", "key_fact"))
    return TakenBack(said["files"], responses, units, facts, list(dict.fromkeys(pages)), str(kept))


def _pages(reader: sqlite3.Connection) -> dict[str, str]:
    """The address of every snapshot, in the order in which they came."""
    query = "SELECT snapshot_id, url FROM snapshot JOIN source USING (source_id) ORDER BY snapshot.rowid"
    return {row["snapshot_id"]: row["url"] for row in reader.execute(query)}


def _refuse(now: sqlite3.Connection, before: sqlite3.Connection, after: Mapping[str, int] | None, copy: Path) -> None:
    """Raise :class:`UserError` for what a person or a model did since an import; ``after``: what it left, if it was
    not killed before it ended."""
    end = f"; the study as it was before the import is {copy}."
    study = "SELECT value FROM study WHERE key = 'study_id'"
    if before.execute(study).fetchone()[:] != now.execute(study).fetchone()[:]:
        raise UserError(f"The import is not taken back: {copy} is a copy of another study.")
    there = _holds(before)
    left = after or there
    since = now.execute("SELECT kind, reviewer, unit FROM event WHERE seq > ?", (left["event"],)).fetchall()
    acts = [row for row in since if row["kind"] not in _LOOKS]
    if acts:
        who = ", ".join(sorted({row["reviewer"] for row in acts}))
        raise UserError(
            f"The import is not taken back: {who} decided or noted something since{'' if after else ' it began'} "
            f"({len(acts)} in the record), which would be lost{end}"
        )
    here = UnitsHere(before) if there["response"] or there["unit"] else ()
    if any(row["unit"] in here for row in since if row["kind"] != "audit_rate"):
        raise UserError(
            "The import is not taken back: somebody has seen older answers with their judges since, and without the "
            f"record of that later labels would count as blind{end}"
        )
    present = _holds(now)
    if after is None and present["llm_call"] != there["llm_call"]:
        raise UserError(f"The import is not taken back: models have answered since it began, which would be lost{end}")
    if after is not None and any(present[name] != count for name, count in after.items() if name != "event"):
        raise UserError(
            "The import is not taken back: models have answered, or facts, units or answers came in another way since, "
            f"which would be lost{end}"
        )


def _replace(path: Path, copy: Path) -> None:
    """Write a copy into the study's file, in one transaction."""
    lock = WriterLock(path)
    lock.take()
    note = None
    try:
        with file_faults(path):
            source, target = connect(copy, read_only=True, at_rest=True), connect(path)
            try:
                source.backup(target)
                note = close_note(target) or {}  # without events the old note does not hold either
            finally:
                source.close()
                target.close()
    finally:
        lock.release(note)
