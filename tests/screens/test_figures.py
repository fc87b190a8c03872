"""The page of figures: what it says at both sizes, its table whose cells lead to statements and back."""

import json
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from medreview.config import Config
from medreview.review.live_agreement import LiveFigures
from medreview.review.pinned_figures import PinnedFigures, pin_figures
from medreview.review.queue import open_among, open_queue
from medreview.screens.app import Workbench
from medreview.screens.environment import Look
from medreview.screens.figure_rows import Cell, estimate_rows, matrix_rows
from medreview.screens.figures_page import FiguresScreen
from medreview.screens.home import HomeScreen
from medreview.screens.review import ReviewScreen
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.reports.reviewer_labels import LEVELS, Group
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.stats.small_study import SmallStudy
from tests.support.settled import until
from tests.support.workbench import (
    PLAIN,
    blind_workbench,
    events,
    on_screen,
    press,
    review_screen,
    screen_text,
    statements,
    workbench,
)

SIZES = ((80, 24), (160, 50))
LABELS = ("supported", "partial", "contradicted", "not_addressed")


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[Study]:
    """Eight responses of four statements; one judge says supported, partial, contradicted, not addressed in each, a
    second one as well but for the last. Nothing is decided."""
    with Study.create(tmp_path / "judged.medreview", "judged") as study:
        small = SmallStudy(study)
        for name in "abcdefgh":
            small.response(name, 4)
            for place, label in enumerate(LABELS, 1):
                small.judged("one", label, f"{name}.{place}")
        small.judged("two", "supported", "a.1", "b.1", "c.1")
        small.roll_up()
        yield study


def said(study: Study, label: str, *units: str, **more: Any) -> None:
    SmallStudy(study).said(label, *units, who="kb", **more)


def opened(study: Study, look: Look = PLAIN) -> Workbench:
    return Workbench(study, Config(reviewer="kb"), look)


@pytest.mark.parametrize("size", SIZES)
async def test_without_a_label_there_is_a_sentence(judged: Study, size: tuple[int, int]) -> None:
    async with on_screen(opened(judged), *size) as (app, pilot):
        await press(pilot, "i", "enter", "tab", "space", "right", "j", "K")
        text = screen_text(app)
        assert "No label of yours meets a verdict of the judges yet." in text
        assert "0 of 32 statements decided" in text
        assert text.splitlines()[-2].split() == ["q", "back", "?", "keys"]
        assert "items" not in text
        await press(pilot, "q")
        assert isinstance(app.screen, HomeScreen)


@pytest.mark.parametrize("size", SIZES)
async def test_the_figures_and_the_table_read_at_both_sizes(judged: Study, size: tuple[int, int]) -> None:
    said(judged, "supported", *(f"{name}.1" for name in "abcdefgh"))
    said(judged, "partial", *(f"{name}.2" for name in "abcdef"), "a.3")
    said(judged, "cannot_judge", "g.2")
    async with on_screen(opened(judged), *size) as (app, pilot):
        await press(pilot, "i")
        text = screen_text(app)
        rows = text.splitlines()
        assert rows[0].startswith(" Figures: assisted, other queues · four labels · the judges")
        assert "16 of your labels, 15 of them in the figures, in 8 responses" in text
        assert "left out 1: reviewer cannot judge" in text
        assert any(row.startswith(" agreement 93% [") and "├" in row and "●" in row for row in rows)
        assert any(row.startswith(" kappa     .87 [") for row in rows)
        assert any(row.startswith(" AC1       .92 [") for row in rows)
        said_first = [row.split("│")[0].strip() for row in rows[2:5]]
        if size[0] == 80:
            assert said_first.pop(0) == "16 of 32 statements decided, 0 deferred, 16 open."
        first = " ".join(" ".join(said_first[:2]).split())
        assert first.startswith("Of 15 chosen, not drawn at random and decided with the judges in sight, they agreed")
        assert re.search(r"with you on 14 \(\d+-\d+%\): too few to say more, 30 are wanted\.$", first)
        assert re.search(r"^ you supported  +\[▓+ 8 ▓+\]", text, re.MULTILINE)
        assert re.search(r"^ you partial  +·  +▓+ 6 ▓+  ▒+ 1 ▒+  +·", text, re.MULTILINE)
        assert "kappa, AC1: agreement beyond chance" in text
        assert "you supported, the judges supported: 8 of 8 · Enter" in text
        assert max(map(len, rows)) <= size[0]
        assert "jk→← cell" in text
        assert " ?" in rows[-2]
        await press(pilot, "space", "right_square_bracket")
        text = screen_text(app)
        assert "supported or not · one" in text.splitlines()[0]
        assert "not supported" in text


