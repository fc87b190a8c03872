"""Splitting long texts into overlapping windows that fit a judge's context; each passage is complete in one of them."""

from bisect import bisect_left
from itertools import accumulate
from typing import Final

from medreview.errors import UserError
from medreview.evidence.segment import segment
from medreview.llm.cost_estimate import tokens_of
from medreview.llm.settings import JudgeSettings
from medreview.text import Span

OVERLAP: Final = 0.1
"""Share of a window that the next one repeats."""
_FEWEST_TOKENS: Final = 200
_ANSWER_TOKENS: Final = 2_000
_ANSWER_NAMES: Final = ("max_completion_tokens", "max_tokens")


def available_tokens(settings: JudgeSettings, prompt: str) -> int:
    """The estimated tokens available for a source, besides the rest of the ``prompt`` and the answer.

    Raises :class:`UserError` when they are too few to be useful.
    """
    limits = [settings.params[name] for name in _ANSWER_NAMES if isinstance(settings.params.get(name), int)]
    answer = max(limits) if limits else min(_ANSWER_TOKENS, settings.context_tokens // 4)
    left = settings.context_tokens - answer - tokens_of(prompt)
    if left < _FEWEST_TOKENS:
        raise UserError(
            f"The judge {settings.name!r} has context_tokens = {settings.context_tokens}: too few for the prompt, a "
            "statement, a part of a source and the answer. Raise it to what the server really holds."
        )
    return left


def split_windows(text: str, tokens: int) -> list[Span]:
    """The text as half-open ranges of at most ``tokens`` estimated tokens; one range when it fits.

    Windows end at the end of a passage (a sentence, row or item) unless that passage alone is too long, and each begins
    with the last tenth of the one before. Together they cover every character that is not white space.
    """
    if tokens_of(text) <= tokens:
        return [Span(0, len(text))]
    size = [0, *accumulate(len(char.encode("utf-8", "surrogatepass")) for char in text)]
    budget = 3 * tokens
    pieces = [piece for passage in segment(text) for piece in _split_passage(text, Span(*passage[:2]), size, budget)]
    found: list[Span] = []
    first = 0
    while first < len(pieces):
        last = first
        while last + 1 < len(pieces) and size[pieces[last + 1].end] - size[pieces[first].start] <= budget:
            last += 1
        found.append(Span(pieces[first].start, pieces[last].end))
        if last + 1 == len(pieces):
            break
        following = last + 1
        # Back by the overlap, but never so far that the next window would end where this one does.
        while (
            following - 1 > first
            and size[pieces[last].end] - size[pieces[following - 1].start] <= OVERLAP * budget
            and size[pieces[last + 1].end] - size[pieces[following - 1].start] <= budget
        ):
            following -= 1
        first = following
    return found


def _split_passage(text: str, passage: Span, size: list[int], budget: int) -> list[Span]:
    """The passage, or, if it alone exceeds the budget, pieces of a tenth of the budget, cut between words."""
    if size[passage.end] - size[passage.start] <= budget:
        return [passage]
    pieces = []
    start = passage.start
    step = max(4, int(OVERLAP * budget))
    while start < passage.end:
        end = max(start + 1, bisect_left(size, size[start] + step + 1, start, passage.end + 1) - 1)
        if end < passage.end:
            blank = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end))
            end = blank + 1 if blank > start else end
        pieces.append(Span(start, end))
        start = end
    return pieces
