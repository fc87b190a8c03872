"""Several reviewers, their majority and the judges beside it, against values worked out by hand."""

from typing import Any

import pytest

from medreview.cli.reports.agreement_tables import consensus_parts
from medreview.cli.reports.terminal import printed
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.study_figures import study_figures
from tests.stats.small_study import SmallStudy

FAST = Resampling(replicates=199)
TOGETHER = "the judges together"


def panels(small: SmallStudy, **more: Any) -> Any:
    small.roll_up()
    found = study_figures(small.study.reader, resampling=FAST, **more).consensus
    return {(one.mode, one.drawn): one for one in found}


def blind(small: SmallStudy, who: str, labels: str, names: str = "abcdefgh") -> None:
    """A label on the first statement of each response: ``s`` supported, ``n`` not addressed, ``c`` cannot judge."""
    words = {"s": "supported", "n": "not_addressed", "c": "cannot_judge"}
    for name, label in zip(names, labels, strict=True):
        if label in words:
            small.said(words[label], f"{name}.1", who=who, mode="blind", block="audit")


@pytest.fixture
def three(small: SmallStudy) -> SmallStudy:
    """Eight responses of one statement. Majorities: a b c supported, d tied (of two), e f g h not supported."""
    for name in "abcdefgh":
        small.response(name, 1)
    blind(small, "anna", "ssssnnns")
    blind(small, "ben", "sssnnnnn")
    blind(small, "cleo", "ssncnnsn")
    small.judged("one", "supported", "a.1", "b.1", "c.1", "d.1")
    small.judged("one", "not_addressed", "e.1", "f.1", "g.1", "h.1")
    small.judged("two", "supported", "a.1", "b.1", "c.1", "e.1")
    small.judged("two", "contradicted", "d.1", "f.1", "g.1", "h.1")
    return small


def test_the_majority_and_its_ties_are_counted(three):
    one = panels(three)["blind", True]

    assert (one.reviewers, one.statements, one.responses) == (("anna", "ben", "cleo"), 8, 8)
    assert (dict(one.majority), one.tied, one.rule) == ({"supported": 3, "not_supported": 4}, 1, "undecided")
    assert one.left_out == {"reviewer cannot judge": 1}


def test_reviewers_with_each_other_by_hand(three):
    found = {among.scale: among.agreement.figures for among in panels(three)["blind", True].among}

    # a b e f agree on all pairs, c g h on one of three, d on none of one.
    assert found["binary"]["mean_pairwise_agreement"].value == pytest.approx((4 + 3 / 3 + 0) / 8)
    assert found["binary"]["mean_pairwise_agreement"].clusters == 8
    assert set(found["levels"]) == {"mean_pairwise_agreement", "fleiss_kappa", "gwet_ac", "krippendorff_alpha"}


def test_each_judge_is_held_against_the_majority_as_the_right_answer(three):
    found = {comparison.second: comparison for comparison in panels(three)["blind", True].judges}

    assert list(found) == [TOGETHER, "one", "two"]
    assert {one.first for one in found.values()} == {"the majority of 3 reviewers"}
    assert found["one"].table == ((3, 0), (0, 4))
    assert found["two"].table == ((3, 0), (1, 3))
    assert found["two"].dropped == {"reviewers tied": 1}
    assert found["two"].per_label.recall["not_supported"].value == 3 / 4
    # The judges differ on d and e.
    assert (found[TOGETHER].n, found[TOGETHER].dropped) == (6, {"reviewers tied": 1, "jury tied": 1})


def test_under_each_tie_rule_both_sides_follow_it(three):
    found = {(one.judge, one.rule): one for one in panels(three)["blind", True].under_rules}

    assert {one.tied_reviewers for one in found.values()} == {1}
    assert found[TOGETHER, "undecided"].tied_judges == 2
    assert [found[TOGETHER, rule].n for rule in ("undecided", "supported", "not_supported")] == [6, 8, 8]
    # Ties supported: the reviewers say a b c d, the jury a b c d e. Not supported: a b c, and a b c.
    as_supported, as_not = (found[TOGETHER, rule] for rule in ("supported", "not_supported"))
    assert as_supported.agreement.value == 7 / 8
    assert as_supported.kappa.value == pytest.approx((7 / 8 - 1 / 2) / (1 / 2))
    assert (as_not.agreement.value, as_not.kappa.value) == (1, 1)
    # One judge alone has no ties; the reviewers' alone move its figure: d is right, or not.
    assert [found["one", rule].agreement.value for rule in ("undecided", "supported", "not_supported")] == [1, 1, 7 / 8]


