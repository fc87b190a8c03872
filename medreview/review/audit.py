"""The audit: which statements are drawn, at which rates, and who is still kept from seeing the judges on them.

Every statement has a permanent random number (``medreview.study.audit_frame``); members of the audit are those
whose number is below the rate of their stratum. Rates are events of the study and only ever raised: a larger audit
contains the smaller one, new statements enter with the same probability, and copies of a study agree without talking.
"""

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.review.queue_kinds import RESERVED
from medreview.study import Study
from medreview.study.audit_frame import permanent_number, seed_of_draws
from medreview.study.counts import count_statements
from medreview.study.events import NewEvent, Recorder
from medreview.study.package import Part, package_of
from medreview.study.statement_edits import origins

AUDIT_SIZE: Final = 60
"""The default number of statements in the audit."""
LEAST_STUDY: Final = 50
"""Statements below which nothing is drawn, unless it is asked for."""
_SHARE: Final = 10

By = Literal["all", "model", "origin", "flagged"]
"""What the strata are."""
ALL: Final = "all"
FLAGS: Final = ("not flagged", "flagged")
"""The strata by flag, as it was when they were given."""
_BOTH: Final = 2
"""The state of a statement that was flagged in one copy of the study and not in another."""

_STATEMENTS: Final = """
SELECT s.statement_id, r.model, r.origin, coalesce(v.priority, 0) > 0 AS flagged, f.number, f.stratum, f.rate,
       f.flagged AS state,
       EXISTS (SELECT 1 FROM retired_statement AS x WHERE x.statement_id = s.statement_id) AS retired
FROM statement AS s JOIN response AS r USING (response_id) LEFT JOIN verdict AS v USING (statement_id)
LEFT JOIN audit_frame AS f USING (statement_id)"""
_WITHOUT_ROW: Final = """SELECT 1 FROM statement AS s
WHERE NOT EXISTS (SELECT 1 FROM audit_frame AS f WHERE f.statement_id = s.statement_id)"""


class DrawResult(NamedTuple):
    """What a draw has done: members now, how many of them are new, and its record if it raised a rate."""

    members: int
    new: int
    event_id: str | None


class _Rates(NamedTuple):
    """The rates of one event: by name of the stratum, and the one of strata it does not name."""

    by: By
    rates: Mapping[str, float]
    rest: float


class _Placed(NamedTuple):
    """A statement with its row of the frame; ``stratum`` is empty where it has none yet.

    ``flagged`` is now, ``state`` when strata by flag first counted for it (``audit_frame.flagged``). ``retired``: it is
    no longer in the study, and keeps its place in case it comes back.
    """

    statement_id: str
    model: str
    origin: str
    flagged: bool
    number: float
    stratum: str
    rate: float
    state: int | None
    retired: bool


def begin(study: Study, reviewer: str) -> None:
    """Draw the audit when a review of a large enough study is first opened; later, complete it for new statements.

    The default reserves 60 statements or a tenth of the study, whichever is less, and none of fewer than 50. Nothing is
    drawn in a copy of a part.
    """
    copy = package_of(study.reader)
    if not study.writable or (copy is not None and copy.holds):  # by a part of the study the rates would be others
        return
    if _is_drawn(study.reader):
        if study.counted(f"SELECT EXISTS ({_WITHOUT_ROW})")[0][0]:
            study.write(complete)
    elif (statements := count_statements(study.reader)) >= LEAST_STUDY:
        draw(study, reviewer, rate=min(AUDIT_SIZE, statements / _SHARE) / statements, why="default")


def size_when_asked(statements: int) -> int:
    """How many members an audit without any gets when somebody opens it: of a small study 60, or all; else a tenth."""
    return min(AUDIT_SIZE, statements if statements < LEAST_STUDY else math.ceil(statements / _SHARE))


def begin_audit(study: Study, reviewer: str) -> int:
    """As :func:`begin`, when somebody opens the audit: draws members if missing; how many.

    Chance may have drawn none at a low rate.
    """
    begin(study, reviewer)
    if study.writable and not members(study.reader):
        draw(study, reviewer, size=size_when_asked(count_statements(study.reader)), why="default")
    return members(study.reader)


_LACKED_BY: Final[dict[By, Part]] = {"flagged": "judges", "model": "models"}


def draw(
    study: Study, reviewer: str, *, size: int | None = None, rate: float | None = None, by: By = ALL, why: str = "asked"
) -> DrawResult:
    """Draw until every stratum has ``size`` members (or all it has), or at a ``rate`` of above 0 and up to 1.

    Members stay members: a smaller audit than the one drawn changes nothing and records no event. Raises
    :class:`UserError` in a copy that lacks the data to draw by.
    """
    copy = package_of(study.reader)
    if copy is not None and copy.holds:
        raise UserError(f"This copy holds {copy.holds} alone; draw the audit where the copy is from.")
    if copy is not None and _LACKED_BY.get(by) in copy.without:
        raise UserError(f"This copy lacks what the audit would be drawn by ({by}); draw it where the copy is from.")
    recorder = Recorder(reviewer)

    def change(connection: sqlite3.Connection) -> DrawResult:
        before = members(connection)
        _complete(connection)
        placed = _statements(connection, seed_of_draws(connection))
        stratum = partial(_named, by=by)
        of: dict[str, list[_Placed]] = {}
        for one in placed:
            if not one.retired:
                of.setdefault(stratum(one), []).append(one)
        wanted = {name: rate if rate is not None else _rate_for(size or 0, held) for name, held in of.items()}
        raised = [one for one in placed if one.rate < wanted.get(stratum(one), 0.0)]
        _store(connection, (one._replace(stratum=stratum(one), rate=wanted[stratum(one)]) for one in raised))
        if not raised:
            return DrawResult(before, 0, None)
        drawn = sum(len(held) * wanted[name] for name, held in of.items())
        payload = {"by": by, "rates": wanted, "rest": drawn / sum(map(len, of.values())), "why": why}
        event = NewEvent("audit_rate", study_id(connection), payload)
        receipt = recorder.append(connection, event, block="audit", mode="blind")
        _complete(connection)
        now = members(connection)
        return DrawResult(now, now - before, receipt.event_id)

    return study.write(change)


