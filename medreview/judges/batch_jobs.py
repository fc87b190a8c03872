"""The table ``batch_job``: what was submitted to servers, written before and after each step of it.

    planned -> uploading -> uploaded -> creating -> created -> ended
                                                           -> given_up, from any of them

``uploading`` and ``creating`` stand there as long as a request is under way: found later, they show that something
ended the program meanwhile. The server must then be asked whether it has the file or the batch.
"""

import sqlite3
from collections.abc import Container, Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.llm.settings import JudgeSettings
from medreview.next_step import command
from medreview.redaction import row_without_keys
from medreview.storable import storable_text
from medreview.study import Study
from medreview.study.ids import Ulids

OPEN: Final = ("planned", "uploading", "uploaded", "creating", "created")
"""States of a job that is under way."""
_KEY_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Job:
    """A row of ``batch_job``; without its cache keys, which :func:`keys_of` reads."""

    job_id: str
    run_id: str
    name: str
    model: str
    host: str
    task: str
    requests: int
    bytes: int
    sha256: str
    state: str = "planned"
    file_id: str = ""
    batch_id: str = ""
    output_file_id: str = ""
    error_file_id: str = ""
    status: str = ""
    completed: int | None = None
    failed: int | None = None
    planned_at: str = field(default_factory=lambda: _now())
    created_at: str = ""
    ended_at: str = ""
    error: str = ""

    @property
    def file_name(self) -> str:
        """The name under which its file is uploaded."""
        return f"medreview-{self.job_id}.jsonl"


_COLUMNS: Final = ", ".join(column.name for column in fields(Job))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def jobs(reader: sqlite3.Connection, *, open_only: bool = False) -> list[Job]:
    """The jobs of a study, in the order in which they were planned."""
    rows = reader.execute(f"SELECT {_COLUMNS} FROM batch_job ORDER BY ordinal")
    return [job for job in (Job(**dict(row)) for row in rows) if job.state in OPEN or not open_only]


def job_named(reader: sqlite3.Connection, job_id: str) -> Job:
    """The job with this id, or with this batch of a server. Raises :class:`UserError`."""
    for job in jobs(reader):
        if job_id in (job.job_id, job.batch_id):
            return job
    raise UserError(f"There is no batch {job_id!r} in this study.")


def keys_of(reader: sqlite3.Connection, job: Job) -> frozenset[str]:
    """The cache keys of the questions in a job."""
    held = reader.execute("SELECT cache_keys FROM batch_job WHERE job_id = ?", (job.job_id,)).fetchone()[0]
    return frozenset(held[start : start + _KEY_BYTES].hex() for start in range(0, len(held), _KEY_BYTES))


def planned(
    study: Study,
    settings: JudgeSettings,
    run_id: str,
    task: str,
    files: Sequence[tuple[Path, str]],
    instead_of: Iterable[Job] = (),
) -> list[Job]:
    """Store a job for each file of requests, which is given with its SHA-256, in one transaction, in the place of jobs
    that never reached the server."""
    ids = Ulids()
    keys = [_keys_in(path) for path, _ in files]
    made = [
        Job(
            ids.next(), run_id, settings.name, settings.model, settings.host, task,
            len(held) // _KEY_BYTES, path.stat().st_size, digest,
        )
        for (path, digest), held in zip(files, keys, strict=True)
    ]  # fmt: skip

    def store(connection: sqlite3.Connection) -> None:
        gone = [(_now(), "It never reached the server.", job.job_id) for job in instead_of]
        connection.executemany(
            "UPDATE batch_job SET state = 'given_up', ended_at = ?, error = ? WHERE job_id = ?", gone
        )
        first = connection.execute("SELECT coalesce(max(ordinal), 0) + 1 FROM batch_job").fetchone()[0]
        for number, (job, held) in enumerate(zip(made, keys, strict=True), first):
            row: dict[str, Any] = {**row_without_keys(asdict(job)), "ordinal": number, "cache_keys": held}
            connection.execute(
                f"INSERT INTO batch_job ({', '.join(row)}) VALUES ({', '.join(f':{name}' for name in row)})", row
            )

    study.write(store)
    return made


def _keys_in(path: Path) -> bytes:
    """The keys of a file of requests as ``batch_out`` writes it: each line begins with its ``custom_id``."""
    start = len('{"custom_id":"')
    with path.open("rb") as file:
        return b"".join(bytes.fromhex(line[start : start + 2 * _KEY_BYTES].decode()) for line in file)


def changed(study: Study, job: Job, **values: Any) -> Job:
    """The job with other values, stored; returns after the commit."""
    if "error" in values:
        values["error"] = storable_text(values["error"])
    now = replace(job, **values)
    row = row_without_keys({**values, "job_id": job.job_id})
    sets = ", ".join(f"{name} = :{name}" for name in values)
    study.write(lambda connection: connection.execute(f"UPDATE batch_job SET {sets} WHERE job_id = :job_id", row))
    return now


def created(study: Study, job: Job, batch_id: str, status: str) -> Job:
    """The job when the server has taken its batch."""
    return changed(study, job, state="created", batch_id=batch_id, status=status, created_at=_now(), error="")


def given_up(study: Study, job: Job, why: str) -> Job:
    """The job when it is waited for no more; its questions wait to be asked again."""
    return changed(study, job, state="given_up", ended_at=_now(), error=why)


def ended(study: Study, job: Job, **values: Any) -> Job:
    """The job when all that the server had of it was taken in."""
    return changed(study, job, state="ended", ended_at=_now(), **values)


def refuse_while_open(study: Study, runs: Container[str]) -> None:
    """Raise :class:`UserError` where a batch of one of these runs is under way: its questions would be paid twice."""
    for job in jobs(study.reader, open_only=True):
        if job.run_id in runs:
            raise UserError(
                f"A batch of {job.name} is under way with questions of this task, which would be asked and paid twice; "
                f"{command('judges', 'batches', study.path)} lists it. Collect it with --batch-submit, cancel it, or "
                "give it up."
            )
