"""A copy for a colleague holds nothing that would tell, verifies, and what is decided in it comes home."""

import json
import stat
from functools import partial

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.exchange.exports.package import package, parts_named
from medreview.generators.themes import OverrideThemesGenerator
from medreview.review.audit import complete, draw
from medreview.review.queue import open_queue
from medreview.review.queue_kinds import KINDS as KINDS_OF_QUEUE
from medreview.review.repeat_annotation import ready_units, set_share
from medreview.study import Study
from medreview.study.check import check_study
from medreview.study.merge import merge
from medreview.study.own_axes import add_axis, own_axes
from medreview.study.package import PARTS, package_of
from medreview.units.registry import KINDS
from medreview.units.stored import load_gold
from tests.exchange.example_study import ExampleStudy
from tests.judges import renal_study
from tests.support import override_study
from tests.support.embeddings_endpoint import Embeddings, letters, meaning
from tests.support.judge_endpoint import JudgeEndpoint, says
from tests.support.reference_study import STATINS, fill_references
from tests.support.study_builder import rows_of
from tests.support.unit_study import decide, decide_all, do, fill, units_of

SECRETS = (
    "ember",
    "=1+1",
    "my own note",
    "bo's note",
    "It does.",
    "jury split",
    "as it says",
    "overdosed",
    '"label": "severe"',
)


@pytest.fixture
def study(empty_study):
    example = ExampleStudy(empty_study)
    example.fill()
    example.machine()
    fill(empty_study)
    decide_all(empty_study, "ada", 0)
    decide_all(empty_study, "bo", 1)
    do(empty_study, "ada", "note", example.units[0], {"text": "my own note"})
    taken = do(empty_study, "bo", "note", example.units[0], {"text": "bo's note"})
    do(empty_study, "bo", "retract", example.units[0], undoes_event=taken.event_id)
    set_share(empty_study, "ada", "statement", 1.0)
    add_axis(empty_study, "ada", "harm")
    decide(empty_study, "ada", example.units[0], "own.harm", "severe")
    do(empty_study, "ada", "tag", example.units[0], {"tag": "overdosed", "on": True})
    return empty_study


def test_nothing_that_would_tell_is_anywhere_in_the_file_and_it_verifies(study, tmp_path):
    made = package(study, tmp_path / "for-bo.medreview", "ada")
    data = (tmp_path / "for-bo.medreview").read_bytes()
    assert [word for word in SECRETS if word.encode() in data] == []
    assert stat.S_IMODE((tmp_path / "for-bo.medreview").stat().st_mode) == 0o600
    with Study.open(tmp_path / "for-bo.medreview", read_only=True) as copy:
        assert check_study(copy).faults == []
        said = package_of(copy.reader)
        assert said == made
        assert said.without == tuple(PARTS)
        assert [*own_axes(copy.reader)] == ["own.harm"]
        assert copy.meta("study_id") == study.meta("study_id")
        assert [row["kind"] for row in rows_of(copy, "SELECT kind FROM event")] == ["share_rate", "axes"]
        assert made.events == len(rows_of(study, "SELECT 1 FROM event")) - 2
        for table in [row["name"] for row in rows_of(copy, "SELECT name FROM sqlite_schema WHERE type = 'table'")]:
            columns = {row["name"] for row in rows_of(copy, "SELECT name FROM pragma_table_xinfo(?)", table)}
            if columns & {"judge", "judge_run_id", "judgement_id"}:
                assert rows_of(copy, f"SELECT 1 FROM {table}") == [], table
            if "model" in columns:
                assert rows_of(copy, f"SELECT 1 FROM {table} WHERE model <> ''") == [], table
        texts = "SELECT statement_id, text FROM statement ORDER BY statement_id"
        assert rows_of(copy, texts) == rows_of(study, texts)
    assert package_of(study.reader) is None
    with pytest.raises(UserError, match="exists already"):
        package(study, tmp_path / "for-bo.medreview", "ada")


def test_what_is_decided_in_the_copy_comes_home_and_nothing_here_is_lost(study, tmp_path):
    units = units_of(study)
    package(study, tmp_path / "for-zoe.medreview", "ada")
    with Study.open(tmp_path / "for-zoe.medreview") as copy:
        decide_all(copy, "zoe", 0)
    before = rows_of(study, "SELECT * FROM event ORDER BY event_id")
    summary = merge(study, tmp_path / "for-zoe.medreview")
    assert (summary.added, summary.foreign) == (len(units), 0)
    assert rows_of(study, "SELECT * FROM event ORDER BY event_id")[: len(before)] == before
    assert load_gold(study.reader, units["answer"], "hallucination") is not None
    assert check_study(study).faults == []
    assert merge(study, tmp_path / "for-zoe.medreview").added == 0


