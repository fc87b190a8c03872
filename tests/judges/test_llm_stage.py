"""Several judges at once, on a real server: saved as they answer, never asked twice, never guessed."""

import json
import signal
import threading

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.judges.judge_caveats import pages_in_parts
from medreview.judges.llm_stage import Interrupted, plan
from medreview.judges.tasks.registry import tasks_of
from medreview.study import Study
from medreview.study.check import check
from tests.judges.renal_study import ANSWER, QUESTION, RENAL, STATEMENTS, careful, fill, part_of
from tests.support.commands import interruptible
from tests.support.http_server import slowly
from tests.support.judge_endpoint import by_prompt, judge_with
from tests.support.study_builder import rows_of

JUDGED = "SELECT j.*, r.judge FROM judgement AS j JOIN judge_run AS r USING (judge_run_id) ORDER BY judge, 3, 4"


def test_judgements_are_stored_with_their_quotes_located(study, serve):
    model = serve()
    summary = judge_with(study, [model.settings(price_input=1.0, price_output=2.0)])

    by_pair = {(row["statement_id"], row["snapshot_id"]): row for row in rows_of(study, JUDGED)}
    found = by_pair["s1", "p1"]
    assert (found["verdict"], found["supported"], found["quote_status"]) == ("supported", 1, "exact")
    assert RENAL[found["quote_start"] : found["quote_end"]] == found["quote"]
    assert (found["reason"], found["confidence"]) == ("It says so.", 0.9)
    assert json.loads(found["raw_output"])["label"] == "supported"
    assert by_pair["s3", "p2"]["verdict"] == "not_addressed"
    assert len(by_pair) == len(model.prompts) == 6
    (tally,) = summary
    assert (tally.units, tally.abstained, tally.calls, tally.kept) == (6, 0, 6, 0)
    assert tally.outcomes == {"supported": 2, "not_addressed": 4}
    assert tally.cost == pytest.approx((tally.prompt_tokens + 2 * tally.completion_tokens) / 1_000_000)
    assert check(study.reader) == []


def test_the_run_names_model_prompt_and_host_and_holds_no_key(study, serve, monkeypatch):
    monkeypatch.setenv("THE_KEY", "sk-secret-0123456789")
    model = serve()
    judge_with(study, [model.settings(api_key_env="THE_KEY", params={"temperature": 0})], limit=1)

    (run,) = rows_of(study, "SELECT * FROM judge_run")
    assert (run["kind"], run["judge"], run["model"]) == ("llm", "one", "m")
    assert run["prompt_id"] == "source_verification/2"
    assert len(run["prompt_sha256"]) == 64
    assert json.loads(run["params"]) == {"temperature": 0, "host": model.name}
    assert "sk-secret" not in "\n".join(study.reader.iterdump())


def test_statements_on_one_source_share_the_opening_of_their_prompts(study, serve):
    model = serve()
    judge_with(study, [model.settings(concurrency=1)])

    on_p1 = [prompt for prompt in model.prompts if part_of(prompt, "source") == RENAL]
    assert len({prompt.partition("<<<statement")[0] for prompt in on_p1}) == 1
    assert [part_of(prompt, "source") == RENAL for prompt in model.prompts] in (
        [True] * 3 + [False] * 3,
        [False] * 3 + [True] * 3,
    )


def test_what_was_answered_is_not_asked_again(study, serve):
    model = serve()
    judge_with(study, [model.settings()], limit=2)
    judge_with(study, [model.settings()])
    last = judge_with(study, [model.settings()])

    assert len(model.prompts) == len(set(model.prompts)) == 6
    assert last[0].units == 0


def test_an_answer_that_was_paid_for_is_used_when_its_judgement_was_lost(study, serve):
    model = serve()
    judge_with(study, [model.settings()])
    before = rows_of(study, JUDGED)
    study.write(lambda db: db.execute("DELETE FROM judgement"))
    summary = judge_with(study, [model.settings()])

    assert len(model.prompts) == 6
    assert (summary[0].calls, summary[0].kept) == (0, 6)
    assert rows_of(study, JUDGED) == before


