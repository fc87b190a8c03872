"""The command ``judge-runs``: two runs of judges on the same pairs."""

import json

import pytest

from medreview.review.audit import draw
from medreview.study import Study
from tests.judges.labelled_study import DRUGS, LEVELS, labelled
from tests.judges.renal_study import part_of
from tests.stats.reports.panel_study import panel
from tests.stats.small_study import SmallStudy
from tests.support.commands import own_settings
from tests.support.judge_endpoint import JudgeEndpoint, by_prompt
from tests.support.study_builder import build
from tests.support.unit_study import decide


@pytest.fixture
def panel_file(tmp_path):
    path = tmp_path / "panel.medreview"
    with Study.create(path) as study:
        panel(SmallStudy(study), questions=40)
    return path


def compared(medreview, path, *words):
    return json.loads(medreview("judges", "runs", path, *words, "--json").stdout)


def test_runs_are_listed_by_number_and_compared_by_it_or_by_id(medreview, panel_file):
    runs = compared(medreview, panel_file)["runs"]

    assert [(run["judge"], run["judged"]) for run in runs] == [("amber", 80)] * 3 + [("basalt", 80)]
    numbers = [str(run["number"]) for run in runs]
    by_number = compared(medreview, panel_file, *numbers[:2])
    assert by_number == compared(medreview, panel_file, *(run["run_id"] for run in runs[:2]))
    assert by_number["differ"] == ["prompt", "seed"]
    assert "amber" in medreview("judges", "runs", panel_file).stdout


def test_the_better_prompt_is_better_by_a_paired_interval_and_mcnemar(medreview, panel_file):
    first, second = (str(run["number"]) for run in compared(medreview, panel_file)["runs"][:2])
    found = compared(medreview, panel_file, first, second, "--half", "all")

    assert found["statements"] == 80
    assert found["pairs"] == 80
    agreement = [found[side]["agreement"]["value"] for side in ("first", "second")]
    difference = found["difference"]
    assert difference["value"] == pytest.approx(agreement[1] - agreement[0])
    assert 0 < difference["low"] < difference["value"] < difference["high"]
    test = found["mcnemar"]
    assert (test["c"] - test["b"]) / 80 == pytest.approx(difference["value"])
    assert found["changed"] == sum(one["pairs"] for one in found["changes"] if one["first"] != one["second"])
    assert sum(one["pairs"] for one in found["changes"]) == 80
    back = compared(medreview, panel_file, second, first, "--half", "all")
    assert back["difference"]["value"] == pytest.approx(-difference["value"])


def test_the_calibration_of_both_is_compared_paired_where_both_are_sure(medreview, panel_file):
    runs = compared(medreview, panel_file)["runs"]
    first, second = (str(run["number"]) for run in runs[:2])
    with Study.open(panel_file) as study:
        study.write(lambda db: db.execute("UPDATE judgement SET confidence = NULL WHERE judgement_id = (SELECT "
                                          "max(judgement_id) FROM judgement WHERE judge_run_id = ?)",
                                          (runs[1]["run_id"],)))  # fmt: skip
    found = compared(medreview, panel_file, first, second, "--half", "all")["calibration"]
    back = compared(medreview, panel_file, second, first, "--half", "all")["calibration"]

    assert (found["statements"], found["dropped"]) == (79, 1)
    difference = found["difference"]
    assert difference["value"] == pytest.approx(found["second"]["value"] - found["first"]["value"])
    assert difference["low"] < difference["value"] < difference["high"]
    assert back["difference"]["value"] == pytest.approx(-difference["value"])
    assert back["p"] == pytest.approx(found["p"])
    told = medreview("judges", "runs", panel_file, first, second, "--half", "all").stdout
    assert "on 79 statements in 40 responses with a confidence of both; 1 without one" in " ".join(told.split())

    with Study.open(panel_file) as study:
        study.write(lambda db: db.execute("UPDATE judgement SET confidence = NULL"))
    assert compared(medreview, panel_file, first, second, "--half", "all")["calibration"] is None
    assert "Calibration" not in medreview("judges", "runs", panel_file, first, second).stdout


def test_the_labels_are_of_the_tuning_half_and_a_look_at_others_is_counted(medreview, panel_file):
    first, second = (str(run["number"]) for run in compared(medreview, panel_file)["runs"][:2])
    halves = {half: compared(medreview, panel_file, first, second, "--half", half) for half in ("tuning", "test")}

    assert halves["tuning"] == compared(medreview, panel_file, first, second)
    assert sum(found["statements"] for found in halves.values()) == 80
    compared(medreview, panel_file, first, second, "--half", "all")
    (report,) = json.loads(medreview("judges", "--study", panel_file, "--split", "--json").stdout)["prompts"]
    assert report["looks"] == 2  # of the test half, and of all
    (amber,) = [one for one in report["judges"] if one["judge"] == "amber"]
    assert amber["prompts"][0]["agreement"]["value"] == halves["tuning"]["first"]["agreement"]["value"]


