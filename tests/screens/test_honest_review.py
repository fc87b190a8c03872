"""Guidelines before the first decision, who decides, gold items that show nowhere, blocks, the second pass."""

import shutil
from pathlib import Path

import pytest

from medreview.config import Config
from medreview.review.consent import set_consent
from medreview.review.decision import decide_in_script
from medreview.review.gold import set_gold
from medreview.review.guidelines import set_guidelines
from medreview.review.repeat_annotation import set_second_pass
from medreview.screens.app import Workbench
from medreview.screens.review import ReviewScreen
from medreview.study import Study
from medreview.study.check import check
from medreview.study.study_acts import background_of, is_asked
from medreview.units.kind import Gold
from medreview.units.label_comparisons import labelled_twice
from tests.support.workbench import PLAIN, events, on_screen, press, put_in, screen_text, statements, workbench

each_size = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


def first_statements(study: Study) -> list[str]:
    """Those of R01."""
    return [row[0] for row in study.reader.execute("SELECT statement_id FROM statement ORDER BY rowid LIMIT 4")]


def home(study: Study) -> Workbench:
    return Workbench(study, Config(reviewer="kb"), PLAIN)


@each_size
async def test_new_guidelines_come_before_the_first_decision_once_and_are_one_key_away(
    study: Study, size: tuple[int, int]
) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "f2")
        assert "Guidelines: the definitions of the labels" in screen_text(app)
        assert "The source says this, wholly." in screen_text(app)
        await press(pilot, "q", "1")
    set_guidelines(study, "lead", "# Dose\n\nA wrong \x1b[31munit contradicts.\n\n" + "- one more rule\n\n" * 60)
    async with on_screen(workbench(study), *size) as (app, pilot):
        shown = screen_text(app)
        assert "Guidelines, version 1 (" in shown
        assert "to be read before you decide" in shown
        assert "A wrong ␛[31munit contradicts." in shown
        await press(pilot, "1")
        assert len(events(study, "decide")) == 1  # of before: nothing is decided on the page
        await press(pilot, "enter", "3")
        assert len(events(study, "decide")) == 2
    async with on_screen(workbench(study), *size) as (app, pilot):
        assert isinstance(app.screen, ReviewScreen)
    assert [row["reviewer"] for row in events(study, "guideline_read")] == ["kb"]


@each_size
async def test_who_decides_is_asked_on_the_first_screen_until_it_is_said(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(home(study), *size) as (app, pilot):
        assert "Who decides? B: role" in screen_text(app)
        await put_in(pilot, "B", text="physician")
        await press(pilot, "t", "enter")
        assert "a whole number from 0 to 80" in screen_text(app)
        await press(pilot, "backspace", "1", "2", "enter", "enter", "enter")
        assert "Who decides?" not in screen_text(app)
        assert "Enter open" in screen_text(app)
    assert background_of(study.reader, "kb").line == "physician, 12 years of practice"


async def test_the_question_who_decides_is_passed_over_with_one_key(study: Study) -> None:
    async with on_screen(home(study)) as (app, pilot):
        await press(pilot, "N")
        assert "Who decides?" not in screen_text(app)
    assert is_asked(study.reader, "kb")
    async with on_screen(home(study)) as (app, pilot):
        assert "Who decides?" not in screen_text(app)


@each_size
async def test_gold_items_show_nowhere_until_the_block_is_done(
    study: Study, tmp_path: Path, size: tuple[int, int]
) -> None:
    """Two copies that differ in gold items only look the same in every cell of every frame, until the end."""
    copy = tmp_path / "copy.medreview"
    study.write(lambda connection: connection.execute("DELETE FROM bookmark"))
    workbench(study, "audit")  # draws the audit
    shutil.copy(study.path, copy)
    keys = ["j", "k", "v", "v", "1", "question_mark", "q", "n", "escape", "2", "s"]

    async def frames(of: Study) -> list[str]:
        app = workbench(of, "audit", filter="response=R01")
        found = []
        async with app.run_test(size=size) as pilot:
            for key in keys:
                await press(pilot, key)
                found.append(screen_text(app).partition("saved #")[0])
            await press(pilot, "3")
            return [*found, screen_text(app)]

    with Study.open(copy) as other:
        for number, unit in enumerate(first_statements(other)):
            set_gold(other, unit, Gold("evidence", "not_addressed", (), "Look again.", number == 0), "lead")
        *before, plain = await frames(study)
        *marked, told = await frames(other)
        assert marked == before
        assert "gold" not in plain
        assert "gold items: 0 of 3 right" in told
        assert "ATTENTION CHECK FAILED" in told or "3 decided" in told
        assert "right is not addressed" in told
        assert "Look again." in told
        assert len(events(other, "gold_told")) == 1
        assert check(other.reader) == []


async def test_gold_items_of_an_open_queue_are_told_when_the_sitting_ends(study: Study) -> None:
    unit = first_statements(study)[0]
    set_gold(study, unit, Gold("evidence", "contradicted", (), "", True), "lead")
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "4")
        if "Why not" in screen_text(app):
            await press(pilot, "enter")
        assert "gold" not in screen_text(app)
        await press(pilot, "q")
        assert "ATTENTION CHECK FAILED: R01 S1" in screen_text(app)
        await press(pilot, "enter")
        assert "Enter open" in screen_text(app)
        await press(pilot, "enter", "q")
        assert "Enter open" in screen_text(app)  # told once


