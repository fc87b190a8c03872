"""Rules and reviewers on references: false accusations by hand, blind and assisted labels apart."""

import pytest

from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_parts import unit_parts
from medreview.references.verdict import Verdict
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.intervals import wilson
from medreview.stats.units.accused_references import ReferenceUnitFigures
from medreview.stats.units.unit_figures import unit_figures
from medreview.study import Study
from tests.stats.small_study import SmallStudy
from tests.support.reference_rows import ReferenceRows
from tests.support.unit_study import decide

FEW = Resampling(replicates=199)
SAID: dict[str, list[tuple[Verdict, str]]] = {
    # The rules' verdict and the reviewer's label of each reference, by response.
    "r1": [("match", "match"), ("mismatch", "match"), ("other_work", "other_work")],
    "r2": [("match", "match"), ("mismatch", "mismatch"), ("not_found", "match")],
    "r3": [("other_work", "other_work"), ("not_found", "not_found"), ("match", "mismatch")],
    "r4": [("ambiguous", "match"), ("mismatch", "cannot_judge"), ("mismatch", "other_work")],
    "r5": [("match", "match"), ("not_found", "not_found"), ("not_checkable", "cannot_judge")],
}


@pytest.fixture
def labelled(study: Study) -> Study:
    """Everything above, labelled blind by anna; bob labels the first response with the rules in sight."""
    small, references = SmallStudy(study), ReferenceRows(study)
    for name, rows in SAID.items():
        small.response(name, 1)
        units = [f"reference:{one}" for one in references.add(name, *(verdict for verdict, _ in rows))]
        for unit, (_, label) in zip(units, rows, strict=True):
            decide(study, "anna", unit, "reference", label)
            if name == "r1":
                decide(study, "bob", unit, "reference", label, mode="open")
    return study


def test_false_accusations_are_counted_over_responses(labelled: Study) -> None:
    figures = unit_figures(labelled.reader, "reference", resampling=FEW)
    assert (figures.units, figures.labelled, figures.cluster) == (15, 15, "response")
    assert isinstance(figures.family, ReferenceUnitFigures)
    blind, assisted = figures.family.accusations
    assert (blind.reviewer, blind.which, blind.machine) == ("anna", "first, blind", "rules")
    assert (assisted.reviewer, assisted.which) == ("bob", "assisted")

    # Accused and labelled: 2 in r1 (1 of them a match), 2 in r2 (1), 2 in r3 (0), 1 in r4 (0; one cannot be judged),
    # 1 in r5 (0).
    assert (blind.false.value, blind.false.n, blind.false.clusters, blind.false.dropped) == (2 / 8, 8, 5, 1)
    assert blind.false.method == "jackknife over responses"
    assert blind.false.low is not None
    assert blind.false.high is not None
    assert 0 < blind.false.low < 2 / 8 < blind.false.high < 1
    by_verdict = {one.name.rpartition("share of ")[2]: (one.value, one.n) for one in blind.by_verdict}
    assert by_verdict == {"other work": (0, 2), "mismatch": (1 / 3, 3), "not found": (1 / 3, 3)}
    # No response has two of a verdict: they are taken as they are.
    mismatch = blind.by_verdict[1]
    assert (mismatch.method, (mismatch.low, mismatch.high)) == ("Wilson", wilson(1, 3))
    # Five are called a match; one of them the rules cannot judge, and two of the others they accuse.
    assert (blind.honest.value, blind.honest.n) == (2 / 5, 5)
    assert assisted.false.value == 1 / 2
    assert assisted.false.low is None


def test_rules_and_reviewer_are_compared_on_four_labels(labelled: Study) -> None:
    figures = unit_figures(labelled.reader, "reference", resampling=FEW)
    four, accused = figures.axes[0].scales
    blind = next(one for one in four.machines if one.which == "first, blind")

    assert four.labels == ("match", "mismatch", "other_work", "not_found")
    # Rows are the reviewer's, columns the rules'; what either cannot judge is left out.
    assert blind.table == ((3, 1, 0, 1), (1, 1, 0, 0), (0, 1, 2, 0), (0, 0, 0, 2))
    assert blind.estimate("percent agreement").value == 8 / 12
    chance = (5 * 4 + 2 * 3 + 3 * 2 + 2 * 3) / 144
    assert blind.estimate("Cohen's kappa").value == pytest.approx((8 / 12 - chance) / (1 - chance))
    assert blind.right is not None
    assert {label: (blind.right.precision[label].value, blind.right.recall[label].value) for label in four.labels} == {
        "match": (3 / 4, 3 / 5), "mismatch": (1 / 3, 1 / 2), "other_work": (2 / 2, 2 / 3), "not_found": (2 / 3, 2 / 2),
    }  # fmt: skip
    two = next(one for one in accused.machines if one.which == "first, blind")
    assert two.table == ((3, 2), (1, 6))
    text = printed(unit_parts(figures))
    assert "False accusations" in text
    assert "rules beside anna, first, blind labels" in text


def test_without_labels_or_accusations_nothing_is_claimed(study: Study) -> None:
    small, references = SmallStudy(study), ReferenceRows(study)
    small.response("r1", 1)
    (unit,) = references.add("r1", "match")
    assert unit_figures(study.reader, "reference", resampling=FEW).family is None
    decide(study, "anna", f"reference:{unit}", "reference", "match")
    figures = unit_figures(study.reader, "reference", resampling=FEW)
    assert isinstance(figures.family, ReferenceUnitFigures)
    (one,) = figures.family.accusations

    assert (one.false.value, one.false.reason) == (None, "No reference that was labelled so is accused.")
    assert (one.honest.value, one.honest.method, one.honest.low) == (0.0, "Wilson", 0.0)
    assert "nan" not in printed(unit_parts(figures))
