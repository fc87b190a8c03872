"""What servers are known to do, one by one, against a real one: what becomes of the question."""

import asyncio
import json
import threading
import time

import pytest

from medreview.llm.judge_client import BUSY_TRIES, Judge
from medreview.llm.server_errors import diagnose
from medreview.llm.transport import TRIES, Reply
from tests.llm.questions import SCHEMA, ask_of
from tests.support.http_server import cut, drip, hang_up
from tests.support.judge_endpoint import GOOD, completion, refuses, says, sends, strict

OK = '{"quote": "5 mg", "label": "supported", "confidence": 0.9}'
DROPPED = cut(json.dumps(completion(json.dumps(GOOD))).encode(), 30)
PAGE = "<!doctype html><html><body><h1>Sign in</h1></body></html>"


async def asked(settings, ask, store=None, backoff=0.001):
    async with Judge(settings, store, backoff=backoff) as judge:
        return await judge.ask(ask)


@pytest.mark.parametrize(
    ("plays", "tries"),
    [
        pytest.param([says()], 1, id="well-behaved"),
        pytest.param([says(f"```json\n{OK}\n```")], 1, id="fenced"),
        pytest.param([says(f"Here it is:\n```json\n{OK}\n```\nAnything else?")], 1, id="fenced-in-prose"),
        pytest.param([says(f"<think>First {{1}}, then {OK[:20]}</think>\n{OK}")], 1, id="thinking"),
        pytest.param([says(f"I weigh this.\n</think>\n\n{OK}")], 1, id="thinking-closed-only"),
        pytest.param([says([{"type": "text", "text": OK}])], 1, id="content-in-parts"),
        pytest.param([says(OK.replace("supported", "Supported").replace("0.9", '"0.9"'))], 1, id="sloppy"),
        pytest.param([says(OK, usage=None)], 1, id="no-usage"),
        pytest.param([says(OK, finish=None)], 1, id="no-finish-reason"),
        pytest.param([says("It says so."), says()], 2, id="schema-ignored-then-repaired"),
        pytest.param([says('{"label": "yes"}'), says()], 2, id="wrong-word-then-repaired"),
        pytest.param([says(""), says()], 2, id="empty-then-fine"),
        pytest.param([refuses(500, "boom"), says()], 2, id="500-then-fine"),
        pytest.param([refuses(503, "loading model"), refuses(502, ""), says()], 3, id="503-502-fine"),
        pytest.param([sends(200, PAGE), says()], 2, id="html-with-200-then-fine"),
        pytest.param([sends(200, {"choices": []}), says()], 2, id="no-choices-then-fine"),
        pytest.param([sends(200, {"error": {"message": "busy", "code": 502}}), says()], 2, id="200-error"),
        pytest.param([DROPPED, says()], 2, id="dropped-body-then-fine"),
        pytest.param([hang_up, says()], 2, id="hang-up-then-fine"),
        pytest.param([strict(takes=("json_object", "plain"))], 2, id="no-json-schema"),
        pytest.param([strict(takes=("plain",))], 3, id="plain-only"),
        pytest.param([refuses(400, "Bad Request"), says()], 2, id="400-without-a-reason"),
        pytest.param([refuses(500, "failed to parse grammar"), says()], 2, id="500-for-the-grammar"),
    ],
)
async def test_an_answer_is_had(model, plays, tries):
    model.play(*plays)

    answer = await asked(model.settings(), ask_of())

    assert (answer.status, answer.error) == ("ok", "")
    assert answer.value["label"] == "supported"
    assert answer.value["confidence"] == 0.9
    assert answer.tries == len(model.asked) == tries


