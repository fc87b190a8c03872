"""Majority vote and its tie rule."""

import pytest

from medreview.judges.majority import TieRule, majority_vote

VOTES: list[list[int | None]] = [[1, 1, 0], [0, 0, 1], [1, 0, None], [None, None, None], [1, None, None], [1, 1, 1]]


@pytest.mark.parametrize(("rule", "label"), [("undecided", None), ("positive", 1), ("negative", 0)])
def test_the_tie_rule_decides_ties_only(rule: TieRule, label: int | None) -> None:
    found = majority_vote(VOTES, rule, positive=1, negative=0)
    assert found.labels == (1, 0, label, None, 1, 1)
    assert (found.ties, found.empty, found.rule) == (1, 1, rule)


def test_plurality_needs_no_absolute_majority() -> None:
    found = majority_vote([["a", "b", "b", "c", "d"], ["a", "b", "c", None]])
    assert found.labels == ("b", None)
    assert found.ties == 1


def test_a_tie_between_other_labels_stays_undecided() -> None:
    found = majority_vote([["partial", "contradicted"], ["partial", "supported"]], "positive", positive="supported")
    assert found.labels == (None, "supported")
    assert found.ties == 2


def test_the_rule_needs_its_label() -> None:
    with pytest.raises(ValueError, match="positive"):
        majority_vote([[1, 0]], "positive", negative=0)
