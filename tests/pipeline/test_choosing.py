"""Models are asked about a part of a study: what is cited, labelled, in the audit, flagged; by a filter; by a draw."""

from dataclasses import replace

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.judges.tasks.registry import tasks_of
from medreview.judges.tasks.task import draw
from medreview.pipeline import Choice, Judges, judge_by, plan_for
from medreview.review.audit import draw as draw_audit
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.judges.renal_study import RENAL, VITAMIN, part_of
from tests.support.judge_endpoint import NOT_ADDRESSED, JudgeEndpoint, by_prompt
from tests.support.study_builder import StudyBuilder, build, rows_of

TEXTS = {
    "r1": (
        "Metformin is not started below an eGFR of 30 (https://u1.example/).",
        "It can lower vitamin B12 (https://u2.example/).",
        "It may be continued at any eGFR.",
    ),
    "r2": (
        "Measure vitamin B12 when the feet are numb (https://u2.example/).",
        "Review the dose below an eGFR of 45.",
    ),
}
"""The third statement, a planted error, and the last one cite nothing themselves."""


@pytest.fixture
def study(study: Study) -> Study:
    """Five statements of two responses, each response citing both pages: ten pairs."""

    def rows(rows: StudyBuilder) -> None:
        rows.page("u1", RENAL, snapshot_id="p1")
        rows.page("u2", VITAMIN, snapshot_id="p2")
        for (response, texts), model in zip(TEXTS.items(), ("atlas-2", "ember"), strict=True):
            rows.response(response, " ".join(texts), statements=texts, cites=["u1", "u2"], model=model)

    build(study, rows)
    pipeline.roll_up(study)
    return study


@pytest.fixture
def model():
    with JudgeEndpoint(by_prompt(lambda _: NOT_ADDRESSED)) as endpoint:
        yield endpoint


def asked(study: Study, model: JudgeEndpoint, limit: int | None = None, **choice) -> set[tuple[str, str]]:
    """The pairs that a judge is asked about now: (statement, page). The plan counts the same."""
    judges = Judges([model.settings()], choice=Choice(**choice))
    (plan,) = plan_for(study, judges, limit=limit)
    before = judged(study)
    judge_by(study, judges, limit=limit)
    new = judged(study) - before
    assert plan.units == plan.estimate.calls == len(new)
    return new


def judged(study: Study) -> set[tuple[str, str]]:
    query = "SELECT statement_id, snapshot_id FROM judgement JOIN judge_run USING (judge_run_id) WHERE kind = 'llm'"
    return {(row["statement_id"], row["snapshot_id"]) for row in rows_of(study, query)}


def decide(study: Study, unit: str, reviewer: str = "kb") -> None:
    event = NewEvent("decide", unit, {"axis": "evidence", "label": "supported"})
    study.write(lambda db: Recorder(reviewer).append(db, event, block="test", mode="blind"))


def test_only_pairs_of_which_the_statement_cites_the_source_itself(study, model):
    assert asked(study, model, cited_only=True) == {("r1.1", "p1"), ("r1.2", "p2"), ("r2.1", "p2")}
    assert {part_of(prompt, "statement") for prompt in model.prompts} == {*TEXTS["r1"][:2], TEXTS["r2"][0]}
    assert asked(study, model, cited_only=True) == set()
    assert len(asked(study, model)) == 7, "the others wait as before"


def test_a_filter_of_queues_chooses_statements(study, model):
    assert asked(study, model, where="model=ember B12") == {("r2.1", "p1"), ("r2.1", "p2")}


def test_all_that_is_chosen_must_hold(study, model):
    decide(study, "r1.1")
    decide(study, "r2.2")

    assert asked(study, model, only=["labelled"], where="model=atlas-2", cited_only=True) == {("r1.1", "p1")}
    assert asked(study, model, only=["labelled"]) == {("r1.1", "p2"), ("r2.2", "p1"), ("r2.2", "p2")}


def test_a_labelled_pair_alone_is_asked_about(study, model):
    decide(study, "pair:r1.3:u2")
    decide(study, "pair:r2.1:u1")

    assert asked(study, model, only=["labelled"], where="model=atlas-2") == {("r1.3", "p2")}
    assert asked(study, model, only=["labelled"]) == {("r2.1", "p1")}


def test_members_of_the_audit(study, model):
    draw_audit(study, "kb", size=2)
    members = {row["statement_id"] for row in rows_of(study, "SELECT statement_id FROM audit_item")}

    assert {statement for statement, _ in asked(study, model, only=["audit"])} == members


def test_what_is_flagged(study, model):
    build(study, lambda rows: rows.judgement("elsewhere", "r1.3", "p1", "contradicted", "eGFR is below 30"))
    pipeline.roll_up(study)

    assert asked(study, model, only="flagged") == {("r1.3", "p1"), ("r1.3", "p2")}


