"""Judges beside each other, on studies whose figures can be worked out by hand."""

import pytest

from medreview.cli.reports.stats import stats_parts
from medreview.cli.reports.terminal import printed
from medreview.judges.rollup import set_tie_rule
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.reviewer_labels import COARSE
from medreview.stats.study_figures import study_figures

FEW = Resampling(replicates=199)


def beside(small):
    small.roll_up()
    return study_figures(small.study.reader, resampling=FEW).between_judges


def figure(comparison, name):
    return next(figure for figure in comparison.agreement if figure.name == name)


def test_two_judges_and_the_coefficients_by_hand(small):
    small.response("a", 10)
    units = [f"a.{number}" for number in range(1, 11)]
    small.judged("ember", "supported", *units[:6])
    small.judged("ember", "partial", *units[6:])
    small.judged("slate", "supported", *units[:5], units[9])
    small.judged("slate", "partial", *units[5:9])

    found = beside(small)
    four, two = found.pairs

    # 8 of 10 the same; both say supported 6 times: expected 0.36 + 0.16, kappa (0.8 - 0.52) / 0.48.
    assert (four.scale, two.scale, four.n) == ("levels", "binary", 10)
    assert figure(four, "Cohen's kappa").value == pytest.approx(0.28 / 0.48)
    assert figure(two, "percent agreement").value == pytest.approx(0.8)
    levels, binary = found.juries
    assert levels.judges == ("ember", "slate")
    # The same marginals, so that Fleiss' pooled chance is Cohen's.
    assert binary.agreement.figures["fleiss_kappa"].value == pytest.approx(0.28 / 0.48)
    assert figure(four, "Cohen's kappa").clusters == 1
    assert figure(four, "Cohen's kappa").low is None


def test_abstentions_ties_and_two_way_judges_are_counted(small):
    for name in "abcd":
        small.response(name, 1)
    small.judged("ember", "supported", "a.1", "b.1", "c.1")
    small.judged("ember", "unsure", "d.1")
    small.judged("slate", "not found", "a.1")
    small.judged("slate", "supported", "b.1")
    small.judged("offline", "contradicted", "a.1", "b.1")

    found = beside(small)
    ember, slate, offline = found.tallies

    assert (ember.judge, ember.asked, ember.abstained) == ("ember", 4, 1)
    assert (slate.asked, slate.abstained, slate.labels["binary"]) == (2, 0, {"supported": 1, "not_supported": 1})
    assert slate.labels["levels"]["supported"] == 1
    assert (offline.judge, offline.asked) == ("offline", 2)
    assert {(pair.first, pair.second) for pair in found.pairs} == {("ember", "slate")}
    four, two = found.pairs
    assert (two.n, four.n, dict(four.dropped)) == (2, 0, {COARSE: 2})
    assert (found.tied, found.tie_rule, found.decided) == (1, "undecided", 3)


def test_the_tie_rule_is_said_and_used(small):
    small.response("a", 2)
    small.judged("ember", "supported", "a.1", "a.2")
    small.judged("slate", "partial", "a.1")
    small.judged("slate", "supported", "a.2")
    before = beside(small)
    set_tie_rule(small.study, "not_supported")
    after = beside(small)

    assert (before.decided, after.decided, after.tied, after.tie_rule) == (1, 2, 1, "not_supported")
    rows = small.study.reader.execute("SELECT verdict, supported, tied, abstained FROM verdict ORDER BY 1").fetchall()
    assert [tuple(row) for row in rows] == [("partial", 0, 1, 0), ("supported", 1, 0, 0)]


def test_the_report_shows_every_pair_within_80_columns(small):
    small.response("a", 3)
    small.response("b", 3)
    for judge in ("ember", "slate", "a judge with a long name"):
        small.judged(judge, "supported", "a.1", "b.2")
        small.judged(judge, "not_addressed", "a.2", "b.1")
    small.roll_up()
    report = printed(stats_parts(study_figures(small.study.reader, resampling=FEW), small.study.path))

    assert "The judges beside each other" in report
    assert "3 judges together, four labels" in report
    assert report.count("ember, slate") == 2
    assert max(len(line) for line in report.splitlines() if not line.startswith("  medreview ")) <= 80


def test_one_judge_alone_is_set_beside_nobody(small):
    small.response("a", 1)
    small.judged("ember", "supported", "a.1")
    found = beside(small)

    assert (len(found.tallies), found.pairs, found.juries) == (1, (), ())
    assert "beside each other" not in printed(
        stats_parts(study_figures(small.study.reader, resampling=FEW), small.study.path)
    )