async def test_other_groups_and_judges_are_a_key_away(judged: Study) -> None:
    said(judged, "supported", "a.1", "b.1")
    said(judged, "partial", "c.1", mode="blind", block="audit")
    judged.write(lambda db: Recorder("kb").append(db, NewEvent("reveal", "c.1"), block="audit", mode="blind"))
    async with on_screen(opened(judged)) as (app, pilot):
        await press(pilot, "i")
        assert "blind, random audit" in screen_text(app)
        assert " 1/2" in screen_text(app)
        await press(pilot, "tab")
        assert "assisted, other queues" in screen_text(app)
        await press(pilot, "tab", "left_square_bracket")
        assert screen_text(app).splitlines()[0].startswith(" Figures: blind, random audit · four labels · two")
        await press(pilot, "question_mark")
        assert "FIGURES" in screen_text(app)
        await press(pilot, "q", "i")
        assert isinstance(app.screen, HomeScreen)


@pytest.mark.parametrize("size", SIZES)
async def test_what_was_decided_since_the_last_look_is_said_first_and_of_it_how_often_judges_agree(
    judged: Study, size: tuple[int, int]
) -> None:
    said(judged, "supported", "a.1", "b.1", "c.1")
    queue = open_queue(judged, "responses", "kb", blind=False)
    async with on_screen(Workbench(judged, Config(reviewer="kb"), PLAIN, queue=queue), *size) as (app, pilot):
        await press(pilot, "i")
        assert "You have decided 3 of 32 statements in “by response”." in screen_text(app)
        assert "Since the last look" not in screen_text(app)
        await press(pilot, "q")
        said(judged, "supported", "d.1")  # as the judges say
        said(judged, "contradicted", "e.1")  # otherwise
        said(judged, "cannot_judge", "f.1")
        await press(pilot, "i")
        text = " ".join(" ".join(row.split("│")[0] for row in screen_text(app).splitlines()[2:8]).split())
        assert "You have decided 6 of 32 statements in “by response”." in text
        assert "Since the last look: 3 decided; on 1 of 2 that count here the judges agreed with you." in text
        await press(pilot, "q", "i")
        assert "Since the last look" not in screen_text(app)


async def test_a_cell_opens_its_statements_and_q_comes_back_to_it(judged: Study) -> None:
    said(judged, "supported", *(f"{name}.1" for name in "abcdefgh"), "a.2", "b.2", "a.3")
    async with on_screen(workbench(judged, "responses")) as (app, pilot):
        await press(pilot, "j", "j")
        before = statements(app).unit
        await press(pilot, "i", "enter")
        assert statements(app).queue.units == ["a.1", "b.1", "c.1", "d.1", "e.1", "f.1", "g.1", "h.1"]
        await press(pilot, "q", "right", "right", "right", "enter")
        assert "This cell counts nothing." in screen_text(app)
        await press(pilot, "left", "left", "enter")
        session = statements(app)
        assert session.queue.units == ["a.2", "b.2"]
        assert "you supported, judges partial" in screen_text(app)
        assert "1 of 2" in screen_text(app)
        await press(pilot, "2", "=")
        await press(pilot, *"response=R02", "enter")
        assert statements(app).queue.units == ["b.2"]
        await press(pilot, "q")
        assert isinstance(app.screen, FiguresScreen)
        text = screen_text(app)
        assert "you supported, the judges partial: 1 of 10" in text
        assert re.search(r"^ you partial  .*\b1 ▓", text, re.MULTILINE)
        await press(pilot, "q")
        assert isinstance(app.screen, ReviewScreen)
        assert (statements(app).queue.kind.name, statements(app).unit) == ("responses", before)


async def test_the_statements_of_a_cell_from_the_first_screen_lead_back_to_it(judged: Study) -> None:
    said(judged, "supported", "a.1")
    async with on_screen(opened(judged), 160, 50) as (app, pilot):
        await press(pilot, "i", "enter")
        assert isinstance(app.screen, ReviewScreen)
        await press(pilot, "u", "q")
        assert isinstance(app.screen, FiguresScreen)
        assert "No label of yours" in screen_text(app)
        await press(pilot, "q")
        assert isinstance(app.screen, HomeScreen)


async def test_figures_stay_hidden_as_long_as_a_blind_block_is_open(judged: Study) -> None:
    said(judged, "supported", "a.1")
    said(judged, "supported", "b.1", mode="blind", block="audit")
    async with on_screen(opened(judged)) as (app, pilot):
        await press(pilot, "i")
        assert isinstance(app.screen, HomeScreen)
        assert "Figures are hidden until the judges of your blind block are shown" in screen_text(app)
    assert events(judged, "look") == []


