"""The goal of a sitting: read, counted, reached once."""

import pytest

from medreview.errors import UserError
from medreview.review.goal import Goal, SittingGoal, read_goal, sitting_goal
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.study import Study
from tests.support.unit_samples import SAMPLES


@pytest.mark.parametrize(
    ("told", "goal"),
    [("60", Goal(60)), (" 1 ", Goal(1)), ("45min", Goal(0, 45)), ("45 MIN", Goal(0, 45)), ("90m", Goal(0, 90)),
     ("1h", Goal(0, 60)), ("1h30", Goal(0, 90)), ("1 h 5 min", Goal(0, 65)), ("", None)],
)  # fmt: skip
def test_a_goal_is_decisions_or_a_time(told: str, goal: Goal | None) -> None:
    assert read_goal(told) == goal


@pytest.mark.parametrize("told", ["0", "-5", "0min", "h", "min", "sixty", "60 statements", "123456", "1.5h"])
def test_what_is_no_goal_is_refused(told: str) -> None:
    with pytest.raises(UserError, match="is not a goal"):
        read_goal(told)


def test_the_pace_is_told_from_what_was_decided_and_the_end_once() -> None:
    clock = [0.0]
    goal = SittingGoal(Goal(decisions=6), now=lambda: clock[0])
    assert goal.words == "0/6"
    for unit in ("a", "b", "b", "c"):
        clock[0] += 90
        goal.add(unit)
    assert goal.words == "3/6 · 6 min left"
    goal.settle("c", decided=False)
    assert goal.words == "2/6"
    for unit in ("c", "d", "e"):
        goal.add(unit)
    assert not goal.reached()
    goal.add("f")
    assert goal.reached() == "The goal of this sitting is reached: 6 decided in 6 min."
    assert not goal.reached()
    assert goal.words == "6/6"


def test_a_time_is_over_whatever_was_decided() -> None:
    clock = [0.0]
    goal = SittingGoal(Goal(minutes=45), now=lambda: clock[0])
    clock[0] = 44 * 60
    assert (goal.words, goal.reached()) == ("0 decided · 44 of 45 min", "")
    clock[0] = 45 * 60
    assert "45 min" in goal.reached()


def test_every_kind_of_unit_counts_in_one_sitting_and_an_undo_takes_it_back(study: Study) -> None:
    SAMPLES["qa"](study)
    goal = sitting_goal("2")
    statements = open_session(study, "kb", open_queue(study, "responses", "kb"), goal=goal)
    statements.decide("supported")
    statements.decide("partial")
    statements.note("not a decision")
    statements.next()
    statements.defer()
    assert goal is not None
    assert goal.decided == 1
    statements.undo()
    statements.undo()
    statements.undo()
    assert goal.decided == 1  # the first label stands again
    statements.undo()
    assert goal.decided == 0
    statements.redo()
    assert goal.decided == 1
    items = open_session(study, "kb", open_queue(study, "qa", "kb"), goal=goal)
    items.decide("5")
    assert "2 decided" in goal.reached()
