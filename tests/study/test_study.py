"""Studies as files: opened, locked, closed, written; ids, rows in turn, and the rules that triggers share."""

import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import textwrap
from contextlib import closing
from itertools import product
from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.errors import UserError
from medreview.labels import NOT_ASKED, PAGE_STATES
from medreview.sources.snapshots import holds_source
from medreview.study import Study, migrations
from medreview.study.backup import KEEP, backup_folder, backup_if_changed, backup_to
from medreview.study.check import check
from medreview.study.connection import connect, on_network
from medreview.study.events import NewEvent, Recorder
from medreview.study.ids import Ulids, content_id, decode, encode
from medreview.study.migrations import new_schema, schema_digest
from medreview.study.rows import rows_in_turn
from tests.support.full_disk import full_disk
from tests.support.study_builder import StudyBuilder, build


def decide(study, unit, label="supported", recorder=None):
    recorder = recorder or Recorder("kb")
    event = NewEvent("decide", unit, {"axis": "evidence", "label": label})
    return study.write(lambda connection: recorder.append(connection, event, block="flagged", mode="open"))


def test_files_are_private(study):
    decide(study, "s1")

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in study.path.parent.iterdir()}

    assert set(modes.values()) == {0o600}
    assert {"study.medreview", "study.medreview-wal", "study.medreview-shm", "study.medreview.lock"} <= set(modes)


def test_commits_are_durable_and_in_wal(study):
    def pragmas(connection):
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]

    assert pragmas(study.reader) == study.write(pragmas) == ["wal", 2]


def test_a_second_writer_is_told_who_holds_the_study(study):
    script = f"""
        from pathlib import Path
        from medreview.study import Study
        from medreview.errors import UserError
        try:
            Study.open(Path({str(study.path)!r}))
        except UserError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True)

    assert "open for writing in another medreview (process " in done.stdout
    with Study.open(study.path, read_only=True) as reading:
        assert reading.meta("title") == "study"
        with pytest.raises(UserError, match="reading only"):
            reading.write(lambda connection: None)


def test_the_lock_goes_with_the_process(tmp_path):
    path = tmp_path / "study.medreview"
    script = f"""
        import os, signal
        from pathlib import Path
        from medreview.study import Study
        Study.create(Path({str(path)!r}))
        os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)

    with Study.open(path) as study:
        assert study.writable


def test_a_failed_change_leaves_nothing_and_the_next_event_follows_the_last_kept_one(study):
    recorder = Recorder("kb")
    decide(study, "s1", recorder=recorder)

    note = NewEvent("note", "s1", {"text": "lost"})
    with full_disk(study, "note"), pytest.raises(UserError, match=r"is full, .*: this was not saved"):
        study.write(lambda connection: recorder.append(connection, note, block="flagged", mode="open"))
    decide(study, "s2", recorder=recorder)

    assert [row["unit"] for row in study.reader.execute("SELECT unit FROM event ORDER BY seq")] == ["s1", "s2"]
    assert check(study.reader) == []


def test_events_cannot_be_changed_or_deleted(study):
    decide(study, "s1")

    for statement in ("UPDATE event SET unit = 'x'", "DELETE FROM event"):
        with pytest.raises(sqlite3.IntegrityError, match="events are never"):
            study.write(lambda connection, statement=statement: connection.execute(statement))


def test_check_finds_a_forged_event_and_a_missing_one(study):
    recorder = Recorder("kb")
    for unit in ("s1", "s2", "s3"):
        decide(study, unit, recorder=recorder)
    path = study.path
    study.close()
    forger = connect(path)
    forger.executescript(
        """DROP TRIGGER event_is_never_updated; DROP TRIGGER event_is_never_deleted;
           UPDATE event SET payload = json_set(payload, '$.label', 'contradicted') WHERE unit = 's1';
           DELETE FROM event WHERE unit = 's2';"""
    )
    forger.close()

    with Study.open(path, read_only=True, altered_too=True) as opened:
        wrong = check(opened.reader)

    assert any("was changed" in sentence for sentence in wrong)
    assert any("is missing" in sentence for sentence in wrong)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: None, "There is no study"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.write_bytes(b"hello, not a database at all" * 50), "is not a medreview study"),
        (lambda path: path.write_bytes(b""), "is not a medreview study"),
        (lambda path: sqlite3.connect(path).executescript("CREATE TABLE t (x)"), "is not a medreview study"),
    ],
)
def test_what_is_no_study_is_said_in_one_sentence(tmp_path, make, says):
    path = tmp_path / "x.medreview"
    make(path)

    with pytest.raises(UserError, match=says):
        Study.open(path)


