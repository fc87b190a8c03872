"""Aligning a quotation, word by word, with the stretch of a source that it is closest to."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

from medreview.evidence.normalise import DASHES, INVISIBLE, fold_word, unmarked
from medreview.text import Span

_LETTERS = r"(?:[^\W\d_]++|[\u0300-\u036f]++)++"
_TOKEN: Final = re.compile(
    rf"{_LETTERS}(?:(?:[{INVISIBLE}]+|[{DASHES}][ \t]*\n[ \t]*|['’]){_LETTERS})*"
    rf"|[.·]?\d+(?:[.,·{INVISIBLE}]+\d+)*"
    rf"|[<>=≤≥±]+(?=\s*[{DASHES}]?[.·]?\d)|(?<=\d)\s?[%‰]"
)
_CUT: Final = re.compile(r"(?<=[a-z])\s(?=[a-z])")
"""White space that no token reaches over."""
_CHUNK: Final = 1000
_TOP_CANDIDATES = 3
_COMMON = 400
_RAREST = 3


class Token(NamedTuple):
    """A word, a number or a sign: folded, with its place."""

    key: str
    start: int
    end: int


class AlignedBlock(NamedTuple):
    """A stretch that differs: ranges of token numbers in the quotation and in the source; one of them may be empty."""

    quote: tuple[int, int]
    source: tuple[int, int]


class Alignment(NamedTuple):
    """Where a quotation lies: ``source`` and ``quote`` are ranges of token numbers, ``coverage`` is the share of the
    quotation's characters found in order, ``density`` the share of the source range's characters that they are."""

    source: tuple[int, int]
    blocks: tuple[AlignedBlock, ...]
    coverage: float
    density: float


def tokens(text: str) -> list[Token]:
    """Words, numbers and signs of a text, markers and markup left out, words broken at a line end joined."""
    found = []
    for match in _TOKEN.finditer(unmarked(text)):
        key = _KEYS[match[0]]
        if key:
            found.append(Token(key, match.start(), match.end()))
    return found


def _key(token: str) -> str:
    stripped = token.strip()
    if stripped[:1] in "<>=≤≥±%‰":
        return stripped.replace("≤", "<=").replace("≥", ">=")
    if stripped[:1] in ".·" or stripped[:1].isdigit():
        return "".join("." if char in ".·" else "," if char == "," else fold_word(char) for char in stripped)
    return fold_word(stripped)


class _Keys(dict[str, str]):
    """Tokens as written and folded; filled as they are met."""

    def __missing__(self, token: str) -> str:
        if len(self) >= _KNOWN:
            self.clear()
        key = self[token] = _key(token)
        return key


_KNOWN: Final = 200_000
_KEYS: Final = _Keys()


class TokenIndex:
    """A source's tokens and where each word stands; built once per source.

    The places of tokens in the text are read a stretch at a time, when asked for.
    """

    def __init__(self, text: str) -> None:
        self._text = unmarked(text)
        self._cuts = [0]
        """Where the stretches begin, and the end of the text."""
        self._firsts: list[int] = []
        """The number of each stretch's first token."""
        self.keys: list[str] = []
        while self._cuts[-1] < len(text):
            begin = self._cuts[-1]
            cut = _CUT.search(self._text, begin + _CHUNK)
            self._cuts.append(cut.start() if cut else len(text))
            self._firsts.append(len(self.keys))
            self.keys += filter(None, map(_KEYS.__getitem__, _TOKEN.findall(self._text, begin, self._cuts[-1])))
        self.places: dict[str, list[int]] = {}
        places = self.places.setdefault
        for at, key in enumerate(self.keys):
            places(key, []).append(at)
        self._spans: dict[int, list[Span]] = {}

    def place(self, token: int) -> Span:
        """The text range of one token."""
        stretch = bisect_right(self._firsts, token) - 1
        if stretch not in self._spans:
            found = _TOKEN.finditer(self._text, self._cuts[stretch], self._cuts[stretch + 1])
            self._spans[stretch] = [Span(*match.span()) for match in found if _KEYS[match[0]]]
        return self._spans[stretch][token - self._firsts[stretch]]

    def token(self, token: int) -> Token:
        """One token by its number."""
        return Token(self.keys[token], *self.place(token))

    def span(self, start: int, end: int) -> Span:
        """The text range of tokens ``start`` to ``end`` (half-open); empty at the border when there are none."""
        if end > start:
            return Span(self.place(start).start, self.place(end - 1).end)
        if not self.keys:
            return Span(0, 0)
        at = self.place(start).start if start < len(self.keys) else self.place(len(self.keys) - 1).end
        return Span(at, at)

    def align(self, quote: Sequence[str], begin: int = 0) -> Alignment | None:
        """The best place for the quotation's words at or after token ``begin``, or ``None`` if few are shared."""
        best: Alignment | None = None
        for low, high in self._windows(quote, begin):
            found = self._align_in(quote, low, high)
            if found and (best is None or found.coverage + found.density / 2 > best.coverage + best.density / 2):
                best = found
        return best

    def _windows(self, quote: Sequence[str], begin: int) -> list[tuple[int, int]]:
        """Stretches of the source where many of the words stand at the right distance from each other."""
        width = max(8, len(quote) // 4)
        votes: Counter[int] = Counter()
        total = len(self.keys)
        present = sorted({key for key in quote if key in self.places}, key=lambda key: (len(self.places[key]), key))
        for at, key in enumerate(quote):
            places = self.places.get(key, ())
            # a frequent word says little about the place and costs much, unless the quotation has no rarer ones
            if not places or (len(places) > _COMMON and key not in present[:_RAREST]):
                continue
            weight = log(1 + total / len(places))
            for place in places:
                bin_ = (place - at) // width
                votes[bin_] += weight  # type: ignore[assignment]
                votes[bin_ + 1] += weight  # type: ignore[assignment]
        slack = max(6, len(quote) // 4)
        windows = []
        for bin_, _ in votes.most_common(_TOP_CANDIDATES):
            low = (bin_ - 1) * width - slack
            high = (bin_ + 1) * width + len(quote) + slack
            windows.append((max(begin, low), min(total, high)))
        return [(low, high) for low, high in windows if high > low]

    def _align_in(self, quote: Sequence[str], low: int, high: int) -> Alignment | None:
        from rapidfuzz.distance import Indel

        window = self.keys[low:high]
        pairs: list[tuple[int, int]] = []
        for code in Indel.opcodes(list(quote), window):
            if code.tag == "equal":
                pairs += zip(range(code.src_start, code.src_end), range(code.dest_start, code.dest_end), strict=True)
        pairs = _core(pairs)
        if not pairs:
            return None
        matched = sum(len(quote[at]) + 1 for at, _ in pairs)
        first, last = pairs[0], pairs[-1]
        start = self._extended_start(low + first[1], first[0])
        end = self._extended_end(low + last[1] + 1, len(quote) - last[0] - 1)
        pairs = [(at, low + place) for at, place in pairs]
        return Alignment(
            (start, end),
            tuple(_blocks(pairs, len(quote), start, end)),
            matched / sum(len(key) + 1 for key in quote),
            matched / sum(len(key) + 1 for key in self.keys[start:end]),
        )

    def _extended_start(self, start: int, unmatched: int) -> int:
        """Words of the quotation before the first shared one stand for as many words of the source."""
        return max(0, start - unmatched)

    def _extended_end(self, end: int, unmatched: int) -> int:
        return min(len(self.keys), end + unmatched)


def _core(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The run of pairs with the best balance of shared words and gaps: stray matches at the edges are left out."""
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


def _blocks(pairs: list[tuple[int, int]], length: int, start: int, end: int) -> list[AlignedBlock]:
    """What lies between the shared words."""
    blocks, left, right = [], 0, start
    for at, place in [*pairs, (length, end)]:
        if at > left or place > right:
            blocks.append(AlignedBlock((left, at), (right, place)))
        left, right = at + 1, place + 1
    return blocks