@pytest.mark.parametrize(
    ("plays", "status", "tries", "word"),
    [
        pytest.param([says("It is true.")], "unparsable", 2, "no JSON object", id="prose-twice"),
        pytest.param([says('{"label": "supported"}')], "unparsable", 2, "`quote` is missing", id="incomplete"),
        pytest.param([says(f"[{OK}, {OK}]")], "unparsable", 2, "one JSON object", id="two-answers"),
        pytest.param([says("")], "unparsable", 2, "empty", id="empty"),
        pytest.param([says(None, refusal="No.")], "refused", 1, "No.", id="refusal-field"),
        pytest.param([says("I’m sorry, but I can’t help with that.")], "refused", 1, "help", id="refusal-prose"),
        pytest.param([says(OK, finish="content_filter")], "refused", 1, "filter", id="filtered-answer"),
        pytest.param(
            [refuses(400, "blocked by our content management policy", code="content_filter")],
            "refused",
            1,
            "policy",
            id="filtered-prompt",
        ),
        pytest.param([says(OK[:40], finish="length")], "truncated", 1, "max_tokens", id="cut-answer"),
        pytest.param([says(f"<think>{OK} or", finish="length")], "truncated", 1, "max_tokens", id="cut-thought"),
        pytest.param([refuses(400, "maximum context length is 4096 tokens")], "skipped", 1, "4096", id="overflow"),
        pytest.param([refuses(500, "boom")], "error", TRIES, "500", id="500-for-ever"),
        pytest.param([sends(200, PAGE)], "error", TRIES, "base_url", id="html-with-200"),
        pytest.param([sends(404, PAGE)], "error", 1, "404 with a web page", id="html-with-404"),
        pytest.param([sends(200, {"choices": []})], "error", TRIES, "no message", id="no-choices"),
        pytest.param([sends(200, "")], "error", TRIES, "empty", id="nothing"),
        pytest.param([sends(200, '{"choices": [')], "error", TRIES, "not JSON", id="half-a-body"),
        pytest.param([DROPPED], "error", TRIES, "broke", id="dropped-body"),
        pytest.param([hang_up], "error", TRIES, "reached", id="hang-up"),
        pytest.param([refuses(404, "The model `m` does not exist")], "error", 1, "not exist", id="no-model"),
        pytest.param([refuses(429, "quota", code="insufficient_quota")], "error", 1, "quota", id="no-money"),
        pytest.param([sends(302, "", Location="http://192.0.2.1/")], "error", 1, "302", id="redirect"),
    ],
)
async def test_there_is_no_answer_and_none_is_guessed(model, plays, status, tries, word):
    model.play(*plays)

    answer = await asked(model.settings(), ask_of())

    assert answer.status == status
    assert answer.value is None
    assert word in answer.error
    assert answer.tries == len(model.asked) == tries


async def test_the_pause_that_a_server_asks_for_is_kept_by_all_requests(model):
    model.play(sends(429, {"error": {"message": "slow down"}}, Retry_After="0.4"), says())
    async with Judge(model.settings(concurrency=1), backoff=0.001) as judge:
        begun = time.monotonic()
        first = await judge.ask(ask_of("one"))
        second = await judge.ask(ask_of("two"))

    assert (first.status, second.status) == ("ok", "ok")
    assert first.tries == 2
    assert time.monotonic() - begun >= 0.4


async def test_a_pause_of_an_hour_ends_this_judge_for_now(model):
    model.play(sends(429, {"error": {"message": "slow down"}}, Retry_After="3600"))
    async with Judge(model.settings()) as judge:
        first = await judge.ask(ask_of("one"))
        second = await judge.ask(ask_of("two"))

    assert first.status == "error"
    assert "3,600 seconds" in first.error
    assert second.status == "skipped"
    assert len(model.asked) == 1


@pytest.mark.parametrize("pause", ["-1", "-inf", "inf", "nan", "1e30", "Wed, 21 Oct 2015 07:28:00 GMT"])
async def test_a_pause_that_no_server_can_mean_counts_as_none(model, pause):
    model.play(sends(503, {"error": {"message": "loading"}}, Retry_After=pause))
    answer = await asked(model.settings(), ask_of())

    assert (answer.status, answer.tries) == ("error", TRIES)
    assert answer.error == "The server answered 503: loading"


