"""Edits of two reviewers, in copies, in exports, in whatever order they meet."""

import csv
import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.review.audit import complete, draw
from medreview.review.decision import Act, last_act, last_undone
from medreview.review.span_editing import SpanEdit
from medreview.review.statement_editing import (
    edit_conflicts,
    exclude_event,
    join_event,
    split_event,
    statements_in_order,
)
from medreview.statements.left_out import left_out, promotion
from medreview.study import Study
from medreview.study.counts import load_counts
from medreview.study.events import NewEvent, Recorder
from medreview.study.incoming import event_fault
from medreview.study.merge import merge
from medreview.study.statement_edits import all_edits, fold
from medreview.units.statement_view import load_statement_view
from tests.support.edited_study import (
    ANSWER,
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
from tests.support.study_builder import rows_of


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with edited_study(tmp_path / "one.medreview") as made:
        yield made


def test_a_promotion_is_taken_back_and_what_was_left_out_is_so_again(study: Study) -> None:
    pipeline.roll_up(study)
    part = next(part for part in left_out(study.reader) if part.text == "Hello!")
    before = [part.text for part in left_out(study.reader)]
    (made,) = pipeline.promote(study, "ada", [part.left_out_id]).statements
    assert "Hello!" not in [part.text for part in left_out(study.reader)]
    sitting = session(study)
    sitting.go(list(sitting.queue.units).index(made))
    sitting.undo()
    assert made not in sitting.queue.units
    assert [part.text for part in left_out(study.reader)] == before
    sitting.redo()
    assert sitting.unit == made
    assert "Hello!" not in [part.text for part in left_out(study.reader)]
    whole(study)


def test_of_two_reviewers_edits_the_first_stands_in_whatever_order_copies_meet(study: Study, tmp_path: Path) -> None:
    draw(study, "ada", rate=1.0)
    path = copies(study, tmp_path)
    parts = cut(study)
    with Study.open(path) as other:
        (joined,) = edit(other, join_event(other.reader, S1), "zoe")
        session(other, "audit", "zoe").note("said of both")
        rest = edit(other, exclude_event(other.reader, S4), "zoe")
    third = tmp_path / "three.medreview"
    shutil.copy(path, third)
    assert rest == []
    assert pipeline.merge(study, path).added > 0
    with Study.open(third) as other:
        pipeline.merge(other, study.path)
        pipeline.merge(study, third)
        for each in (study, other):
            assert statements_in_order(each.reader, "r1") == [*parts, S2, S3]
            assert retired(each) == {S1: "split", joined: "undone", S4: "exclude"}
            (edits,) = all_edits(each.reader).values()
            ((lost, before),) = fold(edits).conflicts
            assert edit_conflicts(each.reader) == [
                "R01 S1, joined with the next by zoe, is not: R01 S1 was cut in two by ada first."
            ]
            assert (lost.kind, lost.reviewer, before and before.kind) == ("join", "zoe", "split")
            whole(each)
        query = "SELECT statement_id, ordinal, in_place_of FROM statement ORDER BY statement_id"
        assert rows_of(study, query) == rows_of(other, query)
        query = "SELECT * FROM audit_frame ORDER BY statement_id"
        assert rows_of(study, query) == rows_of(other, query)
    session(study, "audit").undo()  # ada's cut: zoe's joining stands now
    assert statements_in_order(study.reader, "r1") == [joined, S3]
    whole(study)


def test_the_same_edit_in_two_copies_is_one_and_no_conflict(study: Study, tmp_path: Path) -> None:
    path = copies(study, tmp_path)
    parts = cut(study)
    with Study.open(path) as other:
        assert cut(other, who="zoe") == parts
    merge(study, path)
    (edits,) = all_edits(study.reader).values()
    assert fold(edits).conflicts == ()
    session(study).undo()
    assert statements_in_order(study.reader, "r1")[:2] == parts
    whole(study)


def test_an_export_names_what_is_retired_and_comes_in_again_the_same(study: Study, tmp_path: Path) -> None:
    sitting = session(study)
    sitting.decide("partial")
    first, second = cut(study)
    edit(study, exclude_event(study.reader, S3))
    session(study).decide("supported")
    export(study, tmp_path / "out")
    with (tmp_path / "out" / "statements.csv").open(newline="") as file:
        told = {row["statement_id"]: (row["retired"], row["retired_by"] != "") for row in csv.DictReader(file)}
    assert told[S1] == ("split", True)
    assert told[S3] == ("exclude", True)
    assert told[first] == ("", False)
    with (tmp_path / "out" / "labels.csv").open(newline="") as file:
        labels = {row["unit_id"]: (row["verdict_final"], row["retired"]) for row in csv.DictReader(file)}
    excluded = labels.pop(S3, ("", "exclude"))
    assert excluded == ("", "exclude")
    assert labels == {S1: ("partial", "split"), first: ("supported", "")}
    with Study.create(tmp_path / "new.medreview") as new:
        import_export(new, tmp_path / "out")
        assert texts(new) == texts(study)
        assert names(new) == names(study)
        assert retired(new) == retired(study)
        assert load_counts(new.reader, "ada") == load_counts(study.reader, "ada")
        whole(new)
        sitting = session(new)
        sitting.undo()
        sitting.undo()
        assert second in statements_in_order(new.reader, "r1")
        assert S3 in statements_in_order(new.reader, "r1")
        whole(new)


def test_a_span_has_its_newest_ends_in_the_export_and_in_the_copy_that_is_made_of_it(
    study: Study, tmp_path: Path
) -> None:
    sitting = session(study)
    sitting.decide_also("hallucination", "fact")
    start = ANSWER.index("fever")
    sitting.add_span("response", SpanEdit(ANSWER, start, start + len("fever")))
    (mine,) = sitting.own.spans
    sitting.resize_span(mine, SpanEdit(ANSWER, ANSWER.index("lowers"), start + len("fever")))
    export(study, tmp_path / "out")
    with (tmp_path / "out" / "spans.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["span_id"], row["exact"], row["stale"]) == (mine.event_id, "lowers fever", "0")
    with Study.create(tmp_path / "new.medreview") as new:
        import_export(new, tmp_path / "out")
        again = session(new)
        assert [span.exact for span in again.own.spans] == ["lowers fever"]
        again.undo()
        assert [span.exact for span in again.own.spans] == ["fever"]
        whole(new)


def test_a_move_that_does_not_hold_its_words_is_refused_from_a_copy(study: Study, tmp_path: Path) -> None:
    path = copies(study, tmp_path)
    with Study.open(path) as other:
        sitting = session(other, who="zoe")
        sitting.add_span("response", SpanEdit(ANSWER, 7, 14))
        moved = {"span": sitting.own.spans[0].event_id, "start": 7, "end": 14, "exact": "lowered", "sha256": ""}
        recorder = Recorder("zoe")
        event = NewEvent("span_move", S1, moved)
        other.write(lambda c: recorder.append(c, event, block="responses", mode="open"))
    with pytest.raises(UserError, match="does not hold the text"):
        merge(study, path)


def test_what_two_reviewers_say_of_a_retired_statement_is_no_conflict(study: Study) -> None:
    pair = f"pair:{S1}:u1"
    for who, label in (("ada", "supported"), ("zoe", "contradicted")):
        recorder = Recorder(who)
        for unit in (S1, pair):
            event = NewEvent("decide", unit, {"axis": "evidence", "label": label})
            study.write(lambda c, r=recorder, e=event: r.append(c, e, block="responses", mode="open"))  # type: ignore[misc]
    differing = "SELECT unit FROM conflict ORDER BY unit"
    decided = "SELECT DISTINCT unit FROM standing ORDER BY unit"
    both = [{"unit": pair}, {"unit": S1}]
    assert rows_of(study, differing) == rows_of(study, decided) == both
    cut(study)
    assert rows_of(study, differing) == rows_of(study, decided) == []
    session(study).undo()
    assert rows_of(study, differing) == rows_of(study, decided) == both


@pytest.mark.parametrize("seed", range(6))
def test_copies_that_are_edited_and_taken_back_at_random_come_to_the_same(
    study: Study, tmp_path: Path, seed: int
) -> None:
    pipeline.roll_up(study)
    draw(study, "ada", rate=0.5)
    rng = random.Random(seed)
    path = copies(study, tmp_path)
    with Study.open(path) as other:
        for _ in range(14):
            for each, who in ((study, "ada"), (other, "zoe")):
                random_act(each, who, rng)
                if rng.random() < 0.2:
                    merge(each, other.path if each is study else study.path)
                    each.write(complete)
        for one, from_other in ((study, other), (other, study), (study, other)):
            merge(one, from_other.path)
            one.write(complete)
        for query in (
            "SELECT statement_id, ordinal, in_place_of, text FROM statement ORDER BY statement_id",
            "SELECT * FROM retired_statement ORDER BY statement_id",
            "SELECT * FROM audit_frame ORDER BY statement_id",
            'SELECT response_id, "start", "end", reason FROM left_out ORDER BY 1, 2',
        ):
            assert rows_of(study, query) == rows_of(other, query)
        assert names(study) == names(other)
        whole(study)
        whole(other)


def random_act(study: Study, who: str, rng: random.Random) -> None:
    """One edit that can be made here, or the last one taken back or done again."""
    reader, recorder = study.reader, Recorder(who)
    unit = rng.choice(statements_in_order(reader, "r1") or [S1])
    text = load_statement_view(reader, unit).text
    out = [part.left_out_id for part in left_out(reader)]
    acts: dict[str, Callable[[], NewEvent | None]] = {
        "split": lambda: split_event(reader, unit, rng.randrange(len(text) + 1)),
        "join": lambda: join_event(reader, unit),
        "exclude": lambda: exclude_event(reader, unit),
        "promote": lambda: promotion(reader, rng.choice(out)) if out else None,
        "undo": lambda: taken_back(last_act(reader, who, 1)),
        "redo": lambda: taken_back(last_undone(reader, who, 1)),
    }
    try:
        event = acts[rng.choice([*acts, "split", "join"])]()
    except UserError:
        return
    if event is not None:
        study.write(lambda c: recorder.append(c, event, block="responses", mode="open"))


def taken_back(act: Act | None) -> NewEvent | None:
    return NewEvent("retract", act.unit, undoes_event=act.target) if act else None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"statements": "r1"}, "is not a list"),
        ({"statements": [S2]}, "do not begin with the unit"),
        ({"statements": [S1, S2]}, "not as many as the kind has"),
        ({"made": []}, "not as many as the kind has"),
        ({"made": ["a", "b"]}, "holds no statement"),
        ({"made": [{"statement": "a", "text": "b", "parts": [[5, 3]]}] * 2}, "are not ranges"),
        ({"made": [{"statement": "a", "text": "b", "parts": [[0, "x"]]}] * 2}, "are not ranges"),
        ({"response": 7}, "response is not a text"),
    ],
)
def test_an_edit_that_no_program_wrote_is_refused(study: Study, change: dict[str, object], why: str) -> None:
    cut(study)
    (event,) = rows_of(study, "SELECT * FROM event WHERE kind = 'split'")
    assert event_fault(event, {"split"}) == ""
    payload = json.dumps({**json.loads(event["payload"]), **change})
    assert why in event_fault({**event, "payload": payload}, {"split"})
