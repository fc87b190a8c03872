"""The session for a queue: over statements, or over units of another kind."""

from typing import TYPE_CHECKING

from medreview.labels import Reveal
from medreview.review.deciding import Deciding
from medreview.review.drafts import Drafts, Later
from medreview.review.goal import SittingGoal
from medreview.review.queue import Queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.unit_ids import STATEMENT

if TYPE_CHECKING:
    from medreview.review.unit_session import UnitSession


def open_session(
    study: Study,
    reviewer: str,
    queue: Queue,
    *,
    pass_no: int = 1,
    reveal: Reveal = "block",
    drafts: Drafts | None = None,
    at: str = "",
    goal: SittingGoal | None = None,
    later: Later | None = None,
) -> Deciding:
    """The sitting of a reviewer over a queue, beginning with the unit ``at``, else where the reviewer left off.

    ``goal``: what the sitting is to come to, shared by all queues of it. ``later`` runs something after so many
    seconds, on this thread.
    """
    pass_no = max(pass_no, queue.kind.pass_no)
    session = _kind(queue)(study, reviewer, queue, pass_no=pass_no, reveal=reveal, drafts=drafts, at=at, later=later)
    session.goal = goal
    return session


def _kind(queue: Queue) -> "type[ReviewSession | UnitSession]":
    """The class for what is in a queue; those that are not needed are not loaded."""
    statements = queue.kind.unit == STATEMENT
    if queue.kind.chosen == "conflicts":
        from medreview.review.adjudicating import StatementConflicts, UnitConflicts

        return StatementConflicts if statements else UnitConflicts
    if statements:
        return ReviewSession
    from medreview.review.unit_session import UnitSession

    return UnitSession