def release(study: Study, reviewer: str) -> int:
    """Give the members kept from triage back to a reviewer, until more is drawn; how many.

    Labels given with the judges in sight count as assisted: the audit's figure is assisted in part then.
    """
    kept = len(reserved(study.reader, reviewer))
    if kept:
        recorder = Recorder(reviewer)
        event = NewEvent("audit_release", study.meta("study_id"), {"members": kept})
        study.write(lambda connection: recorder.append(connection, event, block="audit", mode="blind"))
    return kept


def complete(connection: sqlite3.Connection) -> None:
    """Give every statement its row in the frame, at the highest rate in force, inside the caller's transaction.

    Nothing happens before an audit is drawn. After an import, a merge, and when text becomes a statement.
    """
    if _is_drawn(connection):
        _complete(connection)


def members(reader: sqlite3.Connection) -> int:
    """How many statements the audit has."""
    return int(reader.execute("SELECT count(*) FROM audit_item").fetchone()[0])


def reserved(reader: sqlite3.Connection, reviewer: str) -> set[str]:
    """The members that are kept from the queues in which this reviewer sees the judges."""
    return {row[0] for row in reader.execute(RESERVED, (reviewer,))}


def study_id(connection: sqlite3.Connection) -> str:
    """The unit of acts on the study as a whole."""
    return str(connection.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0])


def _is_drawn(reader: sqlite3.Connection) -> bool:
    query = """SELECT EXISTS (SELECT 1 FROM audit_frame) OR EXISTS (SELECT 1 FROM event WHERE kind = 'audit_rate')"""
    return bool(reader.execute(query).fetchone()[0])


def _complete(connection: sqlite3.Connection) -> None:
    payloads = [json.loads(row[0]) for row in connection.execute("SELECT payload FROM event WHERE kind = 'audit_rate'")]
    in_force = [_Rates(said["by"], said["rates"], said["rest"]) for said in payloads]
    drawn_before = connection.execute("SELECT max(rate) FROM audit_frame WHERE stratum = ?", (ALL,)).fetchone()[0]
    in_force.append(_Rates(ALL, {}, drawn_before or 0.0))
    by_flag = any(rates.by == "flagged" for rates in in_force)
    changed = []
    for one in _statements(connection, seed_of_draws(connection)):
        best = one._replace(state=int(one.flagged)) if by_flag and one.state is None else one
        for rates in in_force:
            for name in _strata_of(best, rates.by):
                rate = rates.rates.get(name, rates.rest)
                if not best.stratum or (-rate, name) < (-best.rate, best.stratum):  # as ``join_frame`` does
                    best = best._replace(stratum=name, rate=rate)
        if best is not one:
            changed.append(best)
    _store(connection, changed)


def _statements(connection: sqlite3.Connection, seed: str) -> list[_Placed]:
    """Every statement. One made by a cut or join has the place of the (first) statement it was made from: so both parts
    of a member stay members, whatever its reviewer saw before."""
    rows = {row["statement_id"]: row for row in connection.execute(_STATEMENTS)}
    made_from = {each: rows[origin] for each, origin in origins(connection).items() if origin in rows}
    found = []
    for statement_id, row in rows.items():
        place = made_from.get(statement_id, row) if row["number"] is None else row
        number = permanent_number(seed, place["statement_id"]) if place["number"] is None else place["number"]
        found.append(
            _Placed(
                statement_id=statement_id,
                model=row["model"],
                origin=row["origin"],
                flagged=bool(place["flagged"]),
                number=number,
                stratum=row["stratum"] or "",
                rate=row["rate"] or 0.0,
                state=place["state"],
                retired=bool(row["retired"]),
            )
        )
    return found


def _store(connection: sqlite3.Connection, rows: Iterable[_Placed]) -> None:
    connection.executemany(
        """INSERT INTO audit_frame (statement_id, number, stratum, rate, flagged)
           VALUES (:statement_id, :number, :stratum, :rate, :state) ON CONFLICT (statement_id)
           DO UPDATE SET stratum = excluded.stratum, rate = excluded.rate, flagged = excluded.flagged""",
        [row._asdict() for row in rows],
    )


def _strata_of(one: _Placed, by: By) -> tuple[str, ...]:
    """The strata that a statement counts to: by flag both, where copies of the study differed."""
    return FLAGS if by == "flagged" and one.state == _BOTH else (_named(one, by),)


def _named(one: _Placed, by: By) -> str:
    """The stratum of a draw. By flag it is the first that was given: it does not change because a flag came or went."""
    match by:
        case "model":
            return f"model {one.model}"
        case "origin":
            return f"origin {one.origin}"
        case "flagged":
            return FLAGS[one.flagged if one.state is None else one.state > 0]
    return ALL


def _rate_for(size: int, held: list[_Placed]) -> float:
    """The rate that gives a stratum so many members: its share or, where chance gave fewer, just above the number of
    the last one that is needed."""
    if size >= len(held):
        return 1.0
    last: Any = sorted(one.number for one in held)[size - 1] if size else 0.0
    return max(size / len(held), math.nextafter(last, 1.0) if size else 0.0)
