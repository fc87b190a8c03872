"""Line mode: labels on the study's own axes, and tags."""

from collections.abc import Mapping
from typing import Final

from medreview.cli.plain_sitting import wrapped
from medreview.errors import UserError
from medreview.labels import NONE_OF_THEM, OWN
from medreview.review.deciding import Deciding
from medreview.study.own_axes import OwnAxis

AXES_HELP: Final = """\
z       the study's own axes             z AXIS LEVEL  a label there, by key or name
#TAG    add or remove a tag; # alone lists them"""


def own_label(session: Deciding, rest: str) -> bool:
    """Give a label on one of the study's own axes; without words, list them. Whether something was saved.

    The name of the axis may be left out where there is one alone. Raises :class:`UserError` for what is no label.
    """
    if why := session.refusal("axes"):
        raise UserError(why)
    axes = session.own_axes_asked
    words = rest.split()
    if not words:
        for axis in axes.values():
            print(wrapped(_told(axis, session.own.also)))
        return False
    if len(axes) == 1 and OWN + words[0] not in axes:
        words.insert(0, next(iter(axes.values())).name)
    name, *levels = words
    own = axes.get(OWN + name)
    if own is not None:
        if not levels:
            raise UserError(f"Say which: {_told(own, session.own.also)}")
        levels = [_level(own, word) for word in levels if not (own.many and word == NONE_OF_THEM)]
    session.label(name, *levels)
    return True


def own_tags(session: Deciding, line: str) -> bool:
    """Put tags on, or take them off; without words, list them. Whether something was saved."""
    names = line.replace("#", " ").split()
    if not names:
        on = ", ".join(f"#{tag}" for tag in sorted(session.own.tags)) or "none"
        used = ", ".join(f"#{tag}" for tag in session.tags_used()) or "none"
        print(wrapped(f"tags here: {on}; tags that you have used: {used}"))
        return False
    for name in dict.fromkeys(names):
        session.tag(name)
    return True


def _level(axis: OwnAxis, word: str) -> str:
    """The level that a key or a name stands for; another word as it is, which the session refuses."""
    by_key = axis.level_for(word)
    return by_key.level if by_key is not None else word


def _told(axis: OwnAxis, mine: Mapping[str, str]) -> str:
    levels = ", ".join(f"{level.key} {level.name}" for level in axis.levels)
    now = f"; you: {axis.words(mine[axis.axis])}" if axis.axis in mine else ""
    return f"z {axis.name}, {axis.title}{' (several)' if axis.many else ''}: {levels}{now}"
