"""What judges may stand in for, on a study of three people and two judges: each figure counted again from the rows."""

from dataclasses import asdict
from typing import Any

import pytest

from medreview.cli.reports.judge_trust import trust_parts
from medreview.cli.reports.terminal import printed
from medreview.review.looks import note_test_look
from medreview.stats.clusters import study_clusters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import figure_rows
from medreview.stats.reports.judge_trust import judge_trust
from medreview.stats.reports.judged_labels import half_of, peoples_labels, prompt_report
from medreview.stats.reports.reviewer_labels import reviewer_labels
from medreview.stats.study_figures import study_figures
from medreview.study.audit_frame import seed_of_draws
from tests.stats.reports.panel_study import FIRST, PEOPLE, SECOND, panel
from tests.stats.small_study import SmallStudy
from tests.support.study_builder import rows_of

FAST = Resampling(replicates=199)
TOGETHER = "the judges together"


def labels_of(small: SmallStudy) -> dict[str, Any]:
    return {name: reviewer_labels(small.study.reader, name) for name in PEOPLE}


def trust_of(small: SmallStudy, **more: Any) -> Any:
    return judge_trust(small.study.reader, labels_of(small), FAST, **more)


def words(small: SmallStudy, run: str) -> dict[str, bool]:
    """What a run says of each statement: ``a1``, ``a2``, ``a3`` of amber, ``b1`` of basalt."""
    query = "SELECT statement_id, supported FROM judgement WHERE judgement_id LIKE ? || '-%'"
    return {row["statement_id"]: bool(row["supported"]) for row in rows_of(small.study, query, run)}


def majority(small: SmallStudy) -> dict[str, bool]:
    held = [{unit: label.label == "supported" for unit, label in of.items()} for of in labels_of(small).values()]
    return {unit: sum(one[unit] for one in held) >= 2 for unit in held[0]}


@pytest.fixture(scope="module")
def two_models(small_of_module: SmallStudy) -> SmallStudy:
    """Read only."""
    panel(small_of_module, questions=20, models=2)
    return small_of_module


def test_the_newest_answer_of_each_judge_is_held_against_every_person(two_models):
    found = trust_of(two_models).stand_ins

    assert (found.people, found.statements, found.clusters, found.cluster) == (PEOPLE, 80, 20, "question")
    assert [one.judge for one in found.judges] == [TOGETHER, "amber", "basalt"]
    amber, said = found.judges[1], words(two_models, "a3")
    labels = labels_of(two_models).items()
    own = {name: {unit: one.label == "supported" for unit, one in held.items()} for name, held in labels}
    for one in amber.people:
        others = [own[name] for name in PEOPLE if name != one.person]
        near = [
            sum(other[unit] == said[unit] for other in others) >= sum(other[unit] == label for other in others)
            for unit, label in own[one.person].items()
        ]
        assert one.advantage.value == pytest.approx(sum(near) / 80)
        assert one.test == "Student's t, clustered by question"
    assert amber.advantage.value == pytest.approx(sum(one.advantage.value for one in amber.people) / 3)


def test_epsilon_is_that_of_the_caller(two_models):
    assert {one.epsilon for one in trust_of(two_models, epsilon=0.1).stand_ins.judges} == {0.1}


def test_a_label_given_after_another_was_seen_is_no_independent_one(two_models):
    labels = labels_of(two_models)
    first = next(iter(labels["anna"]))
    labels["anna"][first] = labels["anna"][first]._replace(saw_others=True)
    found = judge_trust(two_models.study.reader, labels, FAST).stand_ins

    assert {one.person: one.advantage.n for one in found.judges[1].people} == {"anna": 79, "ben": 80, "cleo": 80}


