"""The study file is taken away under the workbench: the last row says so, and leaving says what to do."""

from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import NotSavedHere
from medreview.review.resuming import stored_drafts
from medreview.screens.app import Workbench
from medreview.study import Study
from medreview.study.backup import backup_if_changed
from medreview.study.check import check
from tests.support.commands import MEDREVIEW
from tests.support.terminal import Terminal
from tests.support.workbench import pane_text, press, review_screen, screen_text, workbench


def decided(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        assert check(study.reader) == []
        return [row[0] for row in study.reader.execute("SELECT label FROM event WHERE kind = 'decide' ORDER BY seq")]


def test_on_a_terminal_the_row_says_it_and_leaving_prints_the_merge(study_path: Path) -> None:
    command = [*MEDREVIEW, "review", str(study_path), "--queue", "responses", "--reviewer", "kb"]
    older = study_path.with_name("older.medreview")
    with Terminal(command, 80, 24) as terminal:
        terminal.wait("? keys")
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
    assert f"medreview team merge {study_path} {rescue}" in told
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


def test_a_note_that_was_begun_when_the_file_went_is_a_draft_in_the_rescue_file_and_leaving_says_so(
    study_path: Path,
) -> None:
    command = [*MEDREVIEW, "review", str(study_path), "--queue", "responses", "--reviewer", "kb"]
    with Terminal(command, 80, 24) as terminal:
        terminal.wait("? keys")
        terminal.type("n")
        terminal.wait("note S1")
        terminal.type("half a")
        terminal.wait("half a")
        study_path.unlink()
        terminal.type(" note")
        terminal.wait("half a note")
        terminal.process.terminate()
        assert terminal.finish() == 143
        told = " ".join(terminal.output.decode(errors="replace").partition("medreview: ")[2].split())

    (rescue,) = study_path.parent.glob("sepsis.rescue-*.medreview")
    ended, _, lost = told.partition("medreview: NOT SAVED HERE")
    assert "The workbench ended because the system sent SIGTERM." in ended
    assert "Every decision is saved" not in ended
    assert f"The note that you began on R01 S1 is a draft in {rescue}." in ended
    assert f"`medreview review {rescue}` leads there" in ended
    assert f"medreview team merge {study_path} {rescue}" in lost
    with Study.open(rescue, read_only=True) as study:
        assert [draft.text for draft in stored_drafts(study.reader, "kb")] == ["half a note"]


async def test_drafts_that_were_stored_before_the_file_was_written_over_are_in_the_rescue_file_too(
    study_path: Path,
) -> None:
    study = Study.open(study_path)
    backup_if_changed(study_path)
    before = study_path.read_bytes()
    app: Workbench = workbench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "n", *"first", "escape", "k", "j", "j", "n", *"second", "escape")
        session = review_screen(app).session
        assert session.drafts.keep() == ""
        study_path.write_bytes(before[: len(before) // 2])
        await press(pilot, "k", "5")
        assert "NOT SAVED HERE" in pane_text(app, "foot")
        app.leave()
    assert study.elsewhere is not None
    assert sorted(draft.text for draft in stored_drafts(study.reader, "kb")) == ["first", "second"]
    with pytest.raises(NotSavedHere):
        study.close()
