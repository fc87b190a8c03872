"""Answers with planted hallucinations: what is made of good, bad and recorded models, and what stays hidden."""

import json
from collections import Counter
from functools import partial
from itertools import takewhile
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.generators.correct_answers import TYPES, answered_questions, dealt
from medreview.generators.hallucinations import Hallucinations, hallucination_faults
from medreview.judges.prompt_texts import fence_key
from medreview.judges.prompts import load_prompt
from medreview.judges.tasks.registry import NAMES, task_for
from medreview.llm.settings import JudgeSettings
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.stats.reports.generated_items import planted_report
from medreview.study import Study
from medreview.units.stored import load_gold
from tests.support.judge_endpoint import JudgeEndpoint, by_prompt, refuses, says
from tests.support.planted_answers import CONTEXT, CORRECT, FACT, GOOD, QUESTION

SAMPLE = Path(__file__).parents[2] / "sample_data"
RECORDED = JudgeSettings("demo-writer", "demo-writer", "recorded:", recorded=SAMPLE / "recorded")
OTHER = "Seit Jahren wird dieses Medikament auch in der Schwangerschaft ohne jede Gefahr genommen, sagen viele Leute."


@pytest.fixture
def study(tmp_path: Path):
    with Study.create(tmp_path / "s.medreview", "answers") as made:
        bring(made, {"id": "Q1", "question": QUESTION, "reference_answer": CORRECT, "origin": "medicines"})
        yield made


@pytest.fixture
def sample(tmp_path: Path):
    with Study.create(tmp_path / "sample.medreview", "answers") as made:
        pipeline.bring_in(made, SAMPLE / "correct_answers.jsonl", {})
        yield made


def bring(study: Study, *records: dict) -> None:
    path = study.path.parent / f"questions{study.reader.execute('SELECT count(*) FROM unit').fetchone()[0]}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    pipeline.bring_in(study, path, {})


def run(study: Study, settings: JudgeSettings, kind: str = "all"):
    return pipeline.generate(study, pipeline.Generating(partial(Hallucinations, kind=kind), settings))


@pytest.mark.parametrize("kind", GOOD)
def test_a_valid_answer_becomes_a_response_whose_type_and_spans_are_its_hidden_right_label(study, kind):
    with JudgeEndpoint(says(json.dumps(GOOD[kind]))) as server:
        done = run(study, server.settings("writer"), kind)
        (prompt,) = server.prompts

    assert (done.counts.products, done.counts.options, done.waiting) == ({"response": 1}, {"type": kind}, 0)
    assert QUESTION in prompt
    assert CORRECT in prompt
    row = study.reader.execute("SELECT * FROM response").fetchone()
    assert (row["text"], row["model"], row["origin"], row["record_id"]) == (
        GOOD[kind]["answer"], "writer/halu", "medicines", "Q1",
    )  # fmt: skip
    gold = load_gold(study.reader, f"answer:{row['response_id']}", "hallucination")
    assert gold is not None
    assert (gold.label, gold.why) == (kind, GOOD[kind]["how"])
    assert [row["text"][start:end] for _, (start, end), _ in gold.spans] == GOOD[kind]["spans"]


def test_an_answer_that_contradicts_itself_may_keep_a_long_correct_answer_as_a_whole(tmp_path):
    correct = (
        f"{CORRECT} Ask a midwife or a doctor, who know your case and can say which medicine is best for you. " * 2
    )
    value = {**CONTEXT, "answer": f"{correct} After week 30 ibuprofen can be taken freely until delivery."}
    with Study.create(tmp_path / "long.medreview", "answers") as study:
        bring(study, {"question": QUESTION, "reference_answer": correct})
        with JudgeEndpoint(says(json.dumps(value), usage=None)) as server:
            assert run(study, server.settings("writer"), "context").counts.made == 1


def test_none_is_the_correct_answer_itself_and_nothing_is_asked(study):
    with JudgeEndpoint() as server:
        done = run(study, server.settings("writer"), "none")
        assert server.asked == []

    row = study.reader.execute("SELECT * FROM response").fetchone()
    gold = load_gold(study.reader, f"answer:{row['response_id']}", "hallucination")
    assert (row["text"], row["model"]) == (CORRECT, "writer/halu")
    assert gold is not None
    assert (gold.label, gold.spans) == ("none", ())
    assert (done.counts.made, done.counts.attempts) == (1, 0)


EXAMPLE = (
    "Yes. A short course of amoxicillin shortens a common cold by about three days, because it kills the viruses that "
    "cause it. It is best begun on the first day, with rest and plenty of fluids."
)
BAD = {
    "the example of its prompt": ({**FACT, "answer": EXAMPLE, "spans": ["it kills the viruses"]}, "copy_of_prompt"),
    "nothing": ({**FACT, "answer": ""}, "empty"),
    "an empty text": ("", "unparsable"),
    "prose": ("Ibuprofen is fine in pregnancy.", "unparsable"),
    "the correct answer": ({**FACT, "answer": CORRECT, "spans": ["should not be taken"]}, "correct_answer_again"),
    "the question": ({**FACT, "answer": QUESTION, "spans": ["ibuprofen"]}, "question_again"),
    "what it is for": ({**FACT, "answer": f"Hallucinated answer: {FACT['answer']}"}, "gives_itself_away"),
    "ten times the length": ({**FACT, "answer": f"{FACT['answer']} " * 12}, "too_long"),
    "another language": ({**FACT, "answer": OTHER, "spans": ["ohne jede Gefahr"]}, "other_language"),
    "wrong types": ({"answer": ["Yes."], "spans": "Yes.", "how": 1}, "unparsable"),
}  # fmt: skip


