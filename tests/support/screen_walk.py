"""Walks through screens of a study in sizes and themes, and what a program finds wrong with them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from unittest.mock import patch

from textual.pilot import Pilot

from medreview.config import Config
from medreview.review.queue import Queue, open_queue
from medreview.screens.app import Workbench
from medreview.screens.environment import Look
from medreview.study import Study
from tests.support.screen_faults import Fault, faults, stale, vocabulary
from tests.support.workbench import press, review_screen

Size = tuple[int, int]
SIZES: Final[tuple[Size, ...]] = ((60, 20), (80, 24), (90, 40), (100, 30), (120, 40), (160, 50), (240, 60))
LOOKS: Final = {
    "dark": Look("textual-dark", False, False),
    "light": Look("textual-light", False, False),
    "mono": Look("ansi-dark", True, False),
}
SIDES: Final = {
    "v": "v",
    "w": "b",
    "3": "escape",
    "i": "q",
    "f2": "q",
    "question_mark": "q",
    "H": "q",
    "colon": "escape",
}
"""Keys that show another side of a unit, or another page, and those that lead back."""


@dataclass
class Walk:
    """The screens of one study that were looked at; ``found``: size, theme, place and fault."""

    study: Study
    screens: int = 0
    found: list[tuple[Size, str, str, Fault]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._words = vocabulary(self.study.reader)

    async def look(self, name: str, units: int, size: Size, theme: str, sides: Sequence[str] = ()) -> None:
        """Look at so many units of a queue, one after the other, and at other sides of the last; each is held against
        a workbench that is opened at the same unit."""
        queue = open_queue(self.study, name, "kb")
        if not queue.units:
            return
        app = workbench_in(self.study, queue, theme)
        async with app.run_test(size=size) as pilot:
            units = min(units, len(queue.units))
            app.open_at(queue, queue.units[0])  # not where an earlier walk left off
            await pilot.pause()
            for number in range(units):
                if number:
                    await press(pilot, "j")
                found = faults(app, self._words)
                if number:
                    found += await self._beside_fresh(app, queue, size, theme)
                place = f"{name} {number + 1}"
                self._note(place, size, theme, found)
                if number == units - 1:
                    await self._sides(app, pilot, place, size, theme, sides)

    async def home(self, size: Size, theme: str) -> None:
        """Look at the first screen."""
        app = workbench_in(self.study, None, theme)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            self._note("first screen", size, theme, faults(app, self._words))

    async def _sides(
        self, app: Workbench, pilot: Pilot[None], place: str, size: Size, theme: str, sides: Sequence[str]
    ) -> None:
        for side in sides:
            await press(pilot, side)
            self._note(f"{place}, {side}", size, theme, faults(app, self._words))
            await press(pilot, SIDES[side])
            if side in "12345":
                await press(pilot, "u")

    async def _beside_fresh(self, app: Workbench, queue: Queue, size: Size, theme: str) -> list[Fault]:
        unit = review_screen(app).session.unit
        fresh = workbench_in(self.study, queue, theme)
        async with fresh.run_test(size=size) as pilot:
            fresh.open_at(queue, unit)
            await pilot.pause()
            return stale(app, fresh)

    def _note(self, place: str, size: Size, theme: str, found: Sequence[Fault]) -> None:
        self.screens += 1
        self.found += [(size, theme, place, fault) for fault in found]


def workbench_in(study: Study, queue: Queue | None, theme: str) -> Workbench:
    """A workbench in a theme; Textual reads NO_COLOR when it is made."""
    with patch.dict(os.environ, {"NO_COLOR": "1"} if theme == "mono" else {}):
        return Workbench(study, Config(reviewer="kb"), LOOKS[theme], queue=queue)
