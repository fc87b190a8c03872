"""The table ``verdict``: for every statement the rolled-up verdict, and the flags with the page they are about.

The table is derived, and the study keeps beside it a fingerprint of what it was made from. ``medreview.pipeline`` makes
the table anew when that has changed; a change after which it did not come to that is seen by the next one.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final

from medreview.judges.rollup import RollUp, roll_up
from medreview.judges.ties import tie_rule
from medreview.judges.triage import CitedPages, cause, flags, priority
from medreview.judges.votes import COLUMNS, Vote, VoteReader
from medreview.progress import SILENT, Progress
from medreview.statements.marker_stage import MARKED_BY
from medreview.study import Study

_BATCH = 5000
_KEY: Final = "verdicts_made_from"
_RULES: Final = 3
"""Raised when the same judgements and pages would give other verdicts or flags than before."""
_COLUMNS = (
    "statement_id", "verdict", "supported", "conflict", "votes_for", "votes_other", "abstained", "tied", "judgement_id",
    "snapshot_id", "priority", "badges",
)  # fmt: skip


def refresh(study: Study, progress: Progress = SILENT) -> int:
    """Roll up every statement anew; how many are flagged."""
    made_from = _fingerprint(study.reader)
    total = study.reader.execute("SELECT count(*) FROM statement").fetchone()[0]
    progress.begin("verdicts", total)
    flagged = 0
    rows = _rows(study.reader)
    while batch := list(islice(rows, _BATCH)):
        study.write(lambda connection, batch=batch: _store(connection, batch))  # type: ignore[misc]
        flagged += sum(row["priority"] > 0 for row in batch)
        progress.step(len(batch))
    study.write(lambda connection: _keep(connection, made_from))
    return flagged


def is_current(reader: sqlite3.Connection) -> bool:
    """Whether the table is what a roll-up would give now."""
    kept = reader.execute("SELECT value FROM study WHERE key = ?", (_KEY,)).fetchone()
    return kept is not None and kept[0] == _fingerprint(reader)


def outdate(study: Study) -> None:
    """Say that the table is not current, before something is changed that no fingerprint shows."""
    study.write(lambda connection: connection.execute("DELETE FROM study WHERE key = ?", (_KEY,)))


def confirm(study: Study) -> None:
    """Say that the table is current after all: nothing was changed."""
    made_from = _fingerprint(study.reader)
    study.write(lambda connection: _keep(connection, made_from))


def flagged(reader: sqlite3.Connection) -> int:
    """How many statements are flagged."""
    return int(reader.execute("SELECT count(*) FROM verdict WHERE priority > 0").fetchone()[0])


def _fingerprint(reader: sqlite3.Connection) -> str:
    """Hash of what the table is made from: tie rule, statements, what they cite, judgements, and the pages as they are.

    Of tables that only ever grow the length is enough. Not in it: an abstention that an answer takes the place of.
    """
    counts = reader.execute(
        """SELECT (SELECT count(*) FROM statement), (SELECT count(*) FROM judgement),
                  (SELECT count(*) FROM citation WHERE response_id IN (SELECT response_id FROM statement))"""
    ).fetchone()
    found = hashlib.sha256(repr((_RULES, MARKED_BY, tie_rule(reader), *counts)).encode())
    for row in reader.execute(
        "SELECT source_id, current_snapshot FROM source WHERE current_snapshot IS NOT NULL ORDER BY source_id"
    ):
        found.update(f"\n{row[0]} {row[1]}".encode())
    return found.hexdigest()


def _keep(connection: sqlite3.Connection, made_from: str) -> None:
    connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?)", (_KEY, made_from))


def _store(connection: sqlite3.Connection, rows: list[dict[str, Any]]) -> None:
    names = ", ".join(_COLUMNS)
    connection.executemany(
        f"INSERT OR REPLACE INTO verdict ({names}) VALUES ({', '.join('?' * len(_COLUMNS))})",
        [[row[column] for column in _COLUMNS] for row in rows],
    )


def _rows(reader: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    pages = _pages(reader)
    openings = _openings(reader)
    clashes = _clashes(reader)
    tie = tie_rule(reader)
    injected = {row[0] for row in reader.execute("SELECT snapshot_id FROM snapshot WHERE instructions <> ''")}
    doubts = dict(
        reader.execute(
            """SELECT statement_id, min(unsupported) FROM evidence
               WHERE snapshot_id NOT IN (SELECT snapshot_id FROM snapshot_superseded) GROUP BY 1"""
        ).fetchall()
    )
    voters = VoteReader(reader)
    judged = reader.execute(
        f"""SELECT s.statement_id, s.response_id, {COLUMNS}
            FROM statement AS s LEFT JOIN judgement AS j ON j.statement_id = s.statement_id
            LEFT JOIN judge_run AS run USING (judge_run_id) ORDER BY s.statement_id"""
    )
    nothing_cited = CitedPages(0, ())
    for statement_id, group in groupby(judged, key=itemgetter("statement_id")):
        rows = list(group)
        votes = voters.votes(rows)
        result = roll_up(votes, tie)
        response_id = rows[0]["response_id"]
        opens = openings.get(statement_id)
        doubt = doubts.get(statement_id, 0.0)
        kinds = clashes.get((statement_id, opens or ""), ())
        cited = replace(
            pages.get(response_id, nothing_cited),
            misled=_rests_on_injection(votes, injected),
            changed=voters.outdated(rows, votes),
            opens=opens,
        )
        found = flags(result, kinds, cited, doubt)
        yield _verdict(statement_id, result, cause(found)) | {
            "priority": priority(found, doubt),
            "badges": " · ".join(flag.badge for flag in found),
        }


def _rests_on_injection(votes: Iterable[Vote], injected: set[str]) -> str | None:
    """The page that speaks to models and on which a model's word for the statement rests."""
    supporting = (vote.snapshot_id for vote in votes if vote.supported and not vote.judge.offline)
    return next((page for page in supporting if page in injected), None)


