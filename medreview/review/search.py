"""Finding words in a text without regard to case, accents, line breaks or typography."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import Final

from medreview.text import Span

_TABLE_LIMIT: Final = 20_000
_ALIKE: Final = {
    **dict.fromkeys(map(ord, "‘’‚‛′´"), ord("'")),
    **dict.fromkeys(map(ord, "“”„‟″«»"), ord('"')),
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), ord("-")),
    ord("ø"): ord("o"),
    ord("Ø"): ord("o"),
    ord("ł"): ord("l"),
    ord("Ł"): ord("l"),
}
_SPELLED: Final = {"ffi": "ﬃ", "ffl": "ﬄ", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ss": "ß", "ae": "æ", "oe": "œ"}
"""Letters that one character may stand for."""

_LETTERS: Final = {char: letters for letters, char in _SPELLED.items()}
_UNSEEN: Final = "[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]*"
"""Accents written apart, soft hyphens and zero-width characters: they never keep a word from being found."""

_TOKEN: Final = re.compile(rf"\s+|[{''.join(_LETTERS)}]|{'|'.join(_SPELLED)}|.", re.DOTALL)
"""A character that stands for letters is one token: spelt out first, ``sß`` would be cut into ``ss`` and ``s``."""


class _Folds(dict[int, int]):
    """Code point to the one code point it is searched as."""

    def __missing__(self, code: int) -> int:
        plain = "".join(char for char in unicodedata.normalize("NFKD", chr(code)) if not unicodedata.combining(char))
        lower = plain.lower() if len(plain) == 1 else chr(code).lower()
        folded = ord(lower[0])
        folded = _ALIKE.get(folded, folded)
        if len(self) < _TABLE_LIMIT:
            self[code] = folded
        return folded


_FOLDS: Final = _Folds()


class TextSearch:
    """Searches one text; the folded copy is made once, at the first search."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _folded(self) -> str:
        return self.text.lower() if self.text.isascii() else self.text.translate(_FOLDS)

    def find(self, query: str) -> "Hits":
        """All places of a plain phrase, in offsets of the original text; none for a query without a visible character.

        White space in the query stands for any white space, so that a phrase is found across line ends.
        """
        pattern = _pattern(query)
        if not pattern:
            return Hits(())
        return Hits(tuple(Span(*found.span()) for found in re.finditer(pattern, self._folded)))


class Hits:
    """The places a search found, in order, never overlapping."""

    def __init__(self, spans: tuple[Span, ...]) -> None:
        self.spans = spans
        self._starts = [span.start for span in spans]

    def __len__(self) -> int:
        return len(self.spans)

    def next(self, offset: int) -> int | None:
        """Index of the first hit that starts after an offset, or ``None`` (no silent wrap to the top)."""
        index = bisect_right(self._starts, offset)
        return index if index < len(self.spans) else None

    def previous(self, offset: int) -> int | None:
        """Index of the last hit that starts before an offset, or ``None``."""
        index = bisect_left(self._starts, offset) - 1
        return index if index >= 0 else None

    def position(self, index: int) -> str:
        """Where a hit stands among all, counted from one: ``3/17``."""
        return f"{index + 1}/{len(self.spans)}"


def _pattern(query: str) -> str:
    """A regular expression over folded text; empty for an empty query."""
    plain = re.sub(_UNSEEN, "", query).translate(_FOLDS).strip()
    return "".join(_token_pattern(found[0]) for found in _TOKEN.finditer(plain))


def _token_pattern(token: str) -> str:
    if token.isspace():
        return rf"\s+{_UNSEEN}"
    letters = _LETTERS.get(token, token)
    spelled = "".join(re.escape(char) + _UNSEEN for char in letters)
    if letters in _SPELLED:
        return f"(?:{spelled}|{_SPELLED[letters]}{_UNSEEN})"
    return spelled
