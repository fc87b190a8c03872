"""Worked examples from the command line: what is said before anything goes, and what the figures leave out."""

import json

import pytest

from tests.judges.labelled_study import DRUGS, PROMPT, labelled
from tests.support.commands import own_settings
from tests.support.judge_endpoint import NOT_ADDRESSED, JudgeEndpoint, by_prompt


@pytest.fixture
def study(empty_study, tmp_path):
    labelled(empty_study)
    empty_study.close()
    with JudgeEndpoint(by_prompt(lambda prompt: NOT_ADDRESSED)) as endpoint:
        own_settings(tmp_path, endpoint.table("one"))
        yield empty_study.path


def test_it_is_said_what_goes_and_what_the_figures_leave_out(study, medreview):
    done = medreview("judge", study, "--judge", "one", "--examples", 4, "--seed", 3)

    assert "up to 4 worked examples of anna's blind labels (seed 3)" in done.stderr
    assert not any(level in done.stderr for level in ("partial", "contradicted"))  # a colleague may be blind
    told = medreview("stats", study, "--full").stdout
    trust = json.loads(medreview("stats", study, "--json").stdout)["trust"]
    shown = {"judge": "one", "prompt": f"{PROMPT} + 4 examples", "reviewer": "anna", "statements": 4}
    assert trust["examples"] == [shown]
    assert [(one["n"], one["dropped"]) for one in trust["errors"]] == [(len(DRUGS) - 4, 4)]
    words = "4 statements of anna in its prompt as worked examples, not asked about and left out of its figures."
    assert words in " ".join(told.split())


def test_with_and_without_examples_are_two_prompts_of_the_split(study, medreview):
    medreview("judge", study, "--judge", "one")
    medreview("judge", study, "--judge", "one", "--examples", 4)

    (report,) = json.loads(medreview("judges", "--study", study, "--split", "--json").stdout)["prompts"]
    (judge,) = report["judges"]
    assert [one["prompt"] for one in judge["prompts"]] == [
        PROMPT, f"{PROMPT} + 4 examples",
    ]  # fmt: skip
    assert judge["dropped"] == 4


def test_a_batch_file_names_the_command_that_takes_it_in(study, medreview, tmp_path):
    done = medreview(
        "judge", study, "--judge", "one", "--examples", 4, "--from", "anna", "--batch-out", tmp_path / "q.jsonl"
    )

    assert "--examples 4 --from anna --batch-in" in done.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--judge", "one", "--from", "anna"), "add --examples N"),
        (("--examples", "3"), "name one with --judge"),
        (("--judge", "one", "--examples", "30"), "can be shown"),
        (("--judge", "one", "--examples", "3", "--from", "bert"), "bert has reviewed nothing here; anna did"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(study, medreview, options, words):
    assert words in " ".join(medreview("judge", study, *options, check=2).stderr.split())
