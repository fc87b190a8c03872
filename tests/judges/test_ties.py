"""Ties and abstentions of a jury."""

import pytest

from medreview.judges.rollup import roll_up, set_tie_rule, tie_rule
from medreview.judges.votes import Vote, VotingJudge
from medreview.labels import TIE_RULES
from medreview.study import Study


def vote(verdict, run, supported=None, offline=False):
    said = supported if supported is not None or verdict is None else verdict == "supported"
    return Vote(f"g{run}", VotingJudge(f"judge {run}", offline), "p1", "u1", verdict, said, 0.9, "exact")


@pytest.mark.parametrize(
    ("verdicts", "rule", "verdict", "supported", "tied"),
    [
        (("supported", "contradicted"), "undecided", None, None, True),
        (("supported", "contradicted"), "supported", "supported", True, True),
        (("supported", "contradicted"), "not_supported", "contradicted", False, True),
        # Not supported by two to one, whatever the rule; which of the three labels it is stays open.
        (("supported", "contradicted", "partial"), "not_supported", None, False, True),
        (("supported", "contradicted", "partial"), "supported", "supported", False, True),
        (("contradicted", "partial"), "supported", None, False, True),
        (("supported", "supported", "partial"), "not_supported", "supported", True, False),
        ((None, None), "supported", None, None, False),
    ],
)
def test_the_rule_decides_ties_and_nothing_else(verdicts, rule, verdict, supported, tied):
    result = roll_up([vote(label, run) for run, label in enumerate(verdicts)], rule)

    assert (result.verdict, result.supported, result.tied) == (verdict, supported, tied)


def test_two_way_judges_tie_too():
    votes = [vote(None, 1, supported=True), vote(None, 2, supported=False)]

    assert [roll_up(votes, rule).supported for rule in TIE_RULES] == [None, True, False]
    assert roll_up(votes).tied
    assert roll_up(votes).abstained == 0


def test_a_jury_of_five_with_one_dead_and_one_unsure():
    votes = [vote("supported", 1), vote("supported", 2), vote("partial", 3), vote(None, 4), vote(None, 5)]
    result = roll_up(votes)

    assert (result.verdict, result.votes_for, result.votes_other, result.abstained) == ("supported", 2, 1, 2)


def test_the_offline_judge_is_no_abstainer_of_a_jury():
    assert roll_up([vote("supported", 1), vote(None, 2, offline=True)]).abstained == 0


def test_the_rule_is_kept_in_the_study(tmp_path):
    with Study.create(tmp_path / "a.medreview") as study:
        assert tie_rule(study.reader) == "undecided"
        set_tie_rule(study, "not_supported")
        assert tie_rule(study.reader) == "not_supported"
