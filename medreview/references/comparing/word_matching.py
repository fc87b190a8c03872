"""The words of titles and names without typography; spellings, typing errors and other words distinguished.

Some words look like typing errors of one another, and mean something else.
"""

import html
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal

from rapidfuzz.distance import OSA

from medreview.text import first_words, word_lists, word_set

_LISTS: Final = word_lists(__file__)

_OPPOSED: Final = (
    ("hyper", "hypo"), ("inter", "intra"), ("ante", "anti"), ("ab", "ad"), ("af", "ef"),
    ("macro", "micro"), ("exo", "endo"), ("pre", "post"), ("pre", "peri"), ("over", "under"), ("in", "ex"),
    ("mono", "multi"), ("uni", "bi"), ("mono", "di"), ("di", "tri"), ("un", ""), ("in", ""), ("im", ""), ("non", ""),
    ("a", ""), ("anti", ""), ("de", ""), ("re", ""),
)  # fmt: skip
"""Beginnings of words of which one in place of the other makes another word."""

_CONFUSED_WITH: Final = first_words(_LISTS["confused"])
"""Words that look alike and mean something else."""

_STEMS: Final = tuple(_LISTS["stems"].split())
"""Endings that names of medicines of one class share (the stems of international nonproprietary names)."""


def look_alike(one: str, other: str) -> bool:
    """Whether two words are known to look alike: opposed by their beginning, or of one group of words."""
    group = _CONFUSED_WITH.get(one)
    if group is not None and group == _CONFUSED_WITH.get(other):
        return True
    return any(
        (one.startswith(a) and other.startswith(b) and one[len(a) :] == other[len(b) :])
        or (one.startswith(b) and other.startswith(a) and one[len(b) :] == other[len(a) :])
        for a, b in _OPPOSED
    )


def of_one_class(one: str, other: str) -> bool:
    """Whether two words end as medicines of one class do: sitagliptin is no misspelling of saxagliptin."""
    return any(one.endswith(stem) and other.endswith(stem) for stem in _STEMS)


Known = Callable[[str], bool]
"""Whether a word stands in titles of other works: it is a word of its own then, and no typing error."""

Slip = Literal["spelling", "typo", "wording"]
"""Why two words that differ mislead nobody: British or American, numerals; a typing error; singular or plural."""

_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_WORD: Final = re.compile(r"[^\W_]+")
_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")
_APOSTROPHES: Final = re.compile("['’‘ʼ`´′\u00ad\u200b-\u200f\u2060\ufeff]")
_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ß": "ss", "þ": "th", "ð": "d", "µ": "μ", "ς": "σ"}
)
_MARKS: Final = re.compile("[\u0300-\u036f]+")
_GREEK: Final = re.compile("[\u03b1-\u03c9]")
_LONGEST: Final = 4000
"""Code points of a title that are read: a title has some hundreds, a hostile record a million."""


FUNCTION_WORDS: Final = word_set(_LISTS["function_words"])
"""Words of a title that may be put in, left out or exchanged for one another: nobody is misled."""

_SAME: Final = {
    "vs": "versus", "first": "1", "second": "2", "third": "3", "one": "1", "two": "2", "three": "3", "four": "4",
    "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "twelve": "12", "i": "1", "ii": "2",
    "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "1st": "1", "2nd": "2", "3rd": "3",
    "aluminium": "aluminum", "programme": "program", "programmes": "programs", "ageing": "aging", "grey": "gray",
    "judgement": "judgment", "adrenaline": "epinephrine", "noradrenaline": "norepinephrine", "mcg": "mug", "μg": "mug",
    "paracetamol": "acetaminophen", "frusemide": "furosemide", "catalogue": "catalog", "analogue": "analog",
    "analogues": "analogs", "dialogue": "dialog", "licence": "license", "practise": "practice", "defence": "defense",
}  # fmt: skip
"""Words that stand for one another, by one of them."""

_BRITISH: Final = (
    (re.compile(r"is(e|ed|es|ing|er|ers|ation|ations|ational)$"), r"iz\1"),
    (re.compile(r"ys(e|ed|es|ing|er|ers)$"), r"yz\1"),
    (re.compile(r"(?<=[bt])re(s?)$"), r"er\1"),
    (re.compile(r"our(?=s|ed|ing|al|ally|able|ful|ist|$)"), "or"),
    (re.compile(r"ae|oe"), "e"),
    (re.compile(r"sulph"), "sulf"),
    (re.compile(r"ll(?=ed|ing|er|ment|s?$)"), "l"),
)

_ENDINGS: Final = re.compile(r"(?:ies|es|s|y|e)$")


def plain(text: str) -> str:
    """A text in lower case without tags, entities, accents and apostrophes; Greek letters by name, apart."""
    text = text[:_LONGEST]
    if "&" in text:
        text = html.unescape(text)
    if "<" in text:
        text = _TAG.sub("", text)
    text = text.casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_LETTERS))
        text = _MARKS.sub("", text).translate(_LETTERS)
        text = _GREEK.sub(_greek_name, text)
    return _APOSTROPHES.sub("", text)


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, as :func:`plain` has it, in order."""
    text = plain(text)
    return tuple((_ASCII_WORD if text.isascii() else _WORD).findall(text))


def content_words(text: str) -> list[str]:
    """The words of a text without function words, in order."""
    return [word for word in words(text) if word not in FUNCTION_WORDS]


@lru_cache(maxsize=4096)
def spelling(word: str) -> str:
    """A word as Americans write it, a small number in digits: made to be compared, not to be read."""
    if (same := _SAME.get(word)) is not None:
        return same
    for pattern, instead in _BRITISH:
        word = pattern.sub(instead, word)
    return word


def same_word(printed: str, record: str, known: Known) -> Slip | None:
    """Why a word that stands in place of another one misleads nobody; ``None`` when it is another word."""
    one, other = spelling(printed), spelling(record)
    if one == other:
        return "spelling"
    if any(char.isdigit() for char in printed + record):
        return None
    if look_alike(one, other):
        return None
    if _ENDINGS.sub("", one) == _ENDINGS.sub("", other) and min(len(one), len(other)) > 3:
        return "wording"
    return "typo" if is_typing_error(printed, record, known) else None


def is_typing_error(printed: str, record: str, known: Known) -> bool:
    """Whether a word is another one with letters swapped, left out, doubled or exchanged, and no word of its own.

    Two errors are taken for errors in a long word only, which begins rightly. In the names of two medicines of one
    class an exchanged letter makes another medicine.
    """
    shorter = min(len(printed), len(record))
    distance = OSA.distance(printed, record, score_cutoff=2)
    if distance > 2 or known(printed):
        return False
    if distance == 1 and sorted(printed) == sorted(record):
        return True
    if distance == 2 and (shorter < 8 or printed[:2] != record[:2] or of_one_class(printed, record)):
        return False
    return shorter > 4 and not (len(printed) == len(record) and of_one_class(printed, record))


def _greek_name(match: re.Match[str]) -> str:
    name = unicodedata.name(match.group()).split()[-1].lower()
    return f" {'lambda' if name == 'lamda' else name} "
