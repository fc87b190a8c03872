"""Statements are cut, joined and excluded: what becomes of them, of their labels, and of every figure."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.judges.offline_stage import pairs_waiting
from medreview.judges.tasks.registry import task_for
from medreview.judges.verdict_fingerprint import is_current
from medreview.llm.settings import JudgeSettings
from medreview.review.audit import draw
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.resuming import draft_places, unlisted_drafts
from medreview.review.statement_editing import exclude_event, join_event, split_event, statements_in_order
from medreview.statements.left_out import left_out
from medreview.statements.own_citations import own_citations
from medreview.stats.reports.study_reader import judged_responses
from medreview.study import Study
from medreview.study.audit_frame import strata
from medreview.study.check import check
from medreview.study.counts import load_counts
from medreview.study.events import NewEvent
from medreview.study.statement_edits import statement_id_of
from medreview.units.statement_view import load_statement_view
from tests.support.edited_study import (
    BOTH,
    R2,
    S1,
    S2,
    S3,
    S4,
    copies,
    cut,
    edit,
    edited_study,
    names,
    retired,
    session,
    texts,
    whole,
)
from tests.support.study_builder import StudyBuilder, build, rows_of


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with edited_study(tmp_path / "one.medreview") as made:
        yield made


def test_what_is_cut_is_two_statements_in_its_place_judged_like_all_others(study: Study) -> None:
    first, second = cut(study)

    assert texts(study) == ["Aspirin lowers fever [1]", "and ibuprofen harms the kidneys.", "Rest helps.",
                            "Parking is free.", "Take 5 mg daily."]  # fmt: skip
    assert names(study) == ["S1a", "S1b", "S2", "S3", "S4"]
    assert load_statement_view(study.reader, first).siblings == 5
    assert [load_statement_view(study.reader, unit).judgements[0].judge for unit in (first, second)] == ["offline"] * 2
    assert retired(study) == {S1: "split"}
    assert pairs_waiting(study.reader) == 0
    assert is_current(study.reader)
    assert list(open_queue(study, "responses", "ada").units)[:3] == [first, second, S2]
    again = cut(study, second, "the kid")
    assert names(study)[:3] == ["S1a", "S1ba", "S1bb"]
    assert statements_in_order(study.reader, "r1")[1:3] == again
    whole(study)


def test_every_reader_of_the_study_means_the_statements_that_stand(study: Study) -> None:
    before = load_counts(study.reader, "ada")
    first, second = cut(study)
    edit(study, exclude_event(study.reader, S3))

    counts = load_counts(study.reader, "ada")
    assert (before.total, counts.total, overview(study, "ada").statements) == (5, 5, 5)
    (one, _) = judged_responses(study.reader)
    assert {each.statement_id for each in one.statements} == {first, second, S2, S4}
    waiting = {row["statement_id"] for row in rows_of(study, "SELECT statement_id FROM judged_pair")}
    assert waiting == {first, second, S2, S4, R2}
    assert [part.reason for part in left_out(study.reader) if part.text == "Parking is free."] == ["not_medical"]
    whole(study)


def test_joined_statements_are_one_and_what_was_cut_is_whole_again_when_joined(study: Study) -> None:

    def by_a_table(rows: StudyBuilder) -> None:
        """Each of two statements is judged by a source of its own."""
        for unit in (S2, S3):
            rows.page(f"only {unit}", "A page.")
            rows.add("listed_pair", statement_id=unit, source_id=f"only {unit}")

    build(study, by_a_table)
    (both,) = edit(study, join_event(study.reader, S2))
    listed = study.reader.execute("SELECT source_id FROM listed_pair WHERE statement_id = ?", (both,)).fetchall()
    assert {row[0] for row in listed} == {f"only {S2}", f"only {S3}"}
    assert texts(study)[1:3] == ["Rest helps. Parking is free.", "Take 5 mg daily."]
    assert names(study) == ["S1", "S2+3", "S4"]
    assert retired(study) == {S2: "join", S3: "join"}
    first, _ = cut(study, both, "Parking")
    assert edit(study, join_event(study.reader, first)) == [both]
    assert names(study) == ["S1", "S2+3", "S4"]
    with pytest.raises(UserError, match="last statement of its response"):
        join_event(study.reader, S4)
    first, second = cut(study)
    assert edit(study, join_event(study.reader, first)) == [S1]
    assert texts(study)[0] == BOTH
    assert retired(study)[second] == "join"
    whole(study)


def test_statements_apart_are_joined_in_several_ranges_and_reworded_ones_by_their_words(study: Study) -> None:
    edit(study, exclude_event(study.reader, S3))
    (joined,) = edit(study, join_event(study.reader, S2))
    view = load_statement_view(study.reader, joined)
    assert view.text == "Rest helps. Take 5 mg daily."
    assert view.span is None
    assert len(view.places) == 2
    _first, second = cut(study, joined, "Take")
    assert load_statement_view(study.reader, second).span is not None
    one, other = cut(study, R2, "and at")
    assert texts(study, "r2") == ["It was said otherwise,", "and at length."]
    assert edit(study, join_event(study.reader, one)) == [R2]
    assert retired(study)[other] == "join"
    for place in (0, 10_000):
        with pytest.raises(UserError, match="leaves words on both sides"):
            split_event(study.reader, S1, place)
    with pytest.raises(UserError, match="may have been cut"):
        split_event(study.reader, S3, 4)
    whole(study)


def test_undo_takes_an_edit_back_after_a_restart_and_labels_stand_with_their_statement(study: Study) -> None:
    sitting = session(study)
    sitting.decide("partial")
    first, second = cut(study)
    sitting = session(study)
    assert sitting.unit == first
    assert sitting.own.saw_judges
    assert sitting.counts.decided == 0
    sitting.decide("supported")
    assert sitting.counts.decided == 1
    assert sitting.counts.total == 6
    sitting.undo()
    sitting.undo()
    assert (sitting.unit, sitting.counts.decided, sitting.counts.total) == (S1, 1, 5)
    assert "undone: cut before “and ibuprofen harms the…”" in sitting.receipt
    assert retired(study) == {first: "undone", second: "undone"}
    assert texts(study)[0] == BOTH
    sitting = session(study)
    sitting.redo()
    assert (sitting.unit, sitting.counts.decided, sitting.counts.total) == (first, 0, 6)
    whole(study)


def test_a_member_of_the_audit_stays_one_in_its_parts_and_leaves_it_when_it_is_excluded(study: Study) -> None:
    draw(study, "ada", rate=0.5)
    before = {row["statement_id"]: row for row in rows_of(study, "SELECT * FROM audit_frame")}
    parts = cut(study)
    (joined,) = edit(study, join_event(study.reader, S2))
    edit(study, exclude_event(study.reader, S4))
    frame = {row["statement_id"]: row for row in rows_of(study, "SELECT * FROM audit_frame")}
    for unit, origin in ((parts[0], S1), (parts[1], S1), (joined, S2)):
        assert {**frame[unit], "statement_id": origin} == before[origin]
    (stratum,) = strata(study.reader)
    assert stratum.statements == 4 == load_counts(study.reader, "ada").total
    members = {row["statement_id"] for row in rows_of(study, "SELECT statement_id FROM audit_item")}
    assert members == {unit for unit, row in frame.items() if row["number"] < 0.5} - retired(study).keys()
    draw(study, "ada", rate=1.0)
    assert {row["rate"] for row in rows_of(study, "SELECT rate FROM audit_frame")} == {1.0}


def test_a_member_drawn_after_it_was_cut_has_the_number_that_it_would_have_had(study: Study, tmp_path: Path) -> None:
    path = copies(study, tmp_path)
    draw(study, "ada", rate=0.5)
    with Study.open(path) as other:
        parts = cut(other)
        draw(other, "ada", rate=0.5)
        query = "SELECT number FROM audit_frame WHERE statement_id = ?"
        (number,) = rows_of(study, query, S1)
        assert [rows_of(other, query, part) for part in parts] == [[number], [number]]


def test_what_was_decided_blind_and_then_cut_keeps_no_block_open(study: Study) -> None:
    draw(study, "ada", rate=1.0)
    sitting = session(study, "audit")
    unit = sitting.unit
    sitting.decide("supported")
    text = load_statement_view(study.reader, unit).text
    event = split_event(study.reader, unit, text.index(" ") + 1)
    receipt = pipeline.edit(study, "ada", [event], queue=sitting.queue, mode="blind").receipt
    sitting.reopen(receipt, "cut", [one["statement"] for one in event.payload["made"]])
    assert sitting.mode == "blind"
    assert not sitting.own.saw_judges
    assert unit not in sitting.queue.units
    assert rows_of(study, "SELECT * FROM kept_blind") == []
    sitting.decide("partial")
    assert [row["label"] for row in rows_of(study, "SELECT label FROM standing")] == ["partial"]


def test_a_cut_of_another_program_is_refused_with_what_is_wrong(study: Study) -> None:
    event = split_event(study.reader, S1, 25)
    made = json.loads(json.dumps(event.payload))
    made["made"][0]["text"] = "Aspirin cures"
    with pytest.raises(ValueError, match="do not hold the text"):
        edit(study, NewEvent("split", S1, made))
    assert retired(study) == {}


def test_the_check_finds_what_is_retired_otherwise_than_the_record_says(study: Study) -> None:
    cut(study)
    study.write(lambda c: c.execute("DELETE FROM retired_statement"))
    assert check(study.reader) == [f"Statement {S1} is retired by the record of its edits, and stands."]
    study.write(lambda c: c.execute("INSERT INTO retired_statement VALUES (?, 'exclude', 'x')", (S2,)))
    assert f"Statement {S2} is not retired as the record of its edits says." in check(study.reader)


def test_a_part_that_ends_within_a_sentence_cites_what_stands_behind_the_sentence(tmp_path: Path) -> None:
    text = "Aspirin lowers fever and thins blood, and may bleed [1][2] but rarely does so [3]. Rest. It helps [1]."
    parts = [text[: text.index(" Rest")], text[text.index("Rest") :]]
    with Study.create(tmp_path / "cited.medreview") as study:

        def answer(to: StudyBuilder) -> None:
            for source in ("u1", "u2", "u3"):
                to.page(source, "Aspirin lowers fever.", f"https://{source}.example/")
            listed = json.dumps([f"https://{source}.example/" for source in ("u1", "u2", "u3")])
            to.response("r1", text, cites=["u1", "u2", "u3"], listed=listed)
            for part in parts:
                to.statement("r1", part, statement_id_of("r1", text.index(part), part))

        build(study, answer)
        pipeline.judge(study, processes=0)
        unit, other = statements_in_order(study.reader, "r1")
        first, second = cut(study, unit, "but rarely")
        one, two = cut(study, first, "and thins")
        whole_sentence, rest = cut(study, other, "It helps")
        numbers = {each: own_citations(study.reader, each).numbers for each in (unit, one, two, second)}
        assert numbers == {unit: (1, 2, 3), one: (1, 2), two: (1, 2), second: (3,)}
        assert own_citations(study.reader, whole_sentence).numbers == ()
        assert own_citations(study.reader, rest).numbers == (1,)


def test_what_was_excluded_becomes_a_statement_again_and_has_its_label(study: Study) -> None:
    edit(study, join_event(study.reader, S3))
    session(study).undo()
    sitting = session(study)
    sitting.go(list(sitting.queue.units).index(S3))
    sitting.decide("not_addressed")
    sitting.note_typed("begun")
    sitting.drafts.keep()
    edit(study, exclude_event(study.reader, S3))
    assert (draft_places(study, "ada"), unlisted_drafts(study, "ada")) == ((), 0)
    (part,) = (part for part in left_out(study.reader) if part.reason == "not_medical")
    assert pipeline.promote(study, "ada", [part.left_out_id]).statements == [S3]
    assert retired(study).keys() & {S3} == set()
    assert session(study).label_of(S3) == "not_addressed"
    assert [place.name for place in draft_places(study, "ada")] == ["R01 S3"]
    assert not [part for part in left_out(study.reader) if part.reason == "not_medical"]
    session(study).undo()
    assert retired(study)[S3] == "exclude"
    whole(study)


def test_what_models_said_of_the_whole_is_no_word_on_its_parts(study: Study) -> None:
    quote = "Aspirin lowers fever in adults."
    build(study, lambda to: to.judgement("gpt", S1, "u1@1", "supported", quote))
    build(study, lambda to: to.judgement("gpt", S2, "u1@1", "not_addressed"))
    pipeline.roll_up(study)
    parts = cut(study)

    for part in parts:
        view = load_statement_view(study.reader, part)
        assert [said.judge for said in view.judgements] == ["offline"]
    told = {
        row["statement_id"]: row["by_rules"] for row in rows_of(study, "SELECT statement_id, by_rules FROM verdict")
    }
    assert [told[part] for part in parts] == [1, 1]
    assert told[S2] == 0
    settings = JudgeSettings("gpt", "gpt-model", "http://127.0.0.1:9/v1")
    waiting = {ids[1] for ids in task_for(study, settings, "source_verification").waiting()}
    assert waiting == {*parts, S2, S3, S4, R2}
    session(study).undo()
    assert [said.judge for said in load_statement_view(study.reader, S1).judgements] == ["gpt", "offline"]
