"""The session for a queue, and switching between a statement, its pairs, its response and its references."""

from dataclasses import dataclass

from medreview.errors import UserError
from medreview.labels import Reveal
from medreview.review.goal import SittingGoal, SittingPace
from medreview.review.on_screen import NO_REFERENCE
from medreview.review.queue import Queue, open_queue
from medreview.review.resuming import Drafts, Later
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.ids import PAIR, REFERENCE, STATEMENT, ids_of, kind_of, unit_id
from medreview.units.cited_source import reference_beside
from medreview.units.registry import KINDS


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
    pace: SittingPace | None = None,
    later: Later | None = None,
    learns: bool = True,
) -> ReviewSession:
    """The sitting of a reviewer over a queue, beginning with the unit ``at``, else where the reviewer left off.

    ``goal`` and ``pace`` are those of the sitting, shared by all of its queues. ``later`` runs something after so many
    seconds, on this thread. ``learns``: whether triage gets the order that is learned from the reviewer's labels.
    """
    pass_no = max(pass_no, queue.kind.pass_no)
    begin = _of(queue)
    session = begin(
        study, reviewer, queue, pass_no=pass_no, reveal=reveal, drafts=drafts, at=at, later=later, learns=learns
    )
    session.goal = goal
    session.pace = pace or session.pace
    return session


def _of(queue: Queue) -> type[ReviewSession]:
    if queue.kind.chosen != "conflicts":
        return ReviewSession
    from medreview.review.adjudicating import ConflictSession

    return ConflictSession


_PAIRS = "SELECT source_id FROM reviewed_pair WHERE statement_id = ? ORDER BY ordinal"
_STATEMENTS = """SELECT s.statement_id, v.supported
FROM statement_standing AS s LEFT JOIN verdict AS v USING (statement_id)
WHERE s.response_id = ? ORDER BY s.place, s.start"""
_CITES = """SELECT s.statement_id FROM statement_reference AS c JOIN statement_standing AS s USING (statement_id)
WHERE c.reference_id = ? ORDER BY s.place, s.start LIMIT 1"""
_BESIDE = """SELECT s.statement_id FROM reference AS f JOIN statement_standing AS s USING (response_id)
WHERE f.reference_id = ? ORDER BY s.place, s.start LIMIT 1"""
_EVERY_STATEMENT = "responses"


@dataclass(frozen=True, slots=True)
class CameFrom:
    """The queue that was left, and the unit that was on the screen; ``text``: which text of it. ``before``: the switch
    before that one."""

    queue: Queue
    unit: str
    text: str = ""
    before: "CameFrom | None" = None


@dataclass(frozen=True, slots=True)
class Switch:
    """Where a switch leads: the queue, the unit in it, and what to come back to; ``text``: the text to open there."""

    queue: Queue
    unit: str
    came_from: CameFrom | None = None
    text: str = ""


def switch(session: ReviewSession, came_from: CameFrom | None = None) -> Switch:
    """The other units of what is on the screen, of a kind that leads to others (``Asks.leads_to``).

    ``came_from``: what the switch before gave. Raises :class:`UserError` without such units.
    """
    if not session.unit:
        raise UserError(f"There is no {session.asks.noun} here.")
    if session.pass_no > 1:
        raise UserError(
            "In a second pass what you decided comes back by itself: its pairs and statements are not beside."
        )
    if kind_of(session.unit) == STATEMENT:
        return Switch(_opened(session, PAIR), _pair(session), CameFrom(session.queue, session.unit))
    if kind_of(session.unit) == PAIR:
        return _statement(session, ids_of(session.unit)[0], came_from)
    return _statement(session, _first_to_read(session), None)


def cross(session: ReviewSession, came_from: CameFrom | None = None) -> Switch:
    """The reference that is shown above the source, else that of the source on the screen, beside a statement or a
    pair; from a reference, back to the unit before, or to the first statement that cites it (``Asks.crosses_to``).

    Raises :class:`UserError` if there is no such unit.
    """
    if not session.unit:
        raise UserError(f"There is no {session.asks.noun} here.")
    if session.pass_no > 1:
        raise UserError("In a second pass what you decided comes back by itself: its references are not beside.")
    if kind_of(session.unit) == REFERENCE:
        if came_from is not None:
            return Switch(came_from.queue, came_from.unit, came_from.before, came_from.text)
        return _statement(session, _citing(session), None)
    statement_id, *source = ids_of(session.unit)
    shown = source[0] if source else session.text_key
    reader = session.study.reader
    row = reader.execute("SELECT response_id FROM statement WHERE statement_id = ?", (statement_id,)).fetchone()
    shown_above = session.reference
    unit = shown_above.unit if shown_above else reference_beside(reader, statement_id, row[0], shown)
    queue = _opened(session, REFERENCE)
    if unit not in queue.units:
        raise UserError(NO_REFERENCE)
    return Switch(queue, unit, CameFrom(session.queue, session.unit, session.text_key or "", came_from))


def _citing(session: ReviewSession) -> str:
    """The first statement that cites a reference; where none does, the first of its response."""
    ids = ids_of(session.unit)
    row = session.study.reader.execute(_CITES, ids).fetchone() or session.study.reader.execute(_BESIDE, ids).fetchone()
    if row is None:
        raise UserError("The response of this reference has no statements.")
    return str(row[0])


def _opened(session: ReviewSession, kind: str) -> Queue:
    """The queue of a kind, blind where the judges are hidden now."""
    name = _EVERY_STATEMENT if kind == STATEMENT else KINDS[kind].queue_name
    return open_queue(session.study, name, session.reviewer, blind=not session.shows_judges)


def _pair(session: ReviewSession) -> str:
    """The statement beside the source that is on the screen, else beside the first that has a text."""
    sources = [row[0] for row in session.study.reader.execute(_PAIRS, (session.unit,))]
    if not sources:
        raise UserError("This statement has no pairs: no source that it is judged by has a text to read.")
    shown = session.text_key or ""
    return unit_id(PAIR, session.unit, shown if shown in sources else sources[0])


def _statement(session: ReviewSession, statement_id: str, came_from: CameFrom | None) -> Switch:
    """A statement in the queue the reviewer came from, else among all statements."""
    if came_from and statement_id in came_from.queue.units:
        tells_nothing_new = came_from.queue.mode == "blind" or session.shows_judges
        if tells_nothing_new or statement_id == came_from.unit:
            return Switch(came_from.queue, statement_id)
    queue = _opened(session, STATEMENT)
    if statement_id not in queue.units:
        raise UserError("This statement is reserved for the audit; it comes up there.")
    return Switch(queue, statement_id)


def _first_to_read(session: ReviewSession) -> str:
    """The first statement that fails, where that may be seen; else the first."""
    rows = session.study.reader.execute(_STATEMENTS, ids_of(session.unit)).fetchall()
    failing = [row for row in rows if row["supported"] == 0] if session.shows_judges else []
    return str((failing or rows)[0]["statement_id"])
