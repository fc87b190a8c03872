"""Text normalisation: a text without its typography, with a map of offsets back to the original text.

Kept, in order: letters and digits (after Unicode compatibility decomposition and case folding) and the few signs that
change what a number says: the decimal point, a comparison sign, the per cent sign, a minus sign, whatever separates two
numbers. Dropped: white space, hyphens within words, quotation marks, soft hyphens, zero-width characters, markup, and
reference markers such as ``[12]`` or ``(source 2)``.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import compress
from typing import Final

from medreview.text import Span

INVISIBLE: Final = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
"""Invisible characters (soft hyphen, combining grapheme joiner, bidirectional controls, zero-width characters,
variation selectors, byte order mark), as the inside of a regular expression's character class."""

DASHES: Final = r"\-" "\u2010-\u2015\u2212\ufe58\ufe63\uff0d"
"""Hyphens, dashes and minus signs, as the inside of a character class."""

_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_DIGIT_LIST = rf"\d{{1,3}}(?:\s*[,;{DASHES}]\s*\d{{1,3}})*"
_MARKER = re.compile(
    rf"\[\s*(?:(?:sources?|refs?\.?|references?|citations?|notes?)\s*)?{_DIGIT_LIST}\s*\]"
    rf"|\(\s*(?:sources?|refs?\.?|references?)\s*{_DIGIT_LIST}\s*\)"
    r"|\[\s*citation needed\s*\]",
    re.IGNORECASE,
)
# What comes before brackets with a value, not a reference: an interval, a range, a cell of a table.
_VALUE_BEFORE = re.compile(
    rf"(?:\b(?:CI|CrI|IQR|SD|SEM?|interval|range|quartiles?|median|mean)\b|[=:±<>≤≥{DASHES}]|(?<!\w)\d{{1,3}}|[.,]\d+)"
    r"[\s,;:]*$",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"</?(?:a|b|br|code|em|i|li|mark|ol|p|q|small|span|strong|sub|sup|t[dhr]|u|ul)(?:\s[^<>]{0,300})?/?>", re.IGNORECASE
)
_LINK = re.compile(r"(?<=\])\((?:https?://|#|/)[^\s)]{0,500}\)", re.IGNORECASE)
_BLOCK_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+(?=[ \t]*[^\W\d])", re.MULTILINE)
_EMPHASIS = re.compile(r"\*{2,3}|_{2,3}")
_MARKUP: Final = (("<", _TAG), ("](", _LINK), (">", _BLOCK_QUOTE), ("**", _EMPHASIS), ("__", _EMPHASIS))
"""Patterns of markup, each after a string that a text must contain for the pattern to match: a fast pre-test."""
_ENTITY = re.compile(r"&(lt|gt|le|ge|amp|nbsp|#\d{2,5});", re.IGNORECASE)
_ENTITIES = {"lt": "<", "gt": ">", "le": "≤", "ge": "≥", "amp": "&", "nbsp": " "}

_SIGNS: Final = {"<": "<", ">": ">", "=": "=", "≤": "<=", "≥": ">=", "⩽": "<=", "⩾": ">=", "±": "±", "≠": "≠"}
_SIGN = re.compile(rf"[{''.join(_SIGNS)}]+(?=\s*[{DASHES}+.·]?\s?\d)")
_PLUS_MINUS: Final = re.compile(rf"\+/?[{DASHES}](?=\s?[.·]?\d)")
_PERCENT = re.compile(rf"\d[\s{INVISIBLE}]*([%‰％])")
_GAP = re.compile(r"\d([\W_]+)(?=\d)")
# The character itself comes first, so that the lookbehind after it is evaluated at few positions.
_POINT = re.compile(r"[.·](?=\d)(?<!\w[.·])")
_MINUS = re.compile(rf"[{DASHES}](?=[.·]?\d)(?<![\w)\]%.,][{DASHES}])(?<!\d\s[{DASHES}])")
_NUMBER_SEPARATORS: Final = {
    ".": ".", "·": ".", "٫": ".", "．": ".", ",": ",", ":": ":", "/": "/", "⁄": "/", "∕": "/", "×": "×", "+": "+",
    "^": "^", "*": "×", "%": "%", "‰": "‰", "％": "%", **_SIGNS,
}  # fmt: skip
DASH = re.compile(f"[{DASHES}]")
_CURRENCY = frozenset("$€£¥₹")


class _CharTable(dict[str, str]):
    """A cache of the normalised form of single characters."""

    def __missing__(self, char: str) -> str:
        normalised = self[char] = _normalise_char(char)
        return normalised


def _normalise_char(char: str) -> str:
    decimal = unicodedata.decimal(char, None)
    if decimal is not None:
        return str(int(decimal))
    if char in _CURRENCY:
        return char
    if _INVISIBLE.match(char) or "\ud800" <= char <= "\udfff":
        return ""
    wide = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    wide = wide.replace("\u2044", "/").replace("\u03c2", "\u03c3")
    if char.isalnum() or unicodedata.category(char)[0] in "LM":
        # a fraction keeps its slash
        return "".join(c for c in wide if c == "/" or unicodedata.category(c)[0] in "LMN")
    return "".join(c for c in wide if unicodedata.category(c)[0] in "LN")


_TABLE: Final = _CharTable()