def test_changed_pairs_are_listed_on_request_and_the_look_is_noted(medreview, panel_file):
    first, second = (str(run["number"]) for run in compared(medreview, panel_file)["runs"][:2])
    assert "changed_pairs" not in compared(medreview, panel_file, first, second)
    found = compared(medreview, panel_file, first, second, "--changed")

    assert len(found["changed_pairs"]) == found["changed"] > 0
    assert all(one["first"] != one["second"] for one in found["changed_pairs"])
    with Study.open(panel_file, read_only=True) as study:
        looks = study.reader.execute(
            "SELECT json_extract(payload, '$.shown') FROM event WHERE kind = 'look'"
        ).fetchall()
    assert {row[0] for row in looks} == {"totals", "verdicts"}
    told = medreview("judges", "runs", panel_file, first, second, "--changed").stdout
    assert told.count(" -> ") == found["changed"]
    assert max(map(len, told.splitlines())) <= 80


def test_a_statement_that_one_run_judged_by_more_pages_has_no_part_in_agreement(medreview, panel_file):
    runs = compared(medreview, panel_file)["runs"]
    with Study.open(panel_file) as study:
        unit, response = study.reader.execute("SELECT statement_id, response_id FROM statement").fetchone()

        def more(rows):
            page = rows.page("further", "Another page.")
            rows.citation(response, "further")
            rows.judgement("amber", unit, page, "partial", run=runs[0]["run_id"], judgement_id="further")

        build(study, more)
    found = compared(medreview, panel_file, str(runs[0]["number"]), str(runs[1]["number"]), "--half", "all")
    assert (found["first"]["pairs"], found["second"]["pairs"], found["pairs"]) == (81, 80, 80)
    assert (found["statements"], found["dropped"], found["examples"]) == (79, 1, 0)


def test_whoever_is_at_the_audit_is_told_changed_pairs_of_decided_statements_alone(medreview, panel_file, tmp_path):
    first, second = (str(run["number"]) for run in compared(medreview, panel_file)["runs"][:2])
    every = compared(medreview, panel_file, first, second, "--changed")["changed_pairs"]
    with Study.open(panel_file) as study:
        draw(study, "zoe", rate=1.0)
        decide(study, "zoe", every[0]["statement_id"], "evidence", "partial", mode="open")
    own_settings(tmp_path, 'reviewer = "zoe"\n')
    panel_file = panel_file.rename(panel_file.with_name("moved.medreview"))  # nobody has reviewed it here
    assert compared(medreview, panel_file, first, second, "--changed")["changed_pairs"] == every[:1]


def knows(prompt):
    """A judge that agrees with anna once it has seen examples; before, it calls all supported."""
    drug = next(drug for drug in DRUGS if drug in part_of(prompt, "statement"))
    level = LEVELS[(DRUGS.index(drug) + 1) % 4] if "<<<examples" in prompt else "supported"
    quote = f"Check the kidneys before {drug} is started." if level == "supported" else ""
    return {"quote": quote, "reason": "So.", "label": level, "confidence": 0.7}


def test_with_examples_and_without_on_the_same_pairs_with_the_cost_of_each(empty_study, tmp_path, medreview):
    labelled(empty_study)
    empty_study.close()
    path = empty_study.path
    with JudgeEndpoint(by_prompt(knows)) as endpoint:
        own_settings(tmp_path, endpoint.table("one", price_input=1.0, price_output=2.0))
        medreview("judge", path, "--judge", "one")
        medreview("judge", path, "--judge", "one", "--examples", 4)
    runs = [str(run["number"]) for run in compared(medreview, path)["runs"]]
    found = compared(medreview, path, *runs)
    other_half = compared(medreview, path, *runs, "--half", "test")

    assert (other_half["examples"], other_half["dropped"]) == (0, 0), "examples are of the tuning half"
    assert [found[side]["run"]["examples"] for side in ("first", "second")] == [0, 4]
    assert found["differ"] == ["prompt", "examples"]
    assert (found["pairs"], found["examples"], found["dropped"]) == (len(DRUGS) - 4, 4, 4)
    assert found["second"]["agreement"]["value"] == 1.0
    assert found["first"]["agreement"]["value"] < 0.5
    costs = [found[side]["cost"] for side in ("first", "second")]
    assert [cost["calls"] for cost in costs] == [len(DRUGS), len(DRUGS) - 4]
    assert all(cost["cost"] > 0 and cost["latency_median_ms"] >= 0 and cost["with_runs"] == [] for cost in costs)


def test_without_labels_there_are_the_changes_alone(tmp_path, medreview):
    path = tmp_path / "unlabelled.medreview"
    with Study.create(path) as study:
        panel(SmallStudy(study), questions=4, labelled=False)
    told = medreview("judges", "runs", path, 1, 2).stdout

    assert "8 pairs answered in both" in told
    assert "no labels: 0" in told
    assert "Only the first" not in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("1",), "Name two runs"),
        (("1", "99"), "There is no run '99'"),
        (("2", "2"), "compared with itself"),
        (("1", "2", "--reviewer", "nobody"), "nobody has reviewed nothing here"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(medreview, panel_file, words, told):
    assert told in medreview("judges", "runs", panel_file, *words, check=2).stderr