def test_an_interrupted_run_keeps_what_came_and_goes_on_from_there(tmp_path, serve):
    struck, waited, told = [], [], threading.Event()

    def waits(answers):
        waited.append(answers)
        told.set()

    def answer(prompt):
        if len(model.prompts) > 20 and not struck:
            struck.append(True)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            told.wait(30)  # so that this answer is waited for
        return careful(prompt)

    model = serve()
    model.play(slowly(0.01, by_prompt(answer)))
    statements = [(f"s{n}", f"Statement number {n}.") for n in range(40)]
    with Study.create(tmp_path / "b.medreview") as study:
        fill(study, [("Why?", " ".join(text for _, text in statements), statements)], {"p1": RENAL})
        settings = [model.settings(concurrency=2)]
        with interruptible(), pytest.raises(Interrupted) as stopped:
            judge_with(study, settings, on_wait=waits)
        kept = len(rows_of(study, JUDGED))
        asked = len(model.prompts)
        assert kept == asked, "what was in flight came in"
        assert 20 < asked <= 24
        assert waited in ([1], [2])
        tally = stopped.value.tallies[0]
        assert (tally.units, tally.requests_sent, tally.requests_kept, tally.requests_lost) == (kept, kept, kept, 0)
        judge_with(study, settings)

        assert len(rows_of(study, JUDGED)) == 40
        assert len(model.prompts) == 40, "nothing is asked for twice"


def test_a_jury_of_five_with_one_dead_and_one_liar(study, serve):
    def lie(prompt):
        return {"quote": part_of(prompt, "statement"), "reason": "", "label": "supported", "confidence": 1}

    honest = serve()
    settings = [honest.settings(name) for name in ("a", "b", "c")]
    settings += [serve(lambda prompt: 401).settings("dead"), serve(lie).settings("liar")]
    done = pipeline.judge_by(study, pipeline.Judges(settings))

    tallies = {tally.judge: tally for tally in done.judges}
    assert tallies["dead"].abstained == tallies["dead"].units == 6
    assert "401" in tallies["dead"].dead
    verdicts = {row["statement_id"]: row for row in rows_of(study, "SELECT * FROM verdict")}
    assert (verdicts["s1"]["verdict"], verdicts["s1"]["votes_for"]) == ("supported", 3)
    assert (verdicts["s3"]["verdict"], verdicts["s3"]["supported"]) == ("not_addressed", 0)
    assert verdicts["s3"]["abstained"] == 2
    assert verdicts["s3"]["badges"].startswith("quote absent")
    dead = [row for row in rows_of(study, JUDGED) if row["judge"] == "dead"]
    assert {(row["raw_label"], row["verdict"], row["supported"]) for row in dead} == {("", None, None)}
    assert all(row["error"].startswith(("error: ", "skipped: ")) for row in dead)
    liar = [row for row in rows_of(study, JUDGED) if row["judge"] == "liar"]
    # Its quote of s2 stands in the page but for the first word, which is near enough to be shown; nothing else does.
    assert {(row["statement_id"], row["snapshot_id"]) for row in liar if row["supported"]} <= {("s2", "p2")}
    assert {row["raw_label"] for row in liar} == {"supported"}


def test_a_judge_that_could_not_be_reached_is_asked_again_and_its_abstention_replaced(study, serve):
    model = serve(lambda prompt: 401)
    judge_with(study, [model.settings()])
    model.play(by_prompt(careful))
    summary = judge_with(study, [model.settings()])

    assert summary[0].units == 6
    assert {row["error"] for row in rows_of(study, JUDGED)} == {""}


def test_an_answer_of_no_use_stays_an_abstention_until_it_is_asked_for_again(study, serve):
    model = serve(lambda prompt: "I would rather not say.")
    judge_with(study, [model.settings()])
    asked = len(model.prompts)
    rows = rows_of(study, JUDGED)
    assert all(row["error"].startswith("unparsable: ") and row["verdict"] is None for row in rows)
    assert rows[0]["raw_output"] == "I would rather not say."

    model.play(by_prompt(careful))
    assert judge_with(study, [model.settings()])[0].units == 0
    assert len(model.prompts) == asked
    assert judge_with(study, [model.settings()], again=True)[0].units == 6
    assert sum(row["supported"] or 0 for row in rows_of(study, JUDGED)) == 2


