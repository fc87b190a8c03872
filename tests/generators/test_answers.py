"""Answers of a model to the questions of a study: which are asked, how often, and what is kept of them."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.generators.answers import Answers, questions_of
from medreview.llm.settings import JudgeSettings
from medreview.pipeline.asking import Generated
from medreview.stats.reports.study_support import kinds_of_run, response_report
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.units.cases import NewCase
from medreview.units.new_units import ImportRecord, store_records
from medreview.units.stored import NewUnit
from tests.support.http_server import answer, answer_json
from tests.support.judge_endpoint import JudgeEndpoint, by_prompt, completion, refuses, says
from tests.support.study_builder import build, rows_of

ASPIRIN = "How long before an operation is aspirin stopped?"
URL = "https://surgery.example/aspirin"
GERMAN = "Vor der Operation wird das Mittel nicht mehr eingenommen, und der Arzt wird bei einem Stent gefragt."
GOOD = {"response": "Aspirin is stopped 7 days before the operation [1].", "sources": [URL]}


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "s.medreview", "answers") as made:
        bring(made, question(ASPIRIN, record_id="q1"))
        yield made


def question(text: str, origin: str = "forum", record_id: str = "") -> NewUnit:
    content = {"question": text, "answer": "", "quote": "", "passage": "", "url": ""}
    return NewUnit("question", text, content, record_id=record_id, origin=origin)


def bring(study: Study, *units: NewUnit, **more: Any) -> None:
    study.write(lambda connection: store_records(connection, [ImportRecord(units=units, **more)], "test"))


def run(study: Study, settings: JudgeSettings, *, web: bool = False) -> Generated:
    return pipeline.generate(study, pipeline.Generating(partial(Answers, web=web), settings))


def responses(study: Study) -> list[tuple[Any, ...]]:
    rows = rows_of(study, "SELECT model, question, text, invalid, parser FROM response ORDER BY ordinal")
    return [tuple(row.values()) for row in rows]


def test_an_answer_becomes_a_response_whose_list_is_its_citations(study):
    with JudgeEndpoint(says(json.dumps(GOOD))) as server:
        done = run(study, server.settings("writer"))
        again = run(study, server.settings("writer"))
        assert (len(server.asked), again.tally.calls) == (1, 0)
        prompt = server.prompts[0]
    pipeline.parse(study)

    (row,) = rows_of(study, "SELECT * FROM response")
    assert (row["model"], row["question"], row["text"]) == ("writer", ASPIRIN, GOOD["response"])
    assert (row["origin"], row["record_id"], row["imported_from"]) == ("forum", "q1", "generated: answers")
    assert [row["url"] for row in rows_of(study, "SELECT url FROM source")] == [URL]
    assert rows_of(study, "SELECT number, source_id FROM own_number")[0]["number"] == 1
    assert [one["text"] for one in rows_of(study, "SELECT text FROM statement")] == [
        "Aspirin is stopped 7 days before the operation"
    ]
    assert (done.counts.products, done.counts.made) == ({"response": 1}, 1)
    assert ASPIRIN in prompt
    assert "Search the web" not in prompt


def test_the_web_has_its_own_prompt_and_model(study):
    with JudgeEndpoint(says(json.dumps(GOOD))) as server:
        run(study, server.settings("writer"))
        run(study, server.settings("writer"), web=True)
        assert [("Search the web first" in prompt) for prompt in server.prompts] == [False, True]

    assert [row[0] for row in responses(study)] == ["writer", "writer (web)"]


@pytest.mark.parametrize(
    ("first", "second", "kept", "codes"),
    [
        (says(""), says(json.dumps(GOOD)), (GOOD["response"], ""), {"empty": 1}),
        (says(json.dumps({"response": "", "sources": []})), says(""), ("", "empty"), {"empty": 2}),
        (says('{"response": "Aspirin is', finish="length"), says("Seven days."), ("Seven days.", "incomplete"),
         {"cut_off": 1, "no_list_and_no_address": 1}),
        (says(ASPIRIN), says('{"type": "object"}'), ('{"type": "object"}', "incomplete"),
         {"copy_of_input": 1, "no_list_and_no_address": 1, "placeholder": 1, "wrong_form": 1}),
        (says(json.dumps({"response": GERMAN, "sources": [URL]})), says(json.dumps({**GOOD, "response": GERMAN})),
         (GERMAN, "incomplete"), {"other_language": 2}),
    ],
)  # fmt: skip
def test_what_is_empty_or_incomplete_gets_exactly_one_more_try_and_is_kept(study, first, second, kept, codes):
    with JudgeEndpoint(first, second, says(json.dumps(GOOD))) as server:
        done = run(study, server.settings("writer", params={"seed": 3}))
        again = run(study, server.settings("writer", params={"seed": 3}))
        assert [body["seed"] for body in server.asked] == [3, 4]  # no third try, and no turn to mend the form

    assert responses(study) == [("writer", ASPIRIN, *kept, None)]
    assert (done.counts.codes, done.counts.attempts, again.waiting, again.tally.calls) == (codes, 2, 0, 0)
    assert pipeline.parse(study).responses == (0 if kept[1] else 1)
    assert kinds_of_run(study.reader, done.counts.run_id).invalid.value == bool(kept[1])


def test_prose_with_an_address_and_a_list_that_is_empty_are_no_reason_to_ask_again(study):
    bring(study, question("And heparin?"))
    plays = [says(f"Stop it 7 days before. See {URL}."), says(json.dumps({"response": "No bridge.", "sources": []}))]
    with JudgeEndpoint(*plays) as server:
        run(study, server.settings("writer", concurrency=1))
        assert len(server.asked) == 2

    assert [row[2:4] for row in responses(study)] == [(f"Stop it 7 days before. See {URL}.", ""), ("No bridge.", "")]
    assert [row["url"] for row in rows_of(study, "SELECT url FROM source")] == [URL]
    found = response_report(study.reader).all
    assert (found.responses, found.sourceless, found.empty, found.incomplete) == (2, 1, 0, 0)


def test_a_server_that_fails_uses_up_no_try(study):
    with JudgeEndpoint(refuses(401, "no such key")) as server:
        assert run(study, server.settings("writer")).waiting == 1
        server.play(says(""), says(json.dumps(GOOD)))
        assert run(study, server.settings("writer")).waiting == 0

    assert responses(study)[0][2:4] == (GOOD["response"], "")


def test_it_asks_each_question_once_whether_it_came_alone_or_with_a_response_and_none_that_is_unfit(study):
    case = NewCase("c1", "A case", "Write the hospital course.", "", ())
    bring(
        study,
        question(ASPIRIN.upper(), origin="reference"),
        question("What does it say?"),
        question("Is it so?"),
        cases=(case,),
    )
    build(study, lambda rows: rows.response("r1", "x", question="And heparin?", origin="clinic"))
    build(study, lambda rows: rows.response("r2", "y", question="And heparin?", origin="forum"))
    build(study, lambda rows: rows.response("r3", "z", question=case.question))
    label(study, "What does it say?", "anna", "not_self_contained")
    label(study, "Is it so?", "anna", "answerable")

    assert [(one.text, one.origin) for one in questions_of(study.reader)] == [
        (ASPIRIN, "forum"), ("Is it so?", "forum"), ("And heparin?", "clinic"),
    ]  # fmt: skip
    assert [one.text for one in questions_of(study.reader, [ASPIRIN, "Not there?"])] == [ASPIRIN]


def label(study: Study, text: str, reviewer: str, level: str) -> None:
    (unit,) = rows_of(study, "SELECT unit_id FROM unit WHERE text = ?", text)
    event = NewEvent("decide", unit["unit_id"], {"axis": "answerability", "label": level})
    study.write(lambda connection: Recorder(reviewer).append(connection, event, block="questions", mode="blind"))


def test_half_of_the_questions_now_and_the_rest_with_the_same_command(study):
    bring(study, *(question(f"Is question {number} answered?") for number in range(5)))

    def reply(prompt: str) -> object:
        return GOOD

    with JudgeEndpoint(by_prompt(reply)) as server:
        settings = server.settings("writer")
        generating = pipeline.Generating(Answers, settings)
        assert pipeline.generate(study, generating, limit=3).waiting == 3
        assert pipeline.generate(study, generating).waiting == 0
        assert len(server.asked) == 6

    assert len(responses(study)) == 6


def test_answers_of_a_batch_are_read_in_any_form_and_get_their_second_try_in_the_next(study, tmp_path):
    bring(study, question("And heparin?"))
    generating = pipeline.Generating(Answers, JudgeSettings("writer", "m", "http://localhost:1/v1"))

    def round_trip(name: str, reply: Any) -> tuple[int, int]:
        out, back = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.back.jsonl"
        written = pipeline.batch_out(study, generating, out)
        lines = [json.loads(line) for line in out.read_text().splitlines()] if written.requests else []
        with back.open("w") as file:
            for line in lines:
                content, finish = reply(line["body"]["messages"][0]["content"])
                choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content}}
                body = {"status_code": 200, "body": {"choices": [choice]}}
                file.write(json.dumps({"custom_id": line["custom_id"], "response": body}) + "\n")
        if lines:
            pipeline.batch_in(study, generating, [back])
        return written.requests, generating.task(study).counts().made if lines else 0

    prose = f"Stop aspirin 7 days before. See {URL}."
    assert round_trip("one", lambda prompt: ("", "stop") if "heparin" in prompt else (prose, "stop")) == (2, 1)
    assert round_trip("two", lambda prompt: ('{"response": "No bri', "length")) == (1, 2)
    assert round_trip("three", None) == (0, 0)
    assert [row[1:4] for row in responses(study)] == [(ASPIRIN, prose, ""), ("And heparin?", "No bri", "incomplete")]


NOTED = [
    {"type": "url_citation", "url_citation": {"url": f"{URL}?utm_source=openai", "title": "Aspirin", "start_index": 0}}
]
OTHER = "https://heart.example/My guideline.pdf"


@pytest.mark.parametrize(
    ("content", "beside", "urls", "numbers"),
    [
        ("Aspirin is stopped 7 days before.", {"annotations": NOTED}, [f"{URL}?utm_source=openai"], {}),
        (
            "Aspirin is stopped 7 days before [2].",
            {"citations": [URL, OTHER]},
            [URL, OTHER.replace(" ", "%20")],
            {2: 1},
        ),
        ("Aspirin is stopped 7 days before [1].", {"search_results": [{"url": URL, "title": "T"}]}, [URL], {1: 0}),
        (json.dumps(GOOD), {"annotations": NOTED, "citations": [OTHER]}, [URL, OTHER.replace(" ", "%20")], {1: 0}),
        (json.dumps({"response": "Stop it.", "sources": []}), {"annotations": NOTED}, [f"{URL}?utm_source=openai"], {}),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_what_the_service_of_a_search_model_cites_beside_the_answer_is_kept(
    study, content, beside, urls, numbers, streamed
):
    annotations = beside.get("annotations")
    body = completion(content, **({"annotations": annotations} if annotations else {}))
    body |= {name: value for name, value in beside.items() if name != "annotations"}
    play = answer_json(body)
    if streamed:
        choice = body.pop("choices")[0]
        events = [
            {**body, "choices": [{"index": 0, "delta": choice["message"]}]},
            {"choices": [{"finish_reason": "stop"}]},
        ]
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        play = answer(text.encode(), content_type="text/event-stream")
    with JudgeEndpoint(play) as server:
        done = run(study, server.settings("writer"))
        again = run(study, server.settings("writer"))
        assert (len(server.asked), again.tally.calls) == (1, 0)
    pipeline.parse(study)

    (row,) = rows_of(study, "SELECT text, invalid FROM response")
    assert (row["text"] in content or json.dumps(row["text"]) in content, row["invalid"]) == (True, "")
    assert done.counts.codes == {}
    sources = rows_of(study, "SELECT source_id, url FROM source ORDER BY rowid")
    assert [one["url"] for one in sources] == urls
    marked = {one["number"]: one["source_id"] for one in rows_of(study, "SELECT number, source_id FROM marker")}
    assert marked == {number: sources[place]["source_id"] for number, place in numbers.items()}
