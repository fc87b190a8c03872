"""What a study says of an item of a checklist, and where its report has it."""

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
"""Figures, or models, that are named; of more it is said that there are more."""


def filled(parts: Iterable[str], anchor: str, between: str = "; ") -> Filled | None:
    """The parts as one text, of many the first; ``None`` of none."""
    told = list(parts)
    more = [f"{len(told) - _MOST:,} more"] if len(told) > _MOST + 1 else []
    shown = told[: len(told) if not more else _MOST]
    return Filled(between.join([*shown, *more]), anchor) if told else None
