"""In which language a text is, told by its commonest words: so that an answer in another one is noticed."""

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]+")
_COMMON: Final = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the of and to in is that for with are on as be by this from or an at which has have not should what how",
        "de": "der die das und ist nicht mit ein eine für den dem des zu von im auf werden wird bei oder auch wie kann "
              "wann welche sich nach",
        "fr": "le la les des et est que pour dans une du qui avec par sur pas ou au sont plus quel quelle comment peut "
              "aux ne se",
        "es": "el la los las de y que en es para con una por del no se son al como más puede qué cuál cómo debe su",
        "it": "il lo la gli le di e che è per con una del della non si sono nel come più può quale quando al dei",
        "pt": "o os as de e que é para com uma do da não se em no na são como mais pode qual quando ao dos",
        "nl": "de het een en van is dat voor met niet op te zijn bij wordt worden of aan ook als hoe wanneer kan welke",
        "sv": "och att det är som en på för med inte av till den har ett om hur när kan vid eller ska bör vilken",
        "pl": "i w nie na jest się że do z to jak przez dla czy oraz po przy lub są można ile kiedy",
    }.items()
}  # fmt: skip
_FEWEST: Final = 2
"""Common words of a language that a text has at least, or nothing is said of it."""
_AHEAD: Final = 2
"""How many times as many it has as of any other language."""
_OTHER_SCRIPT: Final = 0.5
"""Letters of other scripts than Latin from which on a text is in none of these languages."""


def language_of(text: str) -> str:
    """The language of a text, as ``en``, ``other`` for another script, ``""`` where that cannot be told: it is short,
    or its common words are shared by two languages."""
    letters = [sign for sign in text if sign.isalpha()]
    if sum(sign > "ɏ" for sign in letters) > _OTHER_SCRIPT * len(letters):
        return "other"
    found = [word.casefold() for word in _WORD.findall(text)]
    counts = sorted(((sum(word in common for word in found), name) for name, common in _COMMON.items()), reverse=True)
    (most, name), (second, _) = counts[:2]
    return name if most >= _FEWEST and most >= _AHEAD * second else ""


def other_language(made: str, source: str) -> bool:
    """Whether a text is clearly in another language than the one that it was made from."""
    one, other = language_of(made), language_of(source)
    return bool(one and other) and one != other