class NormalisedText:
    """A normalised text with a map to the original.

    ``offsets[i]`` is the offset in the original (code points) of the i-th normalised character. ``markers`` are the
    reference markers that were dropped, as ranges of the original.
    """

    def __init__(self, pieces: list[str], markers: tuple[Span, ...]) -> None:
        self.text = "".join(pieces)
        self.markers = markers
        self._pieces = pieces

    @cached_property
    def offsets(self) -> "array[int]":
        """Computed lazily: most sources do not contain most quotations."""
        kept = list(compress(range(len(self._pieces)), self._pieces))
        if len(kept) != len(self.text):
            kept = [at for at in kept for _ in self._pieces[at]]
        self._pieces = []
        return array("l", kept)

    def __getstate__(self) -> dict[str, object]:
        return {"text": self.text, "markers": self.markers, "offsets": self.offsets, "_pieces": []}

    def original(self, start: int, end: int) -> Span:
        """The range of the original for a range of the normalised text; an empty range stays empty."""
        if end <= start:
            at = self.offsets[start] if start < len(self.offsets) else (self.offsets[-1] + 1 if self.offsets else 0)
            return Span(at, at)
        return Span(self.offsets[start], self.offsets[end - 1] + 1)

    def within(self, start: int, end: int) -> Span:
        """The range of the normalised text for a range of the original."""
        return Span(bisect_left(self.offsets, start), bisect_right(self.offsets, end - 1) if end > start else
                    bisect_left(self.offsets, start))  # fmt: skip


def reference_markers(text: str) -> tuple[Span, ...]:
    """The spans of reference markers such as ``[12]``, ``[3-5]``, ``(source 2)``; not of values: ``CI [12, 34]``."""
    found: list[Span] = []
    if "[" not in text and "(" not in text:
        return ()
    for match in _MARKER.finditer(text):
        start, end = match.span()
        if match[0][1:-1].strip()[:1].isdigit() and _VALUE_BEFORE.search(text[max(0, start - 16) : start]):
            continue
        found.append(Span(start, end))
    return tuple(found)


def normalise(text: str) -> NormalisedText:
    """Normalise a text. Linear in its length: about 0.2 s for 500,000 characters."""
    markers = reference_markers(text)
    masked = blank_markup(text, markers)
    pieces = list(map(_TABLE.__getitem__, masked))
    for match in _SIGN.finditer(masked):
        for at in range(*match.span()):
            pieces[at] = _SIGNS[masked[at]]
    for match in _PERCENT.finditer(masked):
        pieces[match.start(1)] = "‰" if match[1] == "‰" else "%"
    for match in _POINT.finditer(masked):
        pieces[match.start()] = "."
    for match in _MINUS.finditer(masked):
        pieces[match.start()] = "-"
    for match in _GAP.finditer(masked):
        _separate(match[1], match.start(1), pieces)
    if not masked.isascii():
        _separate_superscripts_and_fractions(masked, pieces)
    return NormalisedText(pieces, markers)


def blank_markup(text: str, markers: tuple[Span, ...] | None = None) -> str:
    """The text with reference markers and markup replaced by spaces, so that all offsets stay the same.

    ``+/-`` before a number is ``±``; character references (``&lt;``) that an extractor or a model left are decoded.
    """
    if "+" in text:
        text = _PLUS_MINUS.sub(lambda match: "±".rjust(len(match[0])), text)
    spans = [*(reference_markers(text) if markers is None else markers)]
    for needed, pattern in _MARKUP:
        if needed in text:
            spans += [Span(*match.span()) for match in pattern.finditer(text)]
    if spans:
        parts, at = [], 0
        for start, end in sorted(spans):
            if start < at:
                continue
            parts += [text[at:start], " " * (end - start)]
            at = end
        text = "".join([*parts, text[at:]])
    return _ENTITY.sub(_decoded, text) if "&" in text else text


def normalise_word(word: str) -> str:
    """One word normalised by itself, without the rules that depend on context."""
    return "".join([_TABLE[char] for char in word])


def _decoded(entity: re.Match[str]) -> str:
    """The character of an HTML reference, as long as the reference."""
    name = entity[1].lower()
    return (chr(int(name[1:])) if name.startswith("#") else _ENTITIES[name]).ljust(len(entity[0]))


def _separate(gap: str, start: int, pieces: list[str]) -> None:
    """Keep two numbers separate: by the signs between them, or by one space."""
    if not _INVISIBLE.sub("", gap):
        return
    for at, char in enumerate(gap, start):
        mark = _NUMBER_SEPARATORS.get(char) or ("-" if DASH.match(char) else "")
        if mark:
            pieces[at] = mark
    if not any(pieces[start : start + len(gap)]):
        pieces[start] = " "


def _separate_superscripts_and_fractions(masked: str, pieces: list[str]) -> None:
    """Keep superscripts and fractions separate from a number: ``10⁹`` is not ``109``, ``2½`` not ``21/2``."""
    with_digits = [char for char in set(masked) if not char.isascii() and _has_digit_edge(char)]
    if not with_digits:
        return
    for match in re.finditer(f"[{re.escape(''.join(with_digits))}]", masked):
        at = match.start()
        before = next((piece for piece in reversed(pieces[max(0, at - 8) : at]) if piece), "")
        after = next((piece for piece in pieces[at + 1 : at + 9] if piece), "")
        if before[-1:].isdigit() and pieces[at][:1].isdigit():
            is_power = at > 0 and bool(pieces[at - 1]) and unicodedata.decomposition(masked[at]).startswith("<super>")
            pieces[at] = ("^" if is_power else " ") + pieces[at]
        if after[:1].isdigit() and pieces[at][-1:].isdigit():
            pieces[at] += " "


def _has_digit_edge(char: str) -> bool:
    """Whether a character other than a decimal digit normalises to something with a digit at its beginning or end."""
    piece = _TABLE[char]
    return not char.isdecimal() and (piece[:1].isdigit() or piece[-1:].isdigit())
