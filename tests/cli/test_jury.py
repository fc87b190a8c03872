"""The command ``jury`` on a whole study."""

import json

import pytest

from tests.bench.make_study import make


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """80 responses, four judges, a reviewer."""
    path = tmp_path_factory.mktemp("jury") / "a.medreview"
    make(path, responses=80, pairs=800, decided=200, judges=4, sources=40)
    return path


def test_which_three_judges(medreview, judged):
    done = medreview("judges", "choose", judged, "--size", 3)

    assert "4 candidates, held out: Cohen's kappa" in done.stdout
    assert "3 jurors: judge" in done.stdout
    assert "no confidence interval" in done.stdout
    assert "tie rule: undecided" in done.stdout


def test_for_scripts(medreview, judged):
    told = json.loads(
        medreview("judges", "choose", judged, "--ties", "not-supported", "--measure", "agreement", "--json").stdout
    )

    assert [choice["size"] for choice in told["choices"]] == [1, 3]
    assert told["tie_rule"] == told["provenance"]["tie_rule"] == "not_supported"
    assert told["group"] == "blind, random audit"
    assert told["choices"][0]["held_out"]["low"] < told["choices"][0]["held_out"]["value"]
    assert told["provenance"]["labels"] == {"anna": {"blind, random audit": told["units"]}}
    again = json.loads(
        medreview("judges", "choose", judged, "--ties", "not-supported", "--measure", "agreement", "--json").stdout
    )
    for report in (told, again):
        assert report["provenance"].pop("made_at")
    assert again == told


def test_what_cannot_be_done_is_one_sentence(medreview, judged, demo):
    assert (
        "has reviewed nothing here; anna did"
        in medreview("judges", "choose", judged, "--reviewer", "zoe", check=2).stderr
    )
    assert "there are judge 1, judge 2" in medreview("judges", "choose", judged, "--judge", "basalt", check=2).stderr
    assert "cannot be chosen from 4 judges" in medreview("judges", "choose", judged, "--size", 5, check=2).stderr
    assert "Nobody has reviewed" in medreview("judges", "choose", demo, check=2).stderr
