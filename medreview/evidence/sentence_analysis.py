"""One sentence read for comparison: its words with stems, what is denied, its quantities."""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from medreview.evidence.alignment import tokens
from medreview.evidence.lexicon import is_negation
from medreview.evidence.quantities import Quantity, quantities
from medreview.evidence.terms import STOP_WORDS, Vocabulary, stem, vocabulary

SCOPE: Final = 5
"""How many words a negation reaches."""

_BREAK: Final = re.compile(
    r"[;:.,()\[\]]|\b(?:but|however|although|though|whereas|while|and|because|if|unless|when)\b", re.I
)
_NOT_ONLY: Final = frozenset({"only", "necessarily", "just", "merely", "simply", "alone", "least"})


class Word(NamedTuple):
    """A word with its folded form, the term it is compared by, its place, and whether it stands under a negation."""

    key: str
    term: str
    start: int
    end: int
    denied: bool
    counts: bool
    """Whether the word carries content: no stop word, number, sign, unit or negation."""


class SentenceAnalysis:
    """A sentence's words and quantities, each read when first asked for."""

    def __init__(self, text: str, words: Vocabulary | None = None) -> None:
        self.text = text
        self._single = (words or vocabulary()).single

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The quantities in order of their places."""
        return quantities(self.text)

    @cached_property
    def words(self) -> list[Word]:
        """The words, numbers and signs in order."""
        return _words(self.text, self.quantities, self._single)

    @cached_property
    def content(self) -> frozenset[str]:
        """The terms of the words that carry content."""
        return frozenset(word.term for word in self.words if word.counts)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The folded words."""
        return frozenset(word.key for word in self.words)

    def around(self, start: int, end: int, reach: int) -> frozenset[str]:
        """The content terms within ``reach`` words of a range, the range itself left out."""
        before = [word for word in self.words if word.end <= start][-reach:]
        after = [word for word in self.words if word.start >= end][:reach]
        return frozenset(word.term for word in (*before, *after) if word.counts)


@lru_cache(maxsize=2_000)
def read(text: str, words: Vocabulary | None = None) -> SentenceAnalysis:
    """The reading of a sentence by a vocabulary or the package's; kept for the next statement that meets it."""
    return SentenceAnalysis(text, words)


def _words(text: str, amounts: list[Quantity], single: Mapping[str, str]) -> list[Word]:
    found: list[Word] = []
    reach, last = 0, 0
    plain = tokens(text)
    ahead = iter(sorted((amount.start, amount.end) for amount in amounts))
    amount = next(ahead, None)
    for at, token in enumerate(plain):
        while amount is not None and amount[1] <= token.start:
            amount = next(ahead, None)
        if reach and _BREAK.search(text, last, token.end):
            reach = 0
        term = stem(token.key) if token.key[0].isalnum() else token.key
        measures = amount is not None and amount[0] <= token.start
        counts = not (measures or token.key in STOP_WORDS or not token.key[0].isalpha() or is_negation(token.key))
        found.append(Word(token.key, single.get(term, term), token.start, token.end, reach > 0, counts))
        after = plain[at + 1].key if at + 1 < len(plain) else ""
        if is_negation(token.key) and after not in _NOT_ONLY:
            reach = SCOPE + 1
        reach = max(0, reach - 1)
        last = token.end
    return found
