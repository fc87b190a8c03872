"""The headings of a text and the path of headings above a place in it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading: ``text[start:end]`` is its words, on one line; ``level`` is 1 (the page's title) to 6."""

    start: int
    end: int
    level: int


def heading_path(outline: Sequence[Heading], offset: int) -> tuple[Heading, ...]:
    """The headings that a place stands under, the outermost first; a heading stands under itself.

    ``outline`` is in text order. A level may be missing in the path, as it may on the page.
    """
    path: list[Heading] = []
    for place in range(bisect_right(outline, offset, key=lambda heading: heading.start) - 1, -1, -1):
        heading = outline[place]
        if not path or heading.level < path[-1].level:
            path.append(heading)
        if heading.level == 1:
            break
    return tuple(reversed(path))
