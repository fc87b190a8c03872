"""What is open in a study is read without a trace, whatever became of it."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from medreview.recent_studies import RecentStudy, card_of, look_at
from medreview.review.decision import decide_in_script
from medreview.study import Study
from medreview.study.counts import Counts
from medreview.study.events import NewEvent, Recorder
from medreview.study.lock import WriterLock
from medreview.study.recent_list import OpenedStudy

KEPT = Path(__file__).parent / "study" / "kept"
THEN = "2026-11-22T10:00:00+00:00"


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path) -> Path:
    """A copy of the sample study in a folder of its own."""
    (tmp_path / "folder").mkdir()
    return Path(shutil.copy(demo_file, tmp_path / "folder" / "demo.medreview"))


def looked(path: Path, reviewer: str = "") -> RecentStudy:
    return look_at(OpenedStudy(str(path), THEN, "as it was called", reviewer), "kb")


def trace(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a folder, its bytes and when it was written."""
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir() if file.is_file()}


def decide(study: Study, reviewer: str, number: int) -> None:
    for row in study.reader.execute("SELECT statement_id FROM statement LIMIT ?", (number,)).fetchall():
        decide_in_script(study, reviewer, row[0], "supported")


def test_what_is_decided_and_where_it_was_left_is_told_for_its_reviewer_and_nothing_is_written(demo):
    with Study.open(demo) as study:
        decide(study, "kb", 3)
        decide(study, "anna", 1)
        unit = study.reader.execute(
            """SELECT s.statement_id FROM statement AS s JOIN response AS r USING (response_id)
               ORDER BY r.ordinal, s.ordinal"""
        ).fetchone()[0]
        total = study.reader.execute("SELECT count(*) FROM statement").fetchone()[0]
        place, draft = ("kb", "flagged", "open", "mine=open", unit, THEN), ("kb", unit, "note", "half a th", THEN)
        study.write(lambda c: c.execute("INSERT INTO bookmark VALUES (?, ?, ?, ?, ?, ?)", place))
        study.write(lambda c: c.execute("INSERT INTO draft VALUES (?, ?, ?, ?, ?)", draft))
    before = trace(demo.parent)

    found = looked(demo)

    assert (found.state, found.remark, found.title) == ("ready", "", "sample study")
    assert found.counts == Counts(total, 3, 0, total - 3)
    assert found.left_off == "triage: flagged, R01 S1, filter mine=open"
    assert found.drafts == 1
    assert looked(demo, "anna").counts == Counts(total, 1, 0, total - 1)
    assert looked(demo, "anna").left_off == ""
    where, following, *_ = card_of(found)
    assert "in “triage: flagged”" in where
    assert following.startswith("Next: ")
    assert trace(demo.parent) == before


def test_units_of_other_kinds_are_counted_by_themselves(demo):
    with Study.open(demo) as study:
        decide(study, "kb", 2)
        response = study.reader.execute("SELECT response_id FROM response").fetchone()[0]
        whole = NewEvent("decide", f"response:{response}", {"axis": "all_supported", "label": "yes"})
        study.write(lambda c: Recorder("kb").append(c, whole, block="response", mode="open"))
        responses = study.reader.execute("SELECT count(*) FROM response").fetchone()[0]

    found = looked(demo)

    assert found.counts.decided == 2
    assert [(one.kind, one.title, one.counts.total, one.counts.decided) for one in found.units] == [
        ("response", "whole responses", responses, 1)
    ]


def test_a_study_that_is_open_is_named_and_what_was_just_decided_in_it_counts(demo):
    with Study.open(demo) as study:
        decide(study, "kb", 4)
        before = trace(demo.parent)
        found = looked(demo)
        after = trace(demo.parent)
        decide(study, "anna", 1)

    assert found.state == "open elsewhere"
    assert "in this process already" in found.remark
    assert found.counts.decided == 4
    assert {name: it for name, it in before.items() if "-shm" not in name} == {
        name: it for name, it in after.items() if "-shm" not in name
    }
    assert looked(demo).state == "ready"


def test_a_lock_that_a_dead_process_left_is_nobodys(demo):
    lock = demo.with_name("demo.medreview.lock")
    lock.write_text(json.dumps({"pid": 4194999, "host": os.uname().nodename, "since": "22 Nov 10:00"}))
    assert WriterLock(demo).holder() == ""
    for damaged in ("", "{", '{"pid": "x", "host": 3}', "[]"):
        lock.write_text(damaged)
        assert WriterLock(demo).holder() == ""
    assert looked(demo).state == "ready"


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_a_study_of_an_earlier_version_is_counted_as_far_as_it_can_be_and_stays_as_it_is(version, tmp_path):
    path = Path(shutil.copy(KEPT / f"schema_{version}.sqlite", tmp_path / "old.medreview"))
    before = trace(tmp_path)

    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as connection:
        who = connection.execute("SELECT reviewer FROM event WHERE kind = 'decide'").fetchone()[0]
    found = looked(path, who)

    assert (found.state, found.remark) == ("older", "updated when it is opened")
    assert found.counts.decided > 0
    assert trace(tmp_path) == before


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def other_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE a (b)")


def cut(path: Path) -> None:
    os.truncate(path, 50_000)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def without_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP VIEW standing; DROP TABLE bookmark;")


@pytest.mark.parametrize(
    ("happens", "state", "words"),
    [
        (Path.unlink, "gone", "no file is there any more"),
        (newer, "newer", "a newer medreview made it"),
        (other_database, "broken", "not a medreview study"),
        (lambda path: path.write_bytes(b"x" * 5000), "broken", "not a medreview study"),
        (lambda path: path.write_bytes(b""), "broken", "not a medreview study"),
        (cut, "broken", "damaged"),
        (without_tables, "broken", "could not be read"),
        (folder, "broken", "a folder"),
        (pipe, "broken", "a pipe"),
    ],
    ids=["gone", "newer", "another database", "no database", "empty", "cut", "a table is gone", "a folder", "a pipe"],
)
def test_what_became_of_a_study_is_named_and_stops_nothing(demo, happens, state, words):
    happens(demo)

    found = looked(demo)

    assert (found.state, found.title, found.counts) == (state, "as it was called", None)
    assert words in found.remark


def test_a_path_that_cannot_even_be_asked_for_stops_nothing(tmp_path):
    found = looked(tmp_path / ("x" * 300))

    assert found.state == "broken"
    assert "cannot be read" in found.remark