def test_copies_are_whole_private_and_kept_to_five(study):
    for number in range(KEEP + 3):
        decide(study, f"s{number}")
        backup_if_changed(study.path)
    copies = sorted(backup_folder(study.path).iterdir())

    assert len(copies) == KEEP
    assert stat.S_IMODE(copies[-1].stat().st_mode) == 0o600
    assert backup_if_changed(study.path) is None
    with Study.open(copies[-1], read_only=True) as copy:
        assert copy.reader.execute("SELECT count(*) FROM event").fetchone()[0] == KEEP + 3
        assert check(copy.reader) == []


def test_a_copy_never_overwrites(study, tmp_path):
    (tmp_path / "there").write_text("mine")

    with pytest.raises(UserError, match="exists already"):
        backup_to(study.path, tmp_path / "there")
    assert (tmp_path / "there").read_text() == "mine"


def test_a_copy_into_a_folder_that_is_not_there(study, tmp_path):
    with pytest.raises(UserError, match=rf"the folder {re.escape(str(tmp_path))}/usb does not exist\.$"):
        backup_to(study.path, tmp_path / "usb" / "copy.medreview")


def test_network_file_systems_are_recognised(tmp_path):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "21 1 0:20 / / rw - ext4 /dev/sda1 rw\n"
        "40 21 0:40 / /home/kb rw - nfs4 server:/home rw\n"
        "41 21 0:41 / /home/kb\\040x rw - ext4 /dev/sdb rw\n"
    )
    from pathlib import Path

    assert on_network(Path("/home/kb/study.medreview"), mounts)
    assert not on_network(Path("/home/kb x/study.medreview"), mounts)
    assert not on_network(Path("/var/study.medreview"), mounts)
    assert not on_network(Path("/var/study.medreview"), tmp_path / "missing")


def test_a_study_in_a_folder_that_cannot_be_written_to_can_be_read(study, monkeypatch):
    # The tests may run as root, who may write anywhere: what the system says of the folder is put in its mouth.
    decide(study, "s1")
    path = study.path
    study.close()
    before = sorted(entry.name for entry in path.parent.iterdir())
    monkeypatch.setattr("medreview.study.connection.os.access", lambda place, mode: False)

    with Study.open(path, read_only=True) as reading:
        assert reading.reader.execute("SELECT count(*) FROM event").fetchone()[0] == 1
        assert check(reading.reader) == []
    assert sorted(entry.name for entry in path.parent.iterdir()) == before


