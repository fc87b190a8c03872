"""The structure of a page's text: its headings, parts that do not stand open on the page; the name of the OCR engine.

Parts set apart are such as collapsed panels and words that only a program sees. This loads quickly: every study that
opens asks for the engine's name.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, NamedTuple

from medreview.labels import SET_APART
from medreview.text import lazy_pattern


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


_UNSEEN: Final = lazy_pattern(
    "\U0001f3f4[\U000e0020-\U000e007e]{2,7}\U000e007f"  # the flags of England, Scotland and Wales
    "|([\U000e0001-\U000e007f]+|[\u200b-\u200d\u2060-\u2064\u180e\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,})"
)
"""In its group, characters that write without being seen: tags, and runs of characters of no width."""


MOST_PARTS: Final = 10_000
"""Parts of one text; from the last of them on the rest of the text is one part, of the gravest kind in it."""


class SetApart(NamedTuple):
    """One part: ``text[start:end]`` (code points, half-open); ``kind`` is one of ``medreview.labels.SET_APART``."""

    start: int
    end: int
    kind: str


def graver(one: str, other: str) -> str:
    """The kind that holds of two for one text, ``""`` for none."""
    return min((kind for kind in (one, other) if kind), key=SET_APART.index, default="")


def with_unseen(text: str, parts: Sequence[SetApart] = ()) -> tuple[SetApart, ...]:
    """The parts of a text, cut to its length, and as ``hidden`` its runs of characters that nobody sees.

    ``parts`` is in text order, without overlaps; so is what comes back.
    """
    runs = [found.span(1) for found in _UNSEEN.finditer(text) if found[1]]
    cut = [SetApart(start, min(end, len(text)), kind) for start, end, kind in parts if start < len(text)]
    if not runs:
        return _bounded(cut)
    found: list[SetApart] = []
    waiting = iter(cut)
    part = next(waiting, None)
    for start, end in runs:
        while part is not None and part.end <= start:
            found.append(part)
            part = next(waiting, None)
        if part is not None and part.start < start:
            found.append(SetApart(part.start, start, part.kind))
            part = SetApart(start, part.end, part.kind)
        found.append(SetApart(start, end, "hidden"))
        while part is not None and part.end <= end:
            part = next(waiting, None)
        if part is not None and part.start < end:
            part = SetApart(end, part.end, part.kind)
    while part is not None:
        found.append(part)
        part = next(waiting, None)
    return _bounded(found)


def _bounded(parts: Sequence[SetApart]) -> tuple[SetApart, ...]:
    if len(parts) <= MOST_PARTS:
        return tuple(parts)
    rest = parts[MOST_PARTS - 1 :]
    kind = reduce(graver, (part.kind for part in rest))
    return (*parts[: MOST_PARTS - 1], SetApart(rest[0].start, rest[-1].end, kind))


ENGINE: Final = "RapidOCR"
