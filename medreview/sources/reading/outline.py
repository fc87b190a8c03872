"""The headings of a text, and the path of headings above an offset."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading: ``text[start:end]`` (code points, half-open) is its words, on one line; ``level`` is 1 to 6."""

    start: int
    end: int
    level: int


def heading_path(outline: Sequence[Heading], offset: int) -> tuple[Heading, ...]:
    """The headings above an offset, the outermost first; a heading's own offset has that heading in its path.

    ``outline`` is in text order. A level may be missing in the path, as it may on the page.
    """
    path: list[Heading] = []
    for index in range(bisect_right(outline, offset, key=lambda heading: heading.start) - 1, -1, -1):
        heading = outline[index]
        if not path or heading.level < path[-1].level:
            path.append(heading)
        if heading.level == 1:
            break
    return tuple(reversed(path))