@each_size
async def test_the_second_pass_shows_nothing_of_the_first_and_tells_the_agreement_at_its_end(
    study: Study, size: tuple[int, int]
) -> None:
    units = first_statements(study)
    for unit in units:
        decide_in_script(study, "kb", unit, "not_addressed")
    set_second_pass(study, "lead", share=1.0, after_days=0)
    async with on_screen(home(study), *size) as (app, pilot):
        assert "second pass, blind" in screen_text(app)
        await press(pilot, "Z")
        session = statements(app)
        assert (session.pass_no, session.mode, session.own.label) == (2, "blind", None)
        assert session.counts.total == 4
        for _ in units:
            shown = screen_text(app)
            assert "you: " not in shown.replace("hidden until you", "")
            assert session.label_of(session.unit) is None
            await press(pilot, "j")
        await press(pilot, "g")
        session.go(0)
        await press(pilot, "4", "1", "4", "m", "4")  # m: the same key twice would be one held down
        assert "End of the block" in screen_text(app)
        assert "as yourself the first time: 3 of 4" in screen_text(app)
        assert "not addressed, now supported" in screen_text(app)
        await press(pilot, "enter", "q")
    assert len(labelled_twice(study.reader, "kb")) == 4
    assert {row["pass"] for row in events(study, "decide")} == {1, 2}
    assert check(study.reader) == []


@each_size
async def test_consent_comes_first_then_guidelines_and_who_decides_and_each_once(
    study: Study, size: tuple[int, int]
) -> None:
    set_consent(study, "lead", "# Consent\n\nYou take part in a \x1b[31mstudy.\n\n" + "One more paragraph.\n" * 60)
    set_guidelines(study, "lead", "# Dose\n\nA wrong unit contradicts.")
    async with on_screen(workbench(study), *size) as (app, pilot):
        assert "Before you decide, read this" in screen_text(app)
        assert "You take part in a ␛[31mstudy." in screen_text(app)
        assert "Consent\n" in screen_text(app).replace(" ", "")
        assert "# Consent" not in screen_text(app)  # Markdown, set as guidelines are
        assert "y I have read this and consent" in screen_text(app)
        await press(pilot, "1", "enter", "escape")  # nothing is decided, and nothing goes round it
        assert "Before you decide" in screen_text(app)
        await press(pilot, "q")
    assert events(study, "decide", "consent_given", "guideline_read") == []
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "y")
        assert "Who decides: kb" in screen_text(app)
        await press(pilot, "escape")  # passed over
        assert "A wrong unit contradicts." in screen_text(app)
        await press(pilot, "enter", "1")
        assert isinstance(app.screen, ReviewScreen)
    assert len(events(study, "decide")) == 1
    assert is_asked(study.reader, "kb")
    async with on_screen(workbench(study), *size) as (app, pilot):
        assert isinstance(app.screen, ReviewScreen)
    assert [row["reviewer"] for row in events(study, "consent_given")] == ["kb"]
