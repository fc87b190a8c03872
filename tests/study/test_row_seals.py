"""Seals: every stored value is under a hash, whatever is written, and by which statement."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.study import Study
from medreview.study.check import check
from medreview.study.connection import connect, copy_of
from medreview.study.migrations import new_schema, run_steps, schema_version
from medreview.study.row_seals import Misfit, all_misfits, sealed_tables, table_number
from tests.support.study_builder import build


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "a.medreview") as opened:
        build(opened, lambda rows: rows.response("r1", "A. B.", statements=["A.", "B."]))
        yield opened


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
