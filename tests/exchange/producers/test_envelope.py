"""What stands around an answer: logs, batches with their input, JSON or a stream in a text, lists in an object."""

import json
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.import_files import Chosen
from medreview.study import Study
from tests.exchange.producers.conftest import Bring, Brought
from tests.exchange.producers.test_anthropic import message, text
from tests.exchange.producers.test_openai_chat import chunk, completion, stream

ASKED = "What is the first-line treatment of anaphylaxis?"
TEXT = "Adrenaline is given into the muscle of the outer thigh."
SENT = {"model": "atlas", "messages": [{"role": "user", "content": ASKED}]}
BODY = completion(TEXT)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"request": SENT, "response": BODY}, "chatcmpl-7"),
        ({"request": {"body": SENT, "headers": {}}, "response": {"status": 200, "body": BODY}}, "chatcmpl-7"),
        ({"request": {"content": json.dumps(SENT)}, "response": {"content": json.dumps(BODY)}}, "chatcmpl-7"),
        ({"id": "q1", "question": ASKED, "response": BODY}, "q1"),
        ({"id": "q1", "messages": SENT["messages"], "response": json.dumps(BODY)}, "q1"),
        ({"id": "q1", "request": SENT, "response": stream(chunk({"content": TEXT}, "stop"))}, "q1"),
        ({"run": "r1", "results": [{"id": "q1", "prompt": ASKED, "output": BODY}]}, "q1"),
        ({"custom_id": "q1", "request": SENT, "response": message(text(TEXT)), "status": ""}, "q1"),
        ([{"id": "q1", "query": ASKED, "result": BODY}], "q1"),
    ],
)
def test_a_log_gives_the_question_and_its_own_id(bring: Bring, value: Any, name: str) -> None:
    answer = bring(value).answer
    assert (answer.id, answer.question, answer.text) == (name, ASKED, TEXT)


def test_a_batch_gets_its_questions_from_its_input(tmp_path: Path) -> None:
    sent, came = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    line = {"method": "POST", "url": "/v1/chat/completions", "body": {**SENT, "temperature": 0}}
    sent.write_text("".join(json.dumps({"custom_id": name, **line}) + "\n" for name in ("q1", "q2")), "utf-8")
    lines = ({"custom_id": name, "response": {"status_code": 200, "body": BODY}} for name in ("q2", "q3"))
    came.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    with Study.create(tmp_path / "s.medreview") as study:
        told = pipeline.bring_in(study, came, {}, chosen=Chosen(requests=sent))
        found = Brought(study, told).answers
        assert [(one.id, one.question, one.extra) for one in found] == [
            ("q2", ASKED, {"temperature": 0}),
            ("q3", "", {}),
        ]
        assert len(told.warnings) == 1


@pytest.mark.parametrize(
    "value",
    [
        {"error": {"message": "Incorrect API key provided", "type": "invalid_request_error"}},
        {"object": "list", "data": [{"object": "embedding", "embedding": [0.1]}]},
        {"request": SENT},
        completion(TEXT) | {"choices": []},
    ],
)
def test_what_holds_no_answer_is_refused(bring: Bring, value: Any) -> None:
    with pytest.raises(UserError):
        bring(value)


def test_an_answer_that_stands_as_a_text_beside_its_question_is_a_plain_record(bring: Bring) -> None:
    answer = bring(
        [{"id": "q1", "question": ASKED, "response": TEXT}, {"id": "q2", "prompt": ASKED, "completion": TEXT}]
    ).answers
    assert [(one.id, one.producer) for one in answer] == [("q1", ""), ("q2", "")]
