"""Every replay on the sample data: offline, twice, each table labelled as recorded."""

import json
import re

import pytest

from medreview.replays.registry import REPLAYS, SAMPLES
from tests.support.commands import Program

REVIEWED_BY_YOU = {"statements beside notes"}
"""Steps that the sample leaves to whoever tries it."""


@pytest.mark.parametrize("paper", REPLAYS)
def test_a_sample_replay_runs_offline_and_a_second_time_does_and_asks_nothing(paper: str, medreview: Program) -> None:
    first = medreview("replay", paper, "s.medreview", "--sample").stdout
    assert "failed" not in first
    headings = re.findall(r"^\S.*\((.*)$", first.partition("Figures: ")[2], re.MULTILINE)
    assert headings
    told = " ".join(first.split())
    assert all(sentence in told for sentence in REPLAYS[paper].deviations)
    second = json.loads(medreview("replay", paper, "s.medreview", "--sample", "--json").stdout)
    states = {step["step"]: step["state"] for step in second["steps"]}
    assert {step for step, state in states.items() if state != "done"} <= REVIEWED_BY_YOU
    assert sum(step["asked"] for step in second["steps"]) == 0
    assert second["note"] == "recorded answers, written for the demo"
    for row in second["figures"]:
        assert row["value"] is not None or row["missing"], row["figure"]
        assert (row["low"] is None) == (row["high"] is None)


def test_the_notebooks_figures_come_out_on_its_own_citations(medreview: Program) -> None:
    told = json.loads(medreview("replay", "cds", "s.medreview", "--sample", "--json").stdout)
    values = {row["figure"]: row["value"] for row in told["figures"]}
    assert values["responses with a citation"] == 0.8
    assert values["citations per response"] == 2.4
    assert values["allowed, mean of responses"] == pytest.approx(2 / 3)
    assert values["allowed URLs, mean of responses"] == 0.625


def test_every_replay_has_its_sample() -> None:
    assert SAMPLES.keys() == REPLAYS.keys()
