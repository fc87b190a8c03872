"""Which family a model is of, by its name: whether a judge judges what its own kind wrote.

Models favour what models like them wrote. The names are those that people and servers give them, so that an unknown one
is a family of its own.
"""

import re
from collections.abc import Mapping
from typing import Final

_KNOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "gpt": ("gpt", "chatgpt", "davinci", "o1", "o3", "o4"),
    "claude": ("claude",),
    "gemini": ("gemini", "bard", "palm"),
    "gemma": ("gemma", "medgemma"),
    "llama": ("llama", "vicuna", "alpaca", "meditron"),
    "mistral": ("mistral", "mixtral", "ministral", "magistral", "codestral"),
    "qwen": ("qwen", "qwq"),
    "deepseek": ("deepseek",),
    "command": ("command", "cohere", "aya"),
    "phi": ("phi",),
    "grok": ("grok",),
    "olmo": ("olmo",),
}
_FAMILIES: Final = {word: family for family, words in _KNOWN.items() for word in words}
_WORD: Final = re.compile(r"[^\W_]+")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def family_of(model: str, *, known: bool = False) -> str:
    """The family: that of the first word that names one (``meta-llama/Llama-3.1-8B``: llama), else the first word
    without its digits. ``known``: only the former. ``""`` where there is none."""
    words = _WORD.findall(model.casefold())
    for word in words:
        family = _FAMILIES.get(word) or _FAMILIES.get(_stem(word))
        if family:
            return family
    return "" if known else next(filter(None, map(_stem, words)), "")


def _stem(word: str) -> str:
    found = _LETTERS.match(word)
    return found[0] if found else ""
