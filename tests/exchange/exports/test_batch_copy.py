"""A copy for one batch: its units and what they are read beside; it is whole, and comes back by a merge."""

from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.batch_part import batch_part
from medreview.exchange.exports.package import package
from medreview.review.audit import begin
from medreview.review.audit import draw as draw_audit
from medreview.review.batches import assign
from medreview.review.draws import draw, frame_named
from medreview.review.plan_board import plan_board
from medreview.review.queue import open_queue
from medreview.study import Study
from medreview.study.check import check_study
from medreview.study.merge import merge
from medreview.study.package import Part
from medreview.units.registry import KINDS, unit_name
from tests.support.edited_study import S1, cut, material, retired
from tests.support.generated_rows import add_generation
from tests.support.study_builder import StudyBuilder, build, rows_of
from tests.support.unit_study import LABELS, decide, decide_all, fill, units_of

ALL: tuple[Part, ...] = ("judges", "models", "gold", "labels", "notes")


@pytest.mark.parametrize("without", [ALL, ()])
@pytest.mark.parametrize("kind", [kind for kind in LABELS if kind != "suggestion"])
def test_a_batch_of_each_kind_goes_out_alone_and_comes_back(
    study: Study, tmp_path: Path, kind: str, without: tuple[Part, ...]
) -> None:
    fill(study)
    study.write(add_generation)
    axis, *labels = LABELS[kind]
    unit = units_of(study)[kind]
    draw(study, "kb", frame_named(kind), None, name="all")
    assign(study, "kb", "all", ["bo"])
    decide(study, "ada", unit, axis, labels[0])
    (board,) = plan_board(study.reader, study.path, ["ada"])
    assert "hidden from ada while a blind block is open" in board.withheld
    decide_all(study, "ada", 0)
    target = tmp_path / "bo.medreview"
    made = package(study, target, "kb", without=without, made_for="bo", part=batch_part(study, "all", "bo"))
    assert "of the batch 'all' made by kb for bo" in made.words
    with Study.open(target) as copy:
        assert not check_study(copy).faults
        mine = open_queue(copy, "mine", "bo").units
        assert unit in mine
        assert sorted(mine) == sorted(open_queue(study, "mine", "bo").units)
        asks = KINDS.get(kind)
        if asks is not None:
            theirs, ours = asks.load(copy.reader, unit), asks.load(study.reader, unit)
            assert theirs.card == ours.card
            assert [one.text for one in theirs.documents] == [one.text for one in ours.documents]
        # Nothing of other kinds that stand alone.
        stored = {row[0] for row in copy.reader.execute("SELECT DISTINCT kind FROM unit")}
        assert stored <= {kind}
        # Nor of how anything was made, and what models answered.
        assert not any(
            rows_of(copy, f"SELECT * FROM {table}") for table in ("generation_run", "generation", "llm_call")
        )
        decide(copy, "bo", unit, axis, labels[1])
        assert not check_study(copy).faults
        assert unit_name(copy.reader, unit)
    merge(study, target)
    assert not check_study(study).faults
    label = study.reader.execute(
        "SELECT label FROM decision_current WHERE unit = ? AND reviewer = 'bo' AND axis = ?", (unit, axis)
    ).fetchone()
    assert label[0] == labels[1]
    assert merge(study, target).added == 0


def many(rows: StudyBuilder) -> None:
    for place in range(6):
        rows.page(f"u{place}", f"Page {place}.")
        rows.response(
            f"r{place}", cites=[f"u{place}"], statements=[f"S {place} {n}." for n in range(20)], question=f"Q{place}?"
        )
        rows.judgement("one", f"r{place}.1", f"u{place}@1", "supported")


def test_the_copy_for_a_reviewer_has_that_batch_alone_and_draws_no_audit_of_its_own(
    study: Study, tmp_path: Path
) -> None:
    build(study, many)
    begin(study, "kb")
    draw(study, "kb", frame_named("statements"), 90, name="s")
    made = assign(study, "kb", "s", ["ada", "bo"], overlap=0.2)
    decide(study, "ada", made.batches["ada"][0], "evidence", "supported")
    target = tmp_path / "bo.medreview"
    package(study, target, "kb", made_for="bo", part=batch_part(study, "s", "bo"))
    rates = study.reader.execute("SELECT * FROM audit_frame ORDER BY statement_id").fetchall()
    with Study.open(target) as copy:
        begin(copy, "bo")
        held = {row[0] for row in copy.reader.execute("SELECT statement_id FROM statement")}
        assert held == set(made.batches["bo"])
        assert list(open_queue(copy, "mine", "bo").units) == list(made.batches["bo"])
        with pytest.raises(UserError, match="units of the batch 's' alone"):
            draw_audit(copy, "bo", size=10)
        decide(copy, "bo", made.batches["bo"][3], "evidence", "partial")
    merge(study, target)
    assert [tuple(row) for row in study.reader.execute("SELECT * FROM audit_frame ORDER BY statement_id")] == [
        tuple(row) for row in rates
    ]
    assert study.reader.execute("SELECT count(*) FROM decision_current").fetchone()[0] == 2


def test_a_part_of_a_cut_statement_comes_with_what_it_was_cut_from(study: Study, tmp_path: Path) -> None:
    build(study, material)
    first, second = cut(study)
    draw(study, "kb", frame_named("statements"), None, name="s")
    assign(study, "kb", "s", ["ada", "bo"], each=2)
    target = tmp_path / "bo.medreview"
    package(study, target, "kb", made_for="bo", part=batch_part(study, "s", "bo"))
    with Study.open(target) as copy:
        assert not check_study(copy).faults
        assert retired(copy) == retired(study) == {S1: "split"}
        assert {first, second} <= set(open_queue(copy, "mine", "bo").units)


def test_a_batch_that_cannot_be_cut_out_is_refused(study: Study) -> None:
    fill(study)
    draw(study, "kb", frame_named("suggestions"), None)
    draw(study, "kb", frame_named("qa"), None)
    for name, who, why in (
        ("suggestions", "", "go with the whole study"), ("qa", "bo", "bo has no batch of 'qa'"),
        ("x", "", "no draw 'x'"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=why):
            batch_part(study, name, who)
