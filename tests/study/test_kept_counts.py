"""Counts that are kept between two openings of a study: used while nothing was written, and never after."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from medreview.study import Study, counts
from medreview.study.state_folder import file_state, kept_file, state_folder

COUNT = "SELECT state, n FROM (SELECT 'rows' AS state, count(*) AS n FROM bodies) WHERE ? = 1"


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(counts, "_SMALL", 0)
    made = tmp_path / "a.medreview"
    with Study.create(made) as study:
        study.write(lambda connection: connection.execute("CREATE TABLE bodies (n)"))
    return made


def add(connection):
    connection.execute("INSERT INTO bodies VALUES (1)")


def counted(study):
    return study.counted(COUNT, (1,))[0][1]


def asked(study):
    """The statements that SQLite is given while the counts are asked for."""
    said: list[str] = []
    study.reader.set_trace_callback(said.append)
    counted(study)
    study.reader.set_trace_callback(None)
    return [statement for statement in said if "bodies" in statement]


def kept(path: Path) -> list[Path]:
    found = (state_folder() / "counts").glob("*.json")
    state = list(file_state(path) or ())
    return [file for file in found if json.loads(file.read_text().split("\n")[0])["state"] == state]


def test_a_study_that_nobody_wrote_to_is_not_counted_again(path):
    with Study.open(path) as study:
        study.write(add)
        assert counted(study) == 1
    (file,) = kept(path)
    assert oct(file.stat().st_mode & 0o777) == "0o600"

    for read_only in (False, True, False):
        with Study.open(path, read_only=read_only) as study:
            assert asked(study) == []
            assert counted(study) == 1


def test_every_commit_is_counted_whoever_made_it(path):
    with Study.open(path) as study:
        assert counted(study) == 0
        study.write(add)
        assert counted(study) == 1
        study.write(add)
    with Study.open(path) as study:  # asked once more when it was closed: the last count was of before the last commit
        assert asked(study) == []
        assert counted(study) == 2
    with Study.open(path) as study:
        study.write(add)
        assert counted(study) == 3

    times = os.stat(path)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        add(other)
        other.commit()
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # as a copy that keeps times would
    with Study.open(path) as study:
        assert counted(study) == 4

    with Study.open(path, read_only=True) as looker, Study.open(path) as study:
        assert counted(looker) == 4
        study.write(add)
        assert counted(looker) == 5


def test_what_was_kept_may_be_damaged_or_impossible_to_keep(path):
    with Study.open(path) as study:
        counted(study)
    (file,) = kept(path)
    whole = json.loads(file.read_text())
    for text in ("", "[]", json.dumps({**whole, "rows": []}), json.dumps({**whole, "rows": {"x": [1]}})):
        file.write_text(text)
        with Study.open(path, read_only=True) as study:
            assert counted(study) == 0
    file.unlink()
    file.mkdir()
    with Study.open(path) as study:
        assert counted(study) == 0
    file.rmdir()


def test_what_follows_from_a_part_of_the_study_outlasts_commits_that_leave_it(path):
    def listed(study, of):
        said: list[str] = []
        study.reader.set_trace_callback(said.append)
        found = study.listed("SELECT count(*) FROM bodies", of)
        study.reader.set_trace_callback(None)
        return found, sum("bodies" in statement for statement in said)

    with Study.open(path) as study:
        assert listed(study, "a") == ([[0]], 1)
        study.write(add)
        assert listed(study, "a") == ([[0]], 0)  # who says that it is the same part is believed
    for of, found in (("a", [[0]]), ("b", [[1]])):
        with Study.open(path) as study:
            study.write(lambda connection: connection.execute("UPDATE study SET value = 'x' WHERE key = 'title'"))
            assert listed(study, of) == (found, of == "b")
    with Study.open(path, read_only=True) as study:
        assert listed(study, "b") == ([[1]], 0)
        assert listed(study, "a") == ([[1]], 1)


def test_of_what_outlasts_commits_the_newest_is_kept_and_what_is_damaged_is_asked_again(path):
    def listed(number):
        """Whether the study was asked."""
        with Study.open(path) as study:
            said: list[str] = []
            study.reader.set_trace_callback(said.append)
            assert study.listed(f"SELECT {number} FROM study WHERE key = 'study_id'", "a") == [[number]]
            study.reader.set_trace_callback(None)
            study.write(add)
        return any("study_id" in statement for statement in said)

    assert all(map(listed, range(7)))
    assert [number for number in (6, 5, 4, 3, 0) if listed(number)] == [0]
    assert listed(3)  # that of long ago made room

    file = kept_file("counts", path.resolve())
    whole = file.read_text().split("\n")
    assert len(whole) == 9
    for damaged in ("", "[1, 2]", "[[1], [1, 2]]", '"x"', "[[3]"):
        file.write_text("\n".join([*whole[:-1], damaged]))
        assert listed(3)
    for lines in (whole[:-1], [whole[0], "[]", "[]"], [whole[0], "{", "[]"]):
        file.write_text("\n".join(lines))
        assert listed(3)


def test_of_many_studies_the_counts_of_the_last_are_kept(path, monkeypatch):
    monkeypatch.setattr(counts, "MOST", 2)
    paths = [path.with_name(f"{name}.medreview") for name in "bcd"]
    for one in paths:
        one.write_bytes(path.read_bytes())
        with Study.open(one) as study:
            counted(study)
    assert [len(kept(one)) for one in paths] == [0, 1, 1]


def test_a_small_study_is_counted_each_time(tmp_path):
    made = tmp_path / "a.medreview"
    with Study.create(made) as study:
        assert study.counted("SELECT count(*) FROM statement") == [[0]]
    assert kept(made) == []


def test_what_several_queries_come_to_is_kept_as_well_under_its_name(path):
    asks: list[str] = []

    def found(study: Study, name: str) -> list[list[int]]:
        def ask() -> list[list[int]]:
            asks.append(name)
            return [[study.reader.execute("SELECT count(*) FROM bodies").fetchone()[0], len(name)]]

        return study.found(name, ask)

    with Study.open(path) as study:
        assert (found(study, "one"), found(study, "other"), found(study, "one")) == ([[0, 3]], [[0, 5]], [[0, 3]])
        assert asks == ["one", "other"]
        study.write(add)
    assert asks == ["one", "other"] * 2
    with Study.open(path) as study:
        assert (found(study, "one"), found(study, "other")) == ([[1, 3]], [[1, 5]])
    assert asks == ["one", "other"] * 2
