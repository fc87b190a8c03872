"""Errors of SQLite: those that tell of the study file are one sentence, all others stay what they are."""

import resource
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.study import Study
from medreview.study.connection import FileFault, copy_of, fault_of
from medreview.study.events import NewEvent, Recorder
from medreview.study.lock import WriterLock
from tests.support.full_disk import full_disk

OWN_MISTAKES: dict[str, tuple[str, type[sqlite3.Error]]] = {
    "the word full": ("SELECT full FROM event", sqlite3.OperationalError),
    "the word locked": ("SELECT * FROM locked", sqlite3.OperationalError),
    "the word malformed": ("SELECT malformed JSON", sqlite3.OperationalError),
    "a mistake in JSON": ("SELECT json_extract('{', '$.x')", sqlite3.OperationalError),
    "a constraint": ("INSERT INTO study VALUES ('title', 'disk I/O error: readonly, unable to open')", sqlite3.Error),
    "a trigger": ("DELETE FROM event", sqlite3.IntegrityError),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.medreview"
    with Study.create(path, "database is full") as study:
        study.write(lambda c: c.execute("INSERT INTO study VALUES ('note', hex(zeroblob(300000)))"))
        event = NewEvent("note", "s1", {"text": "malformed"})
        study.write(lambda c: Recorder("kb").append(c, event, block="flagged", mode="open"))
    return path


@pytest.mark.parametrize("name", OWN_MISTAKES)
def test_a_mistake_in_a_query_of_ones_own_stays_what_it_is(path: Path, name: str) -> None:
    sql, kind = OWN_MISTAKES[name]

    def read(study: Study) -> object:
        return study.reader.execute(sql).fetchall()

    def write(study: Study) -> object:
        return study.write(lambda connection: connection.execute(sql).fetchall())

    for put in (read, write):
        with pytest.raises(kind) as raised:
            _within(path, put)
        assert not isinstance(raised.value, UserError)


def test_an_error_of_another_database_is_no_concern_of_the_study(path: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)

    def read_another(_study: Study) -> None:
        sqlite3.connect(tmp_path / "other").execute("SELECT * FROM x")

    with pytest.raises(sqlite3.DatabaseError) as raised:
        _within(path, read_another)
    assert not isinstance(raised.value, UserError)


def test_damage_is_one_sentence_in_every_way_of_reading(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-400_000:-50_000] = b"\xff" * 350_000
    path.write_bytes(data)
    query = "SELECT value FROM study"
    ways: list[Callable[[sqlite3.Connection], object]] = [
        lambda c: c.execute(query).fetchall(),
        lambda c: list(c.execute(query)),
        lambda c: [c.execute(f"{query} WHERE key = 'note'").fetchone()],
        lambda c: copy_of(c).execute("PRAGMA integrity_check").fetchall()[0] and c.execute(query).fetchall(),
    ]
    for read in ways:
        with pytest.raises(FileFault, match=r"a\.medreview is damaged .*; restore a copy from.*a\.medreview\.backups"):
            _within(path, lambda study, read=read: read(study.reader))  # type: ignore[misc]


def test_a_text_that_is_no_text_is_damage(path: Path) -> None:
    with Study.open(path) as study, pytest.raises(FileFault, match="a text in it is no text any more"):
        study.reader.execute("SELECT CAST(x'e9' AS TEXT)").fetchone()


def test_a_full_disk_is_told_by_its_code(path: Path) -> None:
    event = NewEvent("note", "s1", {"text": "lost"})
    with Study.open(path) as study, full_disk(study):
        with pytest.raises(FileFault, match=r"The disk that holds a\.medreview is full") as raised:
            study.write(lambda c: Recorder("kb").append(c, event, block="flagged", mode="open"))
        assert raised.value.sqlite_errorname == "SQLITE_FULL"


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Within, no file grows beyond so many bytes, as where a disk or a quota is used up."""
    before, compiled = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # what is imported meanwhile would be kept half
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = compiled


def test_a_full_disk_is_one_for_who_only_reads(path: Path) -> None:
    Study.open(path).close()
    with files_of_at_most(8_000), pytest.raises(UserError, match=r"The disk that holds a\.medreview is full"):
        Study.open(path, read_only=True)


def test_a_lock_that_finds_no_room_is_not_held(path: Path) -> None:
    with files_of_at_most(0):
        for _ in range(2):  # the second does not meet the first
            with pytest.raises(UserError, match="cannot be used: File too large"):
                Study.open(path)
    Study.open(path).close()


def test_a_study_is_closed_on_a_full_disk_and_the_last_note_stays(path: Path) -> None:
    Study.open(path).close()
    lock = WriterLock(path)
    note = lock.note()
    lock.take()
    with files_of_at_most(0):
        lock.release({"event": 1})
    assert lock.note() == note is not None
    Study.open(path).close()


def test_a_table_that_is_still_being_read_is_no_other_program(path: Path) -> None:
    with Study.open(path) as study:
        study.reader.execute("CREATE TEMPORARY TABLE some AS SELECT * FROM sqlite_schema")
        rows = study.reader.execute("SELECT * FROM some")
        rows.fetchone()
        with pytest.raises(sqlite3.OperationalError, match="table is locked") as raised:
            study.reader.execute("DROP TABLE some")
        assert not isinstance(raised.value, UserError)
        rows.close()


def test_an_error_without_a_code_tells_nothing_of_the_file(tmp_path: Path) -> None:
    assert fault_of(sqlite3.OperationalError("database or disk is full"), tmp_path) is None


def _within(path: Path, put: Callable[[Study], object]) -> None:
    with Study.open(path) as study:
        put(study)
