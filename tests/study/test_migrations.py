"""A study that an earlier version made: opened, brought up to date, and everything in it as it was."""

import csv
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.generators.answer_rankings import RankingDraw, make_rankings
from medreview.llm.costs import Requests, requests_sent
from medreview.review.audit import complete, draw, release, reserved
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.comparison import Comparison
from medreview.stats.study_figures import study_figures
from medreview.study import Study, migrations
from medreview.study.backup import backup_folder
from medreview.study.check import check, check_study
from medreview.study.connection import connect
from medreview.study.merge import merge
from medreview.study.migrations import NEWEST, run_steps, schema_version
from medreview.study.own_axes import add_axis
from medreview.study.row_seals import all_misfits, register
from tests.support import asked_items
from tests.support.commands import MEDREVIEW
from tests.support.terminal import Terminal

KEPT = Path(__file__).parent / "kept"

# By the rule of today a blind label is one before which nothing of the judges was seen; the first version's labels.csv
# told how the queue was shown, and counted changes by that.
BLIND = {("anna", "Lactic"), ("anna", "Norepinephrine"), ("anna", "Saline"), ("kb", "Norepinephrine"), ("kb", "Saline")}
CHANGED = {("kb", "Saline")}
RESTATED = {"export_version", "mode", "changed_after_reveal", "audit_position", "audit_seed"}


def kept(folder: Path, version: int) -> Path:
    """A copy of the study that a file version has left."""
    return Path(shutil.copy(KEPT / f"schema_{version}.sqlite", folder / "older.medreview"))


@pytest.fixture
def older(tmp_path: Path) -> Path:
    return kept(tmp_path, 1)


def rows(study: Study, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in study.reader.execute(query)]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def figures(reader: sqlite3.Connection) -> dict[str, Any]:
    """What the kept figures hold, of the program of today. Between reviewers these are the blind first labels; the
    others are told apart by more kinds today."""

    def tables(comparisons: Iterable[Comparison]) -> list[list[Any]]:
        return [[c.first, c.second, c.scale, c.n, dict(c.dropped), [list(row) for row in c.table]] for c in comparisons]

    found = study_figures(reader, resampling=Resampling(replicates=99))
    reviewers: dict[str, Any] = {}
    for one in found.reviewers:
        names = ("total", "decided", "deferred", "open", "disagreements", "changed_after_reveal", "hallucinations")
        groups = {g.title: {"labels": g.labels, "comparisons": tables(g.comparisons)} for g in one.agreement}
        reviewers[one.reviewer] = {"progress": {name: getattr(one.progress, name) for name in names}, "groups": groups}
    return {
        "reviewers": reviewers,
        "between_reviewers": tables(one for one in found.between_reviewers if one.labels_of == "first_blind"),
        "between_judges": tables(found.between_judges.pairs),
    }


def assert_as_before(study: Study, folder: Path) -> None:
    assert check_study(study).faults == []
    kept = json.loads((KEPT / "schema_1_figures.json").read_text())
    blind = [one for one in kept["between_reviewers"] if one[0].endswith(" (blind)")]
    kept["between_reviewers"] = [[*(name.removesuffix(" (blind)") for name in one[:2]), *one[2:]] for one in blind]
    assert figures(study.reader) == kept
    export(study, folder)
    for before in (KEPT / "schema_1_export").glob("*.csv"):
        if before.name == "codebook.csv":
            continue
        old, new = table(before), table(folder / before.name)
        unchanged = [name for name in (old[0] if old else ()) if name not in RESTATED]
        assert [[row[name] for name in unchanged] for row in new] == [[row[name] for name in unchanged] for row in old]
    rows = [row for row in table(folder / "labels.csv") if row["verdict_first"]]
    named = [((row["reviewer_id"], row["statement_text"].split()[0]), row) for row in rows]
    assert {name for name, row in named if row["mode"] == "blind"} == BLIND
    assert {name for name, row in named if row["changed_after_reveal"] == "1"} == CHANGED
    assert len(rows) == 11


def test_an_older_study_is_brought_up_to_date_and_says_what_it_said(older: Path, tmp_path: Path) -> None:
    with Study.open(older) as study:
        assert schema_version(study.reader) == NEWEST
        assert_as_before(study, tmp_path / "labels")
    (copy,) = backup_folder(older).iterdir()
    connection = sqlite3.connect(copy)
    assert schema_version(connection) == 1  # for the version that made it
    connection.close()


