"""Which units of a task a model is asked about: those of a part of the study, what is cited, a random draw."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from medreview.study.audit_frame import permanent_number

Unit = tuple[str, ...]
"""The ids of a unit, as ``judges.tasks.task.TaskUnit`` has them."""


@dataclass(frozen=True, slots=True)
class ChosenUnits:
    """The units that may be asked about now; :data:`EVERY_UNIT` without a choice.

    ``about``: the ids of statements and responses that were chosen, ``None`` for all of the study. ``units``: single
    units chosen beside them, such as labelled pairs. ``cited_only``: only pairs whose statement cites the source
    itself. ``seed``: the seed of a random draw, ``None`` without one.
    """

    about: Collection[str] | None = None
    units: Collection[Unit] = frozenset()
    cited_only: bool = False
    seed: int | None = None

    def holds(self, unit: Unit, about: Callable[[Unit], str]) -> bool:
        """Whether the part of the study has a unit, which is ``about`` a statement or a response."""
        return self.about is None or unit in self.units or about(unit) in self.about


EVERY_UNIT: Final = ChosenUnits()


def draw(units: Sequence[Unit], about: Callable[[Unit], str], seed: int, size: int) -> frozenset[Unit]:
    """Draw at random at most ``size`` units: whole statements (or responses), each with all of its units.

    What is drawn depends on the seed and the ids alone, and a larger draw of the same seed contains the smaller one. A
    statement of which not all units fit any more ends the draw; only where it is the first one, a part of it is taken.
    """

    def turn(unit: Unit) -> tuple[float, str]:
        return permanent_number(str(seed), about(unit)), about(unit)

    drawn: list[Unit] = []
    for _, group in groupby(sorted(units, key=turn), key=about):
        together = list(group)
        if drawn and len(drawn) + len(together) > size:
            break
        drawn += together
    return frozenset(drawn[:size])