@pytest.mark.parametrize(("pause", "most"), [("-1", BUSY_TRIES), ("0.4", 3)])
async def test_a_server_that_only_asks_to_wait_holds_no_judge_for_ever(model, monkeypatch, pause, most):
    monkeypatch.setattr("medreview.llm.judge_client.LONGEST_WAIT", 1.0)
    model.play(sends(429, {"error": {"message": "slow down"}}, Retry_After=pause))
    begun = time.monotonic()
    async with Judge(model.settings(concurrency=1), backoff=0.001) as judge:
        answers = [await judge.ask(ask_of(str(number))) for number in range(6)]

    assert [answer.status for answer in answers] == ["error", *["skipped"] * 5]
    assert "429: slow down" in answers[1].error
    assert len(model.asked) <= most
    assert time.monotonic() - begun < 5


async def test_a_server_that_is_busy_is_given_more_time_than_one_that_fails(model):
    at_once = Reply(503, {"retry-after": "0"}, {"error": {"message": "loading"}}, "")
    assert diagnose(at_once, ()).kind == "rate_limit"
    model.play(*[refuses(429, "slow down")] * (BUSY_TRIES - 1), says())
    assert (await asked(model.settings(), ask_of(), backoff=1e-5)).tries == BUSY_TRIES

    model.play(refuses(429, "slow down"))
    model.received.clear()
    answer = await asked(model.settings(), ask_of(), backoff=1e-5)
    assert (answer.status, answer.tries) == ("error", BUSY_TRIES)


async def test_half_a_character_does_no_harm(model, study, store):
    model.play(says('{"quote": "\\ud800", "label": "supported", "confidence": 1}\ud800'))

    answer = await asked(model.settings(), ask_of("half \ud800 of one"), store)

    assert (answer.status, answer.value["quote"]) == ("ok", "\ufffd")
    assert model.asked[0]["messages"][0]["content"] == "half \ufffd of one"
    assert study.reader.execute("SELECT count(*) FROM llm_call").fetchone()[0] == 1


async def test_a_runaway_answer_is_not_sent_back_whole(model):
    model.play(says("x" * 500_000), says())

    answer = await asked(model.settings(), ask_of())

    assert (answer.status, answer.tries) == ("ok", 2)
    assert len(model.asked[1]["messages"][1]["content"]) == 4000


async def test_an_endless_answer_is_cut_off(model):
    model.play(sends(200, "x" * 9_000_000))

    answer = await asked(model.settings(), ask_of())

    assert answer.status == "error"
    assert "larger than" in answer.error


async def test_a_slow_drip_ends_at_the_deadline(model):
    model.play(drip(b" ", 0.05))  # for longer than any test waits

    answer = await asked(model.settings(timeout=0.3), ask_of())

    assert (answer.status, answer.tries) == ("timeout", 2)
    assert "0.3 seconds" in answer.error


async def test_a_prompt_cut_to_the_context_length_of_the_server_is_noticed(model):
    words = "metformin " * 3000  # 6,000 tokens or so: cut to 4,096 there are still more than words
    model.play(says(usage=(4096, 20)))
    assert (await asked(model.settings(), ask_of(words))).status == "truncated"

    model.play(says(usage=(4100, 20)))
    assert (await asked(model.settings(), ask_of(words))).status == "ok"

    model.play(says(usage=(2990, 20)))
    answer = await asked(model.settings(), ask_of(words))
    assert (answer.status, answer.value) == ("truncated", None)
    assert "2,990 tokens only" in answer.error


async def test_a_request_over_the_configured_context_is_not_sent(model):
    answer = await asked(model.settings(context_tokens=20), ask_of())

    assert (answer.status, answer.tries, answer.rung) == ("skipped", 0, "")
    assert "context_tokens" in answer.error
    assert model.asked == []


async def test_the_repair_turn_names_the_problem_and_shows_what_was_written(model):
    model.play(says('{"quote": "", "label": "maybe", "confidence": 1}'), says())

    answer = await asked(model.settings(price_input=1.0, price_output=2.0), ask_of())

    before, after = model.asked
    assert after["messages"][:1] == before["messages"]
    assert after["messages"][1]["content"] == '{"quote": "", "label": "maybe", "confidence": 1}'
    assert "`label` must be one of: supported, not_addressed" in after["messages"][2]["content"]
    assert (answer.prompt_tokens, answer.completion_tokens) == (80, 40)
    assert answer.cost == pytest.approx(160 / 1_000_000)


