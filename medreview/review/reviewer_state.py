"""What one reviewer has said about one statement so far, folded from the events that still stand."""

import json
import sqlite3
from dataclasses import dataclass, field, replace
from typing import Final

from medreview.labels import FLAGS, REASONS, label_in, level_named
from medreview.review.queue_kinds import RESERVED
from medreview.text import Span

_TOLD: Final = """SELECT EXISTS (SELECT 1 FROM statement AS s JOIN statement AS beside USING (response_id)
                       JOIN judges_shown AS j ON j.unit = beside.statement_id AND j.reviewer = ?1
                       WHERE s.statement_id = ?2),
       EXISTS (SELECT 1 FROM event WHERE kind = 'look' AND reviewer = ?1)"""
"""What other statements and figures have told."""


@dataclass(frozen=True, slots=True)
class ReviewerSpan:
    """A stretch of text that the reviewer marked, in the ``"response"`` or in a snapshot (``"source"``)."""

    event_id: str
    target: str
    span: Span
    exact: str
    label: str
    snapshot_id: str | None


@dataclass(frozen=True, slots=True)
class ReviewerState:
    """The reviewer's own labels on a statement. ``first`` is the first evidence label (the view ``decision_first``),
    ``label`` the current one.

    ``decision`` is the event of the current label, ``snapshot_id`` the page that was on the screen then; ``stale``: its
    text has changed since, or there was none. ``blind``: the first label was given before anything of the judges'
    opinion had been seen; ``revealed``: the judges are shown since; ``saw_judges``: they were seen at any time;
    ``kept_blind``: decided or put off blind, or reserved for the audit: the judges stay hidden in every queue;
    ``knows_model``: another statement of the response was seen with its model; ``read_totals``: figures were read.
    ``reason`` is a code of ``medreview.labels.REASONS``, ``hallucination`` a level of that axis.
    """

    first: str | None = None
    label: str | None = None
    decision: str | None = None
    snapshot_id: str | None = None
    stale: bool = False
    blind: bool = False
    reason: str | None = None
    hallucination: str | None = None
    note: str = ""
    flags: frozenset[str] = frozenset()
    deferred: bool = False
    revealed: bool = False
    saw_judges: bool = False
    kept_blind: bool = False
    knows_model: bool = False
    read_totals: bool = False
    spans: tuple[ReviewerSpan, ...] = field(default=())


def remarks(own: ReviewerState) -> list[str]:
    """What the reviewer said beside the verdict, in words: reason, hallucination, flags."""
    return [
        *([label_in(REASONS, own.reason).name] if own.reason else []),
        *([f"hallucination {level_named('hallucination', own.hallucination).name}"] if own.hallucination else []),
        *sorted(flag.name for flag in FLAGS if flag.level in own.flags),
    ]


def load_reviewer_state(
    reader: sqlite3.Connection, statement_id: str, reviewer: str, pass_no: int = 1
) -> ReviewerState:
    """Fold the reviewer's live events on a statement, in the order of time.

    ``saw_judges`` also counts what was seen in another pass, and what was taken back since: it cannot be unseen.
    """
    seen = reader.execute(
        "SELECT 1 FROM judges_seen WHERE unit = ? AND reviewer = ?", (statement_id, reviewer)
    ).fetchone()
    own = ReviewerState(saw_judges=seen is not None)
    rows = reader.execute(
        """SELECT event_id, kind, mode, snapshot, payload FROM event_live
           WHERE unit = ? AND reviewer = ? AND pass = ? ORDER BY event_id""",
        (statement_id, reviewer, pass_no),
    )
    for row in rows:
        own = _fold(own, row)
    stale = reader.execute("SELECT 1 FROM decision_stale WHERE event_id = ?", (own.decision,)).fetchone()
    spans = reader.execute(
        """SELECT event_id, snapshot, payload FROM span_live
           WHERE unit = ? AND reviewer = ? AND pass = ? ORDER BY event_id""",
        (statement_id, reviewer, pass_no),
    )
    mode = reader.execute(
        "SELECT mode FROM reviewer_label WHERE unit = ? AND reviewer = ? AND pass = ?",
        (statement_id, reviewer, pass_no),
    ).fetchone()
    first = reader.execute(
        "SELECT label FROM decision_first WHERE unit = ? AND reviewer = ? AND pass = ? AND axis = 'evidence'",
        (statement_id, reviewer, pass_no),
    ).fetchone()
    kept = reader.execute(
        f"""SELECT 1 FROM kept_blind WHERE reviewer = ?1 AND unit = ?2 AND pass = ?3 AND NOT seen
            UNION ALL {RESERVED} AND a.statement_id = ?2""",
        (reviewer, statement_id, pass_no),
    ).fetchone()
    told = reader.execute(_TOLD, (reviewer, statement_id)).fetchone()
    return replace(
        own,
        knows_model=bool(told[0]),
        read_totals=bool(told[1]),
        first=str(first[0]) if first else None,
        stale=stale is not None,
        blind=mode is not None and mode[0] == "blind",
        kept_blind=kept is not None,
        spans=tuple(map(_span, spans)),
    )


def load_reviewer_states(reader: sqlite3.Connection, statement_id: str, pass_no: int = 1) -> dict[str, ReviewerState]:
    """What everybody has said about a statement, by name. Who only looked at it has said nothing."""
    rows = reader.execute(
        """SELECT DISTINCT reviewer FROM event_live
           WHERE unit = ? AND pass = ? AND kind NOT IN ('shown', 'listed', 'reveal') ORDER BY reviewer""",
        (statement_id, pass_no),
    )
    return {name: load_reviewer_state(reader, statement_id, name, pass_no) for (name,) in rows.fetchall()}


def _fold(own: ReviewerState, row: sqlite3.Row) -> ReviewerState:
    said = json.loads(row["payload"])
    match row["kind"], said.get("axis"):
        case (("decide" | "revise"), "evidence"):
            return replace(
                own,
                label=said["label"],
                decision=row["event_id"],
                snapshot_id=row["snapshot"],
                reason=None,
                deferred=False,
                revealed=own.revealed and row["kind"] == "revise",
            )
        case (("decide" | "revise"), "hallucination"):
            return replace(own, hallucination=said["label"])
        case "reason", _:
            return replace(own, reason=said["code"])
        case "note", _:
            return replace(own, note=said["text"])
        case "flag", _:
            return replace(own, flags=own.flags | {said["flag"]} if said["on"] else own.flags - {said["flag"]})
        case "defer", _:
            return replace(own, deferred=True)
        case "reveal", _:
            return replace(own, revealed=own.label is not None)
    return own


def _span(row: sqlite3.Row) -> ReviewerSpan:
    said = json.loads(row["payload"])
    return ReviewerSpan(
        event_id=row["event_id"],
        target=said["target"],
        span=Span(said["start"], said["end"]),
        exact=said["exact"],
        label=said["label"],
        snapshot_id=row["snapshot"],
    )
