"""Calls are kept: by a jury of models, once each, with what they cost."""

import asyncio
import dataclasses
import sqlite3
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.llm.call import cache_key
from medreview.llm.costs import cost_of, estimate, fewest_tokens, quantile, spent, tokens_of
from medreview.llm.judge_client import FAILURES, Judge
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.llm.transport import TRIES
from medreview.study import Study
from tests.llm.questions import SCHEMA, ask_of
from tests.support.http_server import after, slowly, together
from tests.support.judge_endpoint import GOOD, refuses, says


def rows(study):
    return [dict(row) for row in study.reader.execute("SELECT * FROM llm_call ORDER BY at_utc")]


async def test_an_answered_question_is_not_sent_again_not_even_after_a_restart(model, tmp_path):
    settings = model.settings(price_input=1.0, price_output=4.0)
    given = []
    with Study.create(tmp_path / "kept.medreview") as study:
        async with Judge(settings, CallStore(study)) as judge:
            given += [await judge.ask(ask_of()), await judge.ask(ask_of())]
    with Study.open(tmp_path / "kept.medreview") as study:
        async with Judge(settings, CallStore(study)) as judge:
            given.append(await judge.ask(ask_of()))
        (row,) = rows(study)

    assert len(model.asked) == 1
    assert [answer.cached for answer in given] == [False, True, True]
    first, *later = (dataclasses.replace(answer, cached=False, kept=0) for answer in map(without_value, given))
    assert later == [first, first]
    assert given[2].value == GOOD
    assert row["cost"] == pytest.approx((40 + 4 * 20) / 1e6)
    assert (row["judge"], row["host"], row["task"], row["tries"]) == ("one", settings.host, "source_verification", 1)
    assert row["raw_output"] == given[0].raw
    assert row["reused"] == 2


def without_value(answer):
    return dataclasses.replace(answer, value=None)


async def test_the_same_question_twice_at_once_is_paid_once(model, store):
    model.play(slowly(0.05, says()))
    async with Judge(model.settings(concurrency=4), store) as judge:
        answers = await asyncio.gather(*(judge.ask(ask_of()) for _ in range(4)))

    assert {answer.status for answer in answers} == {"ok"}
    assert len(model.asked) == 1


async def test_a_failure_is_kept_and_asked_again_and_what_it_cost_is_added(model, study, store):
    model.play(says("no object"), says("no object"), says())
    async with Judge(model.settings(price_input=1.0, price_output=1.0), store) as judge:
        first = await judge.ask(ask_of())
        assert [row["status"] for row in rows(study)] == ["unparsable"]
        second = await judge.ask(ask_of())

    assert (first.status, second.status, second.tries) == ("unparsable", "ok", 1)
    (row,) = rows(study)
    assert (row["status"], row["tries"], row["prompt_tokens"]) == ("ok", 3, 120)
    assert row["cost"] == pytest.approx(180 / 1e6)


async def test_what_only_looks_like_an_answer_is_not_served_from_the_study(model, study, store):
    model.play(says(finish="content_filter"), says())
    async with Judge(model.settings(), store) as judge:
        first = await judge.ask(ask_of())
        second = await judge.ask(ask_of())

    assert (first.status, second.status, second.cached) == ("refused", "ok", False)


async def test_an_answer_in_the_study_that_no_longer_satisfies_the_schema_is_asked_again(model, study, store):
    async with Judge(model.settings(), store) as judge:
        await judge.ask(ask_of())
        study.write(lambda db: db.execute("UPDATE llm_call SET raw_output = 'x'"))
        answer = await judge.ask(ask_of())

    assert (answer.status, answer.cached) == ("ok", False)


def test_another_model_parameter_prompt_or_schema_is_another_question(model):
    settings, ask = model.settings(), ask_of()
    others = [
        (model.settings(model="n"), ask),
        (model.settings(params={"seed": 1}), ask),
        (model.settings(base_url="http://localhost:1/v1"), ask),
        (settings, dataclasses.replace(ask, prompt_sha256="other")),
        (settings, ask_of(schema={**SCHEMA, "required": []})),
        (settings, ask_of("another source")),
    ]

    assert len({cache_key(*pair) for pair in [(settings, ask), *others]}) == 7
    assert cache_key(model.settings(name="k", price_input=1.0, concurrency=9), ask) == cache_key(settings, ask)


async def test_many_answers_at_once_are_all_saved(model, study, store):
    async with Judge(model.settings(concurrency=8), store) as judge:
        answers = await asyncio.gather(*(judge.ask(ask_of(f"question {n}")) for n in range(60)))

    assert {answer.cache_key for answer in answers} == {row["cache_key"] for row in rows(study)}
    assert model.most_at_once <= 8


def test_an_interruption_takes_back_nothing_that_was_answered(model, tmp_path):
    with Study.create(tmp_path / "kept.medreview") as study:
        holding = threading.Event()

        def keeps_the_writer_busy(exchange):  # so that the answer has to wait
            study.submit(lambda _: holding.wait(30))
            says()(exchange)

        model.play(keeps_the_writer_busy)

        async def interrupted():
            async with Judge(model.settings(), store := CallStore(study)) as judge:
                asking = asyncio.create_task(judge.ask(ask_of()))
                while not store._pending:
                    await asyncio.sleep(0.005)
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
                assert asking.cancelled()

        asyncio.run(interrupted())
        holding.set()
    with Study.open(tmp_path / "kept.medreview", read_only=True) as study:
        assert [row["status"] for row in rows(study)] == ["ok"]


