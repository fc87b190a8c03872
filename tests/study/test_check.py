"""Checks of a study: what is found wrong, in rows, in seals, in the file."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.files.export_folder import not_as_exported
from medreview.study import Study
from medreview.study.backup import backup_to
from medreview.study.check import MOST, check, check_study
from medreview.study.connection import connect, copy_of
from medreview.study.events import COLUMNS, NewEvent, Recorder, event_hash
from medreview.study.migrations import new_schema, run_steps, schema_version
from medreview.study.row_seals import Misfit, all_misfits, sealed_tables, table_number
from tests.study.flipped_bits import in_bytes, in_header, in_values, settled, trial
from tests.support.commands import in_process
from tests.support.meddling import meddle
from tests.support.study_builder import StudyBuilder, build


def decide(study: Study, unit: str, label: str = "supported") -> None:
    event = NewEvent("decide", unit, {"axis": "evidence", "label": label})
    study.write(lambda connection: Recorder("kb").append(connection, event, block="flagged", mode="open"))


def rows(to: StudyBuilder) -> None:
    to.page("u1", "Take 5 mg. Never more.", title="Dosing")
    to.response("r1", "Take 5 mg. Never more.", statements=["Take 5 mg.", "Never more."], cites=["u1"])
    to.judgement("ada", "r1.1", "u1@1", "supported", "Take 5 mg.")
    to.evidence("r1.1", "u1@1", [[0, 10]])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A study with two events, closed."""
    with Study.create(tmp_path / "a.medreview") as study:
        build(study, rows)
        decide(study, "r1.1")
        decide(study, "r1.2")
    return tmp_path / "a.medreview"


def faults(path: Path) -> list[str]:
    with Study.open(path, read_only=True, altered_too=True) as study:
        return check_study(study).faults


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE judgement SET verdict = 'contradicted'", "The row ada-r1.1-u1@1 of judgement was changed"),
        ("UPDATE judgement SET quote = 'Take 50 mg.'", "The row ada-r1.1-u1@1 of judgement was changed"),
        ("UPDATE snapshot SET full_text = 'Take 50 mg.'", "The row u1@1 of snapshot was changed"),
        ("UPDATE snapshot SET title = 'Dose'", "The row u1@1 of snapshot was changed"),
        ("UPDATE snapshot SET text = 'Take 50 mg.'", "The text of snapshot u1@1 was changed"),
        ("UPDATE snapshot SET body = x'00'", "The page of snapshot u1@1 was changed"),
        ("UPDATE response SET question = CAST(x'ff41' AS TEXT)", "The row r1 of response was changed"),
        (
            "UPDATE statement SET text = CAST(x'ff41' AS TEXT) WHERE ordinal = 2",
            "The text of statement r1.2 was changed",
        ),
        ("UPDATE source SET url = 'https://b.example/'", "The row u1 of source was changed"),
        ("UPDATE evidence SET highlights = '{'", "The row r1.1 u1@1 of evidence was changed"),
        ("UPDATE statement SET parts = '[[1,'", "What is stored cannot be read: "),
        ("UPDATE event SET payload = '[]' WHERE seq = 1", "Event 1 ("),
        ("UPDATE event SET seq = 7 WHERE seq = 1", "The row 7 of event was put there by another program."),
        ("DELETE FROM judgement", "A row of judgement is missing"),
        (
            "DELETE FROM row_seal WHERE of_table IN (SELECT of_table FROM row_seal LIMIT 1)",
            "put there by another program",
        ),
        ("DROP VIEW standing", "The view standing is missing in this file."),
        ("CREATE TABLE more (x TEXT)", "The table more in this file is not of this program."),
        ("DROP INDEX event_unit", "The index event_unit is missing in this file."),
    ],
)
def test_what_another_program_changed_is_named(path: Path, statement: str, says: str) -> None:
    assert faults(path) == []
    meddle(path, statement)
    assert [sentence for sentence in faults(path) if says in sentence]


def test_a_view_that_says_something_else_is_named(path: Path) -> None:
    meddle(path, "DROP VIEW standing", "CREATE VIEW standing AS SELECT * FROM event")
    assert faults(path) == ["The view standing was changed."]


def test_of_many_faults_the_first_are_named_and_the_others_counted(path: Path) -> None:
    with Study.open(path) as study:
        build(study, lambda to: [to.source(f"u{number}") for number in range(2, 40)])
    meddle(path, "UPDATE source SET url = url || '#'")
    found = faults(path)
    assert len(found) == MOST + 1
    assert found[-1] == f"And {39 - MOST} more rows of source."


