"""Foreign text made safe for a terminal: one code point in, one visible mark out.

Fetched pages and model output may hold escape sequences, bidirectional controls and invisible characters, and Textual
passes all of them on. Offsets into the stored text stay true for the shown text, because the length never changes.
"""

import json
import re
import unicodedata
from abc import abstractmethod
from functools import cache
from operator import ne
from typing import Final

from medreview.text import lazy_pattern

PLAIN: Final = (
    " -~\u00a0-\u00ac\u00ae-\u02ff\u0391-\u03a1\u03a3-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027\u2030-\u205e"
    "\u2074-\u208e\u20a0-\u20bf\u2100-\u218b\u2190-\u2319\u2400-\u2426\u2460-\u25fc\u270e-\u2727\ufb00-\ufb06\ufffd"
)
"""Body of a regular-expression class: characters shown as they are, one cell wide, that never combine.

Not all such characters, but nearly all of a page in a European language: a text of these alone takes no slow path.
"""

MARK: Final = "\ufffd"
"""Stands for what could act on the terminal or cannot be shown: controls, bidi, tags, surrogates, unassigned."""

SOFT_MARK: Final = "\u00a6"
"""Stands for what is merely invisible. A bar, because a dot between digits would read as a decimal point."""

_MOST_MARKS: Final = 4
"""Combining marks left on one base; a longer pile would be drawn over the rows above and below."""

_SOFT: Final = frozenset(
    code
    for first, last in (
        (0xAD, 0xAD),  # soft hyphen
        (0x34F, 0x34F),  # combining grapheme joiner
        (0x115F, 0x1160),  # Hangul fillers
        (0x17B4, 0x17B5),  # Khmer inherent vowels
        (0x180B, 0x180F),  # Mongolian selectors
        (0x200B, 0x200D),  # zero-width space and joiners
        (0x2060, 0x2064),  # word joiner, invisible operators
        (0x3164, 0x3164),  # Hangul filler
        (0xFE00, 0xFE0F),  # variation selectors
        (0xFEFF, 0xFEFF),  # byte order mark
        (0xFFA0, 0xFFA0),  # half-width Hangul filler
        (0x1F3FB, 0x1F3FF),  # emoji skin tones: two cells or none, as the terminal likes
        (0xE0100, 0xE01EF),  # variation selectors supplement
    )
    for code in range(first, last + 1)
)
_DISPUTED: Final = (
    (0x2630, 0x2637),
    (0x268A, 0x268F),
    (0x4DC0, 0x4DFF),
    (0x1D300, 0x1D356),
    (0x1D360, 0x1D376),
)
"""Became two cells wide with Unicode 16; terminals do not agree yet."""

_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
_JAMO: Final = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF))
_TABLE_LIMIT: Final = 20_000


def combines(char: str) -> bool:
    """Whether a character is drawn onto the one before it and takes no cell of its own."""
    code = ord(char)
    return unicodedata.category(char)[0] == "M" or any(first <= code <= last for first, last in _JAMO)


class _Table(dict[int, int]):
    """A translation table that learns each code point once; bounded, as a hostile page may hold them all."""

    @abstractmethod
    def learn(self, code: int) -> int:
        """What a code point becomes."""

    def __missing__(self, code: int) -> int:
        value = self.learn(code)
        if len(self) < _TABLE_LIMIT:
            self[code] = value
        return value


class _Marks(_Table):
    """Code point to the code point shown for it."""

    def learn(self, code: int) -> int:
        if code in (0x09, 0x0A):
            return code
        if code < 0x20:
            return 0x2400 + code
        if code == 0x7F:
            return 0x2421
        if code in _SOFT:
            return ord(SOFT_MARK)
        disputed = any(first <= code <= last for first, last in _DISPUTED)
        return ord(MARK) if disputed or unicodedata.category(chr(code)) in _HIDDEN_CATEGORIES else code


