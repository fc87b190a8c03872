"""Text search that ignores case, diacritics, line breaks and typography."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import Final

from medreview.text import Span, lazy_pattern

_TABLE_LIMIT: Final = 20_000
_EQUIVALENT: Final = {
    **dict.fromkeys(map(ord, "‘’‚‛′´"), ord("'")),
    **dict.fromkeys(map(ord, "“”„‟″«»"), ord('"')),
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), ord("-")),
    ord("ø"): ord("o"),
    ord("Ø"): ord("o"),
    ord("ł"): ord("l"),
    ord("Ł"): ord("l"),
}
_LIGATURES: Final = {"ffi": "ﬃ", "ffl": "ﬄ", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ss": "ß", "ae": "æ", "oe": "œ"}
"""Sequences of letters that one character (ligature, ß) may stand for."""

_LETTERS: Final = {char: letters for letters, char in _LIGATURES.items()}
_IGNORED: Final = "[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]*"
"""Combining diacritics, soft hyphens, zero-width characters, variation selectors, byte order marks: any number of them
is ignored between letters."""

_TOKEN: Final = lazy_pattern(rf"\s+|[{''.join(_LETTERS)}]|{'|'.join(_LIGATURES)}|.", re.DOTALL)
"""A ligature is one token: if it were spelt out first, ``sß`` would be split into ``ss`` and ``s``."""


class _SearchForms(dict[int, int]):
    """A cache of the one code point by which each code point is searched: offsets stay the same."""

    def __missing__(self, code: int) -> int:
        plain = "".join(char for char in unicodedata.normalize("NFKD", chr(code)) if not unicodedata.combining(char))
        lower = plain.lower() if len(plain) == 1 else chr(code).lower()
        form = ord(lower[0])
        form = _EQUIVALENT.get(form, form)
        if len(self) < _TABLE_LIMIT:
            self[code] = form
        return form


_SEARCH_FORMS: Final = _SearchForms()


class TextSearch:
    """Searches one text; its normalised copy is made once, at the first search."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _searched(self) -> str:
        return self.text.lower() if self.text.isascii() else self.text.translate(_SEARCH_FORMS)

    def find(self, query: str) -> "Hits":
        """All occurrences of a phrase (not a regular expression), as ranges of the original text; none for a query
        without a visible character.

        White space in the query matches any white space, so that a phrase is found across line ends.
        """
        pattern = _pattern(query)
        if not pattern:
            return Hits(())
        return Hits(tuple(Span(*found.span()) for found in re.finditer(pattern, self._searched)))

    def roughly(self, query: str) -> int:
        """About how often a phrase stands there, by its letters alone: a hundredth of the work of :meth:`find`."""
        return self._searched.count(query.translate(_SEARCH_FORMS))


class Hits:
    """The ranges that a search found, in order, never overlapping."""

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
        """The number of a hit among all, counted from one: ``3/17``."""
        return f"{index + 1}/{len(self.spans)}"


def _pattern(query: str) -> str:
    """A regular expression for the normalised text; empty for an empty query."""
    plain = re.sub(_IGNORED, "", query).translate(_SEARCH_FORMS).strip()
    return "".join(_token_pattern(found[0]) for found in _TOKEN.finditer(plain))


def _token_pattern(token: str) -> str:
    if token.isspace():
        return rf"\s+{_IGNORED}"
    letters = _LETTERS.get(token, token)
    pattern = "".join(re.escape(char) + _IGNORED for char in letters)
    if letters in _LIGATURES:
        return f"(?:{pattern}|{_LIGATURES[letters]}{_IGNORED})"
    return pattern
