"""Differences of judges, models and modes against values worked out by hand."""

from typing import Any

import pytest

from medreview.cli.reports.estimates import difference_parts
from medreview.cli.reports.terminal import printed
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.hypothesis_tests import Difference
from medreview.stats.reports.study_differences import CHOSEN_HERE, DifferenceFamily
from medreview.stats.study_figures import study_figures
from tests.stats.small_study import SmallStudy

FAST = Resampling(replicates=199)


def families(small: SmallStudy, **more: Any) -> dict[tuple[str, str | None], DifferenceFamily]:
    small.roll_up()
    found = study_figures(small.study.reader, resampling=FAST, **more).differences
    return {(one.between, one.mode or (one.drawn and "drawn") or None): one for one in found}


def one(family: DifferenceFamily, first: str, second: str, statistic: str) -> Difference:
    return next(d for d in family.differences if (d.first, d.second, d.statistic) == (first, second, statistic))


@pytest.fixture
def judged(small: SmallStudy) -> SmallStudy:
    """Six responses of two statements, of two models. anna: the first of each is supported, the second is not.

    Judge one is right but on c.2; judge two calls everything supported but d.1 and d.2; three is right where it spoke.
    """
    for place, name in enumerate("abcdef"):
        small.response(name, 2, model="atlas" if place < 3 else "borealis")
    for name in "abcdef":
        small.judged("one", "supported", f"{name}.1", *(["c.2"] if name == "c" else []))
        small.judged("one", "partial", *([f"{name}.2"] if name != "c" else []))
        small.judged("two", "contradicted" if name == "d" else "supported", f"{name}.1", f"{name}.2")
        small.said("supported", f"{name}.1", mode="blind", block="audit")
        small.said("not_addressed", f"{name}.2", mode="blind", block="audit")
    small.judged("three", "supported", "a.1")
    small.judged("three", "partial", "a.2")
    return small


def test_one_judge_minus_another_on_the_same_statements_with_mcnemar_over_responses(judged):
    family = families(judged)["judges", "blind"]
    agree, kappa = (one(family, "one", "two", name) for name in ("percent agreement", "Cohen's kappa"))

    # one: 11 of 12; two: a b e f one each, c one, d one: 6 of 12. Alone right: one on a.2 b.2 d.1 e.2 f.2, two nowhere.
    assert agree.estimate.value == pytest.approx(11 / 12 - 6 / 12)
    assert (agree.estimate.n, agree.estimate.clusters, agree.estimate.dropped) == (12, 6, 0)
    # Five responses differ by 1, one (c) by 0: chi-squared 5/6 x 25/5.
    assert agree.test == "McNemar over responses"
    assert agree.pvalue == pytest.approx(0.0412, abs=1e-4)
    # kappa of one: (11/12 - 1/2) / (1/2); of two: 5 6 in the column of supported 1 in the other: 6 of 12, chance 1/2.
    assert kappa.estimate.value == pytest.approx(5 / 6 - 0)
    assert (kappa.test, kappa.estimate.n) == ("Student's t, jackknife over responses", 12)
    assert kappa.pvalue is not None


def test_a_judge_that_spoke_on_few_statements_is_compared_on_these_alone(judged):
    small = one(families(judged)["judges", "blind"], "one", "three", "percent agreement").estimate

    assert (small.n, small.clusters, small.dropped, small.value) == (2, 1, 10, 0)
    assert "one response" in str(small.reason)


def test_the_jury_is_held_against_the_best_single_judge_and_that_is_said_to_flatter_it(judged):
    family = families(judged)["judges", "blind"]
    (best,) = {d.second for d in family.differences if d.first == "the judges together"}

    # three is always right, on two statements of one response: kappa 1.
    assert best == "three"
    assert family.cautions == (CHOSEN_HERE,)
    assert {d.family for d in family.differences} == {sum(d.pvalue is not None for d in family.differences)}
    assert all((d.adjusted or 1) >= (d.pvalue or 0) for d in family.differences)


def test_support_of_one_model_minus_anothers_is_of_the_verdicts(judged):
    judged.invalid("g", "empty", model="borealis")
    family = families(judged)["models_support", None]
    statements, responses = (
        one(family, "borealis", "atlas", statistic).estimate for statistic in ("statement support", "response support")
    )

    # Verdicts (one and two, and three on a): supported a.1 b.1 c.1 c.2 and e.1 f.1; not a.2 d.2; tied: b.2 d.1 e.2 f.2.
    assert statements.value == pytest.approx(2 / 3 - 4 / 5)
    assert statements.n == 8
    # Whole: a (not) and c (supported); of borealis only the invalid one, which is not.
    assert (responses.value, responses.n) == (-1 / 2, 3)


def test_agreement_by_model_and_blind_minus_assisted_by_hand(judged):
    judged.response("g", 2)
    judged.judged("one", "supported", "g.1", "g.2")
    judged.said("supported", "g.1", block="audit")
    judged.said("partial", "g.2", block="audit")
    found = families(judged)
    by_model = one(found["models_agreement", "blind"], "atlas", "borealis", "percent agreement").estimate
    modes = one(found["modes", "drawn"], "blind", "assisted", "percent agreement").estimate

    # Not tied: a.1 a.2 b.1 c.1 right and c.2 wrong of atlas; d.2 e.1 f.1 right of borealis.
    assert by_model.value == pytest.approx(4 / 5 - 1)
    assert modes.value == pytest.approx(7 / 8 - 1 / 2)
    assert modes.n == 10


def test_without_the_full_figures_nothing_of_labels_is_subtracted(judged):
    assert families(judged, full=False) == {}


def test_the_report_names_first_and_second_the_test_and_the_family(judged):
    text = printed(difference_parts(tuple(families(judged).values())), styled=False)

    assert "agreement with anna (blind, random audit), one judge minus another" in text
    assert "one - two" in text
    assert "+41.7" in text
    assert "McNemar over responses" in text
    assert "nan" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_models_that_are_left_out_are_not_called_smaller_than_their_equals(small):
    for name in "abcdefg":
        small.response(name, 1, model=f"model-{name}")
        small.judged("one", "supported" if name < "d" else "partial", f"{name}.1")
    family = families(small)["models_support", None]
    assert family.omitted == 1
    told = " ".join(printed(difference_parts([family])).split())
    assert "1 more model not compared: those with most responses are, and of equal ones the first by name" in told
    assert "smaller" not in told