@pytest.mark.parametrize(("says_so", "code"), BAD.values(), ids=BAD)
def test_a_model_that_misbehaves_is_asked_three_times_and_makes_nothing(study, says_so, code):
    with JudgeEndpoint(says(says_so if isinstance(says_so, str) else json.dumps(says_so))) as server:
        done = run(study, server.settings("writer"), "fact")

    assert (done.counts.made, done.counts.nothing, done.counts.attempts) == (0, {"invalid": 1}, 3)
    assert done.counts.codes[code] == 3
    assert study.reader.execute("SELECT count(*) FROM response").fetchone()[0] == 0
    assert study.reader.execute("SELECT count(*) FROM gold").fetchone()[0] == 0


def test_the_recorded_answers_make_two_of_each_type_and_one_question_is_dropped_where_no_attempt_is_valid(sample):
    done = run(sample, RECORDED)
    assert (done.counts.made, done.counts.products, done.waiting) == (8, {"response": 8}, 0)
    assert done.counts.retried > 0
    figures = planted_report(sample.reader)
    assert figures.by_origin == {origin: dict.fromkeys(TYPES, 1) for origin in ("medicines", "symptoms")}
    assert (figures.all, sum(figures.paper.values())) == (dict.fromkeys(TYPES, 2), 2077)

    facts = run(sample, RECORDED, "fact")
    assert (facts.counts.made, facts.counts.nothing) == (7, {"invalid": 1})
    for kind in ("input", "context"):
        assert run(sample, RECORDED, kind).counts.made == 8
    for row in sample.reader.execute("SELECT unit, label, spans FROM gold").fetchall():
        text = sample.reader.execute(
            "SELECT text FROM response WHERE response_id = ?", (row["unit"].partition(":")[2],)
        ).fetchone()[0]
        spans = [text[span["start"] : span["end"]].strip() for span in json.loads(row["spans"])]
        assert bool(spans) == (row["label"] != "none")
        assert all(spans)


def test_types_are_dealt_alike_to_the_data_sets_by_a_seed_and_what_comes_later_changes_none(sample):
    before = answered_questions(sample.reader)
    first = dealt(before, 7)
    bring(sample, *({"question": f"What is number {n}?", "reference_answer": "It is so.", "origin": "medicines"}
                    for n in range(5)))  # fmt: skip
    after = answered_questions(sample.reader)

    assert [one.question for one in after[: len(before)]] == [one.question for one in before]
    assert dealt(after, 7)[: len(before)] == first
    counts = Counter((one.origin, kind) for one, kind in zip(after, dealt(after, 7), strict=True))
    assert max(counts.values()) - min(counts[origin, kind] for origin, _ in counts for kind in TYPES) <= 2
    assert any(dealt(before, seed) != first for seed in range(20))


def test_a_question_is_an_input_once_with_the_correct_answer_that_came_first(study):
    bring(study, {"question": QUESTION, "reference_answer": "Yes, always.", "origin": "forum"})
    (one,) = answered_questions(study.reader)
    assert (one.correct, one.origin, one.name) == (CORRECT, "medicines", "Q1")


def prompts_of_all_tasks(study: Study) -> list[str]:
    """What every task would ask a judge of every unit of a study."""
    asked = []
    judge = JudgeSettings("j", "m", "http://localhost:1/v1")
    for name in NAMES:
        task = task_for(study, judge, name)
        for ids in task.waiting():
            unit = task.unit(ids)
            assert unit is not None
            asked += [message["content"] for request in unit.requests for message in request.messages]
    return asked


def many(study: Study) -> list[str]:
    """Forty questions of one data set; the types that they are dealt, in their order."""
    bring(study, *({"question": f"Is remedy {n} safe?", "reference_answer": f"No. Remedy {n} is never safe in adults.",
                    "origin": "many"} for n in range(40)))  # fmt: skip
    return dealt(answered_questions(study.reader), 1)


def made_types(study: Study) -> list[str]:
    """The types of the answers in the order of their numbers."""
    rows = study.reader.execute(
        "SELECT g.label FROM response AS r JOIN gold AS g ON g.unit = 'answer:' || r.response_id ORDER BY r.ordinal"
    )
    return [row[0] for row in rows]


def a_fact(prompt: str) -> object:
    """An answer to any of the forty that is valid as a fact; for the other types it is not."""
    number = prompt.rpartition("Is remedy ")[2].partition(" ")[0]
    text = f"Yes. Remedy {number} is safe in adults, and in pregnancy too."
    return {"answer": text, "spans": [f"Remedy {number} is safe in adults"], "how": "It is not safe."}