async def test_that_figures_were_read_is_recorded_before_they_are_shown(judged: Study) -> None:
    async with on_screen(opened(judged)) as (_, pilot):
        await press(pilot, "i", "q", "i")
    assert [json.loads(row["payload"]) for row in events(judged, "look")] == [{"what": "figures", "shown": "totals"}]


async def test_many_labels_are_counted_in_the_background(judged: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    said(judged, "supported", "a.1")
    monkeypatch.setattr("medreview.screens.app_places._AT_ONCE", 0)
    async with on_screen(opened(judged)) as (app, pilot):
        await press(pilot, "i")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "1 of your labels" in screen_text(app)
        await press(pilot, "enter", "2", "q")
        assert " partial" in screen_text(app)
    held = app.figures()
    assert held is not None
    fresh = LiveFigures(judged.reader, "kb")
    assert held.groups == fresh.groups
    assert all(held.view(group, LEVELS) == fresh.view(group, LEVELS) for group in fresh.groups)


async def test_a_single_judge_is_counted_in_the_background_with_the_screen_alive(
    judged: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(judged, "supported", "a.1", "b.1", "d.1")
    monkeypatch.setattr("medreview.screens.app_places._AT_ONCE", 0)
    go_on = threading.Event()
    count = LiveFigures.count_each_judge

    def waits(held: LiveFigures) -> None:
        assert go_on.wait(30)
        count(held)

    async with on_screen(opened(judged)) as (app, pilot):
        await press(pilot, "i")
        await app.workers.wait_for_complete()
        monkeypatch.setattr(LiveFigures, "count_each_judge", waits)
        await press(pilot, "left_square_bracket", "space")
        text = screen_text(app)
        assert text.splitlines()[0].startswith(" Figures: assisted, other queues · supported or not · two")
        assert "What two said of your labels is being counted" in text
        await press(pilot, "enter")
        assert "The labels are still being counted." in screen_text(app)
        await press(pilot, "right_square_bracket", "right")
        assert "you supported, the judges not supported: 0 of 3" in screen_text(app)
        await press(pilot, "left_square_bracket")
        go_on.set()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "3 of your labels, 2 of them in the figures" in screen_text(app)


@pytest.mark.parametrize("size", SIZES)
async def test_pinned_figures_move_with_every_decision_and_are_remembered(judged: Study, size: tuple[int, int]) -> None:
    said(judged, "supported", "a.1", "b.1", "c.1")
    async with on_screen(workbench(judged, "responses"), *size) as (app, pilot):
        assert "AC1" not in screen_text(app)
        await press(pilot, "i", "K")
        assert "Pinned: assisted, other queues, four labels, judges together; K unpins" in screen_text(app)
        await press(pilot, "q")
        assert "agree 100% [44, 100]" in screen_text(app)
        assert "n 3 in 3" in screen_text(app)
        await press(pilot, "4", "enter")
        assert "n 4 in 3" in screen_text(app)
        await press(pilot, "u")
        assert "n 3 in 3" in screen_text(app)
    async with on_screen(workbench(judged, "responses"), *size) as (app, pilot):
        assert "n 3 in 3" in screen_text(app)
        await press(pilot, "i", "K", "q")
        assert "AC1" not in screen_text(app)


async def test_pinned_figures_are_in_sight_nowhere_where_it_is_blind(judged: Study) -> None:
    said(judged, "supported", "a.1", "b.1", "c.1")
    pin_figures(judged, "kb", PinnedFigures(Group("assisted", False), LEVELS))
    for app in (blind_workbench(judged, "responses"), workbench(judged, "audit")):
        async with app.run_test(size=(160, 50)) as pilot:
            assert "AC1" not in screen_text(app)
            await press(pilot, "1")
            assert "AC1" not in screen_text(app)
    app = workbench(judged, "responses")
    async with app.run_test(size=(160, 50)) as pilot:  # a blind block is open
        assert "AC1" not in screen_text(app)


async def test_in_the_audit_they_are_shown_where_its_judges_are(judged: Study) -> None:
    units = open_queue(judged, "audit", "kb").units
    said(judged, "supported", *units[1:20], mode="blind", block="audit")
    async with on_screen(workbench(judged, "audit")) as (app, pilot):
        await press(pilot, "i")
        assert "Figures are hidden here like the judges, until the block ends, 1 of " in screen_text(app)
        await press(pilot, "1", "escape", "i")
        assert "Figures are hidden here like the judges, until you press r: the block is done." in screen_text(app)
        await press(pilot, "r", "r", "enter", "escape", "i")
        assert screen_text(app).startswith(" Figures: blind, random audit")
        assert "20 first blind labels, 20 of them in the figures" in screen_text(app)


def audited(study: Study, *units: str) -> None:
    """Make statements members of the audit, alone."""
    rows = [(unit,) for unit in units]
    add = "INSERT INTO audit_frame (statement_id, number, stratum, rate) VALUES (?, 0.1, 'all', 0.5)"
    study.write(lambda db: db.executemany(add, rows))


def revealed(study: Study, *units: str) -> None:
    recorder = Recorder("kb")
    for unit in units:
        reveal = NewEvent("reveal", unit)
        study.write(lambda db, reveal=reveal: recorder.append(db, reveal, block="audit", mode="blind"))  # type: ignore[misc]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("at_once", [300, -1])
async def test_the_first_screen_has_the_figures_of_the_audit(
    judged: Study, size: tuple[int, int], at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medreview.screens.app_places._AT_ONCE", at_once)
    units = [f"{name}.{place}" for name in "abcdefg" for place in (1, 2)]
    audited(judged, *units)
    said(judged, "supported", *units[:-1], mode="blind", block="audit")
    said(judged, "partial", units[-1], mode="blind", block="audit")
    revealed(judged, *units)
    async with on_screen(opened(judged), *size) as (app, pilot):
        await until(pilot, lambda: "upported in this study" in screen_text(app))
        text = " ".join(screen_text(app).split())
        assert "Of 14 drawn at random the judges agreed with you on 8 (" in text
        assert "Supported in this study, not estimated yet" in text
        places = [text.index(words) for words in ("By your labels, 14 of", "Supported in this", "the judges agreed")]
        assert places == sorted(places)
        assert "kappa" not in text
        await press(pilot, "i", "q")
        assert "By your labels" in screen_text(app)
    assert [json.loads(row["payload"])["what"] for row in events(judged, "look")] == ["home"]


async def test_the_first_screen_has_only_her_own_labels_as_long_as_a_blind_block_is_open(judged: Study) -> None:
    audited(judged, "a.1", "b.1")
    said(judged, "supported", "a.1", "b.1", mode="blind", block="audit")
    revealed(judged, "a.1")
    async with on_screen(opened(judged)) as (app, pilot):
        await until(pilot, lambda: "By your labels, 2 of 2" in screen_text(app))
        assert "the judges agreed" not in screen_text(app)
        assert "judges hidden; figures wait" in screen_text(app)
    assert events(judged, "look") == []


@pytest.mark.parametrize("size", SIZES)
async def test_units_of_other_kinds_have_figures_of_their_own(judged: Study, size: tuple[int, int]) -> None:
    queue = open_queue(judged, "pairs", "kb", blind=False)
    async with on_screen(Workbench(judged, Config(reviewer="kb"), PLAIN, queue=queue), *size) as (app, pilot):
        await press(pilot, "i", "enter", "space", "right_square_bracket", "K")
        assert "No label of yours on a pair meets what a judge says of it" in screen_text(app)
        await press(pilot, "q", "1", "enter", "i")
        text = screen_text(app)
        assert text.splitlines()[0].startswith(" Figures: assisted · four labels · one")
        assert "You have decided 1 of 32 pairs in “pairs”." in text
        assert "agreement 100% [21, 100]" in text
        await press(pilot, "K")
        assert "Only figures on statements can be pinned." in screen_text(app)
        await press(pilot, "enter")
        assert "you supported, one supported" in screen_text(app)
        await press(pilot, "q")
        assert isinstance(app.screen, FiguresScreen)
        await press(pilot, "q")
        assert review_screen(app).session.queue.kind.name == "pairs"


@pytest.mark.parametrize("size", SIZES)
async def test_degenerate_studies_have_sentences_and_no_false_figure(judged: Study, size: tuple[int, int]) -> None:
    """All put off; then one class; then one response; then no judge at all."""
    recorder = Recorder("kb")
    for unit in ("a.1", "a.2"):
        defer = NewEvent("defer", unit)
        judged.write(lambda db, defer=defer: recorder.append(db, defer, block="responses", mode="open"))  # type: ignore[misc]
    async with on_screen(opened(judged), *size) as (app, pilot):
        await press(pilot, "i")
        assert "2 deferred" in screen_text(app)
        assert "No label of yours" in screen_text(app)
        said(judged, "supported", "a.1", "b.1")
        await press(pilot, "j")
        text = screen_text(app)
        assert "kappa     no figure: Both gave one label throughout: kappa is 0/0." in text
        assert "AC1       1.00" in text
        assert "nan" not in text.lower()
        await press(pilot, "q")
    judged.write(lambda db: db.execute("DELETE FROM verdict"))
    async with on_screen(opened(judged), *size) as (app, pilot):
        await press(pilot, "i", "enter", "space")
        text = screen_text(app)
        assert "left out 2: no judgement" in text
        assert "None of your labels here stands beside a verdict of the judges." in text
        assert "kappa     no figure" not in text  # of nothing there is no table
        await press(pilot, "q")


async def test_one_response_alone_has_figures_without_intervals(judged: Study) -> None:
    said(judged, "supported", "a.1", "a.2", "a.3")
    async with on_screen(opened(judged)) as (app, pilot):
        await press(pilot, "i")
        text = screen_text(app)
        assert "agreement 33%" in text
        assert "no interval: One response cannot show how responses differ." in text


async def test_what_is_kept_blind_is_in_no_cell(judged: Study) -> None:
    said(judged, "supported", "a.1", "b.1")
    opened_queue = open_among(judged, "kb", ["a.1", "b.1", "c.1"], "a cell")
    assert opened_queue.units == ["a.1", "b.1", "c.1"]
    said(judged, "supported", "c.1", mode="blind", block="audit")
    assert open_among(judged, "kb", ["a.1", "b.1", "c.1"], "a cell").units == ["a.1", "b.1"]
    audited(judged, "b.1", "d.1")
    assert open_among(judged, "kb", ["a.1", "b.1", "d.1"], "a cell").units == ["a.1", "b.1"]


async def test_glyphs_have_ascii_forms(judged: Study) -> None:
    said(judged, "supported", *(f"{name}.1" for name in "abcdefgh"), "a.2")
    async with on_screen(opened(judged, Look("ansi-dark", True, True))) as (app, pilot):
        await press(pilot, "i")
        text = screen_text(app)
        assert text.isascii()
        assert "+ 8 +" in text


def drawn(table: tuple[tuple[int, ...], ...], cursor: Cell, columns: int, labels: Sequence[str] = LABELS) -> list[str]:
    return ["".join(text for text, _ in row) for row in matrix_rows(labels, table, cursor, "judges", columns)]


def test_cells_that_count_are_filled_to_their_ends_and_the_cursor_stands_in_brackets() -> None:
    rows = drawn(((8, 0, 0, 0), (1, 1, 1, 1), (0, 0, 0, 0), (0, 1, 2, 0)), Cell(3, 2), 80)

    assert rows[0].split() == ["judges:", "supported", "partial", "contradicted", "not", "addressed", "all"]
    assert re.search(r"^ you supported  +▓+ 8 ▓+ +· +· +· +8$", rows[1])
    assert re.search(r"^ you partial  +▒+ 1 ▒+ +▓+ 1 ▓+ +▒+ 1 ▒+ +▒+ 1 ▒+ +4$", rows[2])
    assert re.search(r"\[▒+ 2 ▒+\]", rows[4])
    assert rows[5].split() == ["all", "9", "2", "3", "1", "15"]


@pytest.mark.parametrize("columns", [60, 72, 80, 100, 160])
@pytest.mark.parametrize("count", [1, 812, 1_234])
def test_the_matrix_fits_its_columns_and_cuts_no_name(columns: int, count: int) -> None:
    table = ((count, 0, 0, 0), (1, 1, 1, 1), (0, 0, 0, 0), (0, 1, 2, 0))
    rows = drawn(table, Cell(0, 3), columns)

    assert max(map(len, rows)) <= columns
    assert {"supported", "partial", "contradicted", "addressed"} <= {word for row in rows[:2] for word in row.split()}
    assert any(re.search(rf"supported +▓+ {count:,} ▓+ ", row) for row in rows)


def test_that_there_is_no_interval_is_said_once() -> None:
    view = SimpleNamespace(
        agreement=Estimate("agreement", 0.5, None, None, "none", 4, reason="No interval: of two.", scale="share"),
        kappa=Estimate("kappa", 0.0, None, None, "none", 4, reason="It is always the same.", scale="coefficient"),
        ac1=Estimate("AC1", None, None, None, "none", 4, reason="No label.", scale="coefficient"),
    )
    said = ["".join(text for text, _ in row) for row in estimate_rows(view, 120)]  # type: ignore[arg-type]
    assert [row.lower().count("no interval") for row in said] == [1, 1, 0, 0]
    assert "no figure: No label." in said[2]
