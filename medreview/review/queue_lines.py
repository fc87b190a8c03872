"""The queues as the first screen lists them: how large, how far decided, what is kept from them, what is in them."""

import sqlite3
from collections import Counter
from dataclasses import dataclass
from typing import Final

from medreview.next_step import command
from medreview.review.audit import members, size_when_asked
from medreview.review.conflicts import conflict_units
from medreview.review.queue_kinds import KEPT, KINDS, RESERVED, ROWS, SHOWABLE, QueueKind
from medreview.review.second_annotation import ready_units, shares
from medreview.review.second_pass import due_units, in_pass
from medreview.review.unit_queues import CONFLICTS, SECOND, SHARE, UNIT_QUEUES, unit_rows
from medreview.study import Study
from medreview.study.counts import count_statements
from medreview.study.unit_ids import kind_of
from medreview.units.registry import KINDS as UNIT_KINDS


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A queue; ``size`` is what is ``open``, ``deferred`` and decided in it.

    ``reserved``: how many more would be in it, were they not kept for the audit. ``waiting``: how many there are to be
    decided, which in the queue of what was put off is everything. ``remark``: what is in it. ``hidden``: nothing of
    this may be shown, because it would tell what the judges think.
    """

    kind: QueueKind
    size: int
    open: int
    deferred: int
    reserved: int
    remark: str
    hidden: bool = False

    @property
    def waiting(self) -> int:
        """Units worth doing here."""
        return self.size if self.kind.name in ("deferred", "stale") else self.open


def queue_lines(study: Study, reviewer: str, pass_no: int, statements: int, *, blind: bool) -> tuple[QueueLine, ...]:
    """Every queue, in the order of the first screen; ``blind``: what tells of the judges is hidden."""
    counts = _counts(study, reviewer, pass_no)
    return tuple(_line(study, kind, reviewer, counts, statements, blind) for kind in KINDS)


def unit_lines(reader: sqlite3.Connection, reviewer: str, pass_no: int) -> tuple[QueueLine, ...]:
    """The queues of other units than statements, of kinds that the study uses."""
    return tuple(
        _unit_line(reader, kind, reviewer, pass_no) for kind in UNIT_QUEUES if UNIT_KINDS[kind.unit].in_use(reader)
    )


def queues_in_use(reader: sqlite3.Connection, reviewer: str) -> list[QueueKind]:
    """Every queue of statements, those of other units that the study uses, those of a second pass that is on."""
    units = (kind for kind in UNIT_QUEUES if UNIT_KINDS[kind.unit].in_use(reader))
    return [*KINDS, *units, *(line.kind for line in second_lines(reader, reviewer))]


def second_lines(reader: sqlite3.Connection, reviewer: str) -> tuple[QueueLine, ...]:
    """The queues of the second pass in which something is due or done."""
    every, due = in_pass(reader, reviewer), set(due_units(reader, reviewer))
    found = []
    for kind in SECOND:
        units = [unit for unit in every if kind_of(unit) == kind.unit]
        if units:
            waiting = sum(unit in due for unit in units)
            found.append(QueueLine(kind, len(units), waiting, 0, 0, "your first labels are hidden"))
    return tuple(found)


_ALONE: Final = "SELECT min(reviewer) IS max(reviewer) FROM event WHERE kind IN ('decide', 'revise')"
"""Whether not more than one reviewer has given a label: then none differ. Who draws an audit gives none."""


def two_reviewer_lines(study: Study, reviewer: str) -> tuple[QueueLine, ...]:
    """The queues of conflicts, and of the share that a second reviewer annotates, in which there is something."""
    reader = study.reader
    every = shares(reader)
    own = "SELECT unit FROM standing WHERE reviewer = ? AND pass = 1 AND state = 'decided'"
    mine = {row[0] for row in reader.execute(own, (reviewer,))} if every else set()
    found = []
    for kind in SHARE:
        units = ready_units(reader, study.meta("study_id"), kind.unit, reviewer) if kind.unit in every else []
        if units:
            waiting = sum(unit not in mine for unit in units)
            found.append(QueueLine(kind, len(units), waiting, 0, 0, "others' labels are hidden"))
    differ = {} if study.counted(_ALONE)[0][0] else conflict_units(reader)
    for kind in CONFLICTS:
        if (of_kind := differ.get(kind.unit)) is not None:
            waiting = len(of_kind.open)
            found.append(QueueLine(kind, len(of_kind.units), waiting, 0, 0, "both labels are shown; a digit settles"))
    return tuple(found)


def _unit_line(reader: sqlite3.Connection, kind: QueueKind, reviewer: str, pass_no: int) -> QueueLine:
    query = f"SELECT coalesce(mine.state, 'open'), count(*) {unit_rows(kind.unit)} GROUP BY 1"
    states = dict(reader.execute(query, (reviewer, pass_no)).fetchall())
    return QueueLine(kind, sum(states.values()), states.get("open", 0), states.get("deferred", 0), 0, "")


def lost_to_triage(reader: sqlite3.Connection, reviewer: str, pass_no: int, lines: tuple[QueueLine, ...]) -> int:
    """How many members of the audit triage would show with their judges, before they are decided blind.

    Of a small study nothing is drawn before it is asked for; the audit takes all of it then.
    """
    triage, audit = (next(line for line in lines if line.kind.name == name) for name in ("flagged", "audit"))
    if not members(reader):
        return triage.open if audit.size == count_statements(reader) else 0
    # Members first: they are few, and the study's statements may be many.
    drawn = "s.statement_id IN (SELECT statement_id FROM audit_item)"
    query = f"SELECT count(*) {ROWS} WHERE {drawn} AND {triage.kind.where} AND mine.state IS NULL"
    return int(reader.execute(f"{query} AND {SHOWABLE}", (reviewer, pass_no)).fetchone()[0])


def _counts(study: Study, reviewer: str, pass_no: int) -> Counter[tuple[str, str]]:
    """Statements by queue and by where they stand in it: ``open``, ``deferred``, ``decided`` or ``reserved``.

    In one pass over all statements: queue by queue, a large study would be read six times.
    """
    where = ", ".join(f"{kind.where} AS {kind.name}" for kind in KINDS)
    placed = f"SELECT {where}, {SHOWABLE} AS showable, {KEPT} AS kept, coalesce(mine.state, 'open') AS state {ROWS}"
    counted = " UNION ALL ".join(
        f"SELECT '{kind.name}', {_standing(kind)}, count(*) FROM placed WHERE {kind.name} GROUP BY 2" for kind in KINDS
    )
    query = f"WITH placed AS MATERIALIZED ({placed}) {counted}"
    return Counter({(row[0], row[1]): row[2] for row in study.counted(query, (reviewer, pass_no))})


def _standing(kind: QueueKind) -> str:
    if kind.mode == "blind" or kind.gathers:
        return "state"
    return f"iif(showable{' AND NOT kept' if kind.tells else ''}, state, 'reserved')"


def _line(
    study: Study, kind: QueueKind, reviewer: str, counts: Counter[tuple[str, str]], statements: int, blind: bool
) -> QueueLine:
    there, deferred = counts[kind.name, "open"], counts[kind.name, "deferred"]
    size = there + deferred + counts[kind.name, "decided"]
    if kind.name == "audit" and not size:
        size = there = size_when_asked(statements)
        return QueueLine(kind, size, there, 0, 0, "not drawn yet")
    hidden = blind and kind.tells
    remark = ""
    match kind.name:
        case "flagged" if not hidden:
            remark = _badges(study, reviewer)
        case "audit":
            remark = "judges hidden" + ("; figures wait" if blind else "")
        case "stale" if size:
            remark = f"look again; `{command('diff', study.path)}` shows what changed"
    return QueueLine(kind, size, there, deferred, counts[kind.name, "reserved"], remark, hidden)


def _badges(study: Study, reviewer: str) -> str:
    """The commonest reasons for flags in triage, counted by the gravest badge of each statement."""
    gravest = "CASE instr(badges, ' · ') WHEN 0 THEN badges ELSE substr(badges, 1, instr(badges, ' · ') - 1) END"
    rows = study.counted(
        f"""SELECT {gravest} AS badge, count(*) AS n, max(priority) AS grave
            FROM verdict JOIN statement_standing USING (statement_id)
            WHERE priority > 0 AND statement_id NOT IN ({RESERVED}) GROUP BY badge ORDER BY grave DESC LIMIT 4""",
        (reviewer,),
    )
    return ", ".join(f"{number} {badge}" for badge, number, _ in rows)
