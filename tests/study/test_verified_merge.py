"""Whatever is wrong with a colleague's file, nothing of it comes in."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.references.model import Reference, reference_of
from medreview.sources.ocr_pages import Doubtful, OcrPage, add_ocr_pages, ocr_pages
from medreview.study import Study
from medreview.study.check import check, check_study
from medreview.study.connection import connect
from medreview.study.events import COLUMNS, NewEvent, Recorder, event_hash
from medreview.study.merge import merge
from medreview.study.statement_edits import statement_id_of
from medreview.text import Span, sha256
from tests.study.flipped_bits import logical
from tests.support.meddling import meddle
from tests.support.reference_study import CHECKS, PRINTED, add_reference, fill_references
from tests.support.study_builder import StudyBuilder, build, new_version, rows_of
from tests.support.unit_study import decide

KEPT = Path(__file__).parent / "kept"
READ = OcrPage(1, Span(0, 23), 0.94, "an engine 1", (Doubtful(5, 7, 0.5),))
"""How the page of the second study was read."""


def rows(to: StudyBuilder) -> None:
    to.page("u1", "Take 5 mg. Never more.")
    to.response("r1", "Take 5 mg. Never more. Ask.", statements=["Take 5 mg.", "Never more."], cites=["u1"])
    for unit, number in (("r1.1", 0.25), ("r1.2", 0.75)):
        to.add("audit_frame", statement_id=unit, number=number, stratum="all", rate=0.5)


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two copies of a study; in the second the page reads otherwise, and there are events on it."""
    ours, theirs = tmp_path / "ours.medreview", tmp_path / "theirs.medreview"
    with Study.create(ours) as study:
        build(study, rows)
    shutil.copy(ours, theirs)
    with Study.open(theirs) as study:
        new_version(study, "u1", "Take 50 mg. Never more.", outline="[[0, 11, 1]]")
        study.write(lambda connection: add_ocr_pages(connection, "u1@2", [READ]))
        span = {"axis": "hallucination", "label": "fact", "target": "source", "start": 5, "end": 10, "exact": "50 mg"}
        part = {"response": "r1", "start": 23, "end": 27, "text": "Ask."}
        recorder = Recorder("anna")
        for event in (
            NewEvent("decide", "r1.1", {"axis": "evidence", "label": "contradicted"}, "u1@2"),
            NewEvent("span_add", "r1.1", span, "u1@2"),
            NewEvent("promote", statement_id_of("r1", 23, "Ask."), part),
            NewEvent("note", "r1.2", {"text": "see above"}),
        ):
            study.write(lambda c, event=event: recorder.append(c, event, block="flagged", mode="open"))  # type: ignore[misc]
    return ours, theirs


def refused(ours: Path, theirs: Path) -> str:
    """Why nothing came in."""
    Study.open(ours).close()  # of an earlier version until now, perhaps
    before = logical(ours)
    with Study.open(ours) as study, pytest.raises(UserError) as error:
        merge(study, theirs)
    assert logical(ours) == before
    return str(error.value)


def test_what_is_whole_comes_in_whole(two: tuple[Path, Path]) -> None:
    ours, theirs = two
    with Study.open(ours) as study:
        assert merge(study, theirs).added == 4
        assert check(study.reader) == []
        assert study.reader.execute("SELECT text FROM snapshot WHERE version = 2").fetchone()[0].startswith("Take 50")
        assert ocr_pages(study.reader, "u1@2") == (READ,)


