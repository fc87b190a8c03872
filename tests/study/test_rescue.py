"""Damaged studies: what is wrong with the file is said, and what can be rescued is."""

import os
import resource
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from medreview.errors import NotSavedHere, UserError
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.backup import backup_if_changed
from medreview.study.check import check
from medreview.study.connection import FileFault, copy_of, fault_of
from medreview.study.events import NewEvent, Recorder
from medreview.study.lock import WriterLock
from medreview.study.merge import merge
from tests.support.full_disk import full_disk
from tests.support.study_builder import build

STATEMENTS = [f"Statement {number} says something." for number in range(1, 7)]


class Case(NamedTuple):
    """What happens to the study, and half of what is said of it."""

    happens: Callable[[Path, Path], object]
    says: str


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _over(target: Path, source: Path, with_log: bool = False) -> object:
    """As ``cp``: the file stays, its content goes."""
    if with_log:
        _log(target).unlink()
    return target.write_bytes(source.read_bytes())


def _replace(path: Path, older: Path) -> Path:
    """As ``mv``, and as most programs that synchronise files."""
    return Path(shutil.copy(older, path.with_name("x"))).replace(path)


CASES = {
    "deleted": Case(lambda path, older: os.unlink(path), "a.medreview was deleted"),
    "moved away": Case(
        lambda path, older: path.rename(path.with_name("b.medreview")), "a.medreview was deleted, moved"
    ),
    "replaced": Case(lambda path, older: _replace(path, older), "another file was put"),
    "written over by an older copy": Case(lambda path, older: _over(path, older), "a.medreview was overwritten"),
    "emptied": Case(lambda path, older: os.truncate(path, 0), "a.medreview was overwritten"),
    "its log deleted": Case(lambda path, older: _log(path).unlink(), "a.medreview-wal (the newest part"),
    "its log emptied": Case(lambda path, older: os.truncate(_log(path), 0), "a.medreview was overwritten"),
    "log deleted and written over": Case(
        lambda path, older: _over(path, older, with_log=True), "a.medreview was overwritten"
    ),
    "its folder renamed": Case(lambda path, older: path.parent.rename(older.parent / "new"), "was deleted, moved or"),
    "its folder deleted": Case(lambda path, older: shutil.rmtree(path.parent), "was deleted, moved or"),
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study with a decision from an earlier sitting."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "a.medreview"
    with Study.create(path) as study:
        build(study, lambda rows: rows.response("r1", " ".join(STATEMENTS), statements=STATEMENTS))
        decide(study, "r1.1", "partial", Recorder("kb"))
        build(study, lambda rows: rows.page("u1", "A page that came later. " * 2_000))
    return path


@pytest.fixture
def older(path: Path, tmp_path: Path) -> Path:
    """A copy from before that decision: it has another history than what is decided now."""
    with Study.create(tmp_path / "made") as study:
        build(study, lambda rows: rows.response("r1", " ".join(STATEMENTS), statements=STATEMENTS))
    with sqlite3.connect(path) as source:
        study_id = source.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0]
    source.close()
    with Study.open(tmp_path / "made") as study:
        study.write(lambda c: c.execute("UPDATE study SET value = ? WHERE key = 'study_id'", (study_id,)))
    return (tmp_path / "made").rename(tmp_path / "older.medreview")


def decide(study: Study, unit: str, label: str, recorder: Recorder) -> None:
    event = NewEvent("decide", unit, {"axis": "evidence", "label": label})
    study.write(lambda connection: recorder.append(connection, event, block="responses", mode="open"))


def labels(path: Path) -> dict[str, str]:
    with Study.open(path, read_only=True) as study:
        assert check(study.reader) == []
        return dict(map(tuple, study.reader.execute("SELECT unit, label FROM decision_current")))


def copy(study: Study, target: Path) -> None:
    made = sqlite3.connect(target)
    study.reader.backup(made)
    made.close()


