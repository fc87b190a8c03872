"""The study file is taken away under the workbench: the last row says so, and leaving says what to do."""

from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import NotSavedHere
from medreview.screens.app import Workbench
from medreview.study import Study
from medreview.study.check import check
from tests.support.commands import MEDREVIEW
from tests.support.terminal import Terminal
from tests.support.workbench import pane_text, press, screen_text, workbench


def decided(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        assert check(study.reader) == []
        return [row[0] for row in study.reader.execute("SELECT label FROM event WHERE kind = 'decide' ORDER BY seq")]


def test_on_a_terminal_the_row_says_it_and_leaving_prints_the_merge(study_path: Path) -> None:
    command = [*MEDREVIEW, "review", str(study_path), "--queue", "responses", "--reviewer", "kb"]
    older = study_path.with_name("older.medreview")
    with Terminal(command, 80, 24) as terminal:
        terminal.wait("undo")
        terminal.type("5")
        terminal.wait("saved #")
        older.write_bytes(study_path.read_bytes())
        study_path.unlink()
        terminal.type("4")
        terminal.wait("NOT SAVED HERE: sepsis.medreview was deleted")
        terminal.type("j")
        terminal.wait("NOT SAVED HERE  S")
        terminal.type("3")
        terminal.wait("(NOT SAVED HERE)")
        terminal.type("\r")
        terminal.wait("contradicted   #")
        assert "saved #" not in terminal.shown
        terminal.type("q")
        terminal.wait("and what you decide now")
        terminal.type("q")
        assert terminal.finish() == 2
        told = " ".join(terminal.output.decode(errors="replace").rpartition("medreview: NOT SAVED HERE")[2].split())

    (rescue,) = study_path.parent.glob("sepsis.rescue-*.medreview")
    assert f"medreview merge {study_path} {rescue}" in told
    assert decided(rescue) == ["cannot_judge", "not_addressed", "contradicted"]
    older.rename(study_path)
    with Study.open(study_path) as study:
        assert pipeline.merge(study, rescue).foreign == 0
    assert decided(study_path) == ["cannot_judge", "not_addressed", "contradicted"]


async def test_a_reason_that_is_asked_for_claims_nothing(study_path: Path) -> None:
    study = Study.open(study_path)
    app: Workbench = workbench(study, "flagged")
    async with app.run_test(size=(80, 24)) as pilot:
        study_path.unlink()
        await press(pilot, "3")
        assert "NOT SAVED HERE: sepsis.medreview was deleted" in pane_text(app, "foot")
        await press(pilot, "]")
        assert "(NOT SAVED HERE)" in pane_text(app, "foot")
        assert "saved #" not in screen_text(app)
        await press(pilot, "x", "q")
        assert "NOT SAVED HERE" in screen_text(app)
    with pytest.raises(NotSavedHere) as left:
        study.close()
    assert left.value.rescue is not None
    assert decided(left.value.rescue) == ["contradicted"]
