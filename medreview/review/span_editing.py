"""Editing a span: moving one of its ends by words or sentences (the keys ``w b W B o``)."""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from medreview.lazy_pattern import lazy_pattern
from medreview.text import Span

KEYS: Final = ("w", "b", "W", "B", "o")
"""Word forward, word back, sentence forward, sentence back, exchange the moving end."""

_WINDOW: Final = 4_000
"""Code points that are segmented on either side: more than a sentence, far less than a long source."""

_ROW: Final = lazy_pattern(r"^[^\n]* \| [^\n]*", re.MULTILINE)
"""A line of a table: tables have no full stops, so that a whole table would be one sentence."""

_LETTER: Final = r"[^\s!-/:-@\[-^`{-~¡§«¶·»¿\u2010-\u205e\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]"
_WORD: Final = lazy_pattern(
    rf"""
      [\u3041-\u30ff\u3400-\u9fff]                     # scripts without spaces: one character each
    | (?: [<>=≤≥±~+−-]+ (?=\d) )?                      # "<5" keeps its sign when there is no space between
      {_LETTER}+
      (?: (?: (?<=\d)[.,·](?=\d) | [/'’‐‑–-] | (?<=\w)\.(?=[a-z]\.) ) {_LETTER}+ )*
      [%‰]?
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class SpanEdit:
    """A span of ``text`` that is being edited, never empty, and which of its ends the keys move.

    Raises ``ValueError`` for a range outside the text.
    """

    text: str
    start: int
    end: int
    moving: Literal["start", "end"] = "end"

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end <= len(self.text):
            raise ValueError(f"{self.start}-{self.end} is not a range in a text of {len(self.text)}")

    @property
    def span(self) -> Span:
        """The current range."""
        return Span(self.start, self.end)

    @property
    def exact(self) -> str:
        """The text of the range."""
        return self.text[self.start : self.end]


def moved(edit: SpanEdit, key: str) -> SpanEdit:
    """The span after one of ``KEYS``; unchanged if there is no further boundary. Raises ``KeyError`` for other keys.

    A moving end stops at the ends of words or sentences, a moving start at their starts; a row of a table ends a
    sentence. A number includes decimals, sign and per cent sign, and a unit its parts: ``0.5``, ``<5``, ``50%`` and
    ``mg/kg`` are one word each.
    """
    if key not in KEYS:
        raise KeyError(key)
    if key == "o":
        return replace(edit, moving="start" if edit.moving == "end" else "end")
    near = _sentences(edit) if key in "WB" else _words(edit)
    if edit.moving == "end":
        boundaries = [found.end for found in near if found.end > edit.start]
        return replace(edit, end=_step(boundaries, edit.end, forward=key in "wW"))
    boundaries = [found.start for found in near if found.start < edit.end]
    return replace(edit, start=_step(boundaries, edit.start, forward=key in "wW"))


def word_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The words of a text, as the keys ``w`` and ``b`` know them, that lie in a range."""
    return [Span(*found.span()) for found in _WORD.finditer(text, start, len(text) if end is None else end)]


def _step(boundaries: list[int], place: int, forward: bool) -> int:
    if forward:
        return min((boundary for boundary in boundaries if boundary > place), default=place)
    return max((boundary for boundary in boundaries if boundary < place), default=place)


def _window(edit: SpanEdit) -> tuple[int, int]:
    place = edit.end if edit.moving == "end" else edit.start
    return max(0, place - _WINDOW), min(len(edit.text), place + _WINDOW)


def _words(edit: SpanEdit) -> list[Span]:
    return word_spans(edit.text, *_window(edit))


def _sentences(edit: SpanEdit) -> list[Span]:
    from medreview.statements.sentences import sentence_spans  # knows every way of citing: most open no span

    done, stop = _window(edit)
    found: list[Span] = []
    for row in _ROW.finditer(edit.text, done, stop):
        found += sentence_spans(edit.text, done, row.start())
        found += sentence_spans(edit.text, *row.span())
        done = row.end()
    return [*found, *sentence_spans(edit.text, done, stop)]
