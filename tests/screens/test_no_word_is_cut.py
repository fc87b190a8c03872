"""Some forty screens, looked at by a program: ``python -m tests.bench.screens`` looks at four hundred."""

import shutil
from pathlib import Path

import pytest

from medreview.review.queue import open_queue
from medreview.study import Study
from tests.support.screen_faults import Fault, faults, vocabulary
from tests.support.screen_walk import SIZES, Size, Walk, workbench_in
from tests.support.unit_study import fill
from tests.support.workbench import on_screen, press


def grave(walk: Walk) -> list[tuple[Size, str, str, Fault]]:
    """All faults but one: the columns of a page's table may be narrower than their longest word."""
    return [one for one in walk.found if (one[3].kind, one[3].part) != ("broken", "source")]


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(demo_file, tmp_path / "demo.medreview"))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_screens_of_statements_are_whole(demo: Path, size: Size) -> None:
    with Study.open(demo) as study:
        walk = Walk(study)
        theme = ("dark", "light", "mono")[SIZES.index(size) % 3]
        await walk.home(size, theme)
        await walk.look("flagged", 3, size, theme, ("i",))
        await walk.look("audit", 1, size, theme)
    assert walk.screens == 6
    assert grave(walk) == []


async def test_screens_of_other_units_are_whole(empty_study: Study) -> None:
    fill(empty_study)
    walk = Walk(empty_study)
    for name, size in zip(("rankings", "references", "facts", "suggestions"), SIZES[1:], strict=False):
        await walk.look(name, 1, size, "dark")
    assert walk.screens == 4
    assert grave(walk) == []


async def test_the_program_sees_what_is_wrong(demo: Path) -> None:
    """Rows with a word broken, cut, two pieces that touch, and colours that say something else."""
    with Study.open(demo) as study:
        words = vocabulary(study.reader)
        async with on_screen(workbench_in(study, open_queue(study, "flagged", "kb"), "dark"), 100, 30) as (app, pilot):
            await press(pilot, "j")
            header, judges, foot = (app.screen.query_one(f"#{name}") for name in ("header", "judges", "foot"))
            for view, row in (
                (judges, [("a contradic", "")]),
                (judges, [("a contradic…", "")]),
                (judges, [("1-…", "")]),
                (header, [("left", "title"), (" right", "dim")]),
                (foot, [("✓ supported", "says")]),
                (judges, [("✓ supported", "against")]),
            ):
                view.show([row])  # type: ignore[attr-defined]
                found = {(fault.kind, fault.part) for fault in faults(app, words)}
                kind = {"judges": "broken", "header": "collision", "foot": "colour"}[view.id or ""]
                if row[0][1] == "against":
                    kind = "colour"
                elif "…" in row[0][0]:
                    kind = "cut"
                assert (kind, view.id) in found, (row, found)
