"""The steps for the study's own axes and for tags, by their keys, on statements and on other units."""

import pytest
from textual.pilot import Pilot

from medreview.config import Config
from medreview.review.queue import open_queue
from medreview.review.reviewer_state import load_reviewer_state, remarks
from medreview.screens.app import Workbench
from medreview.study import Study
from medreview.study.own_axes import EXAMPLE, add_axis, set_axes, shipped_text
from tests.support.unit_study import STATEMENT_ID, decide, fill, units_of
from tests.support.workbench import (
    PLAIN,
    on_screen,
    pane_text,
    press,
    review_screen,
    screen_text,
    statements,
    workbench,
)

SIZES = pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)])


def mine(study: Study, unit: str) -> list[str]:
    return remarks(load_reviewer_state(study.reader, unit, "kb"))


async def foot(app: Workbench, pilot: Pilot[None], *keys: str) -> str:
    await press(pilot, *keys)
    return pane_text(app, "foot")


@SIZES
async def test_a_level_is_two_keys_and_the_step_is_about_the_statement_that_it_names(
    study: Study, size: tuple[int, int]
) -> None:
    add_axis(study, "kb", "harm")
    async with on_screen(workbench(study), *size) as (app, pilot):
        session = statements(app)
        assert " z harm " in await foot(app, pilot, "j")
        first = session.unit
        asked = await foot(app, pilot, "z")
        assert "severity of harm · R01 S2:  0 no harm  1 mild  2 moderate  3 severe  4 death" in asked
        assert "Esc back" in asked
        assert "S2 · harm: severe   saved" in await foot(app, pilot, "3")
        assert mine(study, first) == ["harm: severe"]
        assert "z harm · R01 S2" in await foot(app, pilot, "1")
        assert session.unit != first
        again = await foot(app, pilot, "z")
        assert "R01 S2:" in again
        assert "z R01 S3, the next" in again
        assert "now severe" in again
        await press(pilot, "9")  # no level of it, and no verdict in this step either
        assert session.unit == first
        await press(pilot, "0")
        assert session.unit != first
        assert mine(study, first) == ["harm: none"]
        await press(pilot, "u")
        assert mine(study, first) == ["harm: severe"]
        assert "you: supported · harm: severe" in screen_text(app).replace("✓ ", "")


async def test_my_labels_are_read_whole_in_the_narrow_header_where_the_flag_can_give_way(study: Study) -> None:
    add_axis(study, "kb", "harm")
    async with on_screen(workbench(study, "triage")) as (app, pilot):
        await press(pilot, "3", "escape", "h", "1", "escape", "z", "2", "number_sign", *"dose", "enter")
        header = screen_text(app).splitlines()[1]
        assert header.rstrip().endswith("you: ✗ contradicted · hallucination fact · harm: moderate · #dose")


async def test_several_axes_are_asked_one_after_the_other_and_one_by_its_name(study: Study) -> None:
    set_axes(study, "kb", shipped_text("harm") + shipped_text(EXAMPLE))
    async with on_screen(workbench(study)) as (app, pilot):
        unit = statements(app).unit
        assert " z own labels " in pane_text(app, "foot")
        assert "Tab how easily it is read" in await foot(app, pilot, "z")
        assert "how easily it is read" in await foot(app, pilot, "2")
        assert "what is missing" in await foot(app, pilot, "1")
        assert "w warning ✓" in await foot(app, pilot, "w", "d", "d")
        await press(pilot, "enter")
        assert review_screen(app)._step is None
        assert mine(study, unit) == ["harm: moderate", "readability: easy", "missing: warning"]
        assert "what is missing" in await foot(app, pilot, "colon", *"missing", "enter")
        await press(pilot, "w", "enter")
        assert mine(study, unit)[-1] == "missing: none"
        await press(pilot, "question_mark", "space")
        assert "severity of harm: 0 no harm, 1 mild" in " ".join(screen_text(app).split())


async def test_tags_are_typed_completed_put_on_and_taken_off(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        unit = statements(app).unit
        await press(pilot, "number_sign", *"Dose", "space", *"ward-7", "enter")
        assert mine(study, unit) == ["#dose", "#ward-7"]
        assert "#dose ✓  #ward-7 ✓" in await foot(app, pilot, "number_sign")
        await press(pilot, "d", "tab", "enter")
        assert mine(study, unit) == ["#ward-7"]
        assert "A tag is one word" in await foot(app, pilot, "number_sign", "!", "enter")
        await press(pilot, "escape", "u")
        assert mine(study, unit) == ["#dose", "#ward-7"]
        await press(pilot, "colon", *"tag=dose", "enter")
        assert list(statements(app).queue.units) == [unit]


async def test_without_axes_the_key_is_not_offered_and_says_how_to_have_some(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        assert " z " not in pane_text(app, "foot")
        assert "--add harm" in " ".join((await foot(app, pilot, "z")).split())


async def test_another_unit_and_the_queue_of_conflicts_have_the_same_step(empty_study: Study) -> None:
    study = empty_study
    fill(study)
    set_axes(study, "kb", shipped_text("harm") + shipped_text(EXAMPLE))
    app = Workbench(study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, "answers", "kb"))
    async with app.run_test(size=(100, 30)) as pilot:
        unit = review_screen(app).session.unit
        assert unit == units_of(study)["answer"]
        await press(pilot, "z", "4")
        assert mine(study, unit) == ["harm: death"]
    for who, label in (("ada", "mild"), ("bo", "severe")):
        decide(study, who, STATEMENT_ID, "own.harm", label)
    app = Workbench(study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, "conflicts", "kb"))
    async with app.run_test(size=(100, 30)) as pilot:
        assert "bo  SEVERE" in screen_text(app)
        assert " z harm " in pane_text(app, "foot")
        assert "Tab" not in await foot(app, pilot, "z")  # the other axes are settled or nobody's
        assert "settled: harm severe, by a third reviewer" in await foot(app, pilot, "3")


async def test_what_a_file_says_cannot_steer_the_terminal(study: Study) -> None:
    bad = "\\u202e\\u001b[31m"
    text = shipped_text("harm").replace('"severity of harm"', f'"se{bad}"').replace('"no harm"', f'"no{bad}"')
    set_axes(study, "kb", text)
    async with on_screen(workbench(study), 100, 30) as (app, pilot):
        for keys in ("z",), ("escape", "colon", *"harm"), ("escape", "question_mark"):
            await press(pilot, *keys)
            assert not {"\u202e", "\x1b"} & {*screen_text(app)}
