"""What `check` finds, and in which words."""

import json
import random
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.files.export_folder import not_as_exported
from medreview.study import Study
from medreview.study.backup import backup_to
from medreview.study.check import MOST, check_study
from medreview.study.connection import connect
from medreview.study.events import COLUMNS, NewEvent, Recorder, event_hash
from tests.bench.flipped_bits import in_bytes, in_header, in_values, settled, trial
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
    assert json.loads(done.stdout) == {"faults": faults(path), "events": 2, "package": None}