def test_errors_are_against_the_majority_of_the_people(two_models):
    found = trust_of(two_models)
    right, said = majority(two_models), words(two_models, "b1")
    basalt = next(one for one in found.errors if one.judge == "basalt")
    wrong = {unit for unit in right if right[unit] != said[unit]}

    assert (found.labels_of, found.reviewers, found.labels) == ("blind, random audit", PEOPLE, 80)
    assert (basalt.n, basalt.clusters, basalt.wrong.value) == (80, 20, pytest.approx(len(wrong) / 80))
    lengths = {row["statement_id"]: len(row["text"]) for row in rows_of(two_models.study, "SELECT * FROM statement")}
    for part in basalt.by_length.parts:
        of = [unit for unit, length in lengths.items() if part.least <= length <= part.most]
        assert (part.wrong.n, part.wrong.value) == (len(of), pytest.approx(len(wrong & set(of)) / len(of)))
    assert sum(part.wrong.n for part in basalt.by_length.parts) == 80


def test_answers_of_the_judges_own_family_stand_apart(two_models):
    found = {one.judge: one.by_family for one in trust_of(two_models).errors}
    right, said = majority(two_models), words(two_models, "b1")
    own, other = ([unit for unit in right if word in unit] for word in ("atlas", "gpt"))
    false = [unit for unit in own if not right[unit]]

    assert found[TOGETHER] is None
    assert (found["amber"].family, found["basalt"].family, found["basalt"].writers) == (
        "gpt",
        "atlas",
        ("atlas", "gpt"),
    )
    same = found["basalt"].same
    assert same.agreement.value == pytest.approx(sum(right[unit] == said[unit] for unit in own) / len(own))
    assert same.false_support.value == pytest.approx(sum(said[unit] for unit in false) / len(false))
    difference = found["basalt"].difference.agreement
    others = sum(right[unit] == said[unit] for unit in other) / len(other)
    assert difference.value == pytest.approx(same.agreement.value - others)
    assert difference.low < difference.value < difference.high


def test_confidence_is_that_of_the_newest_answer(two_models):
    amber = next(one for one in trust_of(two_models).errors if one.judge == "amber").calibration
    query = "SELECT confidence, supported, statement_id FROM judgement WHERE judgement_id LIKE 'a3-%'"
    rows, right = rows_of(two_models.study, query), majority(two_models)
    distance = [(row["confidence"] - (bool(row["supported"]) == right[row["statement_id"]])) ** 2 for row in rows]

    assert (amber.n, amber.brier.value) == (80, pytest.approx(sum(distance) / 80))
    assert [one.low for one in amber.bins] == [0.6, 0.7, 0.9]


def test_repeats_are_runs_of_one_prompt_and_model(two_models):
    (found,) = trust_of(two_models).repeats
    first, second = words(two_models, "a2"), words(two_models, "a3")

    assert (found.judge, found.prompt_sha256, found.runs, found.differ, found.pairs) == (
        "amber",
        SECOND,
        2,
        ("seed",),
        80,
    )
    assert found.same.value == pytest.approx(sum(first[unit] == second[unit] for unit in first) / 80)
    assert found.same.clusters == 20


def test_prompts_are_compared_on_half_of_the_questions(two_models):
    reader, right = two_models.study.reader, majority(two_models)
    found = trust_of(two_models).prompts
    clusters, seed = study_clusters(reader), seed_of_draws(reader)
    here = [unit for unit in right if half_of(seed, clusters.of[unit.rpartition(".")[0]]) == "tuning"]
    (amber,) = found.judges

    assert (found.half, found.labels, found.looks, amber.statements) == ("tuning", len(here), 0, len(here))
    assert 0 < len(here) < len(right)
    agree = [sum(words(two_models, run)[unit] == right[unit] for unit in here) / len(here) for run in ("a1", "a3")]
    first, second = amber.prompts
    assert (first.prompt_sha256, second.prompt_sha256) == (FIRST, SECOND)
    assert [first.agreement.value, second.agreement.value] == pytest.approx(agree)
    assert first.minus_newest.value == pytest.approx(agree[0] - agree[1])
    assert (second.minus_newest, second.p) == (None, None)


def test_no_question_is_in_both_halves_and_together_they_are_the_study(two_models):
    reader = two_models.study.reader
    of, clusters = peoples_labels(labels_of(two_models)), study_clusters(reader)
    halves = [prompt_report(reader, of, clusters, "undecided", FAST, half=half) for half in ("tuning", "test")]

    assert sum(one.clusters for one in halves) == 20
    assert sum(one.labels for one in halves) == 80