def test_every_queue_of_a_copy_without_judges_is_blind_also_that_of_what_its_pages_flag(study, tmp_path):
    package(study, tmp_path / "p.medreview", "ada")
    with Study.open(tmp_path / "p.medreview") as copy:
        queues = {kind.name: open_queue(copy, kind.name, "zoe") for kind in KINDS_OF_QUEUE}

    assert {queue.mode for queue in queues.values()} == {"blind"}


def test_the_second_reviewer_knows_what_is_ready_and_not_how_it_was_decided(study, tmp_path):
    package(study, tmp_path / "p.medreview", "ada", made_for="zoe")
    unit = units_of(study)["statement"]
    with Study.open(tmp_path / "p.medreview", read_only=True) as copy:
        assert ready_units(copy.reader, copy.meta("study_id"), "statement", "zoe") == [unit]
        assert rows_of(copy, "SELECT 1 FROM decision_current") == []


def test_the_audit_stays_without_what_its_strata_tell_and_comes_home_unchanged(study, tmp_path):
    draw(study, "ada", rate=0.5, by="model")
    draw(study, "ada", rate=1.0, by="flagged")
    frame = "SELECT * FROM audit_frame ORDER BY statement_id"
    before = rows_of(study, frame)
    assert {row["flagged"] for row in before} <= {0, 1}
    package(study, tmp_path / "p.medreview", "ada", made_for="ada")
    with Study.open(tmp_path / "p.medreview") as copy:
        copy.write(complete)
        assert {(row["stratum"], row["flagged"]) for row in rows_of(copy, frame)} == {("withheld", None)}
        assert rows_of(copy, "SELECT 1 FROM event WHERE kind = 'audit_rate'") == []
        members = "SELECT statement_id FROM audit_item ORDER BY statement_id"
        assert rows_of(copy, members) == rows_of(study, members)
        for by in ("flagged", "model"):
            with pytest.raises(UserError, match="lacks"):
                draw(copy, "bo", rate=1.0, by=by)
        assert check_study(copy).faults == []
    assert b"model ember" not in (tmp_path / "p.medreview").read_bytes()
    merge(study, tmp_path / "p.medreview")
    study.write(complete)
    assert rows_of(study, frame) == before


def test_key_facts_that_others_kept_or_worded_are_not_passed_on_and_ones_own_are(study, tmp_path):
    unit = units_of(study)["suggestion"]
    decide(study, "ada", unit, "suggestion", "edited", said={"text": "Words of ada."})
    package(study, tmp_path / "bo.medreview", "ada", made_for="zoe")
    assert b"Words of ada." not in (tmp_path / "bo.medreview").read_bytes()
    made_of_suggestions = "SELECT added_by FROM key_fact WHERE suggestion <> ''"
    with Study.open(tmp_path / "bo.medreview") as copy:
        assert rows_of(copy, made_of_suggestions) == []
        decide(copy, "zoe", unit, "suggestion", "kept")
        assert [row["added_by"] for row in rows_of(copy, made_of_suggestions)] == ["zoe"]
        package(copy, tmp_path / "again.medreview", "zoe", made_for="zoe")
    with Study.open(tmp_path / "again.medreview", read_only=True) as copy:
        assert [row["added_by"] for row in rows_of(copy, made_of_suggestions)] == ["zoe"]
        assert check_study(copy).faults == []
    merge(study, tmp_path / "bo.medreview")
    assert check_study(study).faults == []


def test_ones_own_stays_and_what_is_not_to_be_left_out(study, tmp_path):
    package(study, tmp_path / "bo.medreview", "ada", made_for="bo")
    package(study, tmp_path / "all.medreview", "ada", without=())
    package(study, tmp_path / "notes.medreview", "ada", without=parts_named("notes, models"))
    with Study.open(tmp_path / "bo.medreview", read_only=True) as copy:
        assert {row["reviewer"] for row in rows_of(copy, "SELECT reviewer FROM decision_current")} == {"bo"}
        assert check_study(copy).faults == []
    with Study.open(tmp_path / "all.medreview", read_only=True) as copy:
        for table in ("event", "opinion", "gold", "judgement", "unit", "verdict"):
            assert rows_of(copy, f"SELECT * FROM {table}") == rows_of(study, f"SELECT * FROM {table}"), table
    with Study.open(tmp_path / "notes.medreview", read_only=True) as copy:
        assert rows_of(copy, "SELECT 1 FROM event WHERE kind IN ('note', 'retract')") == []
        assert len(rows_of(copy, "SELECT 1 FROM decision_current")) == len(
            rows_of(study, "SELECT 1 FROM decision_current")
        )
        assert check_study(copy).faults == []
    with pytest.raises(UserError, match="not a part"):
        parts_named("judges,names")


