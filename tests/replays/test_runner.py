"""Steps of a replay on a user's own files: what is done, what waits for whom, what a second run does."""

import json
import re
import shlex
from pathlib import Path

import pytest

from medreview.replays.registry import REPLAYS
from medreview.replays.step_kinds import Review, SecondAnnotator
from medreview.review.queue_kinds import ALL
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.support.commands import Program, own_settings
from tests.support.judge_endpoint import JudgeEndpoint, by_prompt
from tests.tools.commands_page import every_command

QUESTION = "May metformin be started at an eGFR of 25?"
ANSWERS = [
    {"question": QUESTION, "correct_answer": "No, not below 30.", "answer": "No. It is not started below 30.",
     "model": "m/halu", "dataset": "LiveQA", "hallucination_type": "none"},
    {"question": QUESTION, "correct_answer": "No, not below 30.", "answer": "Yes, at the full dose.",
     "model": "m/halu", "dataset": "LiveQA", "hallucination_type": "fact",
     "hallucinated_spans": ["Yes, at the full dose"]},
]  # fmt: skip


def found(prompt: str) -> object:
    wrong = "Yes, at the full dose." in prompt
    spans = ["Yes, at the full dose"] if wrong else []
    return {"spans": spans, "reason": "r", "found": "yes" if wrong else "no", "type": "fact" if wrong else "none"}


def answers(folder: Path) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(answer) + "\n" for answer in ANSWERS))
    return path


def decide(path: Path, *labels: str) -> None:
    with Study.open(path) as study:
        rows = study.reader.execute("SELECT response_id FROM response ORDER BY ordinal").fetchall()
        for row, label in zip(rows, labels, strict=True):
            event = NewEvent("decide", f"answer:{row[0]}", {"axis": "hallucination", "label": label})
            study.write(lambda c, event=event: Recorder("kb").append(c, event, block="answers", mode="open"))


def test_a_replay_says_what_waits_for_the_reviewer_goes_on_and_completes_its_figures_later(
    medreview: Program, tmp_path: Path
) -> None:
    path = answers(tmp_path)
    with JudgeEndpoint(by_prompt(found)) as server:
        own_settings(tmp_path, server.table("one", price_input=1.0, price_output=2.0))
        dry = medreview("replay", "medhalu", "s.medreview", path, "--judge", "one", "--dry-run").stdout
        assert "detection: one (m at" in dry
        assert not (tmp_path / "s.medreview").exists()
        first = medreview("replay", "medhalu", "s.medreview", path, "--judge", "one")
        asked = len(server.asked)
        decide(tmp_path / "s.medreview", "none", "fact")
        second = medreview("replay", "medhalu", "s.medreview", path, "--judge", "one")
        third = json.loads(medreview("replay", "medhalu", "s.medreview", path, "--judge", "one", "--json").stdout)
        assert (asked, len(server.asked)) == (2, 4)  # the last two: again, with what kb remarked

    assert "detection would ask one (m at" in first.stderr
    assert "medreview review s.medreview --queue answers" in first.stdout
    assert "assisted: waits: no person has remarked on an answer yet" in first.stdout
    assert "2 right labels are told once their answers are decided" in " ".join(first.stdout.split())
    assert "answers decided (by kb 2)" in second.stdout
    assert "1.000" in second.stdout
    states = {step["step"]: step["state"] for step in third["steps"]}
    assert states.pop("hallucinations") == "left"  # no model is named
    assert set(states.values()) == {"done"}
    figures = {(row["figure"], row["of"]): row for row in third["figures"]}
    f1 = figures["macro-F1 of detection", "one"]
    assert (f1["value"], f1["n"], f1["missing"] != "") == (1.0, 2, True)
    assert "the paper's prompt against the correct answer" in f1["why_they_differ"]
    assert figures["accuracy of detection", "one with an expert's remarks"]["value"] == 1.0


def test_a_dry_run_counts_what_the_study_waits_for_and_asks_nothing(medreview: Program, tmp_path: Path) -> None:
    path = answers(tmp_path)
    medreview("import", "s.medreview", path)
    with JudgeEndpoint() as server:
        own_settings(tmp_path, server.table("one"))
        dry = medreview("replay", "medhalu", "s.medreview", path, "--judge", "one", "--dry-run").stdout
        assert not server.asked
    assert "3/5 detection: one (m at" in dry
    assert "2 calls to pay" in dry
    assert "Of the files only what is in the study already is counted." in dry


def test_without_a_study_a_replay_tells_its_steps_and_how_it_departs_from_the_paper(medreview: Program) -> None:
    told = medreview("replay", "sourcecheckup").stdout
    for words in ("FILES: Texts to ask about", "how this departs from the paper", "not replayed"):
        assert words in told
    assert "did you mean 'medhalu'" in medreview("replay", "medhal", check=2).stderr


def test_recorded_answers_get_into_no_study_of_the_user(medreview: Program, tmp_path: Path) -> None:
    medreview("import", "s.medreview", answers(tmp_path))
    told = medreview("replay", "medhalu", "--sample", check=2)
    assert "Name a study" in told.stderr
    told = medreview("replay", "medhalu", "s.medreview", "--sample", check=2)
    assert "makes a study of its own" in told.stderr
    told = medreview("replay", "medhalu", "t.medreview", "--sample", "--judge", "one", check=2)
    assert "brings its own files and models" in told.stderr


def test_a_step_can_be_left_out_and_a_model_that_judges_what_it_writes_is_named(
    medreview: Program, tmp_path: Path
) -> None:
    path = answers(tmp_path)
    with JudgeEndpoint(by_prompt(found)) as server:
        own_settings(tmp_path, server.table("one"))
        run = ("replay", "medhalu", "s.medreview", path, "--model", "one", "--judge", "one")
        assert "there are files, hallucinations, detection" in medreview(*run, "--skip", "x", check=2).stderr
        told = medreview(*run, "--skip", "hallucinations", "--skip", "assisted")
        assert len(server.asked) == 2
    assert "hallucinations: left out: as you asked" in told.stdout
    assert "one judges what its own model wrote" in told.stderr


@pytest.mark.parametrize("paper", REPLAYS)
def test_the_queues_and_commands_that_a_replay_names_are_there(paper: str, medreview: Program) -> None:
    queues = {queue.name for queue in ALL}
    for step in REPLAYS[paper].steps:
        if isinstance(step, Review):
            assert step.queue in queues
        if isinstance(step, SecondAnnotator):
            assert f"share_{step.kind}" in queues
    said = "\n".join((*REPLAYS[paper].deviations, *REPLAYS[paper].not_replayed))
    commands = every_command()
    for line in re.findall(r"`medreview ([^`]*)`", said):
        name, *arguments = shlex.split(line)
        commands[name].make_context(name, arguments)


def test_a_replay_that_is_stopped_says_that_it_goes_on_and_asks_no_answer_twice(
    medreview: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = answers(tmp_path)
    with JudgeEndpoint(by_prompt(found)) as server:
        own_settings(tmp_path, server.table("one", concurrency=1))
        with monkeypatch.context() as patch:
            patch.setattr("medreview.replays.step_kinds.Review.run", _stopped)
            stopped = medreview("replay", "medhalu", "s.medreview", path, "--judge", "one", check=130)
        medreview("replay", "medhalu", "s.medreview", path, "--judge", "one")
        assert len(server.asked) == 2
    assert "the same command goes on from there" in stopped.stderr


def _stopped(*_: object) -> None:
    raise KeyboardInterrupt
