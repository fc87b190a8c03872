"""The language of a text, by its script and its function words."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from medreview.evidence.lexicon import FINITE_AUXILIARIES, HARMLESS, PREPOSITIONS
from medreview.text import word_set

_WORD: Final = re.compile(r"[^\W\d_]+")
_SAMPLE: Final = 6_000
"""In characters; of a longer text the language is told by its beginning."""
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
_OTHERS: Final = {
    "German": word_set(
        """
        der die das den dem des ein eine einen einem einer eines und oder nicht ist sind wird werden wurde wurden mit
        von vom zu zum zur bei beim für auf aus nach über unter durch ohne gegen als auch wie wenn dass sich er sie es
        ich wir ihr im ins kann können soll sollte sollten muss müssen darf hat haben hatte keine kein nur noch mehr
        """
    ),
    "French": word_set(
        """
        le la les un une des du de et ou est sont sera être été dans en par pour sur avec sans sous aux au ce cette ces
        qui que dont il elle ils elles on ne pas plus peut peuvent doit doivent a ont avoir chez se sa son ses leur
        comme mais si lorsque afin entre
        """
    ),
    "Spanish": word_set(
        """
        el la los las un una unos unas de del al y o es son será ser está están en por para con sin sobre entre que se
        su sus no más como pero si cuando puede pueden debe deben ha han haber hasta desde este esta estos estas lo le
        """
    ),
    "Italian": word_set(
        """
        il lo la i gli le un uno una di del della dei delle dello degli da dal dalla e o è sono sarà essere in nel nella
        nei nelle con su sul sulla per tra fra che si non più come ma se quando può possono deve devono ha hanno al
        alla ai alle questo questa anche
        """
    ),
    "Portuguese": word_set(
        """
        o a os as um uma uns umas de do da dos das em no na nos nas e ou é são será ser está estão por pelo pela para
        com sem sobre entre que se seu sua não mais como mas quando pode podem deve devem há ao aos à este esta também
        """
    ),
    "Dutch": word_set(
        """
        de het een van en of is zijn wordt worden werd met voor op uit naar over onder door zonder als ook wanneer dat
        die zich niet geen meer kan kunnen moet moeten mag heeft hebben bij tot te aan om nog wel
        """
    ),
}


_FUNCTION_WORDS: Final = {"English": _ENGLISH} | {name: words - _ENGLISH for name, words in _OTHERS.items()}
"""What is English, too, tells of no other language."""


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