def test_a_models_words_on_labels_are_not_passed_on_where_labels_or_notes_are_not(tmp_path):
    with Study.create(tmp_path / "o.medreview") as made:
        override_study.fill(made)
        with JudgeEndpoint(says(json.dumps(override_study.THEMES))) as server:
            pipeline.generate(
                made, pipeline.Generating(partial(OverrideThemesGenerator, to=("kb",)), server.settings("writer"))
            )
        title, tables = override_study.DOSES["title"].encode(), ("generation_run", "generation", "llm_call", "llm_sent")
        for without in ("labels", "notes", "labels,judges", "none"):
            copy = tmp_path / f"{without}.medreview"
            package(made, copy, "kb", without=parts_named(without))
            assert (title in copy.read_bytes()) is (without == "none"), without
            with Study.open(copy, read_only=True) as opened:
                assert check_study(opened).faults == []
                rows = [len(rows_of(opened, f"SELECT 1 FROM {table}")) for table in tables]
            assert rows == [int(without == "none")] * 4


def test_every_table_is_passed_on_or_left_out_on_purpose(study, tmp_path):
    package(study, tmp_path / "p.medreview", "ada", without=())
    with Study.open(tmp_path / "p.medreview", read_only=True) as copy:
        names = [row["name"] for row in rows_of(copy, "SELECT name FROM sqlite_schema WHERE type = 'table'")]
        sizes = {name: tuple(len(rows_of(one, f'SELECT 1 FROM "{name}"')) for one in (study, copy)) for name in names}
        differ = {name for name, (here, there) in sizes.items() if here != there}
        assert differ <= {"study", "row_seal", "bookmark", "draft", "saved_filter"}


def test_what_a_model_of_meaning_said_goes_with_the_judges_and_its_vectors_with_no_copy(tmp_path):
    with Study.create(tmp_path / "home.medreview") as made, Embeddings(letters) as server:
        renal_study.fill(
            made, [(renal_study.QUESTION, renal_study.ANSWER, list(renal_study.STATEMENTS.items()))],
            {"p1": renal_study.RENAL, "p2": renal_study.VITAMIN},
        )  # fmt: skip
        name = pipeline.judge(made, meaning=meaning(server)).meaning.model
        scores = rows_of(made, "SELECT statement_id, snapshot_id, unsupported, blended FROM evidence")
        order = rows_of(made, "SELECT statement_id, source_id, turn, opens FROM source_order")
        package(made, tmp_path / "blind.medreview", "ada")
        package(made, tmp_path / "whole.medreview", "ada", without=parts_named("gold"))
        assert rows_of(made, "SELECT 1 FROM passage_vector")

    assert name.encode() not in (tmp_path / "blind.medreview").read_bytes()
    for file in ("blind", "whole"):
        with Study.open(tmp_path / f"{file}.medreview", read_only=True) as copy:
            assert check_study(copy).faults == []
            assert rows_of(copy, "SELECT statement_id, source_id, turn, opens FROM source_order") == order
            found = rows_of(copy, "SELECT statement_id, snapshot_id, unsupported, blended FROM evidence")
            assert found == (scores if file == "whole" else [{**row, "blended": None} for row in scores])
            for table in ("passage_vector", "statement_vector"):
                assert rows_of(copy, f"SELECT 1 FROM {table}") == []


def test_a_package_of_a_package_still_verifies(study, tmp_path):
    package(study, tmp_path / "one.medreview", "ada")
    with Study.open(tmp_path / "one.medreview") as copy:
        decide(copy, "zoe", units_of(copy)["qa"], "relevance", "3")
        package(copy, tmp_path / "two.medreview", "zoe")
    with Study.open(tmp_path / "two.medreview", read_only=True) as copy:
        assert check_study(copy).faults == []
        assert package_of(copy.reader).made_by == "zoe"


def test_of_references_the_records_go_with_the_copy_and_the_verdicts_do_not(tmp_path):
    with Study.create(tmp_path / "home.medreview") as home:
        fill_references(home)
        package(home, tmp_path / "for-bo.medreview", "ada")
        package(home, tmp_path / "all.medreview", "ada", without=parts_named("labels"))
        checks = "SELECT verdict, result FROM reference_check ORDER BY reference_id"
        with Study.open(tmp_path / "for-bo.medreview") as copy:
            assert check_study(copy).faults == []
            rows = rows_of(copy, checks)
            assert [row["verdict"] for row in rows] == [None] * 4
            assert STATINS.title in rows[2]["result"]
            assert "belongs to another work" not in rows[2]["result"]
            view = KINDS["reference"].load(copy.reader, "reference:f3")
            assert any(STATINS.title in document.text for document in view.documents)
            assert KINDS["reference"].machines(copy.reader, "reference:f3").opinions == ()
            assert list(KINDS["reference"].machine_ratings(copy.reader)) == []
            decide(copy, "bo", "reference:f3", "reference", "other_work")
        with Study.open(tmp_path / "all.medreview", read_only=True) as whole:
            assert rows_of(whole, checks) == rows_of(home, checks)
        assert merge(home, tmp_path / "for-bo.medreview").added == 1
        assert [row["verdict"] for row in rows_of(home, checks)] == ["match", "mismatch", "other_work", "not_found"]