def test_whoever_opens_an_older_study_at_a_terminal_is_told_why_it_takes_longer(older: Path) -> None:
    with Terminal([*MEDREVIEW, "stats", older.name], 100, cwd=older.parent) as told:
        told.finish()
        assert b"made older.medreview. A copy of it is updated for this" in told.output


def test_an_older_study_is_read_without_being_changed(older: Path, tmp_path: Path) -> None:
    before = older.read_bytes()
    os.chmod(older, 0o400)
    with Study.open(older, read_only=True) as study:
        assert_as_before(study, tmp_path / "labels")
        with pytest.raises(UserError, match="reading only"):
            study.write(lambda connection: None)

    assert older.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels", "older.medreview"]


def test_a_temporary_copy_is_sealed_only_for_who_asks_for_seals(older: Path, tmp_path: Path) -> None:
    with Study.open(older, read_only=True) as study:
        seals = study.reader.execute("SELECT count(*) FROM row_seal")
        assert seals.fetchone()[0] == 0
        assert check_study(study).faults == []
        assert all_misfits(study.sealed()) == []
    shutil.copy(older, tmp_path / "newer.medreview")
    with Study.open(tmp_path / "newer.medreview") as newer:
        assert all_misfits(newer.sealed()) == []
        assert merge(newer, older).added == 0


SCHEMA = "SELECT type, name, sql FROM sqlite_schema"


@pytest.mark.parametrize("version", range(1, NEWEST))
def test_an_older_study_becomes_just_what_a_new_one_is(version: int, tmp_path: Path, study: Study) -> None:
    with Study.open(kept(tmp_path, version)) as opened:
        assert set(rows(opened, SCHEMA)) == set(rows(study, SCHEMA))


def test_a_review_goes_on_where_the_older_version_left_it(older: Path) -> None:
    with Study.open(older) as study:
        session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
        session.undo()
        assert "undone: deferred" in session.receipt
        session.redo()
        session.decide("supported")
        assert session.counts == (10, 8, 0, 2)
        assert check(study.reader) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from medreview.study.connection import connect
