"""What may enter the study file: text that can be encoded, whole numbers of 64 bits, numbers that are finite.

Everything from outside (answers, exports, batch results, file names, replies of models) is checked here before it is
stored, so one bad value costs its own row, not the whole transaction.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from medreview.text import lazy_pattern

_DAMAGED: Final = lazy_pattern("[\0\ud800-\udfff]")
_LARGEST: Final = 2**63 - 1
_DEEPEST: Final = 100


def unstorable(value: object) -> str:
    """Why a value cannot be stored, as half a sentence; ``""`` when it can.

    Looks into lists and tables to a depth of 100; keys count as values.
    """
    for one, depth in _inside(value):
        if isinstance(one, str):
            if not one.isascii() and any("\ud800" <= sign <= "\udfff" for sign in one):
                return "a text holds half a character (an unpaired surrogate)"
        elif isinstance(one, bool) or one is None:
            continue
        elif isinstance(one, int):
            if not -_LARGEST - 1 <= one <= _LARGEST:
                return "a whole number has more than 64 bits"
        elif isinstance(one, float):
            if one != one or one in (float("inf"), float("-inf")):
                return "a number is not finite"
        elif isinstance(one, Mapping | list | tuple) and depth == _DEEPEST:
            return f"lists or tables stand in one another more than {_DEEPEST} deep"
    return ""


def is_too_deep(value: object) -> bool:
    """Whether lists or tables stand in one another more than 100 deep: otherwise recursion over them is safe."""
    return any(depth == _DEEPEST and isinstance(one, Mapping | list | tuple) for one, depth in _inside(value))


def _inside(value: object) -> Iterator[tuple[object, int]]:
    """The value and all that it holds, to a depth of 100, without recursion."""
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        yield one, depth
        if depth < _DEEPEST and isinstance(one, Mapping | list | tuple):
            inside = [*one.keys(), *one.values()] if isinstance(one, Mapping) else one
            waiting += ((item, depth + 1) for item in inside)


def is_damaged(text: str) -> bool:
    """Whether a text of a file holds a NUL or half a character: something went wrong with it before it came here."""
    return _DAMAGED.search(text) is not None


def storable_text(text: str) -> str:
    """The text with half characters replaced by U+FFFD, for words that are worth keeping although one is damaged."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