def test_a_link_to_a_study_is_that_study(study, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link = folder / "link.medreview"
    link.symlink_to(study.path)

    with pytest.raises(UserError, match=r"already\. .*`medreview review STUDY --read-only`"):
        Study.open(link)
    assert backup_folder(link) == backup_folder(study.path)
    assert [path.name for path in folder.iterdir()] == ["link.medreview"]


@pytest.mark.skipif(sys.platform != "linux", reason="the study file itself is locked on Linux only")
@pytest.mark.parametrize("how", ["hard link", "deleted lock"])
def test_another_state_folder_lets_no_second_writer_in(study, tmp_path, how):
    decide(study, "s1")
    other = study.path
    if how == "hard link":
        other = tmp_path / "other.medreview"
        other.hardlink_to(study.path)
    else:
        other.with_name("study.medreview.lock").unlink()

    def second():
        words = [sys.executable, "-c", f"from pathlib import Path; from medreview.study import Study\n{attempt}"]
        environment = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
        return subprocess.run(words, capture_output=True, text=True, check=True, env=environment).stdout

    attempt = f"""
try:
    Study.open(Path({str(other)!r})).close()
except Exception as error:
    print(error)
"""
    assert second().startswith("The study is open for writing in another medreview (")
    decide(study, "s2")
    study.close()
    assert second() == ""


@pytest.mark.skipif(sys.platform != "linux", reason="the study file itself is locked on Linux only")
def test_a_lock_that_is_given_up_leaves_the_locks_of_those_who_read_on(study):
    inode = f":{study.path.stat().st_ino} "

    def locks():
        return [line for line in Path("/proc/locks").read_text().splitlines() if inode in line and "POSIX" in line]

    with Study.open(study.path, read_only=True):
        decide(study, "s1")
        study.close()
        assert locks()
        Study.open(study.path).close()
        assert locks()
    Study.open(study.path).close()
    assert not any(Path(one).samefile(study.path) for one in Path("/proc/self/fd").iterdir() if one.exists())


def test_a_hard_link_to_an_open_study_is_that_study(study, tmp_path, monkeypatch):
    for name in ("other.medreview", "folder/study.medreview"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).hardlink_to(study.path)
        with pytest.raises(UserError, match="open for writing in this process already"):
            Study.open(tmp_path / name)
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/nowhere")  # without a folder for it there is the path's lock
    with pytest.raises(UserError, match="open for writing in this process already"):
        Study.open(study.path)
    Study.create(tmp_path / "second.medreview").close()
    monkeypatch.undo()
    study.close()
    with Study.open(tmp_path / "other.medreview") as again:
        assert again.writable


def test_a_link_to_nothing_yet_makes_the_study_where_it_points(tmp_path):
    link = tmp_path / "link.medreview"
    link.symlink_to(tmp_path / "real.medreview")

    Study.create(link).close()

    assert (tmp_path / "real.medreview").is_file()


def test_a_damaged_page_is_one_sentence_for_whoever_reads_it(tmp_path):
    path = tmp_path / "study.medreview"
    with Study.create(path) as study:
        study.write(lambda c: c.execute("INSERT INTO study VALUES ('note', hex(zeroblob(300000)))"))
    data = bytearray(path.read_bytes())
    data[-400_000:-50_000] = b"\xff" * 350_000
    path.write_bytes(data)

    def read():
        with Study.open(path) as study:
            study.reader.execute("SELECT value FROM study").fetchall()

    with pytest.raises(UserError, match=r"is damaged.*study\.medreview\.backups"):
        read()
    with Study.open(path, read_only=True) as study:
        assert check(study.reader)


def test_check_names_a_page_that_cannot_be_unpacked(study):
    build(study, lambda rows: rows.page("u1", "x", body=b"not packed"))

    assert check(study.reader) == ["The page of snapshot u1@1 was changed after it was stored."]


CRAFTED = {
    "trigger rewrite": """CREATE TRIGGER rewrite AFTER INSERT ON event BEGIN
        UPDATE response SET text = 'Stop all anticoagulants.'; END""",
    "view event_live": "DROP VIEW event_live; CREATE VIEW event_live AS SELECT * FROM event WHERE 0",
    "trigger event_is_never_deleted": "DROP TRIGGER event_is_never_deleted",
}


@pytest.mark.parametrize("what", CRAFTED)
def test_a_file_with_another_schema_is_not_opened_and_check_says_what_differs(study: Study, what: str) -> None:
    path = study.path
    study.close()
    with closing(sqlite3.connect(path)) as crafted:
        crafted.executescript(CRAFTED[what])
    for read_only in (True, False):
        with pytest.raises(UserError, match=f"has another schema than medreview makes: {what}"):
            Study.open(path, read_only=read_only)
    with Study.open(path, read_only=True, altered_too=True) as opened:
        assert any(what in fault for fault in check(opened.reader))


def test_a_trigger_in_a_file_of_an_earlier_version_is_seen_before_it_is_brought_up_to_date(tmp_path: Path) -> None:
    old = Path(shutil.copy(Path(__file__).parent / "kept" / "schema_8.sqlite", tmp_path / "old.medreview"))
    with closing(sqlite3.connect(old)) as crafted:
        crafted.executescript(CRAFTED["trigger rewrite"])
    before = old.read_bytes()
    with pytest.raises(UserError, match="trigger rewrite"):
        Study.open(old)
    assert old.read_bytes() == before


def test_what_somebody_added_to_look_at_is_no_fault_of_the_file(study: Study) -> None:
    path = study.path
    study.close()
    with closing(sqlite3.connect(path)) as helped:
        helped.executescript("CREATE VIEW mine AS SELECT * FROM response; CREATE INDEX own ON response (model)")
    Study.open(path).close()


def test_the_digest_is_that_of_the_schema() -> None:
    digest = schema_digest(new_schema())
    assert digest == migrations._DIGEST, f"after a new step, write _DIGEST = {digest!r}"


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_a_lock_that_is_a_link_is_refused_and_what_it_leads_to_stays(study: Study, link: str) -> None:
    path = study.path
    study.close()
    lock, notes = path.with_name("study.medreview.lock"), path.with_name("notes.txt")
    notes.write_text("mine")
    lock.unlink()
    getattr(lock, link)(notes)
    with pytest.raises(UserError, match="is a link to another file"):
        Study.open(path)
    assert notes.read_text() == "mine"


def test_a_folder_of_copies_that_is_a_link_is_not_followed(study: Study, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    backup_folder(study.path).symlink_to(elsewhere)
    with pytest.raises(UserError, match="is a link to another place"):
        backup_if_changed(study.path)
    assert list(elsewhere.iterdir()) == []


@given(st.integers(min_value=0, max_value=2**128 - 1))
def test_ulids_keep_their_number_and_its_order(number):
    assert decode(encode(number)) == number
    assert len(encode(number)) == 26
    assert (encode(number) < encode(number ^ 1)) == (number < number ^ 1)


def test_ulids_never_go_backwards_even_after_an_id_from_the_future():
    future = encode((2**48 - 2) << 80)
    ulids = Ulids()

    made = [ulids.next(future), *(ulids.next() for _ in range(1000))]

    assert [future, *made] == sorted({future, *made})


def test_two_generators_in_one_millisecond_follow_each_other_in_the_order_of_what_was_written():
    first, second = Ulids(), Ulids()
    made = [""]
    for turn in range(1000):
        made.append((first, second)[turn % 2].next(made[-1]))

    assert made == sorted(set(made))


def test_content_ids_depend_on_every_part_and_start_with_a_letter():
    assert content_id("r", "a", "b") == content_id("r", "a", "b")
    assert content_id("r", "a", "b") != content_id("r", "ab", "")
    assert content_id("r", "a")[0] == "r"


ROWS = [("a", 1), ("a", 2), ("c", 3), ("d", 4)]


def test_each_key_gives_its_rows_once():
    of = rows_in_turn(ROWS, itemgetter(0))
    assert [of(key) for key in "abcde"] == [[("a", 1), ("a", 2)], [], [("c", 3)], [("d", 4)], []]
    assert of("d") == []


def test_nothing_is_read_before_it_is_asked_for():
    read = []

    def rows():
        for row in ROWS:
            read.append(row)
            yield row

    of = rows_in_turn(rows(), itemgetter(0))
    assert len(read) == 1
    of("a")
    assert read == ROWS[:3]


@pytest.fixture
def pages(study: Study) -> sqlite3.Connection:
    """One source for each page state, with and without a text, answered with 200, 404 and not at all."""

    def fill(rows: StudyBuilder) -> None:
        for number, (state, text, status) in enumerate(product(PAGE_STATES, ("", "Words."), (200, 404, None))):
            rows.page(f"u{number}", text, page_state=state, status=status)

    build(study, fill)
    return study.reader


def test_what_can_be_read_of_a_page_is_the_same_in_sql_and_in_python(pages: sqlite3.Connection) -> None:
    rows = pages.execute("SELECT * FROM snapshot JOIN snapshot_content USING (snapshot_id, source_id)").fetchall()

    assert len(rows) == 6 * len(PAGE_STATES)
    assert [bool(row["readable"]) for row in rows] == [holds_source(row) for row in rows]
    assert [bool(row["has_text"]) for row in rows] == [row["text"] != "" for row in rows]
    asked = [row for row in rows if row["page_state"] not in NOT_ASKED]
    assert [bool(row["valid"]) for row in asked] == [row["status"] == 200 and row["text"] != "" for row in asked]
    assert {row["valid"] for row in rows if row not in asked} == {None}
    readable = {row["page_state"] for row in rows if row["readable"]}
    assert readable == {"ok", "paywall", "thin", *NOT_ASKED}


def test_a_study_that_is_filled_while_it_is_made_is_in_its_file_without_waiting(tmp_path: Path) -> None:
    """A checkpoint by a connection that has not seen the last commit reports that it waits for a reader: itself."""

    def fill(study: Study) -> None:
        study.write(lambda connection: connection.execute("INSERT INTO study (key, value) VALUES ('a', 'b')"))

    with Study.create(tmp_path / "filled.medreview", fill=fill) as study:
        assert study.meta("a") == "b"
    assert [path.name for path in tmp_path.glob("*-wal")] == []


def test_the_folder_of_this_programs_state_is_its_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with Study.create(tmp_path / "a.medreview"):
        made = [path for path in (tmp_path / "state").rglob("*") if path.is_dir()]
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in made} == {"medreview": 0o700, "open": 0o700}