from medreview.study.migrations import migrate
connection = connect(Path(sys.argv[1]))
connection.set_trace_callback(lambda sql: sys.argv[2] in sql and os.kill(os.getpid(), signal.SIGKILL))
migrate(connection)
"""


@pytest.mark.parametrize("at", ["CREATE VIEW snapshot_superseded", "CREATE VIEW standing_differing", "COMMIT"])
def test_a_kill_while_it_is_brought_up_to_date_leaves_it_whole(older: Path, tmp_path: Path, at: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(older), at], check=False, timeout=120)

    assert done.returncode == -signal.SIGKILL
    connection = sqlite3.connect(older)
    assert schema_version(connection) == 1
    connection.close()
    with Study.open(older) as study:
        assert_as_before(study, tmp_path / "labels")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_of_a_newer_version_is_refused_in_a_sentence_and_left_alone(older: Path, read_only: bool) -> None:
    connection = sqlite3.connect(older)
    connection.execute(f"PRAGMA user_version = {NEWEST + 1}")
    connection.close()
    before = older.read_bytes()

    with pytest.raises(UserError, match=f"newer medreview .file version {NEWEST + 1}.*install the newer one"):
        Study.open(older, read_only=read_only)
    assert older.read_bytes() == before


def test_a_colleague_with_an_older_file_can_be_merged(older: Path, tmp_path: Path) -> None:
    shutil.copy(older, tmp_path / "mine.medreview")
    with Study.open(tmp_path / "mine.medreview") as study:
        summary = merge(study, older)
        assert (summary.added, summary.known, summary.foreign) == (0, 52, 0)


def test_an_older_export_is_imported_with_the_same_labels(tmp_path: Path) -> None:
    with Study.create(tmp_path / "new.medreview") as study:
        import_export(study, KEPT / "schema_1_export")
        labels = study.reader.execute(
            """SELECT l.reviewer, s.text, l.mode FROM reviewer_label AS l JOIN statement AS s
               ON s.statement_id = l.unit"""
        ).fetchall()
    assert {(who, text.split()[0]) for who, text, mode in labels if mode == "blind"} == BLIND
    assert len(labels) == 11


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    return kept(tmp_path, 2)


LABELS = "SELECT reviewer, pass, unit, mode, label, event_id, block, current, changed_after_reveal FROM reviewer_label"


def test_an_audit_drawn_as_a_list_keeps_its_members_their_order_and_their_labels(drawn: Path) -> None:
    older = sqlite3.connect(drawn)
    members = [row[0] for row in older.execute("SELECT statement_id FROM audit_item ORDER BY position")]
    labels = set(older.execute(LABELS))
    (rate,) = older.execute("SELECT DISTINCT inclusion_prob FROM audit_item").fetchone()
    older.close()
    assert (len(members), rate, len(labels)) == (60, 60 / 72, 16)

    with Study.open(drawn) as study:
        assert check(study.reader) == []
        assert open_queue(study, "audit", "kb").units == members
        assert {tuple(row) for row in study.reader.execute(LABELS)} == labels
        frame = study.reader.execute("SELECT statement_id, number, stratum, rate FROM audit_frame").fetchall()
        assert len(frame) == 72
        assert {(row["stratum"], row["rate"]) for row in frame} == {("all", rate)}
        assert {row["statement_id"] for row in frame if row["number"] < rate} == set(members)
        assert all(0 <= row["number"] < 1 for row in frame)
        assert draw(study, "kb", size=60).event_id is None
        assert draw(study, "kb", size=66).members == 66
        assert members == [unit for unit in open_queue(study, "audit", "kb").units if unit in members]


def test_an_older_export_gives_the_same_audit_as_the_study_it_was_made_of(older: Path, tmp_path: Path) -> None:
    query = "SELECT * FROM audit_frame ORDER BY statement_id"
    with Study.open(older) as study, Study.create(tmp_path / "new.medreview") as new:
        import_export(new, KEPT / "schema_1_export")
        frame = rows(study, query)
        assert rows(new, query) == frame
        assert len(frame) == 10


def test_an_export_carries_the_audit_to_a_new_study_and_to_a_copy(drawn: Path, tmp_path: Path) -> None:
    query = "SELECT * FROM audit_frame ORDER BY statement_id"
    shutil.copy(drawn, tmp_path / "copy.medreview")
    with Study.open(drawn) as study:
        draw(study, "kb", size=66)
        release(study, "anna")
        export(study, tmp_path / "labels")
        frame = rows(study, query)
    with Study.create(tmp_path / "new.medreview") as new, Study.open(tmp_path / "copy.medreview") as copy:
        for other in (new, copy):
            assert import_export(other, tmp_path / "labels").foreign == 0
            assert rows(other, query) == frame
            assert reserved(other.reader, "anna") == set()
            assert check(other.reader) == []


EVENTS = "SELECT * FROM event ORDER BY seq"


def test_a_study_of_file_version_3_opens_with_all_that_it_said(tmp_path: Path) -> None:
    path = kept(tmp_path, 3)
    with closing(sqlite3.connect(path)) as before:
        events = before.execute(EVENTS).fetchall()
    with Study.open(path) as study:
        assert schema_version(study.reader) == NEWEST
        assert [row[: len(events[0])] for row in rows(study, EVENTS)] == events
        assert check(study.reader) == []
        kinds = dict(study.reader.execute("SELECT kind, count(*) FROM event GROUP BY kind").fetchall())
        assert {"promote": 1, "audit_rate": 1, "look": 1, "defer": 1}.items() <= kinds.items()
        assert study.reader.execute("SELECT count(*) FROM audit_item").fetchone()[0] == 22


def test_what_was_asked_before_requests_were_counted_is_sent_and_nothing_of_it_lost(tmp_path: Path) -> None:
    path = kept(tmp_path, 3)
    with closing(sqlite3.connect(path)) as older, older:
        for key, status, rung, tries in (("a", "ok", "plain", 2), ("b", "error", "plain", 4), ("c", "ok", "", 1)):
            answer = (key, "near", "m", "h", "t", "p", "2026", status, rung, tries, 0, None, None, 9, None, "", "{}")
            older.execute(f"INSERT INTO llm_call VALUES ({', '.join('?' * len(answer))})", answer)

    with Study.open(path) as study:
        assert requests_sent(study.reader) == requests_sent(study.reader, "near", "m", "h", "t") == Requests(6, 1, 5)
        assert Requests(6, 1, 5).lost == 0
        assert check(study.reader) == []


def test_an_audit_by_flag_of_file_version_3_keeps_its_strata_and_rates(tmp_path: Path) -> None:
    path = kept(tmp_path, 3)
    older = sqlite3.connect(path)
    payload = '{"by": "flagged", "rates": {"flagged": 0.9, "not flagged": 0.1}, "rest": 0.2}'
    names = [row[1] for row in older.execute("PRAGMA table_info(event)") if row[1] != "seq"]
    older.execute(f"CREATE TEMPORARY TABLE one AS SELECT {', '.join(names)} FROM event WHERE kind = 'audit_rate'")
    older.execute("UPDATE one SET event_id = '7ZZZ', hash = 'x', payload = ?", (payload,))
    older.execute(f"INSERT INTO event ({', '.join(names)}) SELECT {', '.join(names)} FROM one")
    older.execute("UPDATE audit_frame SET stratum = 'flagged', rate = 0.9 WHERE number < 0.3")
    older.commit()
    query = "SELECT statement_id, number, stratum, rate FROM audit_frame ORDER BY statement_id"
    before = older.execute(query).fetchall()
    older.close()
    with Study.open(path) as study:
        study.write(complete)
        assert rows(study, query) == before
        states = study.reader.execute("SELECT DISTINCT stratum, flagged FROM audit_frame ORDER BY stratum").fetchall()
        assert [tuple(row) for row in states] == [("all", 0), ("flagged", 1)]


SAID = {
    "event": "SELECT event_id, hash, payload FROM event ORDER BY seq",
    "standing": "SELECT reviewer, pass, unit, state, label, event_id FROM standing ORDER BY 1, 3",
    "blind": "SELECT * FROM kept_blind ORDER BY reviewer, unit",
    "labels": "SELECT reviewer, unit, mode, label, event_id, block, current FROM reviewer_label ORDER BY 1, 2",
    "seen": "SELECT * FROM judges_seen ORDER BY reviewer, unit",
}
ALSO_SAID = {
    4: {"draft": "SELECT * FROM draft"},
    5: {
        "gold": "SELECT * FROM gold ORDER BY unit",
        "units": "SELECT * FROM unit ORDER BY unit_id",
        "conflicts": "SELECT * FROM conflict",
        "facts": "SELECT * FROM case_fact",
    },
    6: {
        "generated": "SELECT * FROM generation_current",
        "products": "SELECT * FROM generation_product",
        "attempts": "SELECT * FROM generation_attempt",
        "passages": "SELECT * FROM passage_feature",
        "batches": "SELECT * FROM batch_job",
        "invalid": "SELECT record_id, invalid FROM response WHERE invalid <> ''",
        "pinned": "SELECT * FROM study WHERE key GLOB 'pinned_figures/*'",
    },
    7: {
        "references": "SELECT * FROM reference ORDER BY reference_id",
        "checks": "SELECT * FROM reference_check",
        "flags": "SELECT * FROM source_reference ORDER BY 1, 2",
        "evidence": "SELECT statement_id, snapshot_id, engine, unsupported, highlights, lexical, clashes FROM evidence "
        "ORDER BY 1, 2",
        "order": "SELECT statement_id, source_id, unsupported, turn, opens FROM source_order ORDER BY 1, 2",
    },
    8: {
        "first": "SELECT reviewer, pass, unit, axis, label, event_id FROM decision_first ORDER BY event_id",
        "counted": "SELECT * FROM axis_label ORDER BY reviewer, unit, axis",
        "read": "SELECT reviewer, unit, event_id FROM judges_read ORDER BY 1, 2, 3",
    },
    13: {
        "together": "SELECT merged_judgement_id, raw_label, verdict, quotes, raw_output FROM merged_judgement",
        "alone": "SELECT judgement_id, verdict, supported, quotes, opposes, missing FROM judgement ORDER BY 1",
    },
    14: {"signs": "SELECT statement_id, snapshot_id, signs, lacking FROM evidence ORDER BY 1, 2"},
}


@contextmanager
def opened_with_all(folder: Path, version: int, queries: Mapping[str, str]) -> Iterator[Study]:
    """The kept study of a file version, open; every query says what it said before."""
    path = kept(folder, version)
    with closing(sqlite3.connect(path)) as older:
        before = {name: [tuple(row) for row in older.execute(query)] for name, query in queries.items()}
    assert all(before.values())
    with Study.open(path) as study:
        assert schema_version(study.reader) == NEWEST
        assert {name: rows(study, query) for name, query in queries.items()} == before
        yield study


@pytest.mark.parametrize("version", ALSO_SAID)
def test_a_study_of_an_earlier_file_version_opens_with_all_that_it_said(version: int, tmp_path: Path) -> None:
    with opened_with_all(tmp_path, version, SAID | ALSO_SAID[version]) as study:
        assert check(study.reader) == []


def test_a_response_without_a_text_is_known_as_such_after_the_upgrade(tmp_path: Path) -> None:
    path = kept(tmp_path, 5)
    with Study.open(path) as study:
        found = study.reader.execute("SELECT record_id, invalid FROM response WHERE invalid <> ''").fetchall()
        assert [tuple(row) for row in found] == [("E01", "empty")]


@pytest.mark.parametrize(("version", "acts", "standing"), [(1, 1, 1), (7, 0, 0), (8, 2, 1)])
def test_what_was_put_off_is_what_stands_as_deferred(version: int, acts: int, standing: int, tmp_path: Path) -> None:
    with Study.open(kept(tmp_path, version)) as study:
        ask = study.reader.execute
        put_off = ask("SELECT reviewer, pass, unit FROM put_off ORDER BY 1, 3").fetchall()
        deferred = "SELECT reviewer, pass, unit FROM standing WHERE state = 'deferred' ORDER BY 1, 3"
        assert put_off == ask(deferred).fetchall()
        assert (ask("SELECT count(*) FROM event WHERE kind = 'defer'").fetchone()[0], len(put_off)) == (acts, standing)


OF_VIEWS_ALONE = ("0009_quick_labels.sql", "0010_flags_and_two_way_labels.sql")


def test_a_step_of_views_alone_leaves_seals_as_they_are_and_a_row_that_did_not_fit_is_still_found(
    tmp_path: Path,
) -> None:
    path = kept(tmp_path, 8)
    with closing(sqlite3.connect(path)) as older, older:
        (trigger,) = older.execute("SELECT sql FROM sqlite_schema WHERE name = 'seal_update_of_response'").fetchone()
        older.execute("PRAGMA writable_schema = ON")
        older.execute("DELETE FROM sqlite_schema WHERE name = 'seal_update_of_response'")
    with closing(sqlite3.connect(path)) as older, older:
        register(older)
        older.execute("UPDATE response SET model = 'another' WHERE record_id = 'R2'")
        seals = older.execute("SELECT * FROM row_seal ORDER BY 1, 2").fetchall()
        older.execute(trigger)

    folder = Path(migrations.__file__).parent
    with closing(connect(path)) as connection:
        run_steps(connection, [(folder / name).read_text() for name in OF_VIEWS_ALONE])
        assert list(map(tuple, connection.execute("SELECT * FROM row_seal ORDER BY 1, 2"))) == seals
    with Study.open(path) as study, Study.create(tmp_path / "new.medreview") as new:
        assert [one.table for one in all_misfits(study.sealed())] == ["response"]
        assert set(rows(study, SCHEMA)) == set(rows(new, SCHEMA))


def test_a_study_of_file_version_9_has_the_conflicts_that_were_not_seen_and_keeps_the_one_that_was_settled(
    tmp_path: Path,
) -> None:
    path = kept(tmp_path, 9)
    with closing(sqlite3.connect(path)) as older:
        before = older.execute("SELECT unit, axis FROM conflict").fetchall()
        settled = older.execute("SELECT * FROM adjudicated").fetchall()
        events = older.execute(EVENTS).fetchall()
    with Study.open(path) as study:
        assert schema_version(study.reader) == NEWEST
        assert rows(study, EVENTS) == events
        assert rows(study, "SELECT * FROM adjudicated") == settled
        now = Counter(row[1] for row in study.reader.execute("SELECT unit, axis FROM conflict"))
        assert now - Counter(axis for _, axis in before) == Counter({"support": 2, "dispute": 2, "feedback": 1})
        assert check_study(study).faults == []
        assert all_misfits(study.sealed()) == []


def test_a_study_of_file_version_11_opens_with_its_labels_and_takes_axes_and_tags(tmp_path: Path) -> None:
    compared = {"compared": "SELECT * FROM compared_label ORDER BY event_id, axis"}
    with opened_with_all(tmp_path, 11, SAID | compared) as study:
        add_axis(study, "kb", "harm")
        session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
        session.label("harm", "mild")
        session.tag("dose")
        assert check_study(study).faults == []
        assert all_misfits(study.sealed()) == []


def test_a_study_of_file_version_12_opens_with_its_labels_and_takes_a_draw_of_rankings(tmp_path: Path) -> None:
    with opened_with_all(tmp_path, 12, SAID) as study:
        asked_items.fill(study, 7)
        asked_items.answer_by_rule(study, {"large": asked_items.Rule(1.0), "small": asked_items.Rule(0.5)})
        done = make_rankings(study, "kb", RankingDraw(("large", "small"), items=4))
        assert (done.drawn, done.new) == (4, 4)
        assert check_study(study).faults == []
        assert all_misfits(study.sealed()) == []
