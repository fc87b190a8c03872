"""Untrusted texts in prompts: delimited against prompt injection, and split into windows that fit a judge's context.

The delimiter holds a random word that the text's author cannot know. Windows overlap; each passage is complete in one
of them.
"""

import hmac
import re
import secrets
from bisect import bisect_left
from collections.abc import Mapping
from itertools import accumulate
from typing import Final

from medreview.errors import UserError
from medreview.evidence.segment import segment
from medreview.llm.costs import answer_limits, tokens_of
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.text import Span

_LENGTH: Final = 16
# Text that a reader cannot see must not reach a judge: bidirectional controls, zero-width characters other than the
# joiners that some scripts need, variation selectors, tag characters, controls; and surrogates, which cannot be sent.
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)


def fence_key(study: Study) -> str:
    """The study's secret key, created at first use: no author of a page can know it."""
    if not study.meta("fence_key"):
        new_key = secrets.token_hex(16)
        study.write(lambda db: db.execute("INSERT OR IGNORE INTO study VALUES ('fence_key', ?)", (new_key,)))
    return study.meta("fence_key")


def fenced(key: str, texts: Mapping[str, str], anchor: str, notes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The texts, by field, each between two lines with the same nonce; invisible characters are removed.

    The nonce is derived from the key and the text ``anchor``, the longest one: the same source has the same nonce for
    all its statements, so that a server can reuse the common prefix of the prompts and cached answers are found again.
    It occurs in none of the texts. ``notes`` are added to a field's opening line (``part 2 of 3``).
    """
    visible_texts = {name: _INVISIBLE.sub("", text) for name, text in texts.items()}
    word = nonce(key, anchor, "\n".join(visible_texts.values()))
    return {
        name: f"<<<{name} {word}{_note(notes, name)}>>>\n{text}\n<<<end of {name} {word}>>>"
        for name, text in visible_texts.items()
    }


def nonce(key: str, anchor: str, within: str) -> str:
    """A keyed hash (HMAC-SHA-256) of ``anchor`` as 16 hex digits that do not occur in ``within``; unpredictable without
    the key."""
    lower = within.casefold()
    for number in range(1_000_000):
        message = f"{number}:{anchor}".encode("utf-8", "surrogatepass")
        word = hmac.digest(key.encode(), message, "sha256").hex()[:_LENGTH]
        if word not in lower:
            return word
    raise ValueError("the text holds a million words of a keyed hash")


def _note(notes: Mapping[str, str] | None, name: str) -> str:
    return f", {notes[name]}" if notes and notes.get(name) else ""


OVERLAP: Final = 0.1
"""Share of a window that the next one repeats."""
_FEWEST_TOKENS: Final = 200
_ANSWER_TOKENS: Final = 2_000


def available_tokens(settings: JudgeSettings, prompt: str) -> int:
    """The estimated tokens available for a source, besides the rest of the ``prompt`` and the answer.

    Raises :class:`UserError` when they are too few to be useful.
    """
    answer = max(answer_limits(settings), default=min(_ANSWER_TOKENS, settings.context_tokens // 4))
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