def test_one_reviewer_against_the_others_and_non_inferiority_by_hand(three):
    one = panels(three, margin=0.3)["blind", True]
    persons = [figure.value for figure in one.persons.values()]

    # anna: ben and cleo tie on c and g, on d ben alone speaks: a b s/s, d s/n, e f n/n, h s/n: 4 of 6, chance 16/36.
    anna = (4 / 6 - (4 * 2 + 2 * 4) / 36) / (1 - (4 * 2 + 2 * 4) / 36)
    # ben: anna and cleo tie on c, g, h; d by anna: s. a b s/s, d n/s, e f n/n: 4 of 5.
    ben = (4 / 5 - (2 * 3 + 3 * 2) / 25) / (1 - (2 * 3 + 3 * 2) / 25)
    # cleo: anna and ben tie on d, h: a b s/s, c n/s, e f n/n, g s/n: 4 of 6.
    cleo = (4 / 6 - 1 / 2) / (1 / 2)
    assert persons == pytest.approx([anna, ben, cleo])
    assert one.person.value == pytest.approx((anna + ben + cleo) / 3)
    assert list(one.persons) == ["anna", "ben", "cleo"]
    difference = next(each for each in one.beside if each.rater == "one")
    assert difference.difference.value == pytest.approx(1 - (anna + ben + cleo) / 3)
    assert (difference.difference.level, difference.margin) == (pytest.approx(0.9), 0.3)


def test_two_reviewers_have_a_consensus_and_no_baseline_of_one_person(small):
    for name in "abcdefgh":
        small.response(name, 1)
    blind(small, "anna", "ssssnnns")
    blind(small, "ben", "sssnnnnn")
    one = panels(small)["blind", True]

    assert (one.tied, one.judges, one.person, one.beside) == (2, (), None, ())


def test_blind_and_assisted_and_what_was_seen_of_each_other_are_never_one_majority(three):
    three.response("i", 1)
    three.response("j", 1)
    for who in ("anna", "ben"):
        three.said("supported", "i.1", who=who)
    three.said("partial", "i.1", who="cleo", mode="blind", block="audit")
    exposure = {"judge_verdict": "no", "other_reviewer": "before"}
    three.said("partial", "j.1", mode="blind", block="audit")
    three.said("partial", "j.1", who="ben", mode="blind", block="audit", exposure=exposure)
    found = panels(three)

    assert {key: one.statements for key, one in found.items()} == {("blind", True): 8, ("assisted", False): 1}
    assert found["assisted", False].reviewers == ("anna", "ben")
    assert found["blind", True].left_out == {
        "reviewer cannot judge": 1,
        "given after another reviewer's label was seen": 1,
        "the only label on the statement": 1,
    }


def test_the_tests_of_the_paper_are_of_the_labels_and_of_being_right(three):
    tests = {(each.judge, each.other, each.result.name): each for each in panels(three)["blind", True].tests}

    chi = tests["two", "the majority of 3 reviewers", "chi-squared test"].result
    # 3 of 7 supported by the majority, 4 of 7 by judge two.
    assert chi.statistic == pytest.approx(2 * (0.5**2 / 3.5) * 2)
    paired = tests["one", "two", "paired t-test"]
    assert paired.question == "accuracy"
    # Right by one alone once in seven: mean 1/7, t = 1.
    assert paired.result.statistic == pytest.approx(1)
    unpaired = tests["two", "the majority of 3 reviewers", "t-test, pooled variance"].result
    assert unpaired.df == 12


def test_the_report_has_every_rule_person_and_judge_within_80_columns(three):
    text = printed(consensus_parts(tuple(panels(three).values()), 199), styled=False)

    for said in (
        "3 reviewers together, blind, random audit: 8 statements in 8 responses",
        "Their majority: 3 supported, 4 not supported; 1 tied; tie rule: undecided.",
        "under each tie rule, supported or not",
        "each reviewer with the majority of the others",
        "tests as in SourceCheckup",
    ):
        assert said in text
    assert "nan" not in text
    assert max(map(len, text.splitlines())) <= 80
