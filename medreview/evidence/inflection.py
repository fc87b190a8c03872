"""Whether two words are one word: its inflections, its British and American spelling, a slip of a letter.

Stricter than a stem: ``several`` and ``severe``, ``positive`` and ``position``, ``immune`` and ``immunised`` have one
stem and are not one word. A prefix, the end of a drug's name and a comparative always make another word. All words here
are normalised (``medreview.evidence.normalise.normalise_word``).
"""

import re
from functools import lru_cache
from typing import Final

from medreview.evidence.lexicon import NEGATIONS
from medreview.text import first_words, word_lists

_SHORTEST: Final = 3
"""Letters of the shortest base form."""
_IRREGULAR: Final = first_words(word_lists(__file__)["irregular"])
_SPELLINGS: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"[ao]e", "e"),
        (r"our(?=$|s$|ed$|ing$|al|less|able|ful|ite)", "or"),
        (r"(?<=\w{3})i[sz](?=e|ing|at)", "iz"),
        (r"y[sz](?=e|ing)", "yz"),
        (r"(?<=[bcdt])re(?=s?$)", "er"),
        (r"ogue(?=s?$)", "og"),
        (r"ll(?=ed$|ing$|er$|ers$)", "l"),
        (r"(?<=\w{2})l+(?=ment)", "l"),
        (r"(?<=sul)ph", "f"),
        (r"mme(?=s?$)", "m"),
        (r"^grey", "gray"),
        (r"(?<=alumin)i(?=um$)", ""),
        (r"(?<=[ltfr]i)c(?=es?$)|(?<=en)c(?=es?$)", "s"),
        (r"^cyclosporine?$|^ciclosporine?$", "ciclosporin"),
    )
)
_VOWELS: Final = frozenset("aeiouy")
_LONG: Final = 8
"""Letters of the shortest word in which a vowel may be wrong."""
_OPENING, _ENDING = 4, 4
"""Letters at the beginning and end of a word, where its prefix and its class stand: a slip there makes another word."""


@lru_cache(maxsize=50_000)
def spelling(word: str) -> str:
    """One form for the British and the American spelling of a word; not a word itself."""
    for pattern, replacement in _SPELLINGS:
        word = pattern.sub(replacement, word)
    return word


@lru_cache(maxsize=50_000)
def base_forms(word: str) -> frozenset[str]:
    """What a word may be an inflection of, itself among it; two words are one when they share a form."""
    if word in _IRREGULAR:
        return frozenset({_IRREGULAR[word]})
    if not word.isalpha() or len(word) <= _SHORTEST:
        return frozenset({word})
    plain = spelling(word)
    found = {plain, *(form for form in _stripped(plain) if len(form) >= _SHORTEST)}
    return frozenset(found | {_IRREGULAR.get(form, form) for form in found})


def _stripped(word: str) -> list[str]:
    found: list[str] = []
    if word.endswith(("ies", "ied")):
        found += [word[:-3] + "y", word[:-1]]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        found.append(word[:-1])
        if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
            found += [word[:-2], word[:-2] + "is"]
    for ending in ("ed", "ing"):
        if word.endswith(ending) and not word.endswith("eed"):
            root = word[: -len(ending)]
            found += [root, root + "e"]
            if len(root) > _SHORTEST and root[-1] == root[-2]:
                found.append(root[:-1])
    if word.endswith("ically"):
        found += [word[:-4], word[:-2]]
    elif word.endswith("ily"):
        found.append(word[:-3] + "y")
    elif word.endswith("ly"):
        found += [word[:-2], word[:-1] + "e"]
    found += [base for form in (word, *found) for base in _nouns(form)]
    return found


def _nouns(word: str) -> list[str]:
    """The verbs of which a noun names the act: ``reduction`` and ``reduce``, ``treatment`` and ``treat``."""
    if word.endswith("uction"):
        return [word[:-4] + "ce"]
    if word.endswith("ization"):
        return [word[:-5] + "e"]
    if word.endswith("ation") and len(word) > _LONG:
        return [word[:-3] + "e", word[:-5], word[:-5] + "e"]
    if word.endswith("ion") and len(word) > _LONG - 1:
        return [word[:-3], word[:-3] + "e"]
    if word.endswith("ment") and len(word) > _LONG - 1:
        return [word[:-4]]
    return []


def is_slip(one: str, other: str) -> bool:
    """Whether two different words are one, mistyped: a letter doubled or not, two that changed places, a vowel.

    Only inside of a long word, never in its first or last letters (``hypo-`` and ``hyper-``, ``-ate`` and ``-ite``).
    """
    if {one, other} & NEGATIONS or not (one.isalpha() and other.isalpha()):
        return False
    if _undoubled(one) == _undoubled(other) and min(len(one), len(other)) > _OPENING:
        return True
    if one.endswith("s") and other.endswith("s"):
        one, other = one[:-1], other[:-1]
    if min(len(one), len(other)) < _LONG - 1 or abs(len(one) - len(other)) > 1 or one[:_OPENING] != other[:_OPENING]:
        return False
    # What follows the first letter that differs must hold the whole ending.
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    left, right = one[start:], other[start:]
    if min(len(left), len(right)) <= _ENDING:
        return False
    if len(left) == len(right):
        swapped = left[:2] == right[1::-1] and left[2:] == right[2:]
        return swapped or (left[0] in _VOWELS and right[0] in _VOWELS and left[1:] == right[1:])
    longer, shorter = (left, right) if len(left) > len(right) else (right, left)
    return longer[0] in _VOWELS | {"h"} and longer[1:] == shorter


def _undoubled(word: str) -> str:
    return re.sub(r"([a-z])\1", r"\1", word)