class _AsciiMarks(_Marks):
    """The same, with ``?`` for every mark."""

    def learn(self, code: int) -> int:
        shown = super().learn(code)
        return shown if shown == code else ord("?")


class _CharacterKinds(_Table):
    """Code point to ``m`` (combines), newline, or ``x`` (anything else)."""

    def learn(self, code: int) -> int:
        return code if code == 0x0A else ord("m") if combines(chr(code)) else ord("x")


_EAST_ASIAN: Final = "\u3001-\u3029\u3041-\u3096\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9ffc\uac00-\ud7a3\uff01-\uff60"
_SIMPLE: Final = f"\n\t{PLAIN}{_EAST_ASIAN}"
NOT_PLAIN: Final = lazy_pattern(f"[^\n\t{PLAIN}]")
"""What may be shown otherwise than it is, or takes more or less than one cell."""
_UNSURE: Final = lazy_pattern(f"[^{_SIMPLE}]")
"""The same without East Asian characters; to make ready what tells them takes a while, and most never need it."""
_PILED: Final = lazy_pattern(f"(?<![xm])m+|(?<={'m' * _MOST_MARKS})m+")
_ON_ONE_LINE: Final = {0x09: 0x2409, 0x0A: 0x240A}
_MARKS: Final = _Marks()
_ASCII_MARKS: Final = _AsciiMarks()
_KINDS: Final = _CharacterKinds()


def visible(text: str, ascii_only: bool = False) -> str:
    """The text as it may be shown: same length, same offsets, nothing that acts on a terminal.

    C0 controls and DEL become their control pictures, what is merely invisible (soft hyphen, zero-width characters,
    variation selectors) ``SOFT_MARK``, all else that is hidden ``MARK``. Newline and tab stay: the renderer ends the
    row at the one and draws the other as one space. Combining marks stay up to four on a base; the rest of the pile,
    and marks without a base, become ``SOFT_MARK``. Takes a whole text: a slice may begin between a base and its mark.

    ``ascii_only`` turns every such mark into ``?``; it leaves other non-ASCII text alone.
    """
    if NOT_PLAIN.search(text) is None or _UNSURE.search(text) is None:
        return text
    shown = text.translate(_ASCII_MARKS if ascii_only else _MARKS)
    return _flatten(shown, "?" if ascii_only else SOFT_MARK)


def visible_line(text: str) -> str:
    """The same on one line: newlines and tabs become their pictures, too. For names of files, and messages."""
    return visible(text.translate(_ON_ONE_LINE))


def json_text(value: object) -> str:
    """A value as JSON that may be shown: what :func:`visible` would replace is an escape there, so that parsing it
    gives the value as it is. Raises ``ValueError`` for a number that JSON has not (NaN, infinity)."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    shown = visible(text)
    if shown is text:
        return text
    return "".join(sign if sign == seen else json.dumps(sign)[1:-1] for sign, seen in zip(text, shown, strict=True))


def hidden_count(text: str) -> int:
    """Number of code points that ``visible`` replaces."""
    shown = visible(text)
    return 0 if shown is text else sum(map(ne, text, shown))


@cache
def _stacked_marks() -> re.Pattern[str]:
    """Finds where a pile is possible. Compiled at need: it takes 2 ms, and the first screen seldom needs it."""
    return re.compile(rf"(?:\A|\n)[^{_SIMPLE}]|[^{_SIMPLE}]{{{_MOST_MARKS + 1}}}")


def _flatten(shown: str, mark: str) -> str:
    """Replace combining marks beyond the few that one base may carry."""
    if _stacked_marks().search(shown) is None:
        return shown
    pieces: list[str] = []
    done = 0
    for pile in _PILED.finditer(shown.translate(_KINDS)):
        pieces += (shown[done : pile.start()], mark * (pile.end() - pile.start()))
        done = pile.end()
    return "".join((*pieces, shown[done:])) if pieces else shown
