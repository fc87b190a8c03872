"""What one reviewer has said of a unit so far, and what of the judges' opinion may be seen or has been (blind rules).

Folded from the events that still stand; ``exposure`` is stored with every decision.
"""

import json
import sqlite3
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from medreview.labels import FLAGS, REASONS, axis_words, is_own, label_in, label_words, level_named
from medreview.review.queue_kinds import RESERVED, Mode
from medreview.review.unblinding import kept_with, saw_elsewhere, saw_others
from medreview.study.ids import PAIR, STATEMENT, ids_of, kind_of
from medreview.study.statement_edits import replaced_for
from medreview.text import Span
from medreview.units.derived_label import Derived, derived_label
from medreview.units.kind import Machines
from medreview.units.registry import asks_of
from medreview.units.statement_view import StatementView

_TOLD: Final = """SELECT EXISTS (SELECT 1 FROM statement AS s JOIN statement AS beside USING (response_id)
                       JOIN judges_shown AS j ON j.unit = beside.statement_id AND j.reviewer = ?1
                       WHERE s.statement_id = ?2),
       EXISTS (SELECT 1 FROM judges_look WHERE reviewer = ?1)"""
"""Looks at other statements and figures."""


class ReviewerSpan(NamedTuple):
    """A stretch of text that the reviewer marked: in the ``"response"``, in a snapshot (``"source"``), or in a document
    of another unit, by its key. ``reason`` in words, ``with_span`` the event of the span that it clashes with."""

    event_id: str
    target: str
    span: Span
    exact: str
    label: str
    snapshot_id: str | None
    reason: str = ""
    with_span: str | None = None