async def test_the_ladder_is_climbed_down_once(model):
    model.play(strict(takes=("plain",)))
    async with Judge(model.settings()) as judge:
        answers = [await judge.ask(ask_of(text)) for text in ("one", "two")]

        assert [answer.tries for answer in answers] == [3, 1]
        assert [answer.rung for answer in answers] == ["plain", "plain"]
        assert len(judge.changes) == 2
    assert [body.get("response_format", {}).get("type") for body in model.asked] == [
        "json_schema",
        "json_object",
        None,
        None,
    ]


async def test_a_bad_request_does_not_cost_a_rung_that_works(model):
    model.play(says(), refuses(400, "Bad Request"), says())
    async with Judge(model.settings()) as judge:
        answers = [await judge.ask(ask_of(text)) for text in ("one", "two", "three")]

    assert [answer.status for answer in answers] == ["ok", "error", "ok"]
    assert {answer.rung for answer in answers} == {"json_schema"}


async def test_the_schema_is_sent_as_the_servers_want_it(model):
    await asked(model.settings(params={"temperature": 0.2, "top_k": 5}), ask_of(task="a task/1"))

    (body,) = model.asked
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "a_task_1", "strict": True, "schema": SCHEMA},
    }
    assert (body["temperature"], body["top_k"], body["model"]) == (0.2, 5, "m")
    assert body.keys() == {"model", "messages", "response_format", "temperature", "top_k"}


async def test_parameters_that_a_model_does_not_take_are_left_out_or_renamed_once(model):
    model.play(strict(without=("temperature", "max_tokens")))
    params = {"temperature": 0, "max_tokens": 500, "seed": 1}
    async with Judge(model.settings(params=params)) as judge:
        answers = [await judge.ask(ask_of(text)) for text in ("one", "two")]
        changes = judge.changes

    assert [answer.tries for answer in answers] == [3, 1]
    assert "temperature" not in model.asked[-1]
    assert (model.asked[-1]["max_completion_tokens"], model.asked[-1]["seed"]) == (500, 1)
    assert changes == (
        "temperature was not taken and is left out.",
        "max_tokens was not taken; it is sent as max_completion_tokens.",
    )


async def test_a_validation_error_in_the_words_of_fastapi_is_understood(model):
    detail = [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": 1}]
    model.play(sends(422, {"detail": detail}), says())

    answer = await asked(model.settings(params={"seed": 1}), ask_of())

    assert (answer.status, answer.tries) == ("ok", 2)
    assert "seed" not in model.asked[1]


async def test_requests_under_way_while_a_form_is_declined_just_go_again(model):
    six = threading.Barrier(6)
    route = strict(takes=("plain",), without=("seed",))

    def together(exchange):
        six.wait(60)
        route(exchange)

    model.play(together)
    async with Judge(model.settings(concurrency=6, params={"seed": 3})) as judge:
        answers = await asyncio.gather(*(judge.ask(ask_of(f"question {n}")) for n in range(6)))

        assert {answer.status for answer in answers} == {"ok"}
        assert len(judge.changes) == 3
    assert len(model.asked) == 24


async def test_raw_output_is_kept_when_the_repair_fails(model):
    model.play(says("first"), says("second"))
    answer = await asked(model.settings(), ask_of())
    assert (answer.status, answer.raw) == ("unparsable", "second")

    model.play(says("first"), refuses(404, "gone"))
    model.received.clear()
    answer = await asked(model.settings(), ask_of())
    assert (answer.status, answer.raw) == ("error", "first")


async def test_nobody_listens(model):
    model.close()

    answer = await asked(model.settings(), ask_of())

    assert (answer.status, answer.tries, answer.declined) == ("error", TRIES, TRIES), (
        "nothing was sent, so none is lost"
    )
    assert "cannot be reached" in answer.error
    assert json.dumps(answer.value) == "null"


async def test_a_request_that_was_read_and_never_answered_may_be_paid(model):
    model.play(hang_up)

    answer = await asked(model.settings(), ask_of())

    assert (answer.status, answer.tries, answer.kept, answer.declined) == ("error", TRIES, 0, 0)
    assert len(model.received) == TRIES
