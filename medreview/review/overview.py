"""What the home screen answers: where was I, and what is worth my next hour."""

import sqlite3
from collections import Counter
from dataclasses import dataclass, replace

from medreview.review.audit import AUDIT_SIZE, reserved
from medreview.review.bookmark import last_bookmark
from medreview.review.queue_kinds import KINDS, ROWS, SHOWABLE, STALE, QueueKind
from medreview.review.statement_view import response_name
from medreview.study import Study
from medreview.study.counts import Counts, load_counts


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A queue with its size, how many in it are neither decided nor deferred, and what it is made of.

    ``reserved``: how many more would be in it, were they not kept for the audit.
    """

    kind: QueueKind
    size: int
    open: int
    remark: str
    reserved: int = 0


@dataclass(frozen=True, slots=True)
class ResponseLine:
    """A response with its progress."""

    response_id: str
    name: str
    model: str
    question: str
    statements: int
    decided: int


@dataclass(frozen=True, slots=True)
class Overview:
    """The study at a glance. ``resume`` is the queue that the reviewer was in last.

    ``reserved``: members of the audit that are kept from the queues in which the reviewer would see the judges.
    """

    title: str
    statements: int
    responses: int
    sources: int
    unreachable: int
    paywalled: int
    not_fetched: int
    unjudged: int
    counts: Counts
    queues: tuple[QueueLine, ...]
    resume: str | None
    reserved: int = 0


def overview(study: Study, reviewer: str, *, pass_no: int = 1) -> Overview:
    """Count everything once."""
    reader = study.reader
    pages = Counter(
        {
            row[0]: row[1]
            for row in reader.execute(
                """SELECT coalesce(page_state, ''), count(*) FROM source LEFT JOIN snapshot_current USING (source_id)
                   GROUP BY 1"""
            )
        }
    )
    counts, last = load_counts(reader, reviewer, pass_no), last_bookmark(reader, reviewer)
    unjudged = reader.execute(
        """SELECT count(*) FROM statement AS s LEFT JOIN verdict AS v USING (statement_id)
           WHERE v.judgement_id IS NULL AND EXISTS (
               SELECT 1 FROM judged_pair AS p JOIN snapshot_current USING (source_id)
               JOIN snapshot_content AS n USING (snapshot_id) WHERE p.statement_id = s.statement_id AND n.readable)"""
    ).fetchone()[0]
    kept = reserved(reader, reviewer)
    lines = [_line(reader, kind, reviewer, pass_no, counts) for kind in KINDS]
    return Overview(
        title=study.meta("title"),
        statements=counts.total,
        responses=reader.execute("SELECT count(*) FROM response").fetchone()[0],
        sources=pages.total(),
        unreachable=pages["http_error"] + pages["timeout"] + pages["blocked"] + pages["soft_404"],
        paywalled=pages["paywall"],
        not_fetched=pages[""],
        unjudged=unjudged,
        counts=counts,
        queues=tuple(_shown(reader, line, reviewer, pass_no) if kept else line for line in lines),
        resume=last.queue if last else None,
        reserved=len(kept),
    )


def response_lines(study: Study, reviewer: str, limit: int, *, pass_no: int = 1) -> list[ResponseLine]:
    """The first responses with their progress."""
    rows = study.reader.execute(
        """SELECT r.response_id, r.ordinal, r.model, r.question, count(s.statement_id) AS statements,
                  count(CASE WHEN mine.state = 'decided' THEN 1 END) AS decided
           FROM (SELECT * FROM response ORDER BY ordinal LIMIT ?) AS r LEFT JOIN statement AS s USING (response_id)
           LEFT JOIN standing AS mine ON mine.unit = s.statement_id AND mine.reviewer = ? AND mine.pass = ?
           GROUP BY r.response_id ORDER BY r.ordinal""",
        (limit, reviewer, pass_no),
    )
    return [
        ResponseLine(
            response_id=row["response_id"],
            name=response_name(row["ordinal"]),
            model=row["model"],
            question=row["question"],
            statements=row["statements"],
            decided=row["decided"],
        )
        for row in rows
    ]


def _line(reader: sqlite3.Connection, kind: QueueKind, reviewer: str, pass_no: int, counts: Counts) -> QueueLine:
    mine = "LEFT JOIN standing AS m ON m.unit = s.statement_id AND m.reviewer = ? AND m.pass = ?"
    who = (reviewer, pass_no)
    match kind.name:
        case "flagged":
            query = f"SELECT count(*), count(*) - count(m.state) FROM verdict AS s {mine} WHERE s.priority > 0"
            size, left = reader.execute(query, who).fetchone()
            return QueueLine(kind, size, left, _badges(reader))
        case "audit":
            query = f"SELECT count(*), count(*) - count(m.state) FROM audit_item AS s {mine}"
            size, left = reader.execute(query, who).fetchone()
            if not size:
                size = left = min(AUDIT_SIZE, counts.total)
                return QueueLine(kind, size, left, "not drawn yet")
            return QueueLine(kind, size, left, f"{size - left} of {size} decided; judges hidden until you decide")
        case "deferred":
            return QueueLine(kind, counts.deferred, counts.deferred, "")
        case "differing":
            query = "SELECT count(*) FROM standing_differing WHERE reviewer = ? AND pass = ?"
            size = reader.execute(query, who).fetchone()[0]
            return QueueLine(kind, size, size, "")
        case "stale":
            query = f"SELECT count(*) FROM standing AS m WHERE m.reviewer = ? AND m.pass = ? AND {STALE.format('m')}"
            size = reader.execute(query, who).fetchone()[0]
            return QueueLine(kind, size, size, "look again; `medreview diff` shows what changed" if size else "")
    query = f"SELECT count(*), count(*) - count(mine.state) {ROWS} WHERE {kind.where}"
    size, left = reader.execute(query, who).fetchone()
    return QueueLine(kind, size, left, "")


def _shown(reader: sqlite3.Connection, line: QueueLine, reviewer: str, pass_no: int) -> QueueLine:
    """The queue without what is reserved for the audit in it."""
    if line.kind.mode == "blind":
        return line
    query = f"SELECT count(*), count(*) - count(mine.state) {ROWS} WHERE NOT {SHOWABLE} AND {line.kind.where}"
    kept, kept_open = reader.execute(query, (reviewer, pass_no)).fetchone()
    if not kept:
        return line
    said = f"{kept} more reserved for the audit"
    return replace(
        line,
        size=line.size - kept,
        open=line.open - kept_open,
        remark=f"{said}; {line.remark}" if line.remark else said,
        reserved=kept,
    )


def _badges(reader: sqlite3.Connection) -> str:
    """The commonest reasons for flags, counted by the gravest badge of each statement."""
    gravest = "CASE instr(badges, ' · ') WHEN 0 THEN badges ELSE substr(badges, 1, instr(badges, ' · ') - 1) END"
    rows = reader.execute(
        f"SELECT {gravest} AS badge, count(*) AS n, max(priority) AS grave FROM verdict WHERE priority > 0 "
        "GROUP BY badge ORDER BY grave DESC LIMIT 4"
    )
    return ", ".join(f"{row['n']} {row['badge']}" for row in rows)
