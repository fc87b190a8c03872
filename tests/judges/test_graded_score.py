"""A graded score: by log probabilities or by repeated samples, from servers that give them and others."""

import json
import math

import pytest

from medreview.errors import UserError
from medreview.judges.graded_score import graded
from medreview.llm.call import ModelAnswer
from medreview.llm.settings import check_settings
from medreview.stats.clusters import study_clusters
from medreview.stats.reports.judged_labels import judged_labels, peoples_labels
from medreview.stats.reports.reviewer_labels import reviewer_labels
from tests.judges.labelled_study import DRUGS, labelled
from tests.support.http_server import answer_json
from tests.support.judge_endpoint import JudgeEndpoint, completion, judge_with, refuses

LOGPROBS = {"logprobs": True, "top_logprobs": 5}


def rows(study):
    found = study.reader.execute("SELECT * FROM judgement JOIN judge_run USING (judge_run_id) WHERE kind = 'llm'")
    return found.fetchall()


def filled(body, label):
    """An answer to a request, with nothing but a label and a confidence."""
    schema = body["response_format"]["json_schema"]["schema"]
    empty = {"string": "", "array": [], "boolean": False, "number": 0.8}
    return {name: empty[field["type"]] for name, field in schema["properties"].items()} | {"label": label}


def graded_server(chances, *, takes=True, gives=True):
    """A server whose label is the first of these words, with the chances of all where it gives them."""

    def play(exchange):
        body = json.loads(exchange.body)
        if not takes and "top_logprobs" in body:
            return refuses(400, "Unsupported parameter: 'top_logprobs'", param="top_logprobs")(exchange)
        told = filled(body, next(iter(chances)))
        text = json.dumps(told)
        data = completion(text, usage=None)
        if gives and "top_logprobs" in body:
            at = text.index('"label": "') + len('"label": "')
            word = told["label"]
            listed = [{"token": other, "logprob": math.log(p)} for other, p in chances.items()]
            tokens = [text[:at], word, text[at + len(word) :]]
            content = [{"token": token, "logprob": 0.0, "top_logprobs": []} for token in tokens]
            content[1] = {**listed[0], "top_logprobs": listed}
            data["choices"][0]["logprobs"] = {"content": content}
        return answer_json(data)(exchange)

    return JudgeEndpoint(play)


def test_log_probabilities_become_the_score_that_calibration_uses(empty_study):
    labelled(empty_study)
    with graded_server({"partial": 0.6, "supported": 0.3, "not_addressed": 0.1}) as endpoint:
        (tally,) = judge_with(empty_study, [endpoint.settings(params=LOGPROBS)])

    assert tally.changes == ()
    assert [row["score"] for row in rows(empty_study)] == pytest.approx([0.3] * len(DRUGS))
    reader = empty_study.reader
    of = peoples_labels({"anna": reviewer_labels(reader, "anna")})
    sure = {one.confidences["one"] for one in judged_labels(reader, of, study_clusters(reader), "undecided")}
    assert sorted(sure) == pytest.approx([0.7])  # of "not supported"; the judge itself says 0.8
    assert {row["confidence"] for row in rows(empty_study)} == {0.8}


def test_a_score_is_kept_with_the_answer(empty_study):
    labelled(empty_study)
    with graded_server({"partial": 0.6, "supported": 0.4}) as endpoint:
        judge_with(empty_study, [endpoint.settings(params=LOGPROBS)], limit=3)
        asked = len(endpoint.asked)
        judge_with(empty_study, [endpoint.settings("other", params=LOGPROBS)], limit=3)

        assert len(endpoint.asked) == asked
    assert [row["score"] for row in rows(empty_study)] == pytest.approx([0.4] * 6)


@pytest.mark.parametrize(("takes", "gives"), [(True, False), (False, False)])
def test_an_endpoint_without_them_gets_one_sentence_and_no_score(empty_study, takes, gives):
    labelled(empty_study)
    with graded_server({"partial": 1.0}, takes=takes, gives=gives) as endpoint:
        (tally,) = judge_with(empty_study, [endpoint.settings(params=LOGPROBS)])

    assert sum("no log probabilities" in change for change in tally.changes) == 1
    assert {row["score"] for row in rows(empty_study)} == {None}


def test_without_asking_for_any_nothing_is_said(empty_study):
    labelled(empty_study)
    with graded_server({"partial": 1.0}) as endpoint:
        (tally,) = judge_with(empty_study, [endpoint.settings()])

    assert tally.changes == ()


def test_samples_are_asked_and_their_share_is_the_score(empty_study):
    labelled(empty_study)
    words = iter(("partial", "supported", "partial", "nonsense", "supported") * len(DRUGS))

    def play(exchange):
        answer_json(completion(json.dumps(filled(json.loads(exchange.body), next(words))), usage=None))(exchange)

    with JudgeEndpoint(play) as endpoint:
        settings = endpoint.settings(samples=3, concurrency=1, params={"temperature": 1.0, "seed": 7})
        (tally,) = judge_with(empty_study, [settings], limit=1)

        assert [body["seed"] for body in endpoint.asked] == [7, 8, 9]
    (row,) = rows(empty_study)
    assert (row["verdict"], row["score"], tally.in_parts) == ("partial", pytest.approx(1 / 3), 0)
    params = json.loads(empty_study.reader.execute("SELECT params FROM judge_run WHERE kind = 'llm'").fetchone()[0])
    assert params["samples"] == 3


def answered(label, status="ok", **probabilities):
    value = {"label": label} if status == "ok" else None
    return ModelAnswer(status, value, label_probabilities=probabilities)


@pytest.mark.parametrize(
    ("answers", "samples", "labels", "score"),
    [
        ([answered("supported")], 1, ["supported"], None),
        ([answered("supported", supported=0.8, partial=0.2)], 1, ["supported"], 0.8),
        ([answered("partial"), answered("supported"), answered("supported")], 3, ["supported"], 2 / 3),
        ([answered("partial"), answered("supported")], 2, ["partial"], 0.5),
        ([answered("", "unparsable"), answered("supported"), answered("partial")], 3, ["supported"], 0.5),
        ([answered("", "timeout"), answered("", "error")], 2, [None], None),
        ([answered("", "timeout"), answered("supported")], 2, ["supported"], None),
        # of two parts the higher one; a part without any leaves no score
        ([answered("partial", supported=0.1, partial=0.9), answered("partial", supported=0.4, partial=0.6)], 1,
         ["partial", "partial"], 0.4),
        ([answered("partial", supported=0.1, partial=0.9), answered("partial")], 1, ["partial", "partial"], None),
        ([answered("supported", supported=0.9, partial=0.1), answered("partial", supported=0.3, partial=0.7)], 2,
         ["supported"], 0.6),
    ],
)  # fmt: skip
def test_the_rule(answers, samples, labels, score):
    standing, found = graded(answers, samples)

    assert [(one.value or {}).get("label") for one in standing] == labels
    assert found == (score if score is None else pytest.approx(score))


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"samples": 0}, "1 to 50"), ({"samples": 5, "params": {"temperature": 0}}, "temperature above 0")],
)
def test_settings_that_cannot_grade_are_refused(fields, words):
    with JudgeEndpoint() as endpoint, pytest.raises(UserError, match=words):
        check_settings(endpoint.settings(**fields), "Here")
