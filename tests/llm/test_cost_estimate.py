"""Counting before anything is sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.llm.costs import cost_of, estimate, fewest_tokens, tokens_of
from medreview.llm.settings import JudgeSettings
from tests.llm.questions import ask_of


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
