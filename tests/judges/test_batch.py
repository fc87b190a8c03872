"""Batch files: out to an engine that works elsewhere, and its results back."""

import json
import stat
from hashlib import sha256
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.judges.batch_in import read_batch
from medreview.judges.batch_out import manifest_path, write_batch
from medreview.judges.tasks.registry import task_for
from medreview.llm.call import FormatNegotiator, cache_key
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from tests.support.judge_endpoint import as_asked

ATLAS = JudgeSettings(
    "atlas", "atlas-2", "http://engine.example/v1", params={"temperature": 0}, price_input=1.0, price_output=2.0
)
PAGE = "Adults take 500 mg of it twice daily with food. Children under twelve do not take it. "


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Three responses of two statements, one page each."""
    folder = tmp_path_factory.mktemp("study")
    pages = folder / "pages"
    pages.mkdir()
    with (pages / "manifest.jsonl").open("w") as manifest, (folder / "a.jsonl").open("w") as answers:
        for number in range(3):
            url = f"https://page.example/{number}"
            (pages / f"{number}.html").write_text(f"<p>Page {number}. {PAGE * 40}</p>")
            manifest.write(json.dumps({"url": url, "file": f"{number}.html"}) + "\n")
            text = f"Adults take 500 mg twice daily. On day {number + 4} adults take 500 mg twice, too. See {url}"
            answers.write(json.dumps({"question": f"How much, {number}?", "response": text, "id": f"a{number}"}) + "\n")
    with Study.create(folder / "s.medreview") as study:
        pipeline.run(study, [folder / "a.jsonl"], {}, pipeline.PageProvider(pages))
        assert study.reader.execute("SELECT count(*) FROM statement").fetchone()[0] == 6
    return folder / "s.medreview"


@pytest.fixture
def study(made, tmp_path):
    path = tmp_path / "s.medreview"
    path.write_bytes(made.read_bytes())
    with Study.open(path) as opened:
        yield opened


@pytest.fixture
def task(study, tmp_path):
    """The task of ATLAS, whose requests are in ``b.jsonl``."""
    task = task_for(study, ATLAS)
    write_batch(task, tmp_path / "b.jsonl")
    return task


def says(label="supported", quote="Adults take 500 mg of it twice daily with food.", content=None):
    answer = as_asked({"quote": quote, "reason": "It says so.", "label": label, "confidence": 0.9})
    message = {"role": "assistant", "content": json.dumps(answer) if content is None else content}
    usage = {"prompt_tokens": 3000, "completion_tokens": 50}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage}


GOOD = says()["choices"][0]["message"]["content"]


def worked(requests: Path, results: Path, bodies=None, cut=None):
    """What an engine makes of a file of requests: results in another order."""
    lines = [json.loads(line) for line in requests.read_text().splitlines()]
    bodies = bodies or [says()] * len(lines)
    told = []
    for place, (line, body) in enumerate(zip(lines, bodies, strict=True)):
        result = {"id": f"r{place}", "custom_id": line["custom_id"], "response": None, "error": None}
        if "choices" in body or "status" in body:
            status = body.get("status", 200)
            result["response"] = {"status_code": status, "request_id": "x", "body": body.get("body", body)}
        else:
            result["error"] = body
        told.append(json.dumps(result))
    results.write_text("\n".join(told[::-1][:cut]) + "\n")
    return results


def judgements(study):
    return [
        tuple(row)
        for row in study.reader.execute(
            "SELECT verdict, quote_status, error FROM judgement JOIN judge_run USING (judge_run_id) WHERE kind = 'llm' "
            "ORDER BY judgement_id"
        )
    ]


def test_the_requests_are_those_that_would_be_sent_live(study, tmp_path):
    task = task_for(study, ATLAS)
    done = write_batch(task, tmp_path / "b.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    asks = [ask for ids in task.waiting() for ask in task.unit(ids).requests]

    assert (done.units, done.requests, done.known) == (6, 6, 0)
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
    assert [line["body"] for line in lines] == [FormatNegotiator(ATLAS).body(ask, ask.messages) for ask in asks]
    assert [line["custom_id"] for line in lines] == [cache_key(ATLAS, ask) for ask in asks]
    assert lines[0]["body"]["response_format"]["json_schema"]["strict"] is True
    assert max(len(line["custom_id"]) for line in lines) <= 64
    assert done.cost == pytest.approx((done.prompt_tokens + 2 * done.completion_tokens) / 1e6)


def test_the_manifest_ties_the_files_to_the_judge_run(study, tmp_path):
    task = task_for(study, ATLAS)
    done = write_batch(task, tmp_path / "b.jsonl", shard_bytes=1)
    manifest = json.loads(Path(done.manifest).read_text())

    assert manifest["judge_run_id"] == task.run.judge_run_id
    assert manifest["study_id"] == study.meta("study_id")
    assert [entry["file"] for entry in manifest["files"]] == ["b.jsonl", *(f"b-{n}.jsonl" for n in range(2, 7))]
    for entry in manifest["files"]:
        content = (tmp_path / entry["file"]).read_bytes()
        assert (entry["bytes"], entry["sha256"]) == (len(content), sha256(content).hexdigest())
        assert content.count(b"\n") == entry["requests"] == 1
        assert stat.S_IMODE((tmp_path / entry["file"]).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(done.manifest).stat().st_mode) == 0o600


def test_results_become_judgements_with_grounded_quotes(study, task, tmp_path):
    bodies = [says()] * 4 + [says("supported", "It cures everything at once.")] + [says("not_addressed", "")]
    done = read_batch(task, [worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl", bodies)])

    assert (done.statuses, done.judged, done.abstained, done.waiting) == ({"ok": 6}, 5, 1, 0)
    found = judgements(study)
    assert found.count(("supported", "exact", "")) + found.count(("supported", "normalised", "")) == 4
    assert (None, "absent", "") in found
    assert ("not_addressed", "none", "") in found
    row = study.reader.execute("SELECT sum(cost), sum(prompt_tokens), count(*) FROM llm_call").fetchone()
    assert tuple(row) == (pytest.approx(6 * (3000 + 2 * 50) / 1e6), 18_000, 6)


def test_taking_results_in_twice_changes_nothing(study, task, tmp_path):
    bodies = [says(), says(content="I would say so."), {"message": "expired", "code": "batch_expired"}] + [says()] * 3
    results = worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl", bodies)
    first = read_batch(task, [results])
    before = ("\n".join(study.reader.iterdump()), judgements(study))
    again = read_batch(task_for(study, ATLAS), [results])

    assert first.statuses == {"ok": 4, "unparsable": 1, "error": 1}
    assert (again.statuses, again.known, again.foreign) == ({}, 6, 0)
    assert ("\n".join(study.reader.iterdump()), judgements(study)) == before


def test_half_a_file_is_welcome_and_the_rest_later(study, task, tmp_path):
    whole = worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl").read_bytes()
    cut = whole[: len(whole) // 2 + 50]
    (tmp_path / "half.jsonl").write_bytes(cut)
    first = read_batch(task, [tmp_path / "half.jsonl"])
    rest = write_batch(task_for(study, ATLAS), tmp_path / "rest.jsonl")
    second = read_batch(task, [tmp_path / "r.jsonl"])

    assert first.judged == cut.count(b"\n") == 3
    assert [(line, "cut off" in reason) for _, line, reason in first.bad] == [(4, True)]
    assert (first.waiting, rest.requests) == (3, 3)
    assert (second.statuses, second.known, second.waiting) == ({"ok": 3}, 3, 0)


def test_every_way_to_fail_is_an_abstention_with_its_name(study, task, tmp_path):
    bodies = [
        says(content=f'<think>{{"label": "supported"}}</think>```json\n{GOOD}\n```'),
        says(content="Supported, surely!"),
        {"status": 429, "body": {"error": {"message": "Rate limit reached."}}},
        {"status": 400, "body": {"error": {"message": "Filtered.", "code": "content_filter"}}},
        {"choices": []},
        {"message": "The batch expired before this request was run.", "code": "batch_expired"},
    ]  # fmt: skip
    done = read_batch(task, [worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl", bodies)])

    assert done.statuses == {"ok": 1, "error": 3, "unparsable": 1, "refused": 1}
    assert (done.judged, done.abstained) == (1, 5)
    words = sorted(error.partition(":")[0] for verdict, _, error in judgements(study) if verdict is None)
    assert words == ["error", "error", "error", "refused", "unparsable"]
    # What was of no use on the way there waits again, and goes into the next batch; with `again` all of it does.
    assert write_batch(task, tmp_path / "next.jsonl").requests == 3
    assert write_batch(task, tmp_path / "all.jsonl", again=True).requests == 5


def test_a_later_success_replaces_a_failure_and_never_the_other_way(study, task, tmp_path):
    bad = worked(tmp_path / "b.jsonl", tmp_path / "bad.jsonl", [{"message": "no", "code": "x"}] * 6)
    good = worked(tmp_path / "b.jsonl", tmp_path / "good.jsonl")
    assert read_batch(task, [bad]).abstained == 6
    assert read_batch(task, [good]).judged == 6
    assert read_batch(task, [bad]).known == 6
    assert [row[2] for row in judgements(study)] == [""] * 6
    assert study.reader.execute("SELECT count(*) FROM llm_call WHERE status = 'ok'").fetchone()[0] == 6


def test_in_one_go_success_wins_whatever_the_order_of_the_files(task, tmp_path):
    bad = worked(tmp_path / "b.jsonl", tmp_path / "bad.jsonl", [{"message": "no", "code": "x"}] * 6)
    good = worked(tmp_path / "b.jsonl", tmp_path / "good.jsonl")

    assert read_batch(task, [good, bad]).statuses == {"ok": 6}


def test_results_of_another_model_are_not_taken(study, tmp_path):
    other = JudgeSettings("atlas", "atlas-3", "http://engine.example/v1", params={"temperature": 0})
    write_batch(task_for(study, other), tmp_path / "b.jsonl")
    results = worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl")
    done = read_batch(task_for(study, ATLAS), [results])

    assert (done.foreign, done.judged, done.statuses) == (6, 0, {})
    assert done.why == "the batch was written with another model"
    assert judgements(study) == []
    manifest_path(tmp_path / "b.jsonl").unlink()
    assert "no manifest" in read_batch(task_for(study, ATLAS), [results]).why


def test_requests_given_for_results_are_told_apart(task, tmp_path):
    with (tmp_path / "b.jsonl").open("a") as file:
        file.write('[1]\n\n{"id": 3}\n')
    done = read_batch(task, [tmp_path / "b.jsonl"])

    assert [line for _, line, _ in done.bad] == [1, 2, 3, 4, 5, 6, 7, 9]
    assert "a request, not a result" in done.bad[0][2]


def test_what_was_answered_live_is_not_asked_again(study, task, tmp_path):
    read_batch(task, [worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl", cut=2)])
    # The judgements are gone, the paid answers are not.
    study.write(lambda connection: connection.execute("DELETE FROM judgement WHERE raw_output <> ''"))
    done = write_batch(task, tmp_path / "c.jsonl")

    assert (done.units, done.known, done.requests) == (6, 2, 4)


def test_a_long_source_is_judged_when_all_its_parts_are_back(study, tmp_path):
    small = JudgeSettings(
        "atlas", "atlas-2", "http://engine.example/v1", context_tokens=2000, params={"max_tokens": 200}
    )
    task = task_for(study, small)
    done = write_batch(task, tmp_path / "b.jsonl")
    assert done.requests > done.units == 6
    results = worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl").read_text().splitlines()
    (tmp_path / "one.jsonl").write_text(results[-1] + "\n")

    assert (read_batch(task, [tmp_path / "one.jsonl"]).judged, len(judgements(study))) == (0, 0)
    assert read_batch(task, [tmp_path / "r.jsonl"]).judged == 6


def test_nothing_is_overwritten_and_nothing_half_written_is_left(study, tmp_path):
    task = task_for(study, ATLAS)
    (tmp_path / "b-3.jsonl").write_text("mine")
    with pytest.raises(UserError, match=r"b-3\.jsonl exists already"):
        write_batch(task, tmp_path / "b.jsonl", shard_bytes=1)
    assert sorted(path.name for path in tmp_path.glob("b*")) == ["b-3.jsonl"]
    with pytest.raises(UserError, match="cannot be written"):
        write_batch(task, tmp_path / "none" / "b.jsonl")
    with pytest.raises(UserError, match="cannot be read"):
        read_batch(task, [tmp_path / "none.jsonl"])
    read_batch(task, [])
    write_batch(task, tmp_path / "c.jsonl")
    read_batch(task, [worked(tmp_path / "c.jsonl", tmp_path / "r.jsonl")])
    nothing = write_batch(task, tmp_path / "d.jsonl")
    assert (nothing.requests, nothing.manifest, (tmp_path / "d.jsonl").exists()) == (0, "", False)


def test_a_line_that_cannot_be_stored_costs_that_line(task, tmp_path):
    results = worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl")
    good = results.read_text().splitlines()
    keys = [json.loads(line)["custom_id"] for line in good]
    odd = [
        '{"custom_id": "x\\ud800", "response": null, "error": null}',
        json.dumps({"custom_id": keys[0], "response": None, "error": {"message": "out of order \ud800"}}),
        json.dumps({"custom_id": keys[1], "response": None, "error": {"code": 2**70}}),
        '{"custom_id": "x", "response": ' + "[" * 100_000 + "]" * 100_000 + "}",
        json.dumps({"custom_id": keys[2], "response": {"status_code": 10**30, "body": says()}}),
        "[" * 100_000,
        '{"custom_id": "x", "error": "' + "e" * 21_000_000 + '"}',
        '{"custom_id": "x", "response": NaN, "error": Infinity}',
    ]
    (tmp_path / "mixed.jsonl").write_bytes(
        "\n".join(line for pair in zip(odd, [*good, "", ""], strict=True) for line in pair).encode()
        + b'\n{"custom_id": "\xff"}\n'
    )
    many = says()
    many["usage"] = {"prompt_tokens": 2**70, "completion_tokens": 10**400}
    (tmp_path / "counts.jsonl").write_text(
        json.dumps({"custom_id": keys[-1], "response": {"status_code": 200, "body": many}, "error": None}) + "\n"
    )
    counted = read_batch(task, [tmp_path / "counts.jsonl"])
    assert sum(counted.statuses.values()) + len(counted.bad) == 1  # said, not raised, and no line of any other

    done = read_batch(task, [tmp_path / "mixed.jsonl"])

    assert done.statuses == {"ok": 6}
    assert (done.judged, done.foreign) == (6, 1)  # it is known whose answer line 7 is: nobody's here
    assert [(line, reason) for _, line, reason in done.bad] == [
        (1, "a text holds half a character (an unpaired surrogate)"),
        (3, "a text holds half a character (an unpaired surrogate)"),
        (5, "a whole number has more than 64 bits"),
        (9, "a whole number has more than 64 bits"),
        (11, "is not read: its lists stand in one another too deep"),
        (13, "is longer than 20,000,000 bytes"),
        (15, "a number is not finite"),
        (17, "is not UTF-8 (byte 15 of it)"),
    ]


def test_a_result_over_a_bound_is_the_unparsable_answer_to_its_question(study, task, tmp_path):
    good = worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl").read_text().splitlines()
    keys = [json.loads(line)["custom_id"] for line in good]
    wide = '{"choices": [' + "0," * 600_000 + "0]}"
    good[0] = '{"custom_id": "' + keys[0] + '", "response": {"status_code": 200, "body": ' + "[" * 200_000
    good[1] = '{"id": "r", "custom_id": "' + keys[1] + '", "response": {"status_code": 200, "body": ' + wide + "}}"
    brackets = json.loads(good[2])
    brackets["response"]["body"] = says(content="[" * 200_000)
    counted = json.loads(good[3])
    counted["response"]["body"]["usage"] = {"prompt_tokens": 10**30, "completion_tokens": -5}
    good[2:4] = [json.dumps(brackets), json.dumps(counted)]
    (tmp_path / "r.jsonl").write_text("\n".join(good))

    done = read_batch(task, [tmp_path / "r.jsonl"])

    assert (done.statuses, done.bad) == ({"ok": 2, "unparsable": 4}, [])
    errors = study.reader.execute("SELECT error FROM llm_call WHERE cache_key IN (?, ?, ?, ?) ORDER BY error", keys[:4])
    assert [row["error"] for row in errors] == [
        "The answer cannot be read. It holds more than 500,000 values.",
        "The answer cannot be read. Its lists stand in one another too deep.",
        "The server's count of tokens cannot be true: `prompt_tokens` is not a number of tokens.",
        "There is no JSON object in it.",
    ]


def test_of_two_answers_to_one_question_the_first_is_kept_and_the_other_is_told(study, task, tmp_path):
    good = worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl").read_text().splitlines()
    other = json.loads(good[0])
    other["response"]["body"] = says("not_addressed", quote="")
    same = {**json.loads(good[1]), "id": "sent again"}
    failed = {**json.loads(good[2]), "response": {"status_code": 500, "body": {"error": {"message": "boom"}}}}
    lines = [json.dumps(failed), *good, json.dumps(other), json.dumps(same), json.dumps(failed)]
    (tmp_path / "two.jsonl").write_text("\n".join(lines))

    done = read_batch(task, [tmp_path / "two.jsonl"])

    assert (done.statuses, done.judged) == ({"ok": 6}, 6)
    first = f"{tmp_path / 'two.jsonl'}, line 2"
    assert done.conflicts == [
        (str(tmp_path / "two.jsonl"), 8, f"answers the same question differently from {first}"),
    ]
    kept = study.reader.execute("SELECT raw_output FROM llm_call WHERE cache_key = ?", (other["custom_id"],))
    assert kept.fetchone()["raw_output"] == GOOD

    (tmp_path / "later.jsonl").write_text(json.dumps(other) + "\n" + json.dumps(same))
    later = read_batch(task, [tmp_path / "later.jsonl"])
    assert (later.known, later.conflicts) == (
        2,
        [(str(tmp_path / "later.jsonl"), 1, "differs from the answer that the study has already")],
    )


def test_results_of_another_study_are_named_as_that(study, made, tmp_path):
    write_batch(task_for(study, ATLAS), tmp_path / "b.jsonl")
    results = worked(tmp_path / "b.jsonl", tmp_path / "r.jsonl")
    with Study.create(tmp_path / "mine.medreview", "Mine") as mine:
        done = read_batch(task_for(mine, ATLAS), [results])
        assert (done.foreign, done.judged) == (6, 0)
        assert done.why == f"the batch was written for another study, s ({study.meta('study_id')})"
        (tmp_path / "b.jsonl.manifest.json").unlink()
        alone = read_batch(task_for(mine, ATLAS), [results])
    assert alone.why == "none belongs to a question of this study, and no manifest beside the files says to which"
