"""Word alignment of a quotation with the closest passage of a source (insertions and deletions, an LCS alignment)."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import islice
from math import log
from typing import Final, NamedTuple

from medreview.evidence.inflection import spelling
from medreview.evidence.lexicon import AMBIGUOUS_NUMBERS, NUMBER_WORDS
from medreview.evidence.normalise import DASHES, INVISIBLE, blank_markup, normalise_word
from medreview.text import Span

_LETTERS = r"(?:[^\W\d_]++|[\u0300-\u036f]++)++"
_TOKEN: Final = re.compile(
    rf"{_LETTERS}(?:(?:[{INVISIBLE}]+|[{DASHES}][ \t]*\n[ \t]*|['’]){_LETTERS})*"
    rf"|[.·]?\d+(?:[.,·{INVISIBLE}]+\d+)*"
    rf"|[<>=≤≥±]+(?=\s*[{DASHES}]?[.·]?\d)|(?<=\d)\s?[%‰]"
)
_ASCII_TOKEN: Final = re.compile(
    r"[A-Za-z]+(?:(?:-[ \t]*\n[ \t]*|')[A-Za-z]+)*|\.?\d+(?:[.,]+\d+)*|[<>=]+(?=\s*-?\.?\d)|(?<=\d)\s?%"
)
"""The same in a text of ASCII characters, in two thirds of the time."""
_BOUNDARY: Final = re.compile(r"(?<=[a-z])\s(?=[a-z])")
"""White space that is never inside a token, where the text can be cut into chunks."""
_CHUNK: Final = 1000
_TOP_CANDIDATES = 3
_COMMON = 400
_RAREST = 3
_MOST_VOTES: Final = 100_000
"""Occurrences that vote for where one quotation is: an ordinary one has some hundreds."""


class Token(NamedTuple):
    """A word, a number or a sign: its normalised form and its half-open range of code points."""

    key: str
    start: int
    end: int


_token = partial(tuple.__new__, Token)
"""``Token`` of a tuple, in a third of the time: sources have many."""


class AlignedBlock(NamedTuple):
    """A difference: half-open ranges of token indices in the quotation and in the source; one of them may be empty."""

    quote: tuple[int, int]
    source: tuple[int, int]


class Alignment(NamedTuple):
    """The aligned passage and its differences.

    ``source`` is a half-open range of token indices, ``matched`` the part of it from the first to the last shared word;
    ``coverage`` is the share of the quotation's characters that are matched in order, ``density`` the share of the
    passage's characters that are matched; both are in 0..1.
    """

    source: tuple[int, int]
    matched: tuple[int, int]
    blocks: tuple[AlignedBlock, ...]
    coverage: float
    density: float


def tokens(text: str) -> list[Token]:
    """Words, numbers and signs of a text without reference markers and markup; words hyphenated at a line end are
    joined."""
    blanked = blank_markup(text)
    pattern = _ASCII_TOKEN if blanked.isascii() else _TOKEN
    found = [(_KEY_OF[match[0]], match.span()) for match in pattern.finditer(blanked)]
    return [_token((key, *span)) for key, span in found if key]


def token_keys(text: str) -> list[str]:
    """The keys of :func:`tokens`, without their places in a third of the time."""
    blanked = blank_markup(text)
    return list(
        filter(None, map(_KEY_OF.__getitem__, (_ASCII_TOKEN if blanked.isascii() else _TOKEN).findall(blanked)))
    )


def _key(token: str) -> str:
    stripped = token.strip()
    if stripped[:1] in "<>=≤≥±%‰":
        return stripped.replace("≤", "<=").replace("≥", ">=")
    if stripped[:1] in ".·" or stripped[:1].isdigit():
        return "".join("." if char in ".·" else "," if char == "," else normalise_word(char) for char in stripped)
    return normalise_word(stripped)


class _KeyCache(dict[str, str]):
    """A cache of normalised tokens by token as written, emptied when it is full."""

    def __missing__(self, token: str) -> str:
        if len(self) >= _CACHE_SIZE:
            self.clear()
        key = self[token] = _key(token)
        return key


class _MatchedCache(dict[str, str]):
    """A cache of the form by which a normalised token is matched: in one spelling, without the ending of an inflection,
    numbers in figures."""

    def __missing__(self, key: str) -> str:
        if len(self) >= _CACHE_SIZE:
            self.clear()
        form = self[key] = _matched(key)
        return form


def _matched(key: str) -> str:
    if key in NUMBER_WORDS and key not in AMBIGUOUS_NUMBERS:
        return str(NUMBER_WORDS[key])
    if len(key) <= _SHORT or not key.isalpha():
        return key
    return _ENDING.sub("", spelling(key))


_CACHE_SIZE: Final = 200_000
_ENDING: Final = re.compile(r"(?<=\w{4})(?:e[sd]?|ing|(?<![sui])s)$")
"""Of a regular inflection: what only aligns two texts may take two words for one."""
_SHORT: Final = 4
"""Letters up to which a word has one spelling."""
_KEY_OF: Final = _KeyCache()
_MATCHED: Final = _MatchedCache()


class TokenIndex:
    """A source's tokens with an inverted index; built once per source.

    The offsets of tokens in the text are computed lazily, for one chunk of the text at a time.
    """

    def __init__(self, text: str) -> None:
        self._text = blank_markup(text)
        self._chunk_starts = [0]
        """The offsets at which the chunks begin, and the end of the text."""
        self._first_tokens: list[int] = []
        """The index of each chunk's first token."""
        self.keys: list[str] = []
        """The forms by which the tokens are matched."""
        while self._chunk_starts[-1] < len(text):
            begin = self._chunk_starts[-1]
            cut = _BOUNDARY.search(self._text, begin + _CHUNK)
            self._chunk_starts.append(cut.start() if cut else len(text))
            self._first_tokens.append(len(self.keys))
            found = map(_KEY_OF.__getitem__, _TOKEN.findall(self._text, begin, self._chunk_starts[-1]))
            self.keys += map(_MATCHED.__getitem__, filter(None, found))
        self.postings: dict[str, list[int]] = {}
        postings = self.postings.setdefault
        for at, key in enumerate(self.keys):
            postings(key, []).append(at)
        self._spans: dict[int, list[Span]] = {}

    def token_span(self, token: int) -> Span:
        """The text range of the token with an index."""
        chunk = bisect_right(self._first_tokens, token) - 1
        if chunk not in self._spans:
            found = _TOKEN.finditer(self._text, self._chunk_starts[chunk], self._chunk_starts[chunk + 1])
            self._spans[chunk] = [Span(*match.span()) for match in found if _KEY_OF[match[0]]]
        return self._spans[chunk][token - self._first_tokens[chunk]]

    def token(self, token: int) -> Token:
        """The token with an index."""
        span = self.token_span(token)
        return Token(_KEY_OF[self._text[span.start : span.end]], *span)

    def span(self, start: int, end: int) -> Span:
        """The text range of the tokens ``start`` to ``end`` (half-open); an empty range for no tokens."""
        if end > start:
            return Span(self.token_span(start).start, self.token_span(end - 1).end)
        if not self.keys:
            return Span(0, 0)
        at = self.token_span(start).start if start < len(self.keys) else self.token_span(len(self.keys) - 1).end
        return Span(at, at)

    def align(self, quote: Sequence[str], begin: int = 0) -> Alignment | None:
        """The best alignment of the quotation's words at or after token ``begin``, ``None`` if few are shared."""
        quote = [_MATCHED[key] for key in quote]
        best: Alignment | None = None
        for low, high in self._windows(quote, begin):
            found = self._align_in(quote, low, high)
            if found and (best is None or found.coverage + found.density / 2 > best.coverage + best.density / 2):
                best = found
        return best

    def _windows(self, quote: Sequence[str], begin: int) -> list[tuple[int, int]]:
        """Windows of the source (ranges of token indices) where many words have the same offset as in the quotation.

        Each occurrence votes for its offset, in bins and weighted by inverse document frequency.
        """
        width = max(8, len(quote) // 4)
        votes: Counter[int] = Counter()
        total = len(self.keys)
        voices = self._voices(quote)
        for at, key in enumerate(quote):
            if not voices.get(key):
                continue
            voices[key] -= 1
            postings = self.postings[key]
            weight = log(1 + total / len(postings))
            for position in islice(postings, _MOST_VOTES):
                bin_ = (position - at) // width
                votes[bin_] += weight  # type: ignore[assignment]
                votes[bin_ + 1] += weight  # type: ignore[assignment]
        slack = max(6, len(quote) // 4)
        windows = []
        for bin_, _ in votes.most_common(_TOP_CANDIDATES):
            low = (bin_ - 1) * width - slack
            high = (bin_ + 1) * width + len(quote) + slack
            windows.append((max(begin, low), min(total, high)))
        return [(low, high) for low, high in windows if high > low]

    def _voices(self, quote: Sequence[str]) -> dict[str, int]:
        """How many times each word of a quotation may vote, the rarest first.

        A frequent word is expensive and says little about the position, unless the quotation has no rarer ones.
        """
        written = Counter(key for key in quote if key in self.postings)
        voices: dict[str, int] = {}
        left = _MOST_VOTES
        for rank, key in enumerate(sorted(written, key=lambda key: (len(self.postings[key]), key))):
            occurrences = len(self.postings[key])
            if occurrences > _COMMON and rank >= _RAREST:
                break
            voices[key] = min(written[key], max(left // occurrences, rank == 0))
            left -= voices[key] * occurrences
        return voices

    def _align_in(self, quote: Sequence[str], low: int, high: int) -> Alignment | None:
        from rapidfuzz.distance import Indel

        window = self.keys[low:high]
        pairs: list[tuple[int, int]] = []
        for code in Indel.opcodes(list(quote), window):
            if code.tag == "equal":
                pairs += zip(range(code.src_start, code.src_end), range(code.dest_start, code.dest_end), strict=True)
        run = _best_run(pairs)
        if len(run) < len(pairs):  # a word at an end may stand both far from the others and beside them
            run = max((run, _best_run(_drawn_together(pairs, quote, window))), key=len)
        pairs = run
        if not pairs:
            return None
        matched = sum(len(quote[at]) + 1 for at, _ in pairs)
        first, last = pairs[0], pairs[-1]
        start = self._with_unmatched_before(low + first[1], first[0])
        end = self._with_unmatched_after(low + last[1] + 1, len(quote) - last[0] - 1)
        pairs = [(at, low + position) for at, position in pairs]
        return Alignment(
            (start, end),
            (low + first[1], low + last[1] + 1),
            tuple(_blocks(pairs, len(quote), start, end)),
            matched / sum(len(key) + 1 for key in quote),
            matched / sum(len(key) + 1 for key in self.keys[start:end]),
        )

    def _with_unmatched_before(self, start: int, unmatched: int) -> int:
        """As many words of the source as the quotation has before its first match belong to the passage."""
        return max(0, start - unmatched)

    def _with_unmatched_after(self, end: int, unmatched: int) -> int:
        return min(len(self.keys), end + unmatched)


def _best_run(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The run of pairs with the maximum of matches minus gaps (Kadane's algorithm): no stray matches at its ends."""
    best: tuple[float, int, int] = (0.0, 0, 0)
    score, begin = 0.0, 0
    for at, (left, right) in enumerate(pairs):
        gap = 0 if at == 0 else max(left - pairs[at - 1][0], right - pairs[at - 1][1]) - 1
        score -= 0.5 * gap
        if score <= 0:
            score, begin = 0.0, at
        score += 1.0
        if score >= best[0]:
            best = (score, begin, at + 1)
    return pairs[best[1] : best[2]]


def _drawn_together(pairs: list[tuple[int, int]], quote: Sequence[str], window: list[str]) -> list[tuple[int, int]]:
    """The pairs with each word of the first half matched as late, each of the second half as early as it can be."""
    drawn, middle = list(pairs), len(pairs) // 2
    for at in range(middle - 1, -1, -1):
        word, place = drawn[at]
        later = (found for found in range(drawn[at + 1][1] - 1, place, -1) if window[found] == quote[word])
        drawn[at] = word, next(later, place)
    for at in range(middle + 1, len(drawn)):
        word, place = drawn[at]
        earlier = (found for found in range(drawn[at - 1][1] + 1, place) if window[found] == quote[word])
        drawn[at] = word, next(earlier, place)
    return drawn


def _blocks(pairs: list[tuple[int, int]], length: int, start: int, end: int) -> list[AlignedBlock]:
    """The differences between the matched words."""
    blocks, left, right = [], 0, start
    for at, position in [*pairs, (length, end)]:
        if at > left or position > right:
            blocks.append(AlignedBlock((left, at), (right, position)))
        left, right = at + 1, position + 1
    return blocks