class ReviewerState(NamedTuple):
    """The reviewer's own labels on a unit. ``first`` is the first label on the axis of its kind (the view
    ``decision_first``), ``label`` the current one, ``words`` the text that came with it.

    ``decision`` is the event of the current label, ``snapshot_id`` the page that was on the screen then; ``stale``: its
    text has changed since, or there was none. ``blind``: the first label was given before anything of the judges'
    opinion had been seen; ``revealed``: the judges are shown since; ``saw_judges``: they were seen at any time;
    ``kept_blind``: decided or put off blind, or reserved for the audit: the judges stay hidden in every queue;
    ``knows_model``: another statement of the response was seen with its model; ``read_totals``: figures were read;
    ``saw_others``: another reviewer's label or note was.
    ``reason`` is a code of ``medreview.labels.REASONS``, ``hallucination`` a level of that axis. ``also``: the labels
    on further axes (``quality/2``, ``category``, ``own.harm``); ``tags`` by name. ``from_pairs``: what my labels on the
    statement's pairs come to, of a statement and of each of its pairs.
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
    saw_others: bool = False
    spans: tuple[ReviewerSpan, ...] = ()
    words: str = ""
    also: Mapping[str, str] = MappingProxyType({})
    tags: frozenset[str] = frozenset()
    from_pairs: Derived | None = None


def remarks(own: ReviewerState) -> list[str]:
    """What the reviewer said beside the verdict, in words: reason, hallucination, labels on the study's own axes,
    flags, tags; what the pairs come to."""
    return [
        *([label_in(REASONS, own.reason).name] if own.reason else []),
        *([f"hallucination {level_named('hallucination', own.hallucination).name}"] if own.hallucination else []),
        *(f"{axis_words(axis)}: {label_words(axis, label)}" for axis, label in own.also.items() if is_own(axis)),
        *sorted(flag.name for flag in FLAGS if flag.level in own.flags),
        *(f"#{tag}" for tag in sorted(own.tags)),
        *([own.from_pairs.words] if own.from_pairs else []),
    ]


def load_reviewer_state(reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int = 1) -> ReviewerState:
    """Fold the reviewer's live events on a unit, in the order of time.

    ``saw_judges`` also counts what was seen in another pass, what was taken back since, and what was seen of a
    statement that this one was made from or of another unit that reveals it: it cannot be unseen.
    """
    axis = asks_of(unit).axis
    query = "SELECT 1 FROM judges_seen WHERE unit = ? AND reviewer = ?"
    before = (unit, *replaced_for(reader, unit))
    seen = next((row for each in before if (row := reader.execute(query, (each, reviewer)).fetchone())), None)
    own = ReviewerState(saw_judges=seen is not None or saw_elsewhere(reader, unit, reviewer))
    rows = reader.execute(
        """SELECT event_id, kind, mode, snapshot, payload FROM event_live
           WHERE unit = ? AND reviewer = ? AND pass = ? ORDER BY event_id""",
        (unit, reviewer, pass_no),
    )
    for row in rows:
        own = _fold(own, row, axis)
    stale = reader.execute("SELECT 1 FROM decision_stale WHERE event_id = ?", (own.decision,)).fetchone()
    spans = reader.execute(
        """SELECT event_id, snapshot, payload FROM span_live
           WHERE unit = ? AND reviewer = ? AND pass = ? ORDER BY event_id""",
        (unit, reviewer, pass_no),
    )
    mode = reader.execute(
        "SELECT mode FROM reviewer_label WHERE unit = ? AND reviewer = ? AND pass = ?",
        (unit, reviewer, pass_no),
    ).fetchone()
    first = reader.execute(
        "SELECT label FROM decision_first WHERE unit = ? AND reviewer = ? AND pass = ? AND axis = ?",
        (unit, reviewer, pass_no, axis),
    ).fetchone()
    query = f"""SELECT 1 FROM kept_blind WHERE reviewer = ?1 AND unit = ?2 AND pass = ?3 AND NOT seen
                UNION ALL {RESERVED} AND a.statement_id = ?2"""
    kept = any(reader.execute(query, (reviewer, each, pass_no)).fetchone() for each in kept_with(reader, unit))
    looks = reader.execute(_TOLD, (reviewer, unit)).fetchone()
    return own._replace(
        knows_model=bool(looks[0]),
        read_totals=bool(looks[1]),
        saw_others=saw_others(reader, unit, reviewer, pass_no),
        first=str(first[0]) if first else None,
        stale=stale is not None,
        blind=mode is not None and mode[0] == "blind",
        kept_blind=kept,
        from_pairs=_from_pairs(reader, unit, reviewer, pass_no),
        spans=tuple(map(_span, spans)),
    )


def _from_pairs(reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int) -> Derived | None:
    if kind_of(unit) not in (STATEMENT, PAIR):
        return None
    return derived_label(reader, unit if kind_of(unit) == STATEMENT else ids_of(unit)[0], reviewer, pass_no)


def load_reviewer_states(reader: sqlite3.Connection, unit: str, pass_no: int = 1) -> dict[str, ReviewerState]:
    """The state of each reviewer of a unit, by name, without those who only looked at it."""
    rows = reader.execute(
        """SELECT DISTINCT reviewer FROM event_live
           WHERE unit = ? AND pass = ? AND kind NOT IN ('shown', 'listed', 'reveal') ORDER BY reviewer""",
        (unit, pass_no),
    )
    return {name: load_reviewer_state(reader, unit, name, pass_no) for (name,) in rows.fetchall()}


def _fold(own: ReviewerState, row: sqlite3.Row, axis: str) -> ReviewerState:
    said = json.loads(row["payload"])
    match row["kind"], said.get("axis"):
        case (("decide" | "revise"), on) if on == axis:
            return own._replace(
                label=said["label"],
                words=said.get("text", ""),
                decision=row["event_id"],
                snapshot_id=row["snapshot"],
                reason=None,
                deferred=False,
                revealed=own.revealed and row["kind"] == "revise",
            )
        case (("decide" | "revise"), "hallucination"):
            return own._replace(hallucination=said["label"])
        case (("decide" | "revise"), str() as on):
            return own._replace(also={**own.also, on: said["label"]})
        case "reason", _:
            return own._replace(reason=said["code"])
        case "note", _:
            return own._replace(note=said["text"])
        case "flag", _:
            return own._replace(flags=own.flags | {said["flag"]} if said["on"] else own.flags - {said["flag"]})
        case "tag", _:
            return own._replace(tags=own.tags | {said["tag"]} if said["on"] else own.tags - {said["tag"]})
        case "defer", _:
            return own._replace(deferred=True)
        case "reveal", _:
            return own._replace(revealed=own.label is not None)
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
        reason=said.get("reason", ""),
        with_span=said.get("with"),
    )


def statement_mode(queue: Mode, own: ReviewerState) -> Mode:
    """How a unit is shown in a queue of a mode: blindness belongs to the unit, not only to the queue.

    One that this reviewer decided or put off blind stays blind wherever it comes up, until its judges were shown; one
    that is reserved for the audit, until it is decided and they were.
    """
    return "blind" if queue == "blind" or own.kept_blind else "open"


def judges_visible(mode: Mode, own: ReviewerState) -> bool:
    """Whether verdicts, quotes, jury, judges' highlights, badges and the model's name are shown.

    ``mode`` is that of :func:`statement_mode`. In blind mode they stay hidden until the reviewer has decided and the
    reveal was recorded.
    """
    return mode == "open" or own.revealed


def knows_judges(mode: Mode, own: ReviewerState) -> bool:
    """Whether the reviewer has seen what the judges say, here or at any time before: a first label is assisted then.

    For recorded decisions the view ``reviewer_label`` says so.
    """
    return mode == "open" or own.saw_judges


class ShownParts(NamedTuple):
    """Which parts of the machines' opinion stand beside a unit: a verdict, a quote, several judges, the name of the
    model, a reason why it is in its queue."""

    verdict: bool
    quote: bool
    jury: bool
    model: bool
    badges: bool


def parts_beside_statement(item: StatementView) -> ShownParts:
    """Of a statement."""
    return ShownParts(
        verdict=bool(item.judgements),
        quote=any(judgement.quote for judgement in item.judgements),
        jury=len({judgement.judge for judgement in item.judgements if not judgement.offline}) > 1,
        model=bool(item.model),
        badges=bool(item.verdict and item.verdict.badges),
    )


def parts_beside_unit(machines: Machines, model: str) -> ShownParts:
    """Of another unit."""
    return ShownParts(
        verdict=bool(machines.opinions or machines.level),
        quote=any(passage.quote for opinion in machines.opinions for passage in opinion.passages),
        jury=len({opinion.judge for opinion in machines.opinions}) > 1,
        model=bool(model),
        badges=bool(machines.badges),
    )


def exposure(beside: ShownParts, own: ReviewerState, mode: Mode) -> dict[str, str]:
    """What had been seen before this decision, by part: ``"before"`` or ``"no"``. Stored with every decision.

    A blind decision on a statement that was once seen with the judges' opinion is not a blind label. Totals of the
    judges (figures) and the name of the model, seen at another statement of the response, leave it blind. After another
    reviewer's label or note it may be blind, but is not independent of that reviewer.
    """
    saw = knows_judges(mode, own)
    parts = {
        "judge_verdict": saw and beside.verdict,
        "judge_quote": saw and beside.quote,
        "judge_highlight": saw and beside.verdict,
        "jury": saw and beside.jury,
        "model_name": (saw or own.knows_model) and beside.model,
        "queue_reason": saw and beside.badges,
        "judge_totals": own.read_totals,
        "own_previous": own.label is not None,
        "other_reviewer": own.saw_others,
    }
    return {part: "before" if seen else "no" for part, seen in parts.items()}
