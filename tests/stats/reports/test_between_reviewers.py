"""Two reviewers are compared by one kind of label at a time, and each comparison says by which."""

import pytest

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.study_figures import study_figures
from medreview.study.events import NewEvent
from tests.stats.small_study import SmallStudy

FAST = Resampling(replicates=199)


def compared(small, scale="levels"):
    small.roll_up()
    found = study_figures(small.study.reader, resampling=FAST).between_reviewers
    return {one.labels_of: one for one in found if one.scale == scale}


@pytest.fixture
def two(small: SmallStudy) -> SmallStudy:
    """a.1, a.2: both blind; b.1: anna blind, ben assisted; b.2, b.3: both assisted; c.1: ben saw anna's label."""
    for name, count in (("a", 3), ("b", 3), ("c", 1)):
        small.response(name, count)
    small.judged("one", "supported", "a.1", "a.2", "b.1")
    small.said("supported", "a.1", "a.2", "b.1", "c.1", mode="blind", block="audit")
    small.said("supported", "a.1", who="ben", mode="blind", block="audit")
    small.said("partial", "a.2", who="ben", mode="blind", block="audit")
    small.said("contradicted", "b.1", who="ben")
    small.said("partial", "b.2", "b.3")
    small.said("partial", "b.2", who="ben")
    small.said("cannot_judge", "b.3", who="ben")
    exposure = {"judge_verdict": "no", "other_reviewer": "before"}
    small.said("supported", "c.1", who="ben", mode="blind", block="audit", exposure=exposure)
    return small


def test_first_blind_labels_stand_apart_from_mixed_and_assisted_ones(two):
    found = compared(two)

    assert {kind: (one.n, one.mode) for kind, one in found.items()} == {
        "first_blind": (2, "blind"),
        "mixed": (1, None),
        "assisted": (1, "assisted"),
        "final": (5, None),
    }
    assert {(one.first, one.second) for one in found.values()} == {("anna", "ben")}
    assert found["first_blind"].table[0] == (1, 1, 0, 0)
    assert found["mixed"].table[0] == (0, 0, 1, 0)
    assert found["assisted"].table[1] == (0, 1, 0, 0)
    assert found["assisted"].dropped == {"reviewer cannot judge": 1}


def test_a_label_given_after_the_others_was_seen_is_no_independent_one(two):
    found = compared(two)

    assert found["first_blind"].dropped == {"given after another reviewer's label was seen": 1}
    # Among the final labels it counts, and is counted.
    assert found["final"].made_of == {
        "both blind": 3,
        "one blind, one assisted": 1,
        "both assisted": 2,
        "given after another reviewer's label was seen": 1,
    }
    assert found["final"].table == ((2, 1, 1, 0), (0, 1, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))


def test_a_change_after_the_reveal_and_a_settled_difference_move_final_labels_only(two):
    two.event(NewEvent("reveal", "a.2"), who="ben", mode="blind", block="audit")
    two.said("supported", "a.2", who="ben", mode="blind", seen="before", block="audit", kind="revise")
    label = "SELECT event_id FROM decision_current WHERE unit = 'b.1'"
    labels = [row[0] for row in two.study.reader.execute(label)]
    payload = {"axis": "evidence", "label": "supported", "of": labels, "by": "agreement"}
    two.event(NewEvent("adjudicate", "b.1", payload))
    found = compared(two)

    assert found["first_blind"].table[0] == (1, 1, 0, 0)
    assert found["final"].table[0] == (3, 0, 1, 0)
    made_of = found["final"].made_of
    assert (made_of["changed after the judges were shown"], made_of["settled since"]) == (1, 1)


def test_no_reviewer_is_the_reference_of_another(two):
    final = compared(two, "binary")["final"]

    assert final.per_label is None
    assert (final.mcnemar.b, final.mcnemar.c) == (2, 0)
