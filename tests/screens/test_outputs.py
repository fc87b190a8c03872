"""Labels and the report written from the workbench, while it stays open."""

from pathlib import Path

import pytest

from medreview.cli.opening import _report
from medreview.config import Config
from medreview.errors import UserError
from medreview.review.audit import draw
from medreview.screens.app import Workbench
from medreview.screens.outputs import shown_place
from medreview.study import Study
from tests.support.settled import until
from tests.support.workbench import (
    PLAIN,
    blind_workbench,
    events,
    on_screen,
    pane_text,
    press,
    put_in,
    screen_text,
    workbench,
)


async def test_labels_are_written_beside_the_study_and_the_last_row_says_where(study: Study) -> None:
    async with on_screen(workbench(study), 160, 50) as (app, pilot):
        await press(pilot, "2")
        app.export_labels()
        await until(pilot, lambda: "written:" in pane_text(app, "foot"))
        assert str(study.path.parent / "sepsis-labels") in pane_text(app, "foot")
        await press(pilot, "1")  # the study is open for writing still
    folder = study.path.parent / "sepsis-labels"
    assert len((folder / "labels.csv").read_text().splitlines()) == 2
    assert len(events(study, "decide")) == 2
    assert [row["block"] for row in events(study, "look")] == ["export"]


async def test_nothing_of_somebody_else_is_written_over(study: Study) -> None:
    folder, page = study.path.parent / "sepsis-labels", study.path.parent / "sepsis.html"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    page.write_text("mine")
    app = workbench(study)
    app._report = _report
    async with app.run_test(size=(160, 50)) as pilot:
        await press(pilot, "2")
        for name, write in (("sepsis-labels-2", app.export_labels), ("sepsis-2.html", app.write_report)):
            for _ in range(2):  # what it wrote itself it writes again
                write()
                await until(pilot, lambda name=name: f"{name}" in pane_text(app, "foot"))  # type: ignore[misc]
                await press(pilot, "g")
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert page.read_text() == "mine"
    assert {path.name for path in study.path.parent.glob("sepsis[-.]*2*")} == {"sepsis-labels-2", "sepsis-2.html"}


async def test_what_is_still_blind_stays_out_of_the_labels_and_the_report_waits(study: Study) -> None:
    draw(study, "kb", rate=1.0)
    app = blind_workbench(study, "audit")
    app._report = _report
    async with app.run_test(size=(160, 50)) as pilot:
        await press(pilot, "2")
        with pytest.raises(UserError, match="waits until the judges of your blind block are shown"):
            app.write_report()
        app.export_labels()
        await until(pilot, lambda: "written:" in pane_text(app, "foot"))
        assert "sepsis-labels. Without what the judges say" in " ".join(pane_text(app, "foot").split())
        assert "those stay blind" in pane_text(app, "foot")
    assert not events(study, "look")
    judged = (study.path.parent / "sepsis-labels" / "judgements.csv").read_text()
    assert len(judged.splitlines()) < study.reader.execute("SELECT count(*) FROM judgement").fetchone()[0]


async def test_a_folder_that_cannot_be_written_is_said_and_ends_nothing(study: Study) -> None:
    app = workbench(study)

    def refuses(_study: Study, _who: str, _progress: object) -> Path:
        raise UserError("no room")

    app._report = refuses
    async with app.run_test(size=(160, 50)) as pilot:
        app.write_report()
        await until(pilot, lambda: "not written: no room" in pane_text(app, "foot"))
        assert app.is_running


def test_a_place_is_said_from_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown_place(tmp_path / "a.html") == "a.html"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir("/")
    assert shown_place(tmp_path / "home" / "x" / "a.html").endswith("a.html")


async def test_the_line_of_either_screen_leads_to_labels_report_and_tour(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await put_in(pilot, "colon", text="export")
        await until(pilot, lambda: "written:" in screen_text(app))
        await put_in(pilot, "colon", text="tour")
        assert "open a queue first" in screen_text(app)
        await put_in(pilot, "V", "colon", text="tour")
        assert "1 of 4" in screen_text(app)
        await put_in(pilot, "j", "colon", text="report")
        assert "medreview report" in screen_text(app)
        await put_in(pilot, "escape", "colon", text="export")
        await until(pilot, lambda: "written:" in pane_text(app, "foot"))
    assert (study.path.parent / "sepsis-labels" / "labels.csv").exists()


async def test_where_it_lies_is_said_later_if_there_is_no_row_for_it_now(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "question_mark")
        app.export_labels()
        await until(pilot, lambda: "written:" in app._notice)
        await press(pilot, "q", "q")
        assert "written:" in screen_text(app)
