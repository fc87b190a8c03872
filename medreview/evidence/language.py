"""The language of a text, by its script and its function words."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from medreview.evidence.lexicon import FINITE_AUXILIARIES, HARMLESS, PREPOSITIONS
from medreview.text import word_lists, word_set

_WORD: Final = re.compile(r"[^\W\d_]+")
_SAMPLE: Final = 6_000
"""In characters; the beginning of a longer text shows its language."""
_LEAST: Final = 3
"""Function words that tell a language."""
_SHARE: Final = 0.12
"""Of all words: below it they may be names and titles in a text of another language."""
_AHEAD: Final = 1.5
"""Times as many as of any other language: languages share words."""
_SCRIPT_SHARE: Final = 0.3
"""Of all letters, from which on a text is written in a script; Greek letters and names stand in English texts, too."""
_LETTERS: Final = 4

_SCRIPTS: Final = {
    "Japanese": "\u3040-\u30ff",
    "Korean": "\u1100-\u11ff\uac00-\ud7af",
    "Chinese": "\u3400-\u4dbf\u4e00-\u9fff",
    "Russian": "\u0400-\u04ff",
    "Arabic": "\u0600-\u06ff",
    "Hebrew": "\u0590-\u05ff",
    "Hindi": "\u0900-\u097f",
    "Bengali": "\u0980-\u09ff",
    "Thai": "\u0e00-\u0e7f",
    "Greek": "\u0370-\u03ff",
}
"""Letters by the language that is most often written in them. Japanese comes before Chinese, whose letters it uses."""
_OF_SCRIPT: Final = {name: re.compile(f"[{letters}]") for name, letters in _SCRIPTS.items()}

_ENGLISH: Final = HARMLESS | PREPOSITIONS | FINITE_AUXILIARIES | word_set("or not if than no what how why when where")
_FUNCTION_WORDS: Final = {"English": _ENGLISH} | {
    name: word_set(words) - _ENGLISH for name, words in word_lists(__file__).items()
}
"""English words show no other language."""


def language_of(text: str) -> str:
    """The English name of the language that a text is in; ``""`` when it has too few function words to tell."""
    words = _WORD.findall(text[:_SAMPLE].casefold())
    letters = sum(map(len, words))
    for name, letter in _OF_SCRIPT.items():
        if letters >= _LETTERS and len(letter.findall(text[:_SAMPLE])) >= _SCRIPT_SHARE * letters:
            return name
    (most, name), (second, _) = sorted(((count, name) for name, count in _hits(words).items()), reverse=True)[:2]
    told = most >= max(_LEAST, _SHARE * len(words)) and most >= _AHEAD * second
    return name if told else ""


def languages_in(text: str) -> frozenset[str]:
    """The languages that a text may be in: the one that it tells, else all that it has a word or letter of."""
    if told := language_of(text):
        return frozenset({told})
    hits = _hits(_WORD.findall(text[:_SAMPLE].casefold()))
    written = {name for name, letter in _OF_SCRIPT.items() if letter.search(text)}
    return frozenset(written | {name for name, count in hits.items() if count})


def _hits(words: Iterable[str]) -> dict[str, int]:
    """How many of some words are function words of each language."""
    counts = Counter(words)
    return {name: sum(counts[word] for word in counts.keys() & own) for name, own in _FUNCTION_WORDS.items()}
