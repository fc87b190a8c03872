"""Spans: which belong together, how their ends are moved (keys ``w b W B o``), and the jump hints that set one.

Plain rules, which know no study: widgets use them too.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, Protocol, TypeVar

from medreview.text import Span, lazy_pattern

PAIRED: Final = "context"
"""The type whose spans come in twos."""


class StandingSpan(Protocol):
    """A span that stands: its event, its type, and the event of the span that it clashes with."""

    @property
    def event_id(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def with_span(self) -> str | None: ...


M = TypeVar("M", bound=StandingSpan)


def together(spans: Iterable[M]) -> list[tuple[M, ...]]:
    """The spans in groups: a context-conflict's two are one group, any other span is one of its own.

    In the order of each group's first; a partner that was deleted leaves the other alone.
    """
    given = list(spans)
    there = {mine.event_id for mine in given}
    groups: dict[str, list[M]] = {}
    for mine in given:
        first = mine.with_span if mine.with_span in there else None
        groups.setdefault(first or mine.event_id, []).append(mine)
    return [tuple(group) for group in groups.values()]


def waiting_for_partner(spans: Iterable[M]) -> M | None:
    """The last span of a context-conflict whose second place is not marked; the next one is its partner."""
    alone = [group[0] for group in together(spans) if len(group) == 1 and group[0].label == PAIRED]
    return max(alone, key=lambda mine: mine.event_id, default=None)


def partner_for(label: str, spans: Iterable[M]) -> str | None:
    """The event that a new span of a type names as the one it clashes with; ``None`` for a first or a lone one."""
    first = waiting_for_partner(spans) if label == PAIRED else None
    return first.event_id if first else None


def still_missing(label: str | None, spans: Iterable[M]) -> str:
    """What a label of the hallucination axis still needs, in words; ``""`` for nothing. It may be left so."""
    given = list(spans)
    if label in (None, "none"):
        return ""
    if not given:
        return "no place is marked"
    return "a context-conflict has one place only" if waiting_for_partner(given) else ""


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


LETTERS: Final = "asdfghjklqwertyuiopzxcvbnm"
"""Home row first. Digits are verdicts, here as everywhere."""


class WordHint(NamedTuple):
    """A word of a text and the letters that name it."""

    start: int
    end: int
    letters: str


def word_hints(text: str, *ranges: tuple[int, int]) -> tuple[WordHint, ...]:
    """Hints for the words that begin in some ranges of the text; no hint is the beginning of another.

    As many words as can have one letter; the last ones have two. A word that leaves no room for its letters before the
    next one begins has none, and so have those beyond the 676th.
    """
    words = [word for start, end in ranges for word in word_spans(text, start, end) if start <= word.start < end]
    names = _names(len(words))
    found = []
    for number, (word, letters) in enumerate(zip(words, names, strict=False)):
        room = (words[number + 1].start if number + 1 < len(words) else len(text)) - word.start
        if len(letters) <= room:
            found.append(WordHint(*word, letters))
    return tuple(found)


def hints_left(hints: tuple[WordHint, ...], typed: str) -> tuple[WordHint, ...]:
    """Those whose letters begin with what was typed; the only one is meant when its letters are that."""
    return tuple(hint for hint in hints if hint.letters.startswith(typed))


def with_hints(shown: str, hints: tuple[WordHint, ...], typed: str = "") -> str:
    """A text of the same length, with the letters that are still to be typed in the place of the words' first ones."""
    pieces, at = [], 0
    for hint in hints:
        letters = hint.letters[len(typed) :]
        pieces += [shown[at : hint.start], letters]
        at = hint.start + len(letters)
    return "".join((*pieces, shown[at:]))


def _names(count: int) -> list[str]:
    size = len(LETTERS)
    # With so many first letters of two, the rest stand alone.
    doubled = next((many for many in range(size) if size - many + many * size >= count), size)
    alone, first = LETTERS[: size - doubled], LETTERS[size - doubled :]
    return [*alone, *(one + other for one in first for other in LETTERS)]
