"""A study by a team, from the draw to the last conflict: annotators err by a known rule, each in a copy of its own."""

import csv
import json

import pytest

from medreview.study import Study
from tests.support.commands import Program, own_settings
from tests.support.simulated_team import (
    Annotator,
    Expected,
    SimulatedTeam,
    batches,
    decide_batch,
    expected,
    lead_makes_the_study,
    settle,
    team_of,
)

TEAM = team_of(
    [Annotator("anna", 0.1, 0.2), Annotator("ben", 0.05, 0.3), Annotator("carl", 0.1, 0.1),
     Annotator("dora", 0.5, 0.5, attentive=False)],
    40, 12, seed=4,
)  # fmt: skip
FEW = ("--replicates", 99)


@pytest.fixture(scope="module")
def handed_out(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The lead's study, and a copy for each annotator and batch."""
    medreview = Program(tmp_path_factory.mktemp("team"))
    own_settings(medreview.folder, 'reviewer = "lead"\n')
    lead_makes_the_study(lambda *words: medreview(*words).stdout, medreview.folder, TEAM, "s1", 6)
    for one in TEAM.annotators:
        for draw in ("items", "answers"):
            medreview(
                "team", "package", "s.medreview", f"{draw}-{one.name}.medreview", "--batch", draw, "--for", one.name
            )
    return medreview


@pytest.fixture(scope="module")
def handed_in(handed_out: Program) -> Program:
    """The same when everybody has decided everything, and all copies are merged."""
    medreview = handed_out
    copies = [f"{draw}-{one.name}.medreview" for one in TEAM.annotators for draw in ("items", "answers")]
    # One comes back half done, then done, and in the end once more: decisions are counted once.
    decide_batch(medreview.folder / copies[0], "anna", TEAM, most=3)
    assert "added" in medreview("team", "merge", "s.medreview", copies[0]).stdout
    (items, _) = json.loads(medreview("plan", "show", "s.medreview", "--json").stdout)
    assert [one["decided"] for one in items["reviewers"]] == [3, 0, 0, 0]
    for copy in copies:
        decide_batch(medreview.folder / copy, copy.partition("-")[2].removesuffix(".medreview"), TEAM)
    said = medreview("team", "merge", "s.medreview", *copies).stdout
    assert said.count("A copy without what judges say brings decisions alone.") == 1
    assert medreview("team", "merge", "s.medreview", copies[0]).stdout.startswith("0 events added")
    return medreview


def rule(medreview: Program, team: SimulatedTeam) -> tuple[Expected, Expected]:
    """What the rule comes to on items and on answers."""
    with Study.open(medreview.folder / "s.medreview", read_only=True) as study:
        shared = batches(study)
    names = [one.name for one in team.annotators]
    items = {who: {item: team.flags(who, item) for item in shared["items"][who]} for who in names}
    answers = {who: {one: team.type_of(who, one) for one in shared["answers"][who]} for who in names}
    return expected(items), expected(answers)


def test_a_copy_tells_nothing_of_others_of_right_labels_or_of_models(handed_out: Program) -> None:
    with Study.open(handed_out.folder / "answers-ben.medreview", read_only=True) as copy:
        for table in ("gold", "judgement", "opinion", "verdict", "hallucination_finding", "llm_call", "generation"):
            assert copy.reader.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0, table
        assert {row[0] for row in copy.reader.execute("SELECT model FROM response")} == {""}
        assert {row[0] for row in copy.reader.execute("SELECT kind FROM event")} == {"consent", "draw", "assign"}
        assert not copy.reader.execute("SELECT 1 FROM unit").fetchall()
    whole = (handed_out.folder / "answers-ben.medreview").read_bytes()
    assert not any(word in whole for word in (b"taken for life", b"quillwright"))


def test_the_board_and_the_figures_are_what_the_rule_comes_to(handed_in: Program) -> None:
    answers = rule(handed_in, TEAM)[1]
    of_items, of_answers = json.loads(handed_in("plan", "show", "s.medreview", "--json").stdout)
    assert all(one["decided"] == one["units"] for board in (of_items, of_answers) for one in board["reviewers"])
    so_far = of_answers["agreement"]
    assert (so_far["units"], so_far["pairs"], so_far["same_pairs"]) == (answers.shared, answers.pairs, answers.same)
    assert (so_far["conflicts"], so_far["differ"]) == (len(answers.differ), {"hallucination": len(answers.differ)})
    assert of_items["agreement"]["differ"]["dispute"] == len(rule(handed_in, TEAM)[0].differ)
    for team, words in ((TEAM, ()), (TEAM.without("dora"), ("--passed", "attention"))):
        found = rule(handed_in, team)[0]
        told = json.loads(handed_in("stats", "s.medreview", "--unit", "qa", "--json", *FEW, *words).stdout)
        assert [one["reviewer"] for one in told["provenance"]["left_out"]] == ["dora"] * bool(words)
        (rates,) = told["unit"]["family"]["rates"]
        assert rates["disputed"] == len(found.flagged)
        assert rates["flags_open"] == len(found.differ)
        agreement = {one["name"]: one for one in told["unit"]["family"]["validity_agreement"]}
        assert agreement["mean pairwise agreement"]["n"] == found.shared
        assert agreement["mean pairwise agreement"]["value"] == pytest.approx(found.same / found.pairs)


def test_a_third_person_settles_what_differs_and_the_study_says_the_truth(handed_in: Program) -> None:
    items, answers = rule(handed_in, TEAM)
    file = handed_in.folder / "s.medreview"
    relevance = {item for item in TEAM.items if TEAM.relevance("dora", item) != "5"}
    with Study.open(file, read_only=True) as study:
        shared = batches(study)["items"]
    with_dora = {item for item in relevance & {*shared["dora"]} if sum(item in own for own in shared.values()) > 1}
    assert settle(file, "eve", "conflicts_qa", TEAM) == len(items.differ | with_dora)
    assert settle(file, "eve", "conflicts_answers", TEAM) == len(answers.differ)
    told = json.loads(handed_in("stats", "s.medreview", "--unit", "qa", "--json", *FEW).stdout)
    (rates,) = told["unit"]["family"]["rates"]
    agreed = items.flagged - items.differ
    assert (rates["flags_open"], rates["unsettled"]) == (0, 0)
    assert rates["disputed"] == len(agreed | {item for item in items.differ if TEAM.items[item]})
    handed_in("export", "s.medreview", "out")
    with (handed_in.folder / "out" / "unit_labels.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    settled = {row["unit_id"]: row["adjudicated_label"] for row in rows if row["axis"] == "hallucination"}
    assert sum(bool(label) for label in settled.values()) == len(answers.differ)
    assert "whole" in handed_in("check", "s.medreview").stdout
