"""Looks at what the judges say outside the screens are events: labels given after them count as what they are."""

import json
import sqlite3
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.review.decision import decide_in_script
from medreview.review.looks import note_look
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.unblinding import saw_others
from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
from medreview.study import Study
from medreview.study.audit_frame import listable, undecided_audit
from medreview.study.backup import backup_to
from medreview.study.check import check
from medreview.study.merge import merge
from medreview.study.migrations import NEWEST
from medreview.study.study import write_aside
from tests.support.reference_rows import ReferenceRows
from tests.support.study_builder import build

WHO = "kb"
LATER = "2126-01-01T00:00:00+00:00"


def sit(study: Study, queue: str = "audit", *, blind: bool | None = None) -> ReviewSession:
    return ReviewSession(study, WHO, open_queue(study, queue, WHO, blind=blind))


def looks(study: Study) -> list[str]:
    rows = study.reader.execute("SELECT payload FROM event WHERE kind = 'look' ORDER BY event_id")
    return [json.loads(row[0])["what"] for row in rows]


def modes(study: Study) -> dict[str, str]:
    return {unit: label.group.mode for unit, label in reviewer_labels(study.reader, WHO).items()}


def test_after_an_export_labels_are_assisted_and_after_figures_blind_with_the_totals_named(study: Study) -> None:
    session = sit(study)
    first, second, third, _ = session.queue.units
    session.decide("partial")
    assert undecided_audit(study.reader, WHO) == 3
    note_look(study, WHO, "stats", "totals")
    session.next()
    session.decide("partial")
    note_look(study, WHO, "export", "verdicts")
    session.next()
    assert session.knows_judges
    assert not session.shows_judges
    session.decide("partial")

    assert modes(study) == {first: "blind", second: "blind", third: "assisted"}
    rows = study.reader.execute("SELECT payload FROM event WHERE kind = 'decide' ORDER BY event_id")
    seen = [json.loads(row[0])["exposure"] for row in rows]
    assert [said["judge_totals"] for said in seen] == ["no", "before", "before"]
    assert reviewers(study.reader) == [WHO]


def test_a_list_has_no_judges_of_what_was_decided_blind_until_its_block_is_shown(study: Study) -> None:
    assert listable(study.reader, WHO) is None
    session = sit(study)
    first, *others = session.queue.units
    session.decide("partial")
    assert listable(study.reader, WHO) == frozenset()

    decide_in_script(study, WHO, others[0], "partial")
    assert listable(study.reader, WHO) == {others[0]}
    assert first not in listable(study.reader, WHO)


def test_a_look_at_labels_tells_of_those_that_were_given_before_it(study: Study) -> None:
    first, second, *_ = sit(study).queue.units
    decide_in_script(study, "bo", first, "partial")
    note_look(study, WHO, "stats", "labels")
    decide_in_script(study, "bo", second, "partial")
    assert [saw_others(study.reader, unit, WHO) for unit in (first, second)] == [True, False]


def test_only_a_look_that_tells_something_new_is_an_event(study: Study) -> None:
    for _ in range(2):
        note_look(study, WHO, "stats", "totals")
        note_look(study, WHO, "export", "verdicts")
        note_look(study, WHO, "figures", "totals")
    assert looks(study) == ["stats", "export"]
    build(study, lambda rows: rows.response("r9", statements=["New."], imported_at=LATER))
    session = sit(study, "responses", blind=True)
    session.go(list(session.queue.units).index("r9.1"))
    assert not session.knows_judges  # it was not there yet
    session.previous() or session.next()
    assert session.knows_judges
    build(study, lambda rows: rows.connection.execute("DELETE FROM verdict") and None)
    build(study, lambda rows: rows.connection.execute("DELETE FROM judgement") and None)
    note_look(study, "anna", "export", "verdicts")
    assert looks(study) == ["stats", "export"]  # where no judge has spoken there is nothing to see