async def test_a_study_that_cannot_be_written_says_so_to_everyone_who_waits(model, study, store, monkeypatch):
    def full(change, **_):
        raise sqlite3.OperationalError("disk full")

    monkeypatch.setattr(study, "submit", full)
    async with Judge(model.settings(), store) as judge:
        failed = await asyncio.gather(*(judge.ask(ask_of(f"question {n}")) for n in range(3)), return_exceptions=True)

    assert [type(error) for error in failed] == [sqlite3.OperationalError] * 3


async def test_the_report_counts_calls_cost_and_latency(model, study, store):
    model.play(says(), says("no object"), says("no object"), says(usage=None))
    async with Judge(model.settings(price_input=1.0, price_output=1.0), store) as judge:
        for number in range(3):
            await judge.ask(ask_of(f"question {number}"))

    (item,) = spent(study.reader)

    assert (item.calls, item.statuses, item.tries) == (3, {"ok": 2, "unparsable": 1}, 4)
    assert (item.prompt_tokens, item.completion_tokens, item.unpriced) == (120, 60, 1)
    assert item.cost == pytest.approx(180 / 1e6)
    study.write(lambda db: db.execute("UPDATE llm_call SET latency_ms = iif(status = 'ok', 30, 9000)"))
    (item,) = spent(study.reader)
    assert (item.latency_median_ms, item.latency_p95_ms) == (30, 30)


def test_quantiles_are_values_that_occurred():
    assert quantile([], 0.5) is None
    assert quantile([7], 0.95) == 7
    assert quantile([1, 2, 3, 4], 0.5) == 2
    assert quantile(list(range(1, 101)), 0.95) == 95


async def test_no_more_requests_than_configured_are_under_way(model):
    model.play(slowly(0.03, together(3, says())))
    async with Judge(model.settings(concurrency=3)) as judge:
        await asyncio.gather(*(judge.ask(ask_of(f"question {n}")) for n in range(12)))

    assert model.most_at_once == 3


async def test_after_five_failures_in_a_row_a_judge_is_asked_no_more(model):
    model.play(refuses(500, "boom"))
    async with Judge(model.settings(concurrency=1), backoff=0.001) as judge:
        answers = [await judge.ask(ask_of(f"question {n}")) for n in range(FAILURES + 3)]

        assert "boom" in judge.dead
    assert [answer.status for answer in answers] == ["error"] * FAILURES + ["skipped"] * 3
    assert "in a row failed" in answers[-1].error
    assert len(model.asked) == FAILURES * TRIES


async def test_an_answer_of_any_kind_ends_a_row_of_failures(model):
    one_round = [refuses(404, "no")] * (FAILURES - 1) + [says("prose"), says("prose")]
    model.play(*one_round * 2, says())
    async with Judge(model.settings(concurrency=1)) as judge:
        answers = [await judge.ask(ask_of(f"question {n}")) for n in range(2 * FAILURES + 1)]

        assert judge.dead == ""
    assert answers[-1].status == "ok"


async def test_requests_that_wait_for_their_next_try_stop_when_the_judge_dies(model):
    model.play(refuses(503, "down"))
    async with Judge(model.settings(concurrency=8), backoff=0.01) as judge:
        answers = await asyncio.gather(*(judge.ask(ask_of(f"question {n}")) for n in range(100)))

    assert {answer.status for answer in answers} == {"error", "skipped"}
    assert len(model.asked) <= 8 * TRIES + 8


async def test_a_dead_judge_costs_the_others_nothing(model):
    model.play(slowly(0.02, says()))
    dead = model.settings(name="dead", base_url="http://127.0.0.1:9/v1")

    async def all_of(settings, backoff=0.05):
        async with Judge(settings, backoff=backoff) as judge:
            answers = await asyncio.gather(*(judge.ask(ask_of(f"question {n}")) for n in range(40)))
            return {answer.status for answer in answers}

    waiting = asyncio.create_task(all_of(dead, backoff=600))
    assert await all_of(model.settings()) == {"ok"}
    assert not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert await all_of(dead) == {"error", "skipped"}


async def test_cancelling_leaves_no_place_taken(model):
    gate = threading.Event()
    model.play(after(gate, says()))
    async with Judge(model.settings(concurrency=1)) as judge:
        waiting = asyncio.create_task(judge.ask(ask_of("one")))
        while not model.asked:
            await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        gate.set()
        answer = await asyncio.wait_for(judge.ask(ask_of("two")), 60)

    assert waiting.cancelled()
    assert answer.status == "ok"


def judge(**more):
    return JudgeSettings("j", "m", "http://localhost/v1", **more)


def test_tokens_are_a_third_of_the_bytes_rounded_up():
    assert [tokens_of(text) for text in ("", "a", "abc", "abcd", "µ", "糖尿病", "\ud800")] == [0, 1, 1, 2, 1, 3, 1]


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Z"])))
def test_the_lower_bound_is_below_the_upper_one(text):
    assert fewest_tokens(text) <= tokens_of(text) + 1


def test_calls_tokens_and_cost():
    asks = [ask_of("x" * 300), ask_of("y" * 600)]

    done = estimate(asks, judge(price_input=2.0, price_output=10.0, params={"max_tokens": 100}))

    assert (done.calls, done.prompt_tokens, done.completion_tokens) == (2, 316, 200)
    assert done.cost == pytest.approx((316 * 2 + 200 * 10) / 1e6)


def test_without_a_price_or_a_count_there_is_no_cost():
    assert cost_of(judge(price_input=1.0), 10, 10) is None
    assert cost_of(judge(price_input=1.0, price_output=1.0), None, 10) is None
    assert cost_of(judge(price_input=0.0, price_output=0.0), 10, 10) == 0.0