@pytest.mark.parametrize(
    ("statement", "seals", "says"),
    [
        (
            "UPDATE snapshot SET text = 'Take 5 g.' WHERE version = 2",
            True,
            "Of the page u1@2 its text does not fit its",
        ),
        ("UPDATE snapshot SET body = x'00' WHERE version = 2", True, "Of the page u1@2 its page does not fit its hash"),
        (
            "UPDATE snapshot SET page_state = 'fine' WHERE version = 2",
            True,
            "its page state is unknown to this program",
        ),
        ("UPDATE snapshot SET outline = '[[0, 99, 1]]' WHERE version = 2", True, "its outline is not a list of such"),
        (
            "UPDATE snapshot SET full_text = 'Take 5 g.' WHERE version = 2",
            False,
            "The row u1@2 of snapshot was changed",
        ),
        ("UPDATE snapshot SET title = CAST(x'ff' AS TEXT) WHERE version = 2", False, "The row u1@2 of snapshot was"),
        (
            "UPDATE snapshot_ocr SET doubtful = '[[5, 99, 0.5]]'",
            True,
            "Of the page u1@2 what it says of a page that was",
        ),
        ("UPDATE snapshot_ocr SET confidence = 0.99", False, "The row u1@2 1 of snapshot_ocr was changed"),
        ("UPDATE event SET reviewer = 'bo' WHERE seq = 4", True, "record of decisions does not verify"),
        ("UPDATE event SET reviewer = CAST(x'ff' AS TEXT) WHERE seq = 4", False, "The row 4 of event was changed"),
        ("DELETE FROM event WHERE seq = 4", False, "A row of event is missing"),
        ("UPDATE event SET seq = 9 WHERE seq = 4", False, "The row 9 of event was put there by another program"),
        ("UPDATE audit_frame SET rate = 0.9", False, "The row r1.1 of audit_frame was changed"),
        ("UPDATE audit_frame SET number = 7", True, "its audit number is not in [0, 1)"),
        (
            "UPDATE study SET value = value || 'x' WHERE key = 'study_id'",
            False,
            "The row study_id of study was changed",
        ),
    ],
)
def test_a_fault_keeps_everything_out(two: tuple[Path, Path], statement: str, seals: bool, says: str) -> None:
    meddle(two[1], statement, seals=seals)
    assert says in refused(*two)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"payload": json.dumps({"axis": "evidence", "label": "fine"})}, "label is unknown to this program"),
        ({"payload": json.dumps({"axis": 7, "label": "supported"})}, "axis is unknown to this program"),
        ({"payload": "[]"}, "its payload is not a table of values"),
        ({"payload": json.dumps({"axis": "evidence", "label": "supported", "n": 2**70})}, "more than 64 bits"),
        ({"payload": '{"axis": "evidence", "label": "supported", "x": "\\ud800"}'}, "half a character"),
        ({"kind": "retract"}, "nothing says which event it takes back"),
        ({"kind": "reason"}, "code is unknown to this program"),
        ({"kind": "note"}, "text is not a text"),
        ({"kind": "guideline", "payload": '{"text": "a", "sha256": "b"}'}, "the text does not fit its hash"),
        ({"kind": "guideline_read"}, "sha256 is not a text"),
        ({"kind": "declare", "payload": '{"field": "ethics", "text": 1}'}, "text is not a text"),
        ({"kind": "sent_anyway", "payload": '{"texts": [1]}'}, "texts are not a list of hashes"),
        ({"kind": "seal", "payload": '{"text": "", "sealed": "", "signature": ""}'}, "text is not what a seal has"),
        ({"kind": "background", "payload": '{"role": "", "specialty": "", "words": "", "years": "x"}'}, "years is no"),
        ({"kind": "pass_rate", "payload": '{"seed": "", "share": 2, "after_days": 1}'}, "share is not between 0 and 1"),
        ({"kind": "pass_rate", "payload": '{"seed": "", "share": 1, "after_days": -1}'}, "after_days is not a number"),
        ({"kind": "gold_told", "payload": '{"labels": [{"unit": "r1.1", "axis": "evidence"}]}'}, "label is unknown"),
        ({"at_utc": "yesterday"}, "its at_utc is not a time"),
        ({"event_id": "z"}, "its event_id is not a ULID"),
        ({"pass": 0}, "its pass is not a number from 1"),
        (
            {"kind": "promote", "payload": json.dumps({"response": "r1", "start": 0, "end": 4, "text": "Nope"})},
            "does not",
        ),
        (
            {"kind": "span_add", "payload": json.dumps({
                "target": "response", "label": "fact", "start": 0, "end": 4, "exact": "Nope"})},
            "a span in it is not of the text",
        ),
    ],
)  # fmt: skip
def test_an_event_that_fits_its_hash_and_nothing_else_keeps_everything_out(
    two: tuple[Path, Path], change: dict[str, object], says: str
) -> None:
    """As a program could write it that knows how hashes and seals are made."""
    with closing(connect(two[1])) as connection:
        row = dict(connection.execute("SELECT * FROM event WHERE seq = 1").fetchone()) | change
        (head,) = connection.execute("SELECT hash FROM event WHERE seq = 4").fetchone()
        row |= {"previous_hash": head} | ({} if "event_id" in change else {"event_id": "7" + str(row["event_id"])[1:]})
        row["hash"] = event_hash({name: row[name] for name in COLUMNS})
        names = (*COLUMNS, "hash")
        connection.execute("INSERT OR IGNORE INTO event_kind VALUES (?)", (row["kind"],))
        connection.execute(
            f"INSERT INTO event ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
            [row[name] for name in names],
        )
    assert says in refused(*two)