def test_a_task_on_responses_is_asked_about_those_with_a_chosen_statement(study, model):
    decide(study, "answer:r2")
    judges = Judges([model.settings()], "hallucination_detection")

    def waiting(**choice):
        (task,) = replace(judges, choice=Choice(**choice)).tasks(study)
        return task.asked_about()

    assert waiting(where="continued") == [("r1",)]
    assert waiting(only=["labelled"]) == [("r2",)]
    assert waiting() == [("r1",), ("r2",)]
    with pytest.raises(UserError, match=r"hallucination_detection does not ask about pairs .* leave --cited-only out"):
        waiting(cited_only=True)


def test_a_draw_goes_on_where_it_was_left_and_grows(study, model):
    (task,) = Judges([model.settings()], choice=Choice(seed=7)).tasks(study)
    drawn = {(statement, page) for page, statement in task.asked_about(limit=4)}
    assert sorted(page for _, page in drawn) == ["p1", "p1", "p2", "p2"], "two statements, each with all of its pairs"
    words = dict(study.reader.execute("SELECT statement_id, text FROM statement").fetchall())
    before = asked(study, model, where=f"'{words[min(drawn)[0]]}'")

    assert asked(study, model, 4, seed=7) == drawn - before, "what was answered before is a part of the draw"
    assert asked(study, model, 4, seed=7) == set()
    assert len(asked(study, model, 6, seed=7)) == 2

    draws = {
        frozenset(task.asked_about(limit=4, again=True))
        for seed in range(30)
        for task in Judges([model.settings("other")], choice=Choice(seed=seed)).tasks(study)
    }
    assert len(draws) > 5, "another seed is another draw"


def test_a_draw_is_of_the_chosen_part_and_never_larger_than_its_limit(study, model):
    assert asked(study, model, 1, seed=1, where="model=ember", cited_only=True) == {("r2.1", "p2")}
    assert len(asked(study, model, 3, seed=1)) == 2, "a second statement would not fit whole"
    assert draw([("a", "1"), ("a", "2")], lambda unit: unit[0], 1, 1) == {("a", "1")}, "the first one is cut"


def test_each_statement_is_drawn_as_often(study):
    units = [(f"s{number}", page) for number in range(10) for page in "ab"]
    times = dict.fromkeys((f"s{number}" for number in range(10)), 0)
    for seed in range(1000):
        for statement, page in draw(units, lambda unit: unit[0], seed, 6):
            times[statement] += page == "a"
    assert all(240 < often < 360 for often in times.values()), "3 of 10 in 1,000 draws: five standard errors around 300"


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"where": "colour=red"}, "A filter cannot use 'colour'; it can use model"),
        ({"where": "model=nobody"}, "Nothing in the study fits 'model=nobody'"),
        ({"only": ["new"]}, "--only does not know 'new'; it knows labelled, audit, flagged"),
        ({"only": ["labelled"]}, "nobody has labelled anything in the study yet"),
        ({"only": ["audit"]}, "no statement was drawn for the audit yet. Draw some with `medreview plan audit"),
        ({"where": "mine=supported"}, "nobody has reviewed anything yet"),
    ],
)
def test_what_cannot_be_chosen_is_said(study, model, choice, sentence):
    with pytest.raises(UserError, match=sentence):
        asked(study, model, **choice)
    assert model.asked == []


def test_parts_without_a_common_statement_are_an_error(study, model):
    decide(study, "r1.1")
    with pytest.raises(UserError, match="Nothing in the study is all of this: labelled, model=ember"):
        asked(study, model, only=["labelled"], where="model=ember")


def test_a_study_that_cites_nothing_in_its_statements_says_so(study, model):
    study.write(lambda db: db.execute("UPDATE marker SET source_id = NULL"))
    with pytest.raises(UserError, match="no statement of the study cites a source itself"):
        Choice(cited_only=True).units_of(study)


def test_a_draw_needs_a_size_and_a_task_that_keeps_its_units(study, model):
    with pytest.raises(UserError, match="give --limit with --seed"):
        asked(study, model, seed=1)
    (task,) = tasks_of(study, [model.settings()], "statement_parsing", None)
    task.chosen = Choice(seed=1).units_of(study)
    with pytest.raises(UserError, match="statement_parsing has no random draw"):
        task.asked_about(limit=3)


def test_a_batch_holds_what_is_chosen_and_its_results_come_in_by_the_same_choice(study, model, tmp_path):
    judges = Judges([model.settings()], choice=Choice(cited_only=True))
    written = pipeline.batch_out(study, judges, tmp_path / "q.jsonl")

    assert (written.units, written.requests) == (3, 3)
    (tmp_path / "none.jsonl").write_text("")
    assert pipeline.batch_in(study, judges, [tmp_path / "none.jsonl"]).waiting == 3
    gone = replace(judges, choice=Choice(only="flagged", where="model=ember", seed=1))
    assert pipeline.batch_in(study, gone, [tmp_path / "none.jsonl"]).waiting == 0, "never an error after the results"
