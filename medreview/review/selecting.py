"""The statements of a study that fit a filter, in the language of queues: for figures and whatever else takes one."""

import sqlite3
from typing import Final

from medreview.errors import UserError
from medreview.review.queue_filters import asked, conditions
from medreview.review.queue_kinds import KINDS, ROWS
from medreview.stats.reports.reviewer_labels import reviewers
from medreview.stats.reports.study_reader import EVERYTHING, Selection

_EVERY: Final = next(kind for kind in KINDS if kind.name == "responses")


def select_statements(
    reader: sqlite3.Connection, text: str, reviewer: str | None = None, pass_no: int = 1
) -> Selection:
    """What of a study fits ``text`` (``"model=atlas-2 page=ok"``); everything without a word in it.

    ``reviewer``: whose labels ``mine=`` and ``state=`` ask for; not needed where one person only has reviewed. Raises
    :class:`UserError` for a word that no filter knows, for a filter that nothing fits, and where nobody can tell whose
    labels are meant.
    """
    if not text.strip():
        return EVERYTHING
    found, values = conditions(text, _EVERY, "open")
    filters = asked(text, _EVERY)
    by_labels = any(each.asks_the_reviewer(value) for each, value in filters)
    who = (reviewer or _only_reviewer(reader, text)) if by_labels else ""
    where = " AND ".join(found)
    rows = reader.execute(f"SELECT s.statement_id {ROWS} WHERE {where}", (who, pass_no, *values))
    statements = frozenset(row[0] for row in rows)
    responses: frozenset[str] = frozenset()
    if all(each.whole for each, _ in filters):
        empty = f"""SELECT r.response_id FROM response AS r WHERE {where} AND NOT EXISTS (
            SELECT 1 FROM statement_standing AS s WHERE s.response_id = r.response_id)"""
        responses = frozenset(row[0] for row in reader.execute(empty, values))
    if not statements and not responses:
        raise UserError(f"Nothing in the study fits {text!r}.")
    return Selection(
        statements, text.strip(), responses, by_labels, any(each.tells and not each.whole for each, _ in filters)
    )


def _only_reviewer(reader: sqlite3.Connection, text: str) -> str:
    names = reviewers(reader)
    if len(names) == 1:
        return names[0]
    if not names:
        raise UserError(f"The filter {text!r} asks what a reviewer did, and nobody has reviewed anything yet.")
    raise UserError(f"The filter {text!r} asks what a reviewer did: say whose labels, one of {', '.join(names)}.")