def forge_the_last_event(path: Path) -> None:
    """Another label in the last event, with its hash and its seal made anew."""
    with closing(connect(path)) as connection:
        row = dict(connection.execute("SELECT * FROM event ORDER BY seq DESC LIMIT 1").fetchone())
        row["payload"] = row["payload"].replace("supported", "contradicted")
        digest = event_hash({name: row[name] for name in COLUMNS})
    meddle(
        path, f"UPDATE event SET payload = '{row['payload']}', hash = '{digest}' WHERE seq = {row['seq']}", seals=True
    )


@pytest.mark.parametrize(
    "change", [forge_the_last_event, lambda path: meddle(path, "DELETE FROM event WHERE seq = 2", seals=True)]
)
def test_the_last_event_is_vouched_for_beside_the_file(
    path: Path, change: Callable[[Path], None], tmp_path: Path
) -> None:
    with Study.open(path) as study:
        export(study, tmp_path / "labels")
    change(path)

    (said,) = faults(path)
    assert said.startswith("When it was last closed (")
    assert "its newest event was #2 (" in said
    (tmp_path / "a.medreview.lock").unlink()
    assert faults(path) == []  # nothing beside it knows better
    done = in_process(["check", str(path), "--against", str(tmp_path / "labels")], tmp_path, {})
    assert done.returncode == 1
    assert f"The newest event of the export {tmp_path / 'labels'} is not in this file" in done.stderr


def test_a_later_session_vouches_for_the_last_event_of_the_one_before(path: Path, tmp_path: Path) -> None:
    with Study.open(path) as study:
        seq = study.reader.execute("SELECT max(seq) FROM event").fetchone()[0]
        decide(study, "r1.1", "partial")
    (tmp_path / "a.medreview.lock").unlink()
    meddle(path, f"DELETE FROM event WHERE seq = {seq}", seals=True)
    assert [sentence for sentence in faults(path) if "is missing" in sentence]


def test_an_older_copy_is_told_as_one_until_it_was_used_and_closed(path: Path, tmp_path: Path) -> None:
    backup_to(path, tmp_path / "copy.medreview")
    assert faults(tmp_path / "copy.medreview") == []  # nothing is known of another name
    with Study.open(path) as study:
        decide(study, "r1.1", "partial")
    shutil.copy(tmp_path / "copy.medreview", path)

    (said,) = faults(path)
    assert "or is an older copy" in said
    assert faults(path) == [said]  # looking at it accepts nothing
    with Study.open(path):
        pass
    assert faults(path) == []


def test_a_sitting_that_was_killed_leaves_the_note_of_the_one_before(path: Path) -> None:
    before = json.loads(path.with_name("a.medreview.lock").read_text())["closed"]
    study = Study.open(path)
    decide(study, "r1.1", "partial")
    assert json.loads(path.with_name("a.medreview.lock").read_text())["closed"] == before
    assert faults(path) == []  # more events than it names are no fault
    study.close()
    assert json.loads(path.with_name("a.medreview.lock").read_text())["closed"] != before


def test_another_study_under_the_same_name_is_not_held_to_the_note(path: Path, tmp_path: Path) -> None:
    with Study.create(tmp_path / "b.medreview") as other:
        build(other, rows)
    shutil.copy(tmp_path / "b.medreview", path)
    assert faults(path) == []
    with Study.open(path, read_only=True) as study, pytest.raises(UserError, match="is not an export"):
        not_as_exported(study, tmp_path)