def rescues(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.rescue-*.medreview") if path.is_file())


@pytest.mark.parametrize("name", CASES)
def test_decisions_go_on_in_a_rescue_file_that_merge_takes(path: Path, older: Path, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    study = Study.open(path)
    backup_if_changed(path)
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
    session.go(1)
    session.decide("supported")
    assert "saved #" in session.receipt

    copy(study, tmp_path / "whole.medreview")
    case.happens(path, older)
    session.go(2)
    session.decide("contradicted")
    first, alert = session.receipt, session.alert()
    session.go(3)
    session.decide("not_addressed")

    assert first.startswith("NOT SAVED HERE  S3 → contradicted   #")
    assert alert.startswith(f"NOT SAVED HERE: {case.says}" if case.says[0] == "a" else "NOT SAVED HERE: the folder")
    assert case.says in alert
    assert (session.alert(), session.receipt[:14]) == ("", "NOT SAVED HERE")
    assert session.counts.decided == 4  # what is on the screen goes on, too
    assert session.own.label == "not_addressed"
    with pytest.raises(NotSavedHere, match=r"brings it into the study") as parting:
        study.close()
    (rescue,) = rescues(tmp_path)
    assert parting.value.rescue == rescue
    assert f"medreview team merge {path} {rescue}" in str(parting.value)
    expected = {"r1.1": "partial", "r1.2": "supported", "r1.3": "contradicted", "r1.4": "not_addressed"}
    assert labels(rescue) == expected

    for base in (older, tmp_path / "whole.medreview"):
        target = Path(shutil.copy(base, tmp_path / f"merged {base.name}"))
        with Study.open(target) as merged:
            merge(merged, rescue)
        assert labels(target) == expected
    if path.exists() and "emptied" not in name:  # whatever stands there now is a study of its own, and whole
        assert labels(path).items() <= expected.items()
        with Study.open(path) as merged:
            merge(merged, rescue)
        assert labels(path) == expected


def test_a_file_that_was_only_touched_or_read_by_others_goes_on_being_saved(path: Path, older: Path) -> None:
    with Study.open(path) as study:
        recorder = Recorder("kb")
        decide(study, "r1.2", "supported", recorder)
        os.utime(path)
        decide(study, "r1.3", "supported", recorder)
        os.utime(_log(path))
        with Study.open(path, read_only=True) as reading:
            assert reading.reader.execute("SELECT count(*) FROM event").fetchone()[0] == 3
        other = sqlite3.connect(path)
        other.executescript("CREATE TABLE annotation (x INTEGER PRIMARY KEY); DROP TABLE annotation;")
        other.close()
        decide(study, "r1.4", "supported", recorder)
        other = sqlite3.connect(path)
        other.executescript("CREATE TABLE annotation (x INTEGER PRIMARY KEY, y TEXT); CREATE TABLE loose (x TEXT);")
        other.executescript("INSERT INTO annotation VALUES (1, 'a'); INSERT INTO loose VALUES ('a'); ANALYZE;")
        other.close()
        decide(study, "r1.6", "supported", recorder)
        for name in ("annotation", "loose"):
            study.write(lambda c, name=name: c.execute(f"DROP TABLE {name}"))  # type: ignore[misc]
        moved = path.rename(path.with_name("b"))
        moved.rename(path)
        decide(study, "r1.5", "supported", recorder)

    assert len(labels(path)) == 6
    assert not rescues(path.parent)


def test_the_log_is_written_into_the_file_as_it_grows_and_nobody_takes_that_for_a_stranger(path: Path) -> None:
    with Study.open(path) as study:
        for number in range(4):
            study.write(
                lambda c, number=number: c.execute(  # type: ignore[misc]
                    "INSERT INTO study VALUES (?, hex(zeroblob(1200000)))", (f"note {number}",)
                )
            )
            assert _log(path).stat().st_size < 8_000_000
        assert path.stat().st_size > 5_000_000
        assert study.elsewhere is None


def test_a_script_gets_an_error_of_its_own_and_every_decision_is_in_the_rescue_file(path: Path) -> None:
    study = Study.open(path)
    recorder = Recorder("kb")
    decide(study, "r1.2", "supported", recorder)
    path.unlink()
    for unit in ("r1.3", "r1.4"):
        with pytest.raises(NotSavedHere, match=r"a\.medreview was deleted.*brings it into the study") as error:
            decide(study, unit, "partial", recorder)
        assert error.value.rescue is not None
    with pytest.raises(sqlite3.OperationalError, match="no such table: full"):
        study.write(lambda connection: connection.execute("SELECT * FROM full"))
    with pytest.raises(NotSavedHere):
        study.__exit__(None, None, None)

    (rescue,) = rescues(path.parent)
    assert labels(rescue) == {"r1.1": "partial", "r1.2": "supported", "r1.3": "partial", "r1.4": "partial"}
    assert f"`mv {rescue} {path}` makes it the study" in str(error.value)


def test_what_was_saved_last_is_looked_for_once_more_when_the_study_is_closed(path: Path) -> None:
    study = Study.open(path)
    decide(study, "r1.2", "supported", Recorder("kb"))
    path.unlink()

    with pytest.raises(NotSavedHere, match=r"a\.medreview was deleted"):
        study.close()

    assert labels(rescues(path.parent)[0]) == {"r1.1": "partial", "r1.2": "supported"}


def test_a_rescue_file_that_is_lost_too_gets_another(path: Path, tmp_path: Path) -> None:
    study = Study.open(path)
    study.goes_on_elsewhere = True
    recorder = Recorder("kb")
    decide(study, "r1.2", "supported", recorder)
    path.unlink()
    decide(study, "r1.3", "supported", recorder)
    first = rescues(tmp_path)[0]
    shutil.rmtree(path.parent)
    decide(study, "r1.4", "supported", recorder)
    with pytest.raises(NotSavedHere, match=r"merge"):
        study.close()

    (second,) = rescues(tmp_path)
    assert second.is_relative_to(tmp_path / "state")
    assert second != first
    assert len(labels(second)) == 4


def test_without_a_copy_of_the_study_the_events_are_kept_and_nothing_more_is_taken(path: Path, older: Path) -> None:
    study = Study.open(path)
    decide(study, "r1.2", "supported", Recorder("kb"))
    whole = path.with_name("whole.medreview")
    copy(study, whole)
    _over(path, older)

    for _ in range(2):
        with pytest.raises(NotSavedHere, match=r"The decisions|What was decided"):
            decide(study, "r1.3", "supported", Recorder("kb"))
    with pytest.raises(NotSavedHere):
        study.close()

    with Study.open(whole) as merged:
        assert merge(merged, rescues(path.parent)[0]).known == 1
        assert check(merged.reader) == []


def test_a_full_disk_leaves_no_half_rescue_file_and_the_next_decision_tries_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study.open(path)
    decide(study, "r1.2", "supported", Recorder("kb"))
    path.unlink()
    with monkeypatch.context() as full:
        full.setattr("medreview.study.backup.copy_to", _no_room)
        with pytest.raises(NotSavedHere, match=r"no rescue file could be written .No space left"):
            decide(study, "r1.3", "supported", Recorder("kb"))
        assert not [entry for entry in path.parent.iterdir() if "rescue" in entry.name]
    with pytest.raises(NotSavedHere, match=r"brings it into"):
        decide(study, "r1.3", "supported", Recorder("kb"))
    with pytest.raises(NotSavedHere):
        study.close()

    assert labels(rescues(path.parent)[0]) == {"r1.1": "partial", "r1.2": "supported", "r1.3": "supported"}


def _no_room(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("same", [True, False])
def test_a_study_opened_through_a_link_is_the_file_that_the_link_leads_to(
    path: Path, older: Path, tmp_path: Path, same: bool
) -> None:
    link = tmp_path / "link.medreview"
    link.symlink_to(path)
    study = Study.open(link)
    decide(study, "r1.2", "supported", Recorder("kb"))
    if same:
        decide(study, "r1.3", "supported", Recorder("kb"))
        study.close()
        assert len(labels(path)) == 3
    else:
        link.unlink()
        link.symlink_to(older)
        with pytest.raises(NotSavedHere, match=r"another file was put in the place of link.medreview"):
            decide(study, "r1.3", "supported", Recorder("kb"))
        with pytest.raises(NotSavedHere):
            study.close()
        assert len(labels(rescues(path.parent)[0])) == 3
        assert labels(path) == {"r1.1": "partial", "r1.2": "supported"}


def test_a_look_at_a_study_that_is_only_read_is_not_written_into_another_file(path: Path, older: Path) -> None:
    before = older.read_bytes()
    with Study.open(path, read_only=True) as study:
        _replace(path, older)
        with pytest.raises(UserError, match=r"another file was put in the place of a\.medreview"):
            study.write_aside(lambda connection: connection.execute("DELETE FROM study"))

    assert path.read_bytes() == before


OWN_MISTAKES: dict[str, tuple[str, type[sqlite3.Error]]] = {
    "the word full": ("SELECT full FROM event", sqlite3.OperationalError),
    "the word locked": ("SELECT * FROM locked", sqlite3.OperationalError),
    "the word malformed": ("SELECT malformed JSON", sqlite3.OperationalError),
    "a mistake in JSON": ("SELECT json_extract('{', '$.x')", sqlite3.OperationalError),
    "a constraint": ("INSERT INTO study VALUES ('title', 'disk I/O error: readonly, unable to open')", sqlite3.Error),
    "a trigger": ("DELETE FROM event", sqlite3.IntegrityError),
}


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    filled = tmp_path / "a.medreview"
    with Study.create(filled, "database is full") as study:
        study.write(lambda c: c.execute("INSERT INTO study VALUES ('note', hex(zeroblob(300000)))"))
        event = NewEvent("note", "s1", {"text": "malformed"})
        study.write(lambda c: Recorder("kb").append(c, event, block="flagged", mode="open"))
    return filled


@pytest.mark.parametrize("name", OWN_MISTAKES)
def test_a_mistake_in_a_query_of_ones_own_stays_what_it_is(filled: Path, name: str) -> None:
    sql, kind = OWN_MISTAKES[name]

    def read(study: Study) -> object:
        return study.reader.execute(sql).fetchall()

    def write(study: Study) -> object:
        return study.write(lambda connection: connection.execute(sql).fetchall())

    for put in (read, write):
        with pytest.raises(kind) as raised:
            _within(filled, put)
        assert not isinstance(raised.value, UserError)


def test_an_error_of_another_database_is_no_concern_of_the_study(filled: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)

    def read_another(_study: Study) -> None:
        sqlite3.connect(tmp_path / "other").execute("SELECT * FROM x")

    with pytest.raises(sqlite3.DatabaseError) as raised:
        _within(filled, read_another)
    assert not isinstance(raised.value, UserError)


def test_damage_is_one_sentence_in_every_way_of_reading(filled: Path) -> None:
    data = bytearray(filled.read_bytes())
    data[-400_000:-50_000] = b"\xff" * 350_000
    filled.write_bytes(data)
    query = "SELECT value FROM study"
    ways: list[Callable[[sqlite3.Connection], object]] = [
        lambda c: c.execute(query).fetchall(),
        lambda c: list(c.execute(query)),
        lambda c: [c.execute(f"{query} WHERE key = 'note'").fetchone()],
        lambda c: copy_of(c).execute("PRAGMA integrity_check").fetchall()[0] and c.execute(query).fetchall(),
    ]
    for read in ways:
        with pytest.raises(FileFault, match=r"a\.medreview is damaged .*; restore a copy from.*a\.medreview\.backups"):
            _within(filled, lambda study, read=read: read(study.reader))  # type: ignore[misc]


def test_a_text_that_is_no_text_is_damage(filled: Path) -> None:
    with Study.open(filled) as study, pytest.raises(FileFault, match="a text in it can no longer be read"):
        study.reader.execute("SELECT CAST(x'e9' AS TEXT)").fetchone()


def test_a_full_disk_is_told_by_its_code(filled: Path) -> None:
    event = NewEvent("note", "s1", {"text": "lost"})
    with Study.open(filled) as study, full_disk(study):
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


def test_a_full_disk_is_one_for_who_only_reads(filled: Path) -> None:
    Study.open(filled).close()
    with files_of_at_most(8_000), pytest.raises(UserError, match=r"The disk that holds a\.medreview is full"):
        Study.open(filled, read_only=True)


def test_a_lock_that_finds_no_room_is_not_held(filled: Path) -> None:
    with files_of_at_most(0):
        for _ in range(2):  # the second does not meet the first
            with pytest.raises(UserError, match="cannot be used: File too large"):
                Study.open(filled)
    Study.open(filled).close()


def test_a_study_is_closed_on_a_full_disk_and_the_last_note_stays(filled: Path) -> None:
    Study.open(filled).close()
    lock = WriterLock(filled)
    note = lock.note()
    lock.take()
    with files_of_at_most(0):
        lock.release({"event": 1})
    assert lock.note() == note is not None
    Study.open(filled).close()


def test_a_table_that_is_still_being_read_is_no_other_program(filled: Path) -> None:
    with Study.open(filled) as study:
        study.reader.execute("CREATE TEMPORARY TABLE some AS SELECT * FROM sqlite_schema")
        rows = study.reader.execute("SELECT * FROM some")
        rows.fetchone()
        with pytest.raises(sqlite3.OperationalError, match="table is locked") as raised:
            study.reader.execute("DROP TABLE some")
        assert not isinstance(raised.value, UserError)
        rows.close()


def test_an_error_without_a_code_tells_nothing_of_the_file(tmp_path: Path) -> None:
    assert fault_of(sqlite3.OperationalError("database or disk is full"), tmp_path) is None


def _within(filled: Path, put: Callable[[Study], object]) -> None:
    with Study.open(filled) as study:
        put(study)
