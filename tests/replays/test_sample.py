"""Every replay on the sample data: offline, twice, each table labelled as recorded."""

import json

import pytest

from medreview.replays.registry import REPLAYS
from medreview.replays.sample import INPUTS
from tests.support.commands import Program

READY = ("cds",)


@pytest.mark.parametrize("paper", READY)
def test_a_sample_replay_runs_offline_and_a_second_time_does_and_asks_nothing(paper: str, medreview: Program) -> None:
    first = medreview("replay", paper, "s.medreview", "--sample").stdout
    assert "failed" not in first
    assert "recorded answers, written for the demo" in first
    for sentence in REPLAYS[paper].deviations:
        assert sentence.split()[0] in first
    second = json.loads(medreview("replay", paper, "s.medreview", "--sample", "--json").stdout)
    assert {step["state"] for step in second["steps"]} == {"done"}
    assert sum(step["asked"] for step in second["steps"]) == 0
    assert second["note"] == "recorded answers, written for the demo"
    for row in second["figures"]:
        assert row["value"] is not None or row["missing"], row["figure"]


def test_the_notebooks_figures_come_out_on_its_own_citations(medreview: Program) -> None:
    told = json.loads(medreview("replay", "cds", "s.medreview", "--sample", "--json").stdout)
    values = {row["figure"]: row["value"] for row in told["figures"]}
    assert values["responses with a citation"] == 0.8
    assert values["citations per response"] == 2.4
    assert values["allowed, mean of responses"] == pytest.approx(2 / 3)
    assert values["allowed URLs, mean of responses"] == 0.625


def test_every_replay_has_its_sample() -> None:
    assert INPUTS.keys() == REPLAYS.keys()