def test_check_names_each_file_of_an_export_that_was_changed(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "ex"
    with Study.open(path) as study:
        export(study, out, database="all.db")
    asked = ["check", str(path), "--against", str(out)]
    done = in_process(asked, tmp_path, {})
    assert (done.returncode, "every file is as it was exported" in done.stderr) == (0, True)

    for name, was, forged in (("pairs.csv", "supported", "contradicted"), ("labels.csv", "kb", "eve")):
        content = (out / name).read_text()
        assert was in content
        (out / name).write_text(content.replace(was, forged))
    (out / "all.db").unlink()
    done = in_process(asked, tmp_path, {})
    assert (done.returncode, "as it was exported" in done.stderr) == (1, False)
    assert f"pairs.csv of the export {out} was changed after it was written." in done.stderr
    assert f"labels.csv of the export {out} was changed after it was written." in done.stderr
    assert f"all.db of the export {out} is missing." in done.stderr
    assert done.stderr.count(" of the export ") == 3


@pytest.mark.parametrize("name", ["/dev/zero", "../a.medreview"])
def test_a_manifest_names_only_files_of_its_folder(path: Path, tmp_path: Path, name: str) -> None:
    with Study.open(path) as study:
        export(study, tmp_path / "ex")
        manifest = json.loads((tmp_path / "ex" / "manifest.json").read_text())
        manifest["files"][name] = {"sha256": ""}
        (tmp_path / "ex" / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(UserError, match="made by something else"):
            not_as_exported(study, tmp_path / "ex")


@pytest.mark.parametrize("note", ["", "[", "7", '{"closed": 7}', '{"closed": {"study_id": []}}', "[" * 100_000])
def test_a_damaged_note_is_none(path: Path, note: str) -> None:
    path.with_name("a.medreview.lock").write_text(note)
    assert faults(path) == []
    Study.open(path).close()
    assert faults(path) == []


def test_no_flipped_bit_of_a_stored_value_is_unseen(path: Path, tmp_path: Path) -> None:
    luck = random.Random(11)
    study = settled(path)
    for kind, count in ((in_bytes, 30), (in_values, 20), (in_header, 10)):
        counts = trial(study, kind(study, luck, count), tmp_path)
        assert sum(of_table.total() for of_table in counts.values()) == count
        assert {table: dict(of_table) for table, of_table in counts.items() if of_table["unseen"]} == {}


def test_check_answers_as_json_also_of_what_it_cannot_count(path: Path, tmp_path: Path) -> None:
    meddle(path, "UPDATE judgement SET reason = char(27) || '[2J'")
    done = in_process(["check", str(path), "--json"], tmp_path, {})
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"faults": faults(path), "events": 2, "package": None, "seals": []}


@pytest.fixture
def study(study: Study) -> Study:
    build(study, lambda rows: rows.response("r1", "A. B.", statements=["A.", "B."]))
    return study


@pytest.fixture
def memory() -> Iterator[sqlite3.Connection]:
    connection = copy_of(sqlite3.connect(""))
    run_steps(connection, [THINGS])
    yield connection
    connection.close()


THINGS = """
CREATE TABLE row_seal (of_table INTEGER NOT NULL, row_key INTEGER NOT NULL, seal BLOB NOT NULL,
    PRIMARY KEY (of_table, row_key)) STRICT, WITHOUT ROWID;
CREATE TABLE thing (name TEXT, number INTEGER, size REAL, body BLOB, more TEXT UNIQUE,
    twice INTEGER GENERATED ALWAYS AS (number * 2) VIRTUAL, PRIMARY KEY (name, number)) STRICT;
"""


def misfits(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    return [(one.table, one.key) for one in all_misfits(connection)]


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs"])),
            st.integers(-(2**63), 2**63 - 1),
            st.none() | st.floats(allow_nan=False) | st.integers(-9, 9),
            st.none() | st.binary(),
        )
    )
)
def test_what_is_written_fits_its_seal_whatever_it_is(rows: list[tuple[object, ...]]) -> None:
    connection = copy_of(sqlite3.connect(""))
    run_steps(connection, [THINGS])
    for row in rows:
        connection.execute("INSERT OR REPLACE INTO thing VALUES (?, ?, ?, ?, NULL)", row)
    assert all_misfits(connection) == []
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO thing (name, number) VALUES ('a', 1) ON CONFLICT DO UPDATE SET size = 4",
        "INSERT INTO thing (name, number) VALUES ('a', 1), ('c', 3) ON CONFLICT DO NOTHING",
        "INSERT OR IGNORE INTO thing (name, number) VALUES ('a', 1), ('c', 3)",
        "INSERT OR REPLACE INTO thing (name, number, more) VALUES ('c', 3, 'x')",  # takes the place of another row
        "REPLACE INTO thing (name, number) VALUES ('a', 1)",
        "UPDATE thing SET name = 'z' WHERE number = 1",
        "UPDATE thing SET number = number - 1",  # each takes the key of the one before
        "UPDATE OR REPLACE thing SET name = 'b', number = 2 WHERE name = 'a'",
        "UPDATE thing SET size = NULL, body = x'00'",
        "DELETE FROM thing WHERE name = 'a'",
        "DELETE FROM thing",
    ],
)
def test_no_statement_leaves_a_seal_that_does_not_fit(memory: sqlite3.Connection, statement: str) -> None:
    memory.execute("INSERT INTO thing VALUES ('a', 1, 1, NULL, 'x'), ('a', 2, 2, NULL, 'y'), ('b', 2, 2, NULL, 'w')")
    before = [tuple(row) for row in memory.execute("SELECT * FROM thing")]
    memory.execute(statement)
    assert [tuple(row) for row in memory.execute("SELECT * FROM thing")] != before
    assert all_misfits(memory) == []