def test_a_look_at_the_test_half_is_counted(small):
    panel(small, questions=6)
    note_test_look(small.study, "anna")
    note_test_look(small.study, "ben")
    found = trust_of(small)

    assert found.prompts.looks == 2
    assert "The test half was looked at 2 times before" in " ".join(printed(trust_parts(found)).split())


@pytest.mark.parametrize(("drawn", "title"), [(30, "blind, random audit"), (12, "blind, other queues")])
def test_the_random_audit_leads_where_it_has_labels_enough(small, drawn, title):
    small.response("r", 50)
    names = [f"r.{place}" for place in range(1, 51)]
    small.said("supported", *names[:drawn], who="anna", mode="blind", block="audit")
    small.said("partial", *names[drawn:45], who="anna", mode="blind", block="responses")
    small.said("supported", *names[45:], who="anna", mode="open")
    found = peoples_labels({"anna": reviewer_labels(small.study.reader, "anna")})

    assert found.title == title
    assert set(found.labels.values()) == {drawn == 30}
    assert len(found.labels) == (30 if drawn == 30 else 45 - drawn)


def test_few_labels_are_told_in_a_line(small):
    panel(small, questions=6)
    found = trust_of(small)
    text = " ".join(printed(trust_parts(found)).split())

    assert found.labels == 12
    assert "3 people are needed who share 30 items or more" in text
    assert "By confidence, length and family: printed from 30 statements on" in text
    assert "Brier" not in text
    assert found.tests == sum(one.tests for one in found.errors)
    basalt = next(one for one in found.errors if one.judge == "basalt")
    shortest, *_ = basalt.by_length.parts
    assert (shortest.wrong.n, shortest.wrong.value) == (4, None)
    assert "a share would tell each" in shortest.wrong.reason
    assert "30 labelled statements with a verdict are needed for a trend: there are 12" in basalt.by_length.trend.reason


def test_assisted_labels_count_only_without_blind_ones_and_say_so(small):
    panel(small, questions=4, labelled=False)
    units = [row["statement_id"] for row in rows_of(small.study, "SELECT statement_id FROM statement")]
    for who in PEOPLE:
        small.said("supported", *units, who=who, mode="open", block="flagged")
    found = trust_of(small)

    assert (found.labels_of, found.stand_ins.title) == ("assisted, other queues", "assisted, other queues")
    assert any("in sight" in caution for caution in found.cautions)
    assert found.cautions == found.stand_ins.cautions


def test_even_labels_of_two_people_settle_nothing(small):
    small.response("r", 2)
    small.said("supported", "r.1", "r.2", who="anna", mode="blind", block="audit")
    small.said("supported", "r.1", who="ben", mode="blind", block="audit")
    small.said("cannot_judge", "r.2", who="ben", mode="blind", block="audit")
    small.said("partial", "r.1", who="cleo", mode="blind", block="audit")
    small.said("partial", "r.2", who="dora", mode="blind", block="audit")
    labels = {name: reviewer_labels(small.study.reader, name) for name in ("anna", "ben", "cleo", "dora")}
    found = peoples_labels(labels)

    assert found.labels == {"r.1": True}
    assert found.left_out == {"reviewer cannot judge": 1, "reviewers tied": 1}


def test_a_study_without_labels_has_nothing_to_say(small):
    panel(small, questions=3, labelled=False)
    found = judge_trust(small.study.reader, {}, FAST)

    assert (found.stand_ins, found.errors, found.labels) == (None, (), 0)
    assert found.repeats[0].pairs == 6


def test_all_of_it_is_printed_in_80_columns_and_has_its_rows(two_models):
    figures = study_figures(two_models.study.reader, resampling=FAST)
    text = printed(trust_parts(figures.trust))

    assert max(map(len, text.splitlines())) <= 80
    for said in ("may stand in", "Brier score", "longest third", "of the family gpt", "asked again", "tuning half"):
        assert said in text
    assert asdict(figures)["trust"]["stand_ins"]["judges"][0]["judge"] == TOGETHER
    paths = [row.path for row in figure_rows(figures) if row.path.startswith("trust.")]
    assert "trust.errors[1].calibration.brier" in paths
    assert study_figures(two_models.study.reader, resampling=FAST, full=False).trust is None
