"""Figures of a study's own axes and of tags, beside coefficients that are worked out here in another way."""

import json
from collections.abc import Sequence
from itertools import product

import pytest

from medreview.errors import UserError
from medreview.review.conflicts import adjudicate, load_conflict
from medreview.review.queue_filters import select_statements
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.study_figures import figure_document, study_figures
from medreview.stats.units.own_axis_figures import own_axis_figures, tag_counts
from medreview.study import Study
from medreview.study.own_axes import EXAMPLE, set_axes, shipped_text
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_study import decide, do

STEPS = ("none", "mild", "moderate", "severe", "death")
ADA = ["none", "none", "mild", "mild", "moderate", "severe", "severe", "death", "none", "cannot_judge"]
BO = ["none", "mild", "mild", "moderate", "moderate", "severe", "death", "death", "none", "mild"]
FEW = Resampling(replicates=99)


@pytest.fixture
def study(empty_study: Study) -> Study:
    def make(rows: StudyBuilder) -> None:
        for number in range(5):
            rows.response(f"r{number}", statements=["One.", "Two."], question=f"Question {number // 2}?")

    build(empty_study, make)
    set_axes(empty_study, "ada", shipped_text("harm") + shipped_text(EXAMPLE))
    units = [f"r{number}.{place}" for number, place in product(range(5), (1, 2))]
    for unit, mine, theirs in zip(units, ADA, BO, strict=True):
        decide(empty_study, "ada", unit, "own.harm", mine)
        decide(empty_study, "bo", unit, "own.harm", theirs)
    for unit, mine, theirs in zip(units, ("dose", "dose;warning", "none", "warning"), ("dose", "dose", "dose", "none"),
                                  strict=False):  # fmt: skip
        decide(empty_study, "ada", unit, "own.missing", mine)
        decide(empty_study, "bo", unit, "own.missing", theirs)
    for who, place, tag, on in (("ada", 0, "dose", True), ("bo", 0, "dose", True), ("bo", 1, "dose", True),
                               ("bo", 2, "ask", True), ("bo", 2, "ask", False)):  # fmt: skip
        do(empty_study, who, "tag", units[place], {"tag": tag, "on": on})
    return empty_study


def weighted_kappa(one: Sequence[int], other: Sequence[int], steps: int) -> float:
    """Cohen 1968 with quadratic weights, as 1 - observed disagreement / disagreement by chance."""
    n = len(one)
    observed = sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) / n
    chance = sum((a - b) ** 2 * one.count(a) * other.count(b) for a, b in product(range(steps), repeat=2)) / n**2
    return 1 - observed / chance


def test_levels_are_counted_and_compared_as_steps_without_cannot_judge(study: Study) -> None:
    harm, _ = own_axis_figures(study.reader, resampling=FEW)
    assert (harm.axis, harm.kind, harm.cluster, harm.labelled, harm.ordered) == (
        "own.harm", "statement", "question", 10, True,
    )  # fmt: skip
    final = {one.reviewer: one for one in harm.labels if one.which == "final"}
    assert (final["ada"].units, final["bo"].units) == (10, 10)
    assert final["ada"].levels == {level: ADA.count(level) for level in dict.fromkeys(ADA)}
    (scale,) = harm.scales
    assert scale.labels == STEPS
    blind, last = scale.between
    assert (blind.which, last.which, blind.n, blind.clusters) == ("first, blind", "final", 9, 3)
    one, other = ([STEPS.index(label) for label in said[:9]] for said in (ADA, BO))
    same = sum(a == b for a, b in zip(one, other, strict=True))
    assert blind.agreement[0].value == pytest.approx(same / 9)
    kappa = blind.estimate("Cohen's kappa (quadratic weights)")
    assert kappa.value == pytest.approx(weighted_kappa(one, other, 5), abs=1e-12)
    assert scale.together[0].reviewers == ("ada", "bo")
    assert scale.consensus == ()  # of a majority only machines could be said, and none speaks here


def test_of_several_levels_at_once_each_is_a_yes_or_no(study: Study) -> None:
    _, missing = own_axis_figures(study.reader, resampling=FEW)
    assert (missing.many, missing.levels, missing.labelled) == (True, ("dose", "warning", "none"), 4)
    final = {one.reviewer: one for one in missing.labels if one.which == "final"}
    assert final["ada"].levels == {"dose": 2, "warning": 2, "none": 1}
    assert final["ada"].units == 4
    dose, warning = missing.scales
    assert (dose.title, dose.labels) == ("what is missing: dose", ("yes", "no"))
    assert dose.between[0].table == ((2, 0), (1, 1))
    assert warning.between[0].table == ((0, 2), (0, 2))


def test_what_was_settled_is_counted(study: Study) -> None:
    conflict = load_conflict(study.reader, "r0.2", "own.harm")
    assert conflict is not None
    adjudicate(study, "chair", conflict, "mild")
    found = own_axis_figures(study.reader, resampling=FEW)[0].adjudication
    assert (found.twice, found.differ, found.by_third, found.open) == (10, 4, 1, 3)
    assert (found.outcome, found.upheld) == ({"mild": 1}, {"bo": 1})


def test_tags_are_counted_by_unit_and_reviewer(study: Study) -> None:
    (dose,) = tag_counts(study.reader)
    assert (dose.tag, dose.units, dose.reviewers) == ("dose", 2, {"ada": 1, "bo": 2})


def test_all_of_it_is_in_the_figures_of_the_study_and_of_a_part(study: Study) -> None:
    document = json.loads(json.dumps(figure_document(study_figures(study.reader, resampling=FEW))))
    assert [one["axis"] for one in document["own_axes"]] == ["own.harm", "own.missing"]
    assert document["tags"] == [{"tag": "dose", "units": 2, "reviewers": {"ada": 1, "bo": 2}}]
    assert ("ada", 10) in study_figures(study.reader, resampling=FEW).given
    part = study_figures(study.reader, "bo", resampling=FEW, only=select_statements(study.reader, "tag=dose", "bo"))
    assert part.own_axes[0].labelled == 2
    with pytest.raises(UserError, match="say whose labels"):
        select_statements(study.reader, "tag=dose")


def test_axes_without_labels_have_no_figures_and_the_study_as_before(empty_study: Study) -> None:
    build(empty_study, lambda rows: rows.response("r1", statements=["One."]))
    set_axes(empty_study, "ada", shipped_text("harm"))
    assert own_axis_figures(empty_study.reader) == ()