def test_each_table_has_a_number_and_a_key_of_its_own(study: Study) -> None:
    tables = sealed_tables(study.reader)
    assert len({table.number for table in tables}) == len(tables) > 20
    every = {name for kind, name in new_schema() if kind == "table"}
    assert {table.name for table in tables} == every - {"row_seal"}


def test_a_table_of_another_program_without_a_key_has_no_seals_and_hides_no_fault(study: Study) -> None:
    other = sqlite3.connect(study.path)
    other.executescript("CREATE TABLE more (x TEXT); INSERT INTO more VALUES ('a'), ('a');")
    other.close()
    assert check(study.reader) == ["The table more in this file is not of this program."]
    step = "ALTER TABLE response ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';"
    study.write(
        lambda connection: connection.execute("DELETE FROM row_seal WHERE of_table = ?", (table_number("study"),))
    )
    copied = copy_of(study.reader)
    run_steps(copied, [step])
    assert {table for table, _ in misfits(copied)} == {"study"}
    copied.execute("UPDATE more SET x = 'b'")
    copied.close()


def test_another_program_cannot_write_to_a_study(study: Study) -> None:
    other = sqlite3.connect(study.path)
    for statement in (
        "UPDATE response SET question = ''",
        "DELETE FROM statement",
        "INSERT INTO study VALUES ('a', 'b')",
    ):
        with pytest.raises(sqlite3.OperationalError, match="no such function"):
            other.execute(statement)
    other.close()


def test_what_was_changed_past_the_triggers_is_found_and_stays_so(study: Study) -> None:
    def meddle(connection: sqlite3.Connection) -> None:
        kept = connection.execute("SELECT sql FROM sqlite_schema WHERE name GLOB 'seal_*'").fetchall()
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE name GLOB 'seal_*'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE response SET question = 'How little?'")
        connection.execute("DELETE FROM statement WHERE ordinal = 2")
        connection.execute("INSERT INTO study VALUES ('more', '')")
        for (sql,) in kept:
            connection.execute(sql)

    study.write(meddle)
    wrong = [("response", "r1"), ("statement", ""), ("study", "more")]
    assert misfits(study.reader) == wrong
    # A change by the program itself does not make good what was wrong before.
    study.write(lambda connection: connection.execute("UPDATE response SET dropped = dropped + 1"))
    assert misfits(study.reader) == wrong


def test_a_migration_seals_new_columns_and_tables_and_bakes_no_fault_in(study: Study, tmp_path: Path) -> None:
    path = study.path
    study.close()
    shutil.copy(path, tmp_path / "b.medreview")
    connection = connect(tmp_path / "b.medreview")
    connection.execute("INSERT INTO study VALUES ('more', '')")
    connection.execute("UPDATE row_seal SET seal = x'00' WHERE of_table = ?", (table_number("response"),))
    connection.execute("DELETE FROM row_seal WHERE row_key = (SELECT key_of_row(CAST('more' AS BLOB)))")
    before = all_misfits(connection)
    version = schema_version(connection)

    step = """ALTER TABLE response ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';
        ALTER TABLE response DROP COLUMN dropped; -- a trigger names it
        UPDATE response SET question = question || '!'; DELETE FROM study WHERE key = 'title';
        CREATE TABLE extra (name TEXT PRIMARY KEY) STRICT; INSERT INTO extra VALUES ('x');"""
    run_steps(connection, [step])

    assert schema_version(connection) == version + 1
    assert before == [
        Misfit("response", "r1", before[0].row_key, b"\0"), Misfit("study", "more", before[1].row_key, None)
    ]  # fmt: skip
    assert all_misfits(connection) == before
    connection.execute("UPDATE extra SET name = 'y'")
    assert all_misfits(connection) == before
    connection.execute("DROP TRIGGER seal_update_of_statement")
    connection.execute("UPDATE statement SET text = 'C.' WHERE ordinal = 1")
    assert ("statement", "r1.1") in misfits(connection)
    connection.close()
