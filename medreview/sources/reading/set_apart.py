"""Parts of a text that do not stand open on the page, such as collapsed panels and words that only a program sees."""

from typing import NamedTuple


class SetApart(NamedTuple):
    """One part: ``text[start:end]`` (code points, half-open); ``kind`` is one of ``medreview.labels.SET_APART``."""

    start: int
    end: int
    kind: str
