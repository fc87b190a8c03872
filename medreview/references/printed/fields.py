"""Where the fields of one reference stand on its sheet."""

import re
from dataclasses import dataclass, field
from typing import Final

from medreview.references.model import Field
from medreview.references.printed.names import Authors
from medreview.references.printed.numbers import YEAR, Numbers
from medreview.references.printed.sheet import Sheet
from medreview.text import Span

A_YEAR: Final = re.compile(rf"(?<![\d/–.-])(?P<year>{YEAR})[a-z]?(?![\d/–-]|\.\d)")


@dataclass(slots=True)
class Reading:
    """Where each field stands on the sheet."""

    sheet: Sheet
    end: int
    numbers: Numbers | None = None
    authors: Authors | None = None
    title: Span | None = None
    container: Span | None = None
    year: Span | None = None
    publisher: Span | None = None
    edition: Span | None = None
    chapter: bool = False
    unsure: set[Field] = field(default_factory=set)

    def text_of(self, place: Span | None) -> str:
        """What stands at a place."""
        return "" if place is None else self.sheet.text[place.start : place.end]


def last_year(text: str, start: int, end: int, outside: Span | None = None) -> Span | None:
    """The last year between two places; ``outside``: not within this one."""
    last = None
    for found in A_YEAR.finditer(text, start, end):
        if outside is None or not outside.start <= found.start() < outside.end:
            last = found
    return None if last is None else Span(*last.span("year"))
