"""From a statement to its pairs and back, and from a whole response to its statements: the same material, other units.

What is hidden stays hidden: where the judges are not shown, the queue that opens is blind, too. One comes back to the
queue of statements that one came from, if the statement is in it.
"""

from dataclasses import dataclass

from medreview.errors import UserError
from medreview.review.deciding import Deciding
from medreview.review.queue import Queue, open_queue
from medreview.review.session import ReviewSession
from medreview.study.unit_ids import PAIR, STATEMENT, ids_of, kind_of, unit_id
from medreview.units.registry import KINDS

_PAIRS = "SELECT source_id FROM reviewed_pair WHERE statement_id = ? ORDER BY ordinal"
_STATEMENTS = """SELECT s.statement_id, v.supported
FROM statement_standing AS s LEFT JOIN verdict AS v USING (statement_id)
WHERE s.response_id = ? ORDER BY s.place, s.start"""
_EVERY_STATEMENT = "responses"


@dataclass(frozen=True, slots=True)
class CameFrom:
    """The queue of statements that was left for pairs, and the statement that was on the screen."""

    queue: Queue
    unit: str


@dataclass(frozen=True, slots=True)
class Switch:
    """Where a switch leads: the queue, the unit in it, and what to come back to."""

    queue: Queue
    unit: str
    came_from: CameFrom | None = None


def switch(session: Deciding, came_from: CameFrom | None = None) -> Switch:
    """The other units of what is on the screen, of a kind that leads to others (``Asks.leads_to``).

    ``came_from``: what the switch before gave. Raises :class:`UserError` where there are none.
    """
    if not session.unit:
        raise UserError(f"There is no {session.asks.noun} here.")
    if session.pass_no > 1:
        raise UserError(
            "In a second pass what you decided comes back by itself: its pairs and statements are not beside."
        )
    if isinstance(session, ReviewSession):
        return Switch(_opened(session, PAIR), _pair(session), CameFrom(session.queue, session.unit))
    if kind_of(session.unit) == PAIR:
        return _statement(session, ids_of(session.unit)[0], came_from)
    return _statement(session, _first_to_read(session), None)


def _opened(session: Deciding, kind: str) -> Queue:
    """The queue of a kind, blind where the judges are hidden now."""
    name = _EVERY_STATEMENT if kind == STATEMENT else KINDS[kind].queue_name
    return open_queue(session.study, name, session.reviewer, blind=not session.shows_judges)


def _pair(session: ReviewSession) -> str:
    """The statement beside the source that is on the screen, else beside the first that has a text."""
    sources = [row[0] for row in session.study.reader.execute(_PAIRS, (session.unit,))]
    if not sources:
        raise UserError("This statement has no pairs: no source that it is judged by has a text to read.")
    shown = session.source.source_id if session.source else ""
    return unit_id(PAIR, session.unit, shown if shown in sources else sources[0])


def _statement(session: Deciding, statement_id: str, came_from: CameFrom | None) -> Switch:
    """A statement in the queue that one came from; elsewhere than there it is looked for among all."""
    if came_from and statement_id in came_from.queue.units:
        tells_nothing_new = came_from.queue.mode == "blind" or session.shows_judges
        if tells_nothing_new or statement_id == came_from.unit:
            return Switch(came_from.queue, statement_id)
    queue = _opened(session, STATEMENT)
    if statement_id not in queue.units:
        raise UserError("This statement is reserved for the audit; it comes up there.")
    return Switch(queue, statement_id)


def _first_to_read(session: Deciding) -> str:
    """The first statement that fails, where that may be seen; else the first."""
    rows = session.study.reader.execute(_STATEMENTS, ids_of(session.unit)).fetchall()
    failing = [row for row in rows if row["supported"] == 0] if session.shows_judges else []
    return str((failing or rows)[0]["statement_id"])