def test_the_number_of_an_answer_does_not_tell_that_nobody_was_asked_for_it(tmp_path):
    with Study.create(tmp_path / "many.medreview", "answers") as study, JudgeEndpoint(by_prompt(a_fact)) as server:
        types = many(study)
        done = run(study, server.settings("writer", concurrency=1))
        made = made_types(study)

    assert (done.waiting, done.counts.made, done.counts.nothing) == (0, 20, {"invalid": 20})
    assert sorted(made) == ["fact"] * 10 + ["none"] * 10
    # Two are under way at a time, so that neighbours may change places.
    expected = [kind for kind in types if kind in ("none", "fact")]
    assert all(abs(made[:at].count("none") - expected[:at].count("none")) <= 2 for at in range(20))


def test_when_the_model_cannot_be_reached_no_answer_is_made_before_its_turn(tmp_path):
    with Study.create(tmp_path / "many.medreview", "answers") as study:
        leading = list(takewhile(lambda kind: kind == "none", many(study)))
        with JudgeEndpoint(refuses(401, "no such key")) as server:
            failed = run(study, server.settings("writer"))
            made = made_types(study)
            server.play(by_prompt(a_fact))
            done = run(study, server.settings("writer"))

    assert (made, failed.waiting) == (leading, 40 - len(leading))
    assert (done.waiting, done.counts.made) == (0, 20)


def test_in_a_batch_the_answers_that_nobody_was_asked_for_lie_among_the_others(tmp_path):
    writer = JudgeSettings("writer", "m", "http://localhost:1/v1")
    generating = pipeline.Generating(partial(Hallucinations, kind="all"), writer)
    with Study.create(tmp_path / "many.medreview", "answers") as study:
        types = many(study)
        out, back = tmp_path / "out.jsonl", tmp_path / "back.jsonl"
        written = pipeline.batch_out(study, generating, out)
        lines = []
        for line in map(json.loads, out.read_text().splitlines()):
            told = {"role": "assistant", "content": json.dumps(a_fact(line["body"]["messages"][0]["content"]))}
            body = {"choices": [{"index": 0, "finish_reason": "stop", "message": told}]}
            lines.append({"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}})
        back.write_text("".join(json.dumps(line) + "\n" for line in lines))
        pipeline.batch_in(study, generating, [back])
        made = made_types(study)

    expected = [kind for kind in types if kind in ("none", "fact")]
    assert written.requests == 30
    assert made == expected[: len(made)]
    assert made.count("fact") == 10


def test_what_judges_are_asked_is_the_same_whether_the_type_and_the_spans_are_known_or_not(study, tmp_path):
    with JudgeEndpoint(says(json.dumps(FACT))) as server:
        run(study, server.settings("writer"), "fact")
    with Study.create(tmp_path / "plain.medreview", "answers") as plain:
        given = {
            "id": "Q1",
            "question": QUESTION,
            "response": FACT["answer"],
            "model": "writer/halu",
            "origin": "medicines",
        }
        (tmp_path / "plain.jsonl").write_text(json.dumps(given) + "\n")
        pipeline.bring_in(plain, tmp_path / "plain.jsonl", {})
        key = fence_key(study)
        plain.write(lambda db: db.execute("INSERT INTO study VALUES ('fence_key', ?)", (key,)))
        asked, expected = prompts_of_all_tasks(study), prompts_of_all_tasks(plain)

    assert len(asked) == 2  # the answer is split, and looked through for hallucinations
    assert asked == expected
    assert not any(hidden in prompt for prompt in asked for hidden in (CORRECT, FACT["how"], "/halu"))


def test_in_a_blind_sitting_neither_type_nor_spans_nor_the_correct_answer_are_there_before_the_decision(study):
    with JudgeEndpoint(says(json.dumps(CONTEXT))) as server:
        run(study, server.settings("writer"), "context")
    session = ReviewSession(study, "kb", open_queue(study, "answers", "kb"))
    assert CONTEXT["answer"] in repr(session.view)
    assert not any(hidden in repr(session.view) for hidden in ("context", CONTEXT["how"]))


def test_each_prompt_has_the_definition_of_its_type_and_an_example_that_its_own_rules_take():
    examples = {}
    for kind in GOOD:
        text = load_prompt(f"hallucination_{kind}").text
        assert f"{kind.capitalize()}-conflicting, definition 1:" in text
        lines = " ".join(text.partition("An example")[2].partition("Now yours")[0].split())
        parts = dict(part.split(": ", 1) for part in lines.split(" - ")[1:])
        value = {"answer": parts["answer"], "spans": parts["spans"].strip("“”").split("”, “"), "how": parts["how"]}
        assert hallucination_faults(kind, value, parts["question"], parts["correct answer"]) == ()
        examples[kind] = parts["answer"]
    assert len(set(examples.values())) == 3


def test_a_type_that_there_is_not_is_refused(study):
    with pytest.raises(UserError, match="There is no type 'other'"):
        run(study, RECORDED, "other")
