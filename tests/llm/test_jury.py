"""Several judges at once: bounded each, and a dead one does not hold up the others."""

import asyncio
import threading

from medreview.llm.judge_client import FAILURES, TRIES, Judge
from tests.llm.questions import ask_of
from tests.support.http_server import after, slowly, together
from tests.support.judge_endpoint import refuses, says


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
