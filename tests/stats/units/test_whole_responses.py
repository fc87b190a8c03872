"""Whole responses beside the judges' roll-up and the same reviewer's own statements."""

from medreview.cli.reports.terminal import printed
from medreview.cli.reports.unit_parts import unit_parts
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.rater_agreement import WholeResponseFigures
from medreview.stats.units.unit_figures import unit_figures
from medreview.study import Study
from tests.support.unit_samples import two_responses
from tests.support.unit_study import decide

FEW = Resampling(replicates=199)


def test_a_response_beside_the_judges_and_beside_ones_own_statements(study: Study) -> None:
    two_responses(study)
    decide(study, "anna", "response:r1", "all_supported", "yes")
    decide(study, "anna", "response:r2", "all_supported", "no")
    for statement, level in (("r1.0", "supported"), ("r1.1", "supported"), ("r2.0", "supported")):
        decide(study, "anna", statement, "evidence", level)

    figures = unit_figures(study.reader, "response", resampling=FEW)
    judges = figures.axes[0].scales[0].machines[0]
    # No judge found the second statement of either response supported: the roll-up is "no" twice.
    assert (judges.second, judges.table) == ("judges", ((0, 1), (0, 1)))
    assert judges.estimate("percent agreement").value == 1 / 2
    assert judges.estimate("Cohen's kappa").value == 0

    assert isinstance(figures.family, WholeResponseFigures)
    own, final = figures.family.own_statements
    # r1 is rolled up to yes; of r2 one statement has no label and none says no, so that it stays open.
    assert (own.which, own.n, own.dropped, own.table) == ("first, blind", 1, 1, ((1, 0), (0, 0)))
    decide(study, "anna", "r2.1", "evidence", "partial", mode="open")
    figures = unit_figures(study.reader, "response", resampling=FEW)
    assert isinstance(figures.family, WholeResponseFigures)
    own, final = figures.family.own_statements
    # A label given with the judges in sight is a final one only.
    assert (own.n, final.which, final.table) == (1, "final", ((1, 0), (0, 1)))
    assert "Beside the same reviewer's labels on the statements" in printed(unit_parts(figures))