def _verdict(statement_id: str, result: RollUp, about: str | None) -> dict[str, Any]:
    return {
        "statement_id": statement_id,
        "verdict": result.verdict,
        "supported": result.supported,
        "conflict": result.conflict,
        "votes_for": result.votes_for,
        "votes_other": result.votes_other,
        "abstained": result.abstained,
        "tied": result.tied,
        "judgement_id": result.lead.judgement_id if result.lead else None,
        "snapshot_id": about,
    }


def _pages(reader: sqlite3.Connection) -> dict[str, CitedPages]:
    """By response: how many sources it cites, the states of their pages, and whether one can be judged."""
    rows = reader.execute(
        """SELECT DISTINCT response_id, source_id, readable,
                  CASE WHEN instructions <> '' THEN 'instructions' ELSE page_state END AS page_state
           FROM citation LEFT JOIN snapshot_current USING (source_id)
           LEFT JOIN snapshot_content USING (snapshot_id, source_id) ORDER BY response_id"""
    )
    found = {}
    for response_id, group in groupby(rows, key=itemgetter("response_id")):
        pages = list(group)
        states = tuple(page["page_state"] for page in pages if page["page_state"])
        found[response_id] = CitedPages(len(pages), states, readable=any(page["readable"] for page in pages))
    return found


def _openings(reader: sqlite3.Connection) -> dict[str, str]:
    """By statement: the page that opens first."""
    rows = reader.execute("SELECT statement_id, snapshot_id FROM source_order WHERE opens AND snapshot_id IS NOT NULL")
    return {row["statement_id"]: row["snapshot_id"] for row in rows}


def _clashes(reader: sqlite3.Connection) -> dict[tuple[str, str], tuple[str, ...]]:
    rows = reader.execute("SELECT statement_id, snapshot_id, clashes FROM evidence WHERE clashes <> '[]'")
    return {
        (row["statement_id"], row["snapshot_id"]): tuple(clash["kind"] for clash in json.loads(row["clashes"]))
        for row in rows
    }
