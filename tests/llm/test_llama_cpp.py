"""What a server of llama.cpp was seen to do with a model of random weights, replayed."""

from medreview.llm.judge_client import Judge
from tests.llm.questions import PROMPT, ask_of
from tests.support.judge_endpoint import refuses, says

CUT = "The model produced output that does not match the expected peg-native format"
FULL = "request (18021 tokens) exceeds the available context size (8192 tokens), try increasing it"


async def test_an_answer_cut_short_is_a_500_and_no_sign_of_a_dead_server(model):
    model.play(refuses(500, CUT, code=500))
    async with Judge(model.settings(), backoff=0.001) as judge:
        answers = [await judge.ask(ask_of(f"{PROMPT} {number}")) for number in range(8)]

    assert {answer.status for answer in answers} == {"unparsable"}
    assert {answer.tries for answer in answers} == {2}
    assert judge.dead == ""


async def test_the_second_answer_may_be_whole(model):
    model.play(refuses(500, CUT, code=500), says())
    async with Judge(model.settings(), backoff=0.001) as judge:
        answer = await judge.ask(ask_of())

    assert (answer.status, answer.tries, answer.rung) == ("ok", 2, "json_schema")


async def test_a_prompt_over_the_context_is_skipped_not_retried(model):
    model.play(refuses(400, FULL, code=400, n_prompt_tokens=18021, n_ctx=8192))
    async with Judge(model.settings(), backoff=0.001) as judge:
        answer = await judge.ask(ask_of())

    assert (answer.status, answer.tries, judge.dead) == ("skipped", 1, "")