def test_references_that_are_found_later_are_told_by_the_next_look(study: Study) -> None:
    note_look(study, WHO, "export", "verdicts")
    note_look(study, WHO, "report", "verdicts")
    assert looks(study) == ["export"]
    response = study.reader.execute("SELECT response_id FROM response LIMIT 1").fetchone()[0]
    ReferenceRows(study).add(response, "not_found", found_at=LATER)
    note_look(study, WHO, "report", "verdicts")

    assert looks(study) == ["export", "report"]


def test_a_look_is_not_undone_and_survives_copies_exports_and_imports(study: Study, tmp_path: Path) -> None:
    backup_to(study.path, tmp_path / "mine.medreview")
    note_look(study, WHO, "export", "verdicts")
    session = sit(study, "responses", blind=True)
    with pytest.raises(UserError, match="nothing of yours to undo"):
        session.undo()
    session.leave()
    export(study, tmp_path / "one")
    export(study, tmp_path / "two")
    assert (tmp_path / "one" / "events.csv").read_bytes() == (tmp_path / "two" / "events.csv").read_bytes()
    with Study.open(tmp_path / "mine.medreview") as mine:
        session = sit(mine, "responses", blind=True)
        session.decide("partial")
        session.leave()
        assert set(modes(mine).values()) == {"blind"}  # this file does not know yet
        merge(mine, study.path)
        assert set(modes(mine).values()) == {"assisted"}
        assert check(mine.reader) == []
    with Study.create(tmp_path / "again.medreview") as again:
        import_export(again, tmp_path / "one")
        assert looks(again) == ["export"]
        assert check(again.reader) == []


def test_a_study_that_is_only_read_takes_the_look_unless_somebody_writes_to_it(study: Study) -> None:
    with Study.open(study.path, read_only=True) as reading:
        told = note_look(reading, WHO, "stats", "totals")
        assert told.startswith(
            "This look at the judges is not recorded in the study (it is open for writing elsewhere)"
        )
        assert told.endswith("that labels given after it are blind cannot be vouched for.")
        unit = reading.reader.execute("SELECT statement_id FROM statement LIMIT 1").fetchone()[0]
        decide_in_script(study, "anna", unit, "supported")
        told = note_look(reading, WHO, "conflicts", "labels")
        assert told.startswith("This look at other reviewers' labels is not recorded")
        assert told.endswith("that labels given after it are independent cannot be vouched for.")
    study.close()
    with Study.open(study.path, read_only=True) as reading:
        assert note_look(reading, WHO, "stats", "totals") == ""
        assert looks(reading) == ["stats"]
        assert check(reading.reader) == []
    with Study.open(study.path) as again:  # the lock is free
        assert looks(again) == ["stats"]


def test_a_file_of_an_earlier_version_is_not_brought_up_to_date_by_a_look(study: Study) -> None:
    path = study.path
    study.close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {NEWEST - 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match="an earlier version made the file"):
        write_aside(path, lambda connection: connection.execute("DELETE FROM study"))
    assert path.read_bytes() == before


def test_what_was_read_with_its_judges_in_a_study_that_cannot_be_written_is_recorded_at_the_end(study: Study) -> None:
    units = list(sit(study, "responses").queue.units)
    study.close()
    with Study.open(study.path, read_only=True) as reading:
        session = sit(reading, "responses")
        session.next()
        assert session.leave() == ""
        blind = sit(reading, "responses", blind=True)
        blind.next()
        assert blind.leave() == ""
    with Study.open(study.path) as opened:
        shown = opened.reader.execute("SELECT unit, mode FROM event WHERE kind = 'shown' AND reviewer = ?", (WHO,))
        assert {tuple(row) for row in shown} == {(units[0], "open"), (units[1], "open")}
        with Study.open(study.path, read_only=True) as reading:
            third = sit(reading, "responses")
            third.go(2)
            assert "cannot be vouched for" in third.leave()
