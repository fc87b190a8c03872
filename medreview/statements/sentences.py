"""Sentence segmentation (sentence boundary detection) by rules, without a model, in time linear in the text.

A newline alone is white space (text may be wrapped); a blank line, or a line that begins with a list marker, ends a
sentence. A reference mark after the full stop (``[1]``, a superscript, a footnote number without a space) belongs to
the sentence before it. The lists of abbreviations are English, German, French, Spanish and prescription Latin; their
entries are casefolded and without their last full stop.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final, Literal

from medreview.citations.markers import RESIDUE
from medreview.text import Span, word_lists, word_set

_LISTS: Final = word_lists(__file__)

NEVER_FINAL: Final = word_set(_LISTS["never_final"])
"""Something always follows these ("e.g. aspirin", "Dr. Maier", "bzw. Warfarin")."""

MAYBE_FINAL: Final = word_set(_LISTS["maybe_final"])
"""These may end a sentence: they do when a capital letter follows."""

NAME_PARTS: Final = word_set("al u.s u.k e.u u.n d.c u.s.a m.d ph.d inc co ltd v.a bzw n.b")
"""Those of ``MAYBE_FINAL`` that capitalised names follow: they end a sentence only before a word of ``STARTERS``."""

NEEDS_NUMBER: Final = word_set(_LISTS["needs_number"])
"""Abbreviations only before a number or a letter ("No. 3", "Fig. 2a", "mind. 2"); before a word they end a sentence."""

ALSO_WORDS: Final = word_set(_LISTS["also_words"])
"""Abbreviations that are also ordinary words: a sentence ends there when the next word is one of ``STARTERS``."""

TITLES: Final = word_set("dr drs prof mr mrs ms st vs")
"""Abbreviations also in upper case; other words in upper case are acronyms ("the ED. The ...")."""

LETTERED: Final = word_set(_LISTS["lettered"])
"""Words followed by a letter that is a name, not an initial ("vitamin K. Warfarin ...")."""

STARTERS: Final = word_set(_LISTS["starters"])
"""Words that begin a sentence when capitalised after an abbreviation ("in the U.S. The ...")."""

DOSING: Final = word_set(_LISTS["dosing"])
"""Prescription words that continue a dose in upper case ("500 mg p.o. BID")."""

ORDINAL_BEFORE: Final = word_set(_LISTS["ordinal_before"])
"""German words before an ordinal number ("am 3. Januar", "im 2. Trimenon")."""

ORDINAL_AFTER: Final = word_set(_LISTS["ordinal_after"])
"""German nouns after an ordinal number ("1. Trimenon")."""


Follow = Literal["upper", "digit", "lower", "other", "stop", "end"]

_LINK: Final = (
    r"\[{1,2} [^\[\]\n]{0,80} \]{1,2} \( https?:// [^\s()]{1,500} (?: \( [^\s()]{0,100} \) [^\s()]{0,300} ){0,3} \)"
)
# The lookbehind and the possessive quantifiers prevent quadratic backtracking over a long run of dots.
_CANDIDATE: Final = re.compile(
    rf"""
      (?P<hard> [\f\u2029] | \n (?: [^\S\n]*+ \n
                                  | (?= [^\S\n]{{0,40}} (?: [-*+•‣◦▪●–—] [^\S\n] | \d{{1,3}} [.)] [^\S\n] ) ) ) )
    | (?P<wide> [。！？]++ [”’」』）)"']{{0,20}} )
    | (?<![.!?…؟۔।]) (?P<mark> [.!?…؟۔।]++ )
      (?P<close> ["'”’»)\]}}*_]{{0,20}}+ )
      (?P<note> (?: [^\S\n]? (?: \( {_LINK} (?: [,;]? [ ] {_LINK} ){{0,9}} \) | (?= \[{{1,2}} \^?\d ) {_LINK}
                                  | {RESIDUE}
                                  | \[ [\d,;\s–^-]{{1,40}} \] | \( \d{{1,3}} (?: [,–-] [ ]? \d{{1,3}} ){{0,20}} \)
                                  | <sup> [^<>\n]{{1,300}} </sup> )
                  | {_LINK} | [¹²³⁰⁴-⁹⁻]++ ){{0,20}}+ )
      (?P<glued> (?<=[^\W\d_]{{3}}[.)]) \d{{1,3}} (?: [,–-] \d{{1,3}} ){{0,9}} (?= \s+ [^\W\d_] ) )?+
      (?= \s | \Z | [A-Z][a-z]*+ [\s,’'-] )
    """,
    re.VERBOSE,
)
_MAY_END: Final = re.compile(
    "[\n\f\u2029。！？.!?…؟۔।](?!(?<=[0-9][.])[0-9]|(?<=\n)[A-Za-z])(?:(?<=[.])(?=[ \n][A-Z])(?P<plain>))?"
)
"""What a match of ``_CANDIDATE`` begins with; ``plain`` of a full stop before white space and a capital letter."""
_WORD: Final = re.compile(r"[^\W_](?:[\w'’-]{0,38}[^\W_])?")
_NON_SPACE: Final = re.compile(r"\S")
_DOTTED: Final = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}\Z")
_NUMBER: Final = re.compile(r"[#(]?\d+(?:[.,]\d+)*[)%]?\Z")
_ROMAN: Final = re.compile(r"[IVXLC]+[a-z]?\Z")
_RUN_ON: Final = re.compile(r"[^\W\d_][^\W\d_a-z]*[a-z]{3,}\Z|[a-z]{3,}\Z|[)\]}”\"%]\Z|\d\Z|[A-Z]{2,}\Z")
_IN_ADDRESS: Final = re.compile(r"[/@\\]|www\.|\w\.\w+\.\w", re.IGNORECASE)
_FILE_ENDINGS: Final = word_set(_LISTS["file_endings"])
_MARKS: Final = re.compile(r"(?:\[\d[\d,;–-]{0,20}\])+\Z")
_OPENERS: Final = "\"'“”‘’„‚«»([{*_¿¡`"
_LOOK_BACK: Final = 48
_CACHE_SIZE: Final = 50_000
_BEFORE_TOKEN: Final = _OPENERS + "—–/"
_ABBREVIATIONS: Final = NEVER_FINAL | MAYBE_FINAL | NEEDS_NUMBER | TITLES


def sentences(text: str) -> Iterator[Span]:
    """The sentences of a whole text, in order."""
    yield from sentence_spans(text)


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Sentences in ``text[start:end]`` as half-open ranges of code points of ``text``.

    The spans are in order, disjoint, not empty, and without white space at their ends. Every other character of the
    range that is not white space is in exactly one span.
    """
    stop = len(text) if end is None else min(end, len(text))
    found: list[Span] = []
    begin = at = max(start, 0)
    for mark in _MAY_END.finditer(text, begin, stop):
        place = mark.start()
        if place < at:
            continue
        # of most full stops the word before them tells that they end a sentence; few need the long way
        if mark.lastindex and place + 2 < stop:
            low = max(begin, place - _LOOK_BACK)
            if _IS_PLAIN[text[max(text.rfind(" ", low, place) + 1, low) : place]]:
                at = place + 1
                _append(found, text, begin, at)
                begin = at
                continue
        match = _CANDIDATE.match(text, place, stop)
        if match is None:
            continue
        at = match.end()
        cut = match.start() if match["hard"] is not None else at
        if cut < begin or (match["mark"] is not None and not _ends(text, begin, match, stop)):
            continue
        _append(found, text, begin, cut)
        begin = cut
    _append(found, text, begin, stop)
    return found


class _PlainWords(dict[str, bool]):
    """Whether a full stop after a word, before white space and a capital letter, ends a sentence whatever else stands
    there, by the word; emptied when it is full.

    It does unless one of the rules of ``_full_stop`` on letters, numbers and abbreviations asks for more.
    """

    def __missing__(self, word: str) -> bool:
        if len(self) >= _CACHE_SIZE:
            self.clear()
        plain = self[word] = word.split() == [word] and self._is_plain(word.lstrip(_BEFORE_TOKEN))
        return plain

    @staticmethod
    def _is_plain(token: str) -> bool:
        marked = _MARKS.search(token)
        return (
            len(token) > 1
            and token.casefold() not in _ABBREVIATIONS
            and (marked is None or token[: marked.start()].casefold() not in NEVER_FINAL)
            and not _NUMBER.match(token)
            and not _DOTTED.match(token)
        )


_IS_PLAIN: Final = _PlainWords()


def _append(found: list[Span], text: str, start: int, end: int) -> None:
    """Add the range without white space at its ends, unless nothing else is in it."""
    inside = text[start:end]
    size = len(inside.rstrip())
    if size:
        found.append(_span((start + len(inside) - len(inside.lstrip()), start + size)))


_span = partial(tuple.__new__, Span)
"""``Span`` of a tuple, in a third of the time."""


def _ends(text: str, begin: int, match: re.Match[str], stop: int) -> bool:
    """Whether a punctuation mark ends the sentence that began at ``begin``."""
    follow, word = _follow(text, match.end(), stop)
    if follow == "end":
        return True
    if not text[match.end()].isspace() and not _runs_on(text, begin, match, word):
        return False
    if follow == "stop":
        return False
    mark = match["mark"]
    if mark != ".":
        if not set(mark) <= set(".…"):
            return follow != "lower" or not match["close"]
        return follow in ("upper", "other")
    return _full_stop(text, begin, match, follow, word)


def _runs_on(text: str, begin: int, match: re.Match[str], word: str) -> bool:
    """Whether a sentence begins right after the mark, the blank forgotten: "function.The success rate"."""
    if "[" in match["note"] and (len(word) > 2 or word.casefold() in STARTERS):
        return True
    window = text[max(begin, match.start("mark") - _LOOK_BACK) : match.start("mark")]
    token = (window.split() or [""])[-1]
    if _IN_ADDRESS.search(token) or word.casefold() in _FILE_ENDINGS or len(match["mark"]) > 1:
        return False
    return _RUN_ON.search(window) is not None and (len(word) > 2 or word.casefold() in STARTERS)


def _full_stop(text: str, begin: int, match: re.Match[str], follow: Follow, word: str) -> bool:
    dot = match.start("mark")
    window = text[max(begin, dot - _LOOK_BACK) : dot]
    words = window.split()
    if not words or window[-1].isspace():
        return follow == "upper"
    token = words[-1].lstrip(_BEFORE_TOKEN)
    marked = _MARKS.search(token)
    if marked and (bare := token[: marked.start()].casefold()) in NEVER_FINAL and bare not in ALSO_WORDS:
        return False  # "(e.g[4]. a transfer pack)": a mark put in where a sentence was believed to end
    before = words[-2].strip(_OPENERS) if len(words) > 1 else ""
    key = token.casefold()
    if match["note"] or match["glued"]:
        return follow != "lower"
    if _NUMBER.match(token):
        first = not text[begin : dot - len(token)].strip(_OPENERS + " \n\t")
        return not first and _after_number(words[-1], before, follow, word)
    if key in NEEDS_NUMBER:
        return follow in ("upper", "other") and len(word) != 1 and not _ROMAN.match(word)
    if len(token) == 1 and token.isalpha():
        return _after_letter(before, follow, word)
    if token.isupper() and token.isalpha() and key not in TITLES:
        return follow != "lower"
    if key in MAYBE_FINAL or (_DOTTED.match(token) and key not in NEVER_FINAL):
        return _after_abbreviation(key, follow, word)
    if key in NEVER_FINAL:
        return key in ALSO_WORDS and follow == "upper" and word.casefold() in STARTERS
    if follow == "lower":
        # Text typed without capitals: a full stop after a whole word ends the sentence.
        return not match["close"] and len(token) >= 5 and token.isalpha() and token.islower()
    return True


def _after_number(token: str, before: str, follow: Follow, word: str) -> bool:
    if follow == "lower":
        return False
    if follow != "upper" or len(token) > 3 or len(word) == 1:
        return True
    label = token.startswith("(") and not before[-1:].isalnum()  # "Steps: (1). Stop", but not "a day (1). Stop"
    ordinal = before.casefold() in ORDINAL_BEFORE or label or word.casefold() in ORDINAL_AFTER
    return not ordinal


def _after_letter(before: str, follow: Follow, word: str) -> bool:
    if follow == "lower":
        return False
    if before.casefold() in LETTERED or before[-1:].isdigit():
        return True  # "vitamin C.", "24 h."
    if follow == "digit":
        return False
    return before[:1].islower() and not before.endswith(".") and len(word) > 1 and word.casefold() in STARTERS


def _after_abbreviation(key: str, follow: Follow, word: str) -> bool:
    if follow != "upper" or (word.casefold() in DOSING and word.isupper()):
        return False
    return word.casefold() in STARTERS if key in NAME_PARTS else True


def _follow(text: str, position: int, stop: int) -> tuple[Follow, str]:
    """The kind of the next character, which decides whether a sentence can begin there, and the next word."""
    found = _NON_SPACE.search(text, position, stop)
    if found is None:
        return "end", ""
    at = found.start()
    for _ in range(4):
        if at < stop and text[at] in _OPENERS:
            at += 1
    if at >= stop:
        return "end", ""
    first = text[at]
    if first.isdigit():
        return "digit", ""
    if not first.isalpha():
        return ("stop" if first in ",;:)]}" else "other"), ""
    match = _WORD.match(text, at, stop)
    word = match.group() if match else first
    if first.islower():
        # mRNA, eGFR, pH: a lower-case first letter that is part of the name
        if word[1:2].isupper():
            return "upper", word
        return ("other" if at > found.start() and text[found.start()] in "([" else "lower"), word
    return "upper", word
