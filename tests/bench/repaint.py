"""Random keys with pauses, and every few of them the terminal beside what it would show were everything drawn anew.

    python -m tests.bench.repaint --keys 5000

The keys are shared among five sizes, two numbers of colours and both settings of ``output``, on copies of the sample
study. It is the workbench itself, with a terminal in its process. A comparison leaves the workbench as it is, so that
what one key spoils is still there for the next to show.
"""

import argparse
import asyncio
import os
import random
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Final
from unittest.mock import patch

from textual.pilot import Pilot

from medreview.review.actions import REVIEW
from medreview.review.queue import open_queue
from medreview.screens.environment import Look
from medreview.screens.home import HomeScreen
from medreview.study import Study
from tests.support.commands import Program
from tests.support.drawing import DrawingWorkbench, difference, drawing, lay_out
from tests.support.settled import pause
from tests.support.workbench import press

SIZES: Final = ((60, 20), (80, 24), (90, 40), (100, 30), (160, 50))
COLOURS: Final = ("truecolor", "256")
OUTPUTS: Final = ("changes", "plain")
PAUSES: Final = (0.0, 0.3, 1.5)
LOOK: Final = Look("textual-dark", False, False, True)
MOVES: Final = ("j", "k", "v", "x", "tab", "w", "b", "m", "M", "t", "right_square_bracket", "left_square_bracket")
KEYS: Final = (*sorted({key for action in REVIEW for key in action.keys} - {"q", "f5", "f2"}), *MOVES * 4, "enter")
"""Moving about is most of what a reviewer does, and where rows stayed behind."""
FARTHEST: Final = 6
"""Keys until the next comparison, at most."""


@dataclass
class Found:
    """Keys pressed, comparisons, and what differed after which keys."""

    keys: int = 0
    compared: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.keys} keys, {self.compared} screens compared, {len(self.faults)} different"


async def walk(
    study: Study, size: tuple[int, int], output: str, keys: int, seed: int, pauses: tuple[float, ...] = PAUSES
) -> Found:
    """Press random keys; ``pauses``: seconds after a key. ``COLORTERM`` says how many colours there are."""
    luck, found, pressed = random.Random(seed), Found(), list[str]()
    app = drawing(study, LOOK, open_queue(study, "flagged", "kb"), output=output)
    async with app.run_test(headless=False, size=size) as pilot:
        await lay_out(app, pilot, *size)
        due = 1
        while found.keys < keys:
            key = luck.choice(KEYS)
            if isinstance(app.screen, HomeScreen) and key != "enter":
                key = "enter"  # other keys of it lead out
            await _pressed(app, pilot, key, luck.choice(pauses))
            pressed.append(key)
            found.keys += 1
            due -= 1
            if not due:
                due = luck.randint(1, FARTHEST)
                found.compared += 1
                if cells := await difference(app, pilot):
                    found.faults.append(
                        f"{size} {output}: {len(cells)} cells, {cells[0]}, after {' '.join(pressed[-20:])}"
                    )
                    app.redraw()
                    app.screen.refresh(layout=True)
    return found


async def _pressed(app: DrawingWorkbench, pilot: Pilot[None], key: str, seconds: float) -> None:
    """Press a key; without a pause the next one comes before its frame."""
    if seconds:
        await press(pilot, key)
        await asyncio.sleep(seconds)
    elif app.screen.is_attached:
        await press(pilot, key, settled=False)


def _alone(study: Path, size: tuple[int, int], colours: str, output: str, keys: int, seed: int) -> Found:
    """In a process of its own: styles remember the codes of the first number of colours."""
    os.environ |= {"COLORTERM": colours, "TERM": "xterm-256color", "XDG_STATE_HOME": str(study.parent)}
    with patch.object(Pilot, "pause", pause), Study.open(study) as opened:
        return asyncio.run(walk(opened, size, output, keys, seed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=8, help="walks at the same time; they mostly wait")
    options = parser.parse_args()
    walks = [(size, colours, output) for size in SIZES for colours in COLOURS for output in OUTPUTS]
    wholes = {size: Found() for size in SIZES}
    with (
        tempfile.TemporaryDirectory() as name,
        ProcessPoolExecutor(options.jobs, get_context("spawn"), max_tasks_per_child=1) as pool,
    ):
        folder, asked = Path(name), []
        Program(folder)("demo", "--no-open", "--study", folder / "demo.medreview")
        for number, (size, colours, output) in enumerate(walks):
            study = Path(shutil.copy(folder / "demo.medreview", folder / f"{number}.medreview"))
            keys = options.keys // len(walks)
            asked.append(pool.submit(_alone, study, size, colours, output, keys, options.seed + number))
        for (size, *_), found in zip(walks, (it.result() for it in asked), strict=True):
            whole = wholes[size]
            whole.keys, whole.compared = whole.keys + found.keys, whole.compared + found.compared
            whole.faults += found.faults
    for size, whole in wholes.items():
        print(f"{size[0]}x{size[1]}: {whole}", *whole.faults, sep="\n  ")
    raise SystemExit(1 if any(whole.faults for whole in wholes.values()) else 0)


if __name__ == "__main__":
    main()
