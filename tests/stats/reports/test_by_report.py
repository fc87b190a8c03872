"""A study divided: what is counted in each part, and what sets it apart."""

import pytest

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.subgroups import DIVISIONS, By, ByReport, StratumFigures
from medreview.stats.study_figures import study_figures
from tests.stats.random_study import fill
from tests.stats.small_study import SmallStudy

FEW = Resampling(replicates=199)


def divided(small: SmallStudy, by: By, **more) -> ByReport:
    return study_figures(small.study.reader, resampling=FEW, by=by, **more).by


def named(report: ByReport) -> dict[str, StratumFigures]:
    return {part.stratum: part for part in report.strata}


def three_models(small: SmallStudy) -> None:
    """Ten responses of atlas all supported, ten of ember half so; one statement of a third model."""
    for number in range(20):
        name = f"r{number}"
        small.response(name, 2, model="atlas" if number < 10 else "ember", origin="forum" if number % 2 else "clinic")
        small.judged("amber", "supported", f"{name}.1")
        small.judged("amber", "supported" if number < 10 else "contradicted", f"{name}.2")
        small.judged("basalt", "supported", f"{name}.1", f"{name}.2")
    small.response("r99", 1, model="tiny")
    small.roll_up()


def test_each_part_has_its_own_share_and_what_sets_it_apart(small):
    three_models(small)
    report = divided(small, "model")
    parts = named(report)

    assert [(part.stratum, part.statements, part.responses) for part in report.strata] == [
        ("atlas", 20, 10),
        ("ember", 20, 10),
    ]
    assert (report.folded, report.untold) == (1, 1), "the verdict of one statement is no figure"
    # A tie of two judges is no verdict: ten of ember's statements are left out.
    atlas, ember = parts["atlas"].supported, parts["ember"].supported
    assert (atlas.value, atlas.n, ember.value, ember.n, ember.dropped) == (1.0, 20, 1.0, 10, 10)
    assert atlas.low is None
    assert "all are supported in 10 of 10 responses" in atlas.reason


def test_a_judge_stands_beside_all_judges_where_both_have_a_verdict(small):
    three_models(small)
    report = divided(small, "judge")
    amber, basalt = named(report)["amber"], named(report)["basalt"]

    assert (amber.supported.value, basalt.supported.value) == (0.75, 1.0)
    assert report.against == "the judges together, where both have a verdict"
    # Where the two differ all together are tied: on the other statements each says what both say.
    assert (amber.apart.estimate.value, amber.apart.estimate.n) == (0.0, 30)
    assert amber.apart.pvalue is None


def test_a_judge_that_the_others_outvote_is_set_apart_on_the_same_statements(small):
    three_models(small)
    for number in range(20):
        small.judged("chalk", "supported", f"r{number}.1", f"r{number}.2")
        small.said("supported", f"r{number}.1", f"r{number}.2", mode="blind", block="audit")
    small.roll_up()
    report = divided(small, "judge")
    amber, chalk = named(report)["amber"], named(report)["chalk"]

    # Two of three say supported each time: amber is outvoted on 10 of 40.
    assert amber.apart.estimate.value == pytest.approx(-0.25)
    assert amber.apart.pvalue < 0.05
    assert amber.apart.adjusted == amber.apart.pvalue
    assert (chalk.apart.estimate.value, chalk.apart.pvalue) == (0.0, None)
    assert amber.reviewers[0].apart.estimate.value == pytest.approx(-0.25)
    assert amber.reviewers[0].estimate("percent agreement").value == 0.75


def test_labels_of_one_group_are_set_beside_the_judges_in_each_part(small):
    three_models(small)
    for number in range(20):
        label = "supported" if number % 3 else "partial"
        small.said(label, f"r{number}.1", mode="blind", block="audit")
        small.said("supported", f"r{number}.2")
    report = divided(small, "origin")
    parts = named(report)
    anna = {name: part.reviewers[0] for name, part in parts.items()}

    assert {one.group for one in anna.values()} == {"blind, random audit"}
    assert {name: one.labels for name, one in anna.items()} == {"clinic": 10, "forum": 10}
    # 0, 6, 12, 18 of the even ones are partial, 3, 9, 15 of the odd ones.
    assert (anna["clinic"].supported.value, anna["forum"].supported.value) == (0.6, 0.7)
    assert anna["clinic"].table == ((6, 0), (4, 0))
    assert anna["forum"].estimate("percent agreement").value == 0.7
    # Of two parts that are the whole one difference is enough.
    first, second = (part.reviewers[0].apart for part in report.strata)
    assert (report.strata[0].stratum, report.strata[0].statements) == ("forum", 21)
    assert first.estimate.value == pytest.approx(0.7 - 0.6)
    assert second is None


def test_queues_are_shown_by_their_own_labels_and_not_compared(small):
    three_models(small)
    for number in range(6):
        small.said("supported", f"r{number}.1", mode="blind", block="audit")
        small.said("partial", f"r{number}.2", block="flagged")
    parts = named(divided(small, "queue"))

    assert {name: part.reviewers[0].group for name, part in parts.items() if part.reviewers[0].labels} == {
        "audit": "blind, random audit",
        "flagged": "assisted, other queues",
    }
    assert all(part.reviewers[0].apart is None for part in parts.values())


@pytest.mark.parametrize("seed", range(30, 34))
def test_the_parts_of_any_study_agree_with_its_other_figures(small, seed):
    fill(small, seed)
    for by in DIVISIONS:
        report = divided(small, by)
        figures = study_figures(small.study.reader, resampling=FEW)
        assert report.by == by
        if by in ("model", "origin"):
            assert sum(part.statements for part in report.strata) + report.untold == figures.statements
            whole = figures.support.strata[0].estimate("statement-level support")
            told = sum(part.supported.n + part.supported.dropped for part in report.strata)
            assert told + report.untold == whole.n + whole.dropped
        for part in report.strata:
            assert part.supported.n + part.supported.dropped == part.statements
            for one in part.reviewers:
                assert one.supported.n + one.supported.dropped == one.labels
                agreed = one.estimate("percent agreement")
                assert agreed.n == sum(map(sum, one.table))
