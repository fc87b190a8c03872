"""Keys mean the same wherever they are pressed: what closes, what leaves, what a letter stands for, which unit."""

from itertools import chain

import pytest

from medreview.config import Config
from medreview.labels import HALLUCINATION
from medreview.review.actions import FIGURES, REVIEW
from medreview.review.home_actions import HOME
from medreview.review.reviewer_state import load_reviewer_state
from medreview.screens.app import Workbench
from medreview.screens.dialogs import HallucinationDialog
from medreview.screens.figures_page import FiguresScreen
from medreview.screens.home import HomeScreen
from medreview.screens.review import ReviewScreen
from medreview.study import Study
from medreview.units.registry import KINDS
from tests.support.workbench import (
    PLAIN,
    events,
    on_screen,
    pane_text,
    press,
    put_in,
    review_screen,
    screen_text,
    statements,
    workbench,
)

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)])


def test_a_letter_means_one_thing_on_every_screen() -> None:
    meant: dict[str, set[str]] = {}
    for action in (*REVIEW, *HOME, *FIGURES):
        for key in action.keys:
            if len(key) == 1:
                meant.setdefault(key, set()).add(action.hint)
    moves = {"next", "previous", "cell"}  # j and k: down and up
    back = {"leave", "back", "figures"}  # q leaves the page, and i shows and closes the figures
    assert not {key: hints for key, hints in meant.items() if hints - moves - back and len(hints) > 1}
    assert not [key for key in chain.from_iterable(action.keys for action in HOME) if key.isdecimal()]


def test_a_type_of_hallucination_has_one_number_everywhere() -> None:
    asked = [kind for kind in KINDS.values() if kind.axis == "hallucination"]
    assert asked
    assert all(asks.levels == HALLUCINATION for asks in asked)
    assert HallucinationDialog("", print, print).levels == HALLUCINATION


STEPS = [
    ("h",), ("h", "1"), ("h", "1", "f"), ("E",), ("E", "s"), ("l",), ("colon",), ("=",), ("slash",), ("3",), ("3", "h"),
    ("3", "h", "1"), ("3", "n"), ("D",), ("R",), ("F",), ("number_sign",), ("number_sign", "x"), ("n",), ("n", "x"),
    ("w",), ("v",),
]  # fmt: skip
"""Those that leave a draft or another text on the screen last."""


@SIZES
async def test_esc_closes_each_step_and_saves_nothing(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "j")
        unit = review_screen(app).session.unit
        for opened in STEPS:
            before = events(study)
            await press(pilot, *opened)
            saved = events(study)
            await press(pilot, "escape", "escape", "escape")
            assert review_screen(app)._step is None, opened
            assert [row for row in events(study) if row not in saved] == [], opened
            await press(pilot, "escape")
            assert isinstance(app.screen, ReviewScreen)
            assert pane_text(app, "foot").splitlines()[1].endswith(": all  ? keys"), opened
            await press(pilot, *["u"] * (len(saved) - len(before)))
            assert (review_screen(app).session.unit, review_screen(app).session.own.label) == (unit, None), opened


async def test_the_lines_of_the_first_screen_are_those_of_the_others(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        for key in ("H", "f2", "f1", "question_mark"):
            await press(pilot, key)
            assert not isinstance(app.screen, HomeScreen)
            await press(pilot, "escape")
            assert isinstance(app.screen, HomeScreen)
        await press(pilot, "colon", *"glossary", "enter")
        assert "Glossary" in screen_text(app)


@SIZES
async def test_esc_closes_what_is_open_and_never_leaves(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN), *size) as (app, pilot):
        await press(pilot, "escape", "escape")
        assert isinstance(app.screen, HomeScreen)
        await press(pilot, "slash", *"anti-xa", "enter")
        assert isinstance(app.screen, FiguresScreen)  # i, as everywhere
        await press(pilot, "escape", "enter")
        assert isinstance(app.screen, ReviewScreen)
        assert statements(app).queue.kind.name == "flagged"
        await press(pilot, "escape", "slash", *"anti-xa", "enter", "escape", "escape", "escape")
        assert isinstance(app.screen, ReviewScreen)
        assert "q leaves" in pane_text(app, "foot")
        await press(pilot, "i", "escape")
        assert isinstance(app.screen, ReviewScreen)
        await press(pilot, "question_mark", "escape", "h", "escape", "n", "x", "escape", "escape")
        assert isinstance(app.screen, ReviewScreen)
        await press(pilot, "q")
        assert isinstance(app.screen, HomeScreen)
        await press(pilot, "escape")
        assert app.is_running
        assert not events(study, "note", "decide", "defer")
        await press(pilot, "i", "escape")
        assert not isinstance(app.screen, FiguresScreen)


@SIZES
async def test_h_is_about_the_statement_that_it_names_and_twice_about_the_other(
    study: Study, size: tuple[int, int]
) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        session = statements(app)
        await press(pilot, "j", "h")
        assert "R01 S2:" in pane_text(app, "foot")
        assert "just decided" not in pane_text(app, "foot")
        first = session.unit
        await press(pilot, "escape", "1")  # as the judges: it goes on
        second = session.unit
        assert second != first
        assert " h · R01 S2 " in pane_text(app, "foot")
        await press(pilot, "h")
        assert "R01 S2:" in pane_text(app, "foot")
        assert "h R01 S3, the next" in pane_text(app, "foot")
        assert session.unit == first
        await press(pilot, "2")
        assert "R01 S2: INPUT" in pane_text(app, "foot")
        await press(pilot, "enter")
        assert session.unit == second  # where one had been
        await press(pilot, "m")  # any other key is about what is on the screen, and so is h from then on
        assert " h hallucination " in pane_text(app, "foot")
        await press(pilot, "h")
        assert "R01 S3:" in pane_text(app, "foot")
        assert "h R01 S2, just decided" in pane_text(app, "foot")
        await press(pilot, "h")
        assert session.unit == first
        await press(pilot, "escape")
        assert session.unit == second
        await press(pilot, "h", "1", "enter")
    assert [load_reviewer_state(study.reader, unit, "kb").hallucination for unit in (first, second)] == [
        "input",
        "fact",
    ]
    assert [row["unit"] for row in events(study, "span_add")] == [first, second]


async def test_a_word_that_nothing_is_called_is_no_filter_and_the_nearest_are_named(study: Study) -> None:
    async with on_screen(workbench(study, "flagged")) as (app, pilot):
        every = list(statements(app).queue.units)
        await put_in(pilot, "colon", text="figuers")
        said = " ".join(screen_text(app).split())
        assert "Nothing is called “figuers”; did you mean figures? Tab makes it a filter." in said
        assert statements(app).queue.units == every
        await put_in(pilot, "ctrl+u", text="mL/kg")
        assert "Nothing is called “mL/kg”" in screen_text(app)
        await press(pilot, "tab", "enter")
        assert statements(app).queue.filter == "mL/kg"


async def test_accept_on_the_line_accepts(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await put_in(pilot, "j", "colon", text="accept")
        assert isinstance(app.screen, ReviewScreen)
    assert [row["kind"] for row in events(study)] == ["decide"]
