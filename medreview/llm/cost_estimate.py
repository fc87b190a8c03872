"""Estimates of tokens and cost before anything is sent, without a tokenizer."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from medreview.llm.call import JudgeRequest
from medreview.llm.settings import JudgeSettings

MESSAGE_TOKENS: Final = 8
"""Tokens that a chat template adds to one message, at most."""
ANSWER_TOKENS: Final = 250
"""Assumed for an answer of unlimited length: a quote of three sentences, a reason, a label."""

_WORD: Final = re.compile(r"\S+")
_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The size of a set of requests: an upper bound of prompt tokens, a guess of completion tokens."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    """``None`` when the judge has no prices."""


def tokens_of(text: str) -> int:
    """A practical upper bound of tokens: one per three bytes of UTF-8. English prose has one per four to five."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def fewest_tokens(text: str) -> int:
    """A lower bound of tokens: no tokenizer in use merges words; of Chinese, Japanese and Korean characters it merges
    two or three."""
    return len(_WORD.findall(text)) + int(0.4 * len(_CJK.findall(text)))


def prompt_tokens_of(messages: Iterable[Mapping[str, str]]) -> int:
    """The bound of :func:`tokens_of` for a whole prompt."""
    return sum(tokens_of(message["content"]) + MESSAGE_TOKENS for message in messages)


def answer_tokens_of(settings: JudgeSettings) -> int:
    """Assumed tokens of one answer: :data:`ANSWER_TOKENS`, or the limit in the parameters when that is lower."""
    limits = [settings.params.get(name) for name in ("max_completion_tokens", "max_tokens")]
    return min([ANSWER_TOKENS, *(limit for limit in limits if isinstance(limit, int))])


def cost_of(settings: JudgeSettings, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
    """The cost by the configured prices; ``None`` when a price or a count is missing."""
    if None in (settings.price_input, settings.price_output, prompt_tokens, completion_tokens):
        return None
    paid = (prompt_tokens or 0) * (settings.price_input or 0) + (completion_tokens or 0) * (settings.price_output or 0)
    return paid / 1_000_000


def estimate(requests: Iterable[JudgeRequest], settings: JudgeSettings) -> CostEstimate:
    """Calls, tokens and cost of sending each request once, without repair turns and retries."""
    calls = prompt = 0
    for request in requests:
        calls += 1
        prompt += prompt_tokens_of(request.messages)
    completion = calls * answer_tokens_of(settings)
    return CostEstimate(calls, prompt, completion, cost_of(settings, prompt, completion))