def test_another_prompt_makes_another_run(study, serve, tmp_path):
    from importlib.resources import files

    ours = files("medreview.prompts").joinpath("source_verification.md").read_text()
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "source_verification.md").write_text(ours.replace("one sentence", "two sentences"))
    model = serve()
    judge_with(study, [model.settings()])
    judge_with(study, [model.settings()], prompts=folder)

    runs = rows_of(study, "SELECT judge_run_id, count(*) AS n FROM judgement GROUP BY 1")
    assert [run["n"] for run in runs] == [6, 6]
    pipeline.roll_up(study)
    (verdict,) = rows_of(study, "SELECT * FROM verdict WHERE statement_id = 's1'")
    assert (verdict["votes_for"], verdict["votes_other"]) == (1, 0)


def test_a_plan_counts_what_is_not_paid_for_yet(study, serve):
    model = serve()
    settings = [model.settings(price_input=1.0, price_output=1.0)]
    (before,) = plan(study, tasks_of(study, settings, "source_verification", None))
    assert model.prompts == []
    judge_with(study, settings, limit=4)
    (after,) = plan(study, tasks_of(study, settings, "source_verification", None))

    assert (before.units, before.estimate.calls, after.estimate.calls) == (6, 6, 2)
    assert before.estimate.cost > after.estimate.cost > 0


def test_a_long_source_is_judged_in_parts_and_the_quote_found_in_the_whole(tmp_path, serve):
    filler = " ".join(f"Paragraph {n} is about the history of the drug." for n in range(300))
    page = f"{filler} {RENAL}"

    with Study.create(tmp_path / "b.medreview") as study:
        fill(study, [(QUESTION, ANSWER, list(STATEMENTS.items()))], {"p1": page})
        model = serve()
        done = judge_with(study, [model.settings(context_tokens=4400, params={"max_tokens": 300})])

        rows = {row["statement_id"]: row for row in rows_of(study, JUDGED)}
        assert len(model.prompts) == 6
        assert any(", part 2 of " in prompt for prompt in model.prompts)
        assert rows["s1"]["verdict"] == "supported"
        assert page[rows["s1"]["quote_start"] : rows["s1"]["quote_end"]] == rows["s1"]["quote"]
        assert rows["s3"]["verdict"] == "not_addressed"
        assert "--- part 2 ---" in rows["s3"]["raw_output"]
        # One page, whatever the number of statements and parts.
        assert done[0].in_parts == 1
        assert pages_in_parts(study.reader) == {"one": 1}


def test_a_part_without_an_answer_leaves_the_whole_open_unless_another_settles_it(tmp_path, serve):
    filler = " ".join(f"Paragraph {n} is about the history of the drug." for n in range(300))

    def answer(prompt):
        return "..." if ", part 1 of " in prompt else careful(prompt)

    with Study.create(tmp_path / "b.medreview") as study:
        page = f"{filler} {RENAL}"
        fill(study, [(QUESTION, ANSWER, list(STATEMENTS.items()))], {"p1": page})
        judge_with(study, [serve(answer).settings(context_tokens=4000, params={"max_tokens": 300})])

        rows = {row["statement_id"]: row for row in rows_of(study, JUDGED)}
        assert (rows["s1"]["verdict"], rows["s1"]["error"]) == ("supported", "")
        assert rows["s3"]["verdict"] is None
        assert rows["s3"]["error"].startswith("unparsable: ")


def test_a_context_that_holds_no_source_is_a_mistake_to_mend(study, serve):
    with pytest.raises(UserError, match="'one' has context_tokens = 1200"):
        judge_with(study, [serve().settings(context_tokens=1200)])


def test_a_missing_key_is_told_before_anything_is_asked(study, serve):
    model = serve()

    with pytest.raises(UserError, match="NOWHERE_SET"):
        judge_with(study, [model.settings("a"), model.settings("b", api_key_env="NOWHERE_SET")])
    assert model.prompts == []


def test_an_unknown_task_is_named(study, serve):
    with pytest.raises(UserError, match="There is no task 'poetry'; there are: statement_parsing"):
        judge_with(study, [serve().settings()], task="poetry")
