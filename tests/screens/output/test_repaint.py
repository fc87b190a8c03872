"""However keys follow each other, the terminal shows what it would show were everything drawn anew."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.review.queue import open_queue
from medreview.screens.environment import Look
from medreview.study import Study
from tests.bench.repaint import walk
from tests.support.drawing import difference, drawing, lay_out
from tests.support.workbench import press, review_screen

LOOK = Look("textual-dark", False, False, True)
WAIT = "wait"
"""Until what is prepared for the next key is ready."""
MOVES = ("j wait v", "j wait tab", "v j v j", "j v v j j", "v j wait v j wait", "v w j w wait j w", "v m M m")


@pytest.fixture
def demo_study(demo_file: Path, tmp_path: Path) -> Iterator[Study]:
    with Study.open(Path(shutil.copy(demo_file, tmp_path / "demo.medreview"))) as study:
        yield study


@pytest.mark.parametrize(("size", "output"), [((80, 24), "changes"), ((80, 24), "plain"), ((90, 40), "changes")])
@pytest.mark.parametrize("moves", MOVES)
async def test_nothing_of_what_was_shown_before_is_left(
    demo_study: Study, moves: str, size: tuple[int, int], output: str
) -> None:
    app = drawing(demo_study, LOOK, open_queue(demo_study, "flagged", "kb"), output=output)
    async with app.run_test(headless=False, size=size) as pilot:
        await lay_out(app, pilot, *size)
        for key in moves.split():
            if key == WAIT:
                review_screen(app).prepare()
                await pilot.pause()
            else:
                await press(pilot, key)
        assert await difference(app, pilot) == []


@pytest.mark.parametrize(("size", "output"), [((80, 24), "changes"), ((90, 40), "plain"), ((160, 50), "changes")])
async def test_random_keys_leave_nothing_either(demo_study: Study, size: tuple[int, int], output: str) -> None:
    """A short part of the bench, with pauses in which what is next is prepared, and without."""
    found = await walk(demo_study, size, output, keys=40, seed=7, pauses=(0.0, 0.0, 0.1))
    assert found.faults == []
    assert found.compared >= 8