def test_an_event_that_both_know_otherwise_is_refused(two: tuple[Path, Path]) -> None:
    ours, theirs = two
    shutil.copy(theirs, ours)
    with closing(connect(theirs)) as connection:
        row = dict(connection.execute("SELECT * FROM event WHERE seq = 4").fetchone())
    row["payload"] = '{"text": "see below"}'
    digest = event_hash({name: row[name] for name in COLUMNS})
    meddle(theirs, f"UPDATE event SET payload = '{row['payload']}', hash = '{digest}' WHERE seq = 4", seals=True)
    assert "is another one in this study" in refused(ours, theirs)


def test_a_view_is_not_taken_for_a_table(two: tuple[Path, Path]) -> None:
    with closing(connect(two[1])) as connection:
        connection.execute("DROP TABLE audit_frame")
        connection.execute(
            "CREATE VIEW audit_frame AS SELECT 'r1.1' AS statement_id, 0.5 AS number, '' AS stratum, 1 AS rate"
        )
    assert "another schema than medreview makes: table audit_frame" in refused(*two)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_file_of_an_earlier_version_is_held_to_the_hashes_it_has(version: int, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.medreview", tmp_path / "theirs.medreview"
    for path in (ours, theirs):
        shutil.copy(KEPT / f"schema_{version}.sqlite", path)
    meddle(theirs, f"UPDATE event SET hash = '{sha256('x')}' WHERE seq = 1", seals=True)
    assert "does not verify" in refused(ours, theirs)


def test_a_decision_on_a_reference_that_is_not_found_here_brings_its_words_and_not_their_reading(
    tmp_path: Path,
) -> None:
    mine, theirs = tmp_path / "mine.medreview", tmp_path / "theirs.medreview"
    with Study.create(mine) as study:
        fill_references(study)
        build(study, lambda rows: add_reference(rows, "f5", "r1", Reference("[1]", 45, 48, "inline"), CHECKS[3]))
    shutil.copy(mine, theirs)
    meddle(mine, "DELETE FROM reference_check WHERE reference_id IN ('f4', 'f5')", seals=True)
    meddle(mine, "DELETE FROM reference WHERE reference_id IN ('f4', 'f5')", seals=True)
    meddle(mine, "DELETE FROM reference_source WHERE reference_id = 'f4'", seals=True)
    with Study.open(theirs) as study:
        decide(study, "bo", "reference:f4", "reference", "not_found")
        decide(study, "bo", "reference:f3", "reference", "other_work")
    with Study.open(mine) as study:
        assert merge(study, theirs).added == 2
        assert check_study(study).faults == []
        rows = {row["reference_id"]: row for row in rows_of(study, "SELECT * FROM reference")}
        assert rows.keys() == {"f1", "f2", "f3", "f4"}, "only what was decided on"
        assert reference_of(json.loads(rows["f4"]["reading"])).text == PRINTED[3]
        assert "f4" not in {row["reference_id"] for row in rows_of(study, "SELECT * FROM reference_current")}
        assert {row["reference_id"] for row in rows_of(study, "SELECT * FROM reference_check")} == {"f1", "f2", "f3"}
        labels = {row["unit"]: row["label"] for row in rows_of(study, "SELECT unit, label FROM reviewer_label")}
        assert labels == {"reference:f3": "other_work", "reference:f4": "not_found"}
        assert merge(study, theirs).added == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("start_cp = 3", "does not hold the text"),
        ("start_cp = NULL", "a start or an end alone"),
        ("text = 'A reference.'", "does not fit its hash"),
        ("standing = 'above'", "CHECK constraint failed"),
    ],
)
def test_a_reference_that_is_not_as_it_should_be_does_not_come_in(tmp_path: Path, change: str, why: str) -> None:
    mine, theirs = tmp_path / "mine.medreview", tmp_path / "theirs.medreview"
    with Study.create(mine) as study:
        fill_references(study)
    shutil.copy(mine, theirs)
    for table in ("reference_check", "reference_source", "reference"):
        meddle(mine, f"DELETE FROM {table} WHERE reference_id = 'f4'", seals=True)
    with Study.open(theirs) as study:
        decide(study, "bo", "reference:f4", "reference", "not_found")
    meddle(theirs, f"UPDATE reference SET {change} WHERE reference_id = 'f4'", seals=True)
    with Study.open(mine) as study:
        with pytest.raises(UserError, match=why):
            merge(study, theirs)
        assert rows_of(study, "SELECT * FROM event") == []
