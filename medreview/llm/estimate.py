"""Counting tokens and money before anything is sent, without a tokeniser."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from medreview.llm.call import Ask
from medreview.llm.settings import JudgeSettings

MESSAGE_TOKENS: Final = 8
"""What a chat template puts around one message, at most."""
ANSWER_TOKENS: Final = 250
"""Taken for an answer whose length is not limited: a quote of three sentences, a reason, a label."""

_WORD: Final = re.compile(r"\S+")
_IDEOGRAPH: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a set of requests will ask of a judge: upper bounds for prompts, a guess for answers."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    """``None`` when the judge has no prices."""


def tokens_of(text: str) -> int:
    """An upper bound in practice: a token per three bytes of UTF-8. English prose has one per four to five."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def fewest_tokens(text: str) -> int:
    """A lower bound: no tokeniser in use joins words; of Chinese, Japanese and Korean signs it joins two or three."""
    return len(_WORD.findall(text)) + int(0.4 * len(_IDEOGRAPH.findall(text)))


def prompt_tokens_of(messages: Iterable[Mapping[str, str]]) -> int:
    """The bound of :func:`tokens_of` for a whole prompt."""
    return sum(tokens_of(message["content"]) + MESSAGE_TOKENS for message in messages)


def answer_tokens_of(settings: JudgeSettings) -> int:
    """What one answer is taken to have: :data:`ANSWER_TOKENS`, or the limit in the parameters when that is lower."""
    limits = [settings.params.get(name) for name in ("max_completion_tokens", "max_tokens")]
    return min([ANSWER_TOKENS, *(limit for limit in limits if isinstance(limit, int))])


def cost_of(settings: JudgeSettings, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
    """By the configured prices; ``None`` when a price or a count is missing."""
    if None in (settings.price_input, settings.price_output, prompt_tokens, completion_tokens):
        return None
    paid = (prompt_tokens or 0) * (settings.price_input or 0) + (completion_tokens or 0) * (settings.price_output or 0)
    return paid / 1_000_000


def estimate(asks: Iterable[Ask], settings: JudgeSettings) -> Estimate:
    """Calls, tokens and cost of asking a judge all of these once, repair turns and retries not counted."""
    calls = prompt = 0
    for ask in asks:
        calls += 1
        prompt += prompt_tokens_of(ask.messages)
    completion = calls * answer_tokens_of(settings)
    return Estimate(calls, prompt, completion, cost_of(settings, prompt, completion))
