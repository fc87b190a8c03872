"""Checklists of reporting guidelines, filled from what a study holds: a TOML file for each, and what fills its items.

Titles of items are in words of our own; each file names the source, whose words count.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from medreview.cli.reports.study_page.material import Material


@dataclass(frozen=True, slots=True)
class Filled:
    """What the study says, and the section of the report that has it (``""``: none)."""

    text: str
    anchor: str = ""


Filler = Callable[[Material], Filled | None]
_MOST: Final = 6
"""Parts that are named where there are many; the text says how many more there are."""


def filled(parts: Iterable[str], anchor: str) -> Filled | None:
    """The parts as one text, of many the first; ``None`` where there are no parts."""
    told = list(parts)
    if len(told) > _MOST + 1:
        told[_MOST:] = [f"{len(told) - _MOST:,} more"]
    return Filled("; ".join(told), anchor) if told else None
