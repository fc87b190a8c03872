"""Asking models from the command line."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.support.commands import own_settings
from tests.support.judge_endpoint import NOT_ADDRESSED, JudgeEndpoint, says

ANSWER = says(json.dumps(NOT_ADDRESSED), usage=None)


@pytest.fixture
def model(tmp_path):
    with JudgeEndpoint(ANSWER) as endpoint:
        own_settings(
            tmp_path,
            endpoint.table("near", price_input=1.0, price_output=2.0)
            + '[judges.far]\nmodel = "m"\nbase_url = "https://models.example/v1"\n',
        )
        yield endpoint


def test_a_model_is_asked_after_a_dry_run_has_said_what_it_costs(medreview, demo, model):
    planned = json.loads(medreview("judge", demo, "--judge", "near", "--limit", 5, "--dry-run", "--json").stdout)
    assert (planned["plans"][0]["units"], planned["plans"][0]["estimate"]["calls"], len(model.asked)) == (5, 5, 0)
    assert planned["plans"][0]["estimate"]["cost"] > 0

    done = medreview("judge", demo, "--judge", "near", "--limit", 5)
    assert len(model.asked) == 5
    assert "near: 5 units, 0 abstained; 5 calls" in done.stdout
    assert "5 not addressed" in done.stdout
    assert "near: m at 127.0.0.1:" in done.stderr
    assert "A server on this machine may send them on." in done.stderr


def test_a_part_of_the_study_is_chosen_counted_and_asked(medreview, demo, model, tmp_path):
    def units(*options):
        done = medreview("judge", demo, "--judge", "near", *options, "--dry-run", "--json")
        return json.loads(done.stdout)["plans"][0]["units"]

    assert 0 < units("--cited-only") < units()
    assert 0 < units("--only", "flagged", "--where", "model=atlas-2") < units("--only", "flagged")
    drawn = ("--cited-only", "--limit", 6, "--seed", 3)
    assert 1 <= (size := units(*drawn)) <= 6

    written = medreview("judge", demo, "--judge", "near", *drawn, "--batch-out", tmp_path / "q.jsonl")
    assert f"on {size} units" in written.stdout
    medreview("judge", demo, "--judge", "near", *drawn)
    assert len(model.asked) == size
    assert units(*drawn) == 0
    assert units("--cited-only", "--limit", 12, "--seed", 3) > 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--where", "colour=red"], "A filter cannot use 'colour'; it can use model"),
        (["--only", "new"], "--only does not know 'new'; it knows labelled, audit, flagged"),
        (["--seed", "1"], "give --limit with --seed"),
        (["--task", "merged_verification", "--cited-only"], "merged_verification does not ask about pairs"),
    ],
)
def test_what_cannot_be_chosen_is_one_sentence(medreview, demo, model, options, sentence):
    assert sentence in medreview("judge", demo, "--judge", "near", *options, "--dry-run", check=2).stderr


def test_a_model_elsewhere_is_refused_when_only_local_ones_are_wanted(medreview, demo, model):
    done = medreview("judge", demo, "--judge", "near", "--judge", "far", "--local-only", check=2)

    assert "far (models.example)" in done.stderr
    assert model.asked == []


def test_where_texts_go_is_said_before_they_go(medreview, demo, model):
    planned = medreview("judge", demo, "--judge", "far", "--limit", 1, "--dry-run")

    assert "far (m at models.example): 1 unit, 1 call to pay" in planned.stdout
    assert "no prices are configured" in planned.stdout


def test_mistakes_are_one_sentence(medreview, demo, model):
    assert "There is no judge 'x'; there are: near, far" in medreview("judge", demo, "--judge", "x", check=2).stderr
    assert "name one with --judge" in medreview("judge", demo, "--dry-run", check=2).stderr
    assert "There is no task 'poem'" in medreview("judge", demo, "--judge", "near", "--task", "poem", check=2).stderr


def test_a_folder_of_own_prompts_is_used_and_shown(medreview, demo, model, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    (tmp_path / "medreview.toml").write_text('prompts = "own"\n')
    medreview("config", "trust", "--yes")
    file = folder / "source_verification.md"
    ours = medreview("judges", "prompts", "source_verification", "--file").stdout
    file.write_text(ours.replace("version = 2\n", "version = 9\n"))
    medreview("config", "trust", "--yes")  # of the folder with what it holds now

    assert "source_verification/9" in medreview("judges", "prompts").stdout
    medreview("judge", demo, "--judge", "near", "--limit", 1)
    with closing(sqlite3.connect(demo)) as connection:
        runs = connection.execute("SELECT prompt_id FROM judge_run WHERE kind = 'llm'").fetchall()
    assert runs == [("source_verification/9",)]
