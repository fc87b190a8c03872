"""The order of a queue that follows from the material alone: asked once for a large study, and kept while that stands.

A large study takes a fifth of a second to put in order, and no decision changes that order.
"""

import hashlib
import sqlite3
from itertools import compress
from typing import Final

from medreview.review.queue_kinds import HELD, MATERIAL, QueueKind
from medreview.study import Study
from medreview.study.statement_edits import IS_EDIT

_STATEMENTS: Final = f"""SELECT (SELECT count(*) FROM statement), (SELECT count(*) FROM response),
       (SELECT group_concat(statement_id) FROM (SELECT statement_id FROM retired_statement ORDER BY statement_id)),
       (SELECT count(*) || ' ' || max(event_id) FROM event WHERE {IS_EDIT}),
       (SELECT count(*) FROM event WHERE undoes_event IS NOT NULL)"""
"""What changes with every statement that comes, goes or takes another place: rows that only ever grow in number, and
the record of edits, which alone retires and numbers statements anew."""


def in_order(study: Study, kind: QueueKind, reviewer: str, pass_no: int) -> tuple[list[str], list[int], int]:
    """The statements of an open queue that ``follows`` from the material, the number of the response of each, and how
    many more there would be, were they not kept from the judges' sight."""
    query = f"SELECT s.statement_id, r.ordinal {MATERIAL} WHERE {kind.where} ORDER BY {kind.order}"
    ((made_from,),) = study.found(f"{kind.name} made from", lambda: [[_made_from(study.reader, kind)]])
    units, responses = study.listed(query, made_from)
    held = {row[0] for row in study.counted(HELD, (reviewer, pass_no))}
    shown = [unit not in held for unit in units]
    return list(compress(units, shown)), list(compress(responses, shown)), shown.count(False)


def _made_from(reader: sqlite3.Connection, kind: QueueKind) -> str:
    """A hash of all that the order is made from."""
    told = (*reader.execute(_STATEMENTS).fetchone(), *reader.execute(kind.follows).fetchone())
    return hashlib.sha256(repr(told).encode()).hexdigest()
