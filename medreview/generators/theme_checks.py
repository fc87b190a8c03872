"""What a theme must keep to, whatever it is of: rules for models that say what several statements or facts share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from medreview.generators.ask import Checked, Dropped
from medreview.generators.checks import numbers_missing, words
from medreview.units.failed_facts import LEAST

_TITLE: Final = (2, 12)
"""Words of a title, at least and at most."""
_LONGEST: Final = 40
"""Words of the sentence on it."""
_MOST: Final = 6


class Told(NamedTuple):
    """What themes are looked for in: a text, and what was said of it."""

    text: str
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThemeWords:
    """How answers and codes name it: ``field`` has the numbers of ``one``, all of which are the ``every``."""

    field: str
    one: str
    every: str


class NamedTheme(NamedTuple):
    """A theme that stands. ``places``: from 0, in what was told."""

    title: str
    about: str
    places: tuple[int, ...]


def check_themes(value: Mapping[str, Any], told: Sequence[Told], named: ThemeWords) -> Checked:
    """The :class:`NamedTheme` that stand, and what was dropped; those of one are left out. Invalid when none stands."""
    made: list[NamedTheme] = []
    dropped: list[Dropped] = []
    texts = {_folded(one.text) for one in told}
    whole = " ".join(" ".join((one.text, *one.said)) for one in told)
    for given in value["themes"]:
        title, about = (" ".join(given[name].split()) for name in ("title", "about"))
        numbers = given[named.field]
        known = [number for number in dict.fromkeys(numbers) if 1 <= number <= len(told)]
        dropped += [Dropped(f"unknown_{named.one}", f"{title}: {number}") for number in numbers if number not in known]
        code = _code(title, about, whole, texts, [one.title for one in made], named)
        if not code and len(known) < LEAST:
            code = "theme_of_one"
        if not code and len(made) == _MOST:
            code = "beyond_six"
        if code:
            dropped.append(Dropped(code, title))
        else:
            made.append(NamedTheme(title, about, tuple(number - 1 for number in known)))
    if not made:
        return Checked(("no_theme", *dict.fromkeys(one.code for one in dropped)))
    return Checked(value=(made, tuple(dropped)))


def _code(title: str, about: str, whole: str, texts: set[str], titles: Sequence[str], named: ThemeWords) -> str:
    """What is wrong with a theme by itself; ``""`` for nothing."""
    if not _TITLE[0] <= words(title) <= _TITLE[1]:
        return "title_length"
    if words(about) > _LONGEST:
        return "about_length"
    if _folded(title) in texts:
        return f"copies_a_{named.one}"
    if _folded(title) in map(_folded, titles):
        return "same_theme_twice"
    return f"number_not_in_{named.every}" if numbers_missing(f"{title}. {about}", whole) else ""


def _folded(text: str) -> str:
    return text.casefold().strip(" .")
