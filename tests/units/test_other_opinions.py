"""A study with other opinions, gold and labels of a colleague looks the same before the decision, in every cell."""

from pathlib import Path
from typing import Final

import pytest
from textual.pilot import Pilot

from medreview.config import Config
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.study import Study
from medreview.units.registry import KINDS
from tests.support.commands import Program
from tests.support.other_opinions import two_of_a_kind
from tests.support.workbench import PLAIN, paste, press, review_screen, screen_text

SIZES: Final = ((80, 24), (160, 50))
SOME_KEYS: Final = ("v", "right_square_bracket", "m", "w", "W", "colon", "j")
"""What is pressed where the panes stand side by side: what is asked of the session is the same."""
KEYS: Final = (
    "v", "v", "right_square_bracket", "right_square_bracket", "left_square_bracket", "m", "M", "w", "b", "W", "i", "F",
    "a", "r", "x", "x", "y", "tab", "question_mark", "f2", "slash", "colon", "j", "w", "k",
)  # fmt: skip
FILTERS: Final = ("verdict=supported", "merged=supported", "finding=fact", "badge=quote", "one", "quixotically")
LINES: Final = ("", "?", "]", "w", "b", "W", "i", "F", "F 1", "a", "r", "v", "j", "]", "k", "x", "guidelines", "q")

every_unit = pytest.mark.parametrize("kind", ["statement", *KINDS])


def queue_of(kind: str) -> str:
    return KINDS[kind].queue_name if kind in KINDS else "responses"


def cells(app: Workbench) -> list[object]:
    """Every cell on the screen with its style, row by row of each part."""
    return [
        [(segment.text, str(segment.style)) for segment in widget.render_line(row).simplify()]
        for widget in app.screen.children
        if widget.display and widget.region
        for row in range(widget.region.height)
    ]


async def seen(path: Path, kind: str, size: tuple[int, int]) -> list[tuple[str, str, list[object]]]:
    """What each key leads to before anything is decided."""
    found: list[tuple[str, str, list[object]]] = []

    async def look(pilot: Pilot[None], what: str, *keys: str, text: str = "") -> None:
        await press(pilot, *keys)
        if text:
            await paste(pilot, text)
            found.append((f"{what} typed", screen_text(app), cells(app)))
            await press(pilot, "enter")
        found.append((what, screen_text(app), cells(app)))

    with Study.open(path) as study:
        app = Workbench(study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, queue_of(kind), "kb", blind=True))
        async with app.run_test(size=size) as pilot:
            await look(pilot, "the first unit")
            review = review_screen(app)
            for key in KEYS if size == SIZES[0] else SOME_KEYS:
                await look(pilot, key, key)
                if app.screen is not review or key in ("slash", "colon"):
                    await press(pilot, "escape")
            for words in FILTERS if size == SIZES[0] else ():
                await look(pilot, words, "colon", text=words)
                if review._step is not None:
                    await press(pilot, "escape")
                review.session.set_filter("")
            await press(pilot, "q")
            home = screen_text(app)
        if kind in KINDS:
            lines = [line for line in home.splitlines() if KINDS[kind].title in line and "conflicts:" not in line]
            assert lines, home
            found.append(("the first screen", "\n".join(lines), []))
    return found


@every_unit
@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
async def test_every_cell_is_the_same_with_other_opinions(tmp_path: Path, kind: str, size: tuple[int, int]) -> None:
    one, two = [await seen(path, kind, size) for path in two_of_a_kind(kind, tmp_path)]
    for ours, theirs in zip(one, two, strict=True):
        assert ours[:2] == theirs[:2]
        assert ours[2] == theirs[2], ours[:2]
    assert not [words for _, words, _ in one if "zymurgical" in words.casefold().replace("quixotically", "")]


@every_unit
def test_every_line_is_the_same_with_other_opinions(tmp_path: Path, kind: str) -> None:
    said = []
    for path in two_of_a_kind(kind, tmp_path):
        blind = () if kind in KINDS else ("--blind",)
        queue = ("--queue", queue_of(kind)) if kind in KINDS else ()
        program = Program(tmp_path)
        typed = "".join(f"{line}\n" for line in LINES)
        done = program("review", path, "--plain", "--reviewer", "kb", *queue, *blind, input=typed)
        said.append(done.stdout.replace(path.name, ""))
    assert said[0] == said[1]
