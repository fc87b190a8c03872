"""Models beside each other by audit and verdicts: from the labels of a study to the printed difference."""

import math
import random

import numpy as np
import pytest
from scipy.stats import norm

from medreview.cli.reports.audit import models_parts
from medreview.cli.reports.terminal import printed
from medreview.review.audit import draw
from medreview.stats.reports.audit_differences import ModelDifference
from medreview.stats.reports.audit_report import audit_report
from medreview.stats.reports.audit_verdicts import every_judge
from medreview.stats.reports.reviewer_labels import reviewer_labels
from medreview.study import Study
from medreview.study.study_acts import set_stopping_plan
from tests.stats.small_study import SmallStudy

SHARES = {"atlas": (0.8, 0.9), "boreal": (0.6, 0.7), "cirrus": (0.9, 0.9)}
"""By model: how much is supported, how often the judge is right."""


@pytest.fixture
def small(empty_study: Study) -> SmallStudy:
    """Three models of 25 responses of 4 statements, half of all in the audit, labelled blind in its order."""
    rng, made, truth = random.Random(4), SmallStudy(empty_study), {}
    for number in range(75):
        model = list(SHARES)[number % 3]
        made.response(f"r{number}", 4, model=model)
        share, right = SHARES[model]
        for ordinal in range(1, 5):
            unit = f"r{number}.{ordinal}"
            truth[unit] = rng.random() < share
            said = truth[unit] if rng.random() < right else not truth[unit]
            made.judged("one", "supported" if said else "not_addressed", unit)
    made.roll_up()
    draw(empty_study, "anna", rate=0.5)
    rows = empty_study.reader.execute("SELECT statement_id FROM audit_item ORDER BY number").fetchall()
    for (unit,) in rows:
        made.said("supported" if truth[unit] else "contradicted", unit, mode="blind", block="audit")
    return made


def differences(small: SmallStudy, *, assisted: bool = False) -> tuple[ModelDifference, ...]:
    reader = small.study.reader
    labels = {"anna": reviewer_labels(reader, "anna")}
    (figures,) = audit_report(reader, labels, every_judge(reader), assisted=assisted).figures
    return figures.models


def test_a_difference_is_that_of_each_models_own_prediction_powered_share(small: SmallStudy) -> None:
    reader = small.study.reader
    labels = reviewer_labels(reader, "anna")
    rows = reader.execute(
        """SELECT s.statement_id, r.model, v.supported FROM statement AS s JOIN response AS r USING (response_id)
           JOIN verdict AS v USING (statement_id)"""
    ).fetchall()
    powered, published = {}, {}
    for model in SHARES:
        own = [(unit, said) for unit, of, said in rows if of == model]
        y = np.array([labels[unit].label == "supported" for unit, _ in own if unit in labels], float)
        f = np.array([said for unit, said in own if unit in labels], float)
        rest = np.array([said for unit, said in own if unit not in labels], float)
        n, size = len(y), len(rest)
        slope = np.cov(y, f, ddof=0)[0, 1] / np.var(f)
        powered[model] = y.mean() + slope * (np.mean([said for _, said in own]) - f.mean())
        spread = np.var(np.concatenate([f, rest]), ddof=1)
        lam = np.clip(np.cov(y, f, ddof=0)[0, 1] / ((1 + n / size) * spread), 0, 1)
        published[model] = (
            lam * rest.mean() + y.mean() - lam * f.mean(),
            lam**2 * rest.var(ddof=1) / size + (y - lam * f).var(ddof=1) / n,
        )
    found = differences(small)

    assert {frozenset((one.first, one.second)) for one in found} == {
        frozenset(("atlas", "boreal")), frozenset(("atlas", "cirrus")), frozenset(("boreal", "cirrus")),
    }  # fmt: skip
    for one in found:
        if one.study.value is None:
            assert "of each are needed" in str(one.study.reason)
            continue
        assert one.study.value == pytest.approx(powered[one.first] - powered[one.second], abs=1e-12)
        assert one.study.low is not None
        assert one.study.high is not None
        assert one.study.low < one.study.value < one.study.high
        assert one.at_large.value == pytest.approx(one.study.value)
        (a, va), (b, vb) = published[one.first], published[one.second]
        half = norm.ppf(0.975) * math.sqrt(va + vb)
        assert (one.published.value, one.published.low) == pytest.approx((a - b, a - b - half), abs=1e-12)
    assert any(one.study.value is not None for one in found)


def test_it_is_printed_with_the_audit_alone_and_marked_until_the_plan_is_reached(small: SmallStudy) -> None:
    shown = " ".join(printed(models_parts(differences(small))).split())
    assert "Models: supported, one minus another, in points, by audit and verdicts" in shown
    assert "by the audit alone" in shown
    assert "3 comparisons stand side by side" in shown
    set_stopping_plan(small.study, "anna", labels=299)
    marked = [one.study for one in differences(small) if one.study.low is not None]
    assert marked
    assert all("interim: the plan is not reached yet" in each.notes for each in marked)


def test_labels_given_with_the_judges_in_sight_correct_them_only_when_asked_for(small: SmallStudy) -> None:
    reader = small.study.reader
    for unit, given in reviewer_labels(reader, "anna").items():
        small.said(given.label, unit, who="zoe", mode="open", block="audit")
    labels = {"zoe": reviewer_labels(reader, "zoe")}
    (refused,), (asked,) = (
        audit_report(reader, labels, every_judge(reader), assisted=wanted).figures for wanted in (False, True)
    )
    assert all(one.study.value is None for one in refused.models)
    assert any("--assisted counts them" in str(one.study.reason) for one in refused.models)
    assert any(one.alone.value is not None for one in refused.models)
    assert any(one.study.value is not None for one in asked.models)


def test_one_model_has_no_difference(empty_study: Study) -> None:
    made = SmallStudy(empty_study)
    made.response("a", 3)
    made.judge("a.1 a.2 a.3", one="SSN")
    made.roll_up()
    draw(empty_study, "anna", rate=1)
    made.said("supported", "a.1", "a.2", "a.3", mode="blind", block="audit")
    assert differences(made) == ()
