"""Undo and redo: found in the record, so that they work after a restart."""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any, NamedTuple

from medreview.labels import FLAGS, REASONS, label_in, label_words
from medreview.study.statement_edits import EDITS, made_by
from medreview.units.registry import asks_of

_ACTS = (
    "('decide', 'revise', 'reason', 'defer', 'flag', 'note', 'span_add', 'span_del', 'span_move', 'finding', "
    "'promote', 'split', 'join', 'exclude', 'fact_add', 'adjudicate')"
)


class Act(NamedTuple):
    """An event that can be taken back (``target``) or a retraction that can be (redo), and what it was, in words.

    ``edits``: it cut, joined, excluded or made statements; ``made`` are those that it made.
    """

    target: str
    unit: str
    words: str
    edits: bool
    made: tuple[str, ...]

    @classmethod
    def of(cls, row: sqlite3.Row) -> "Act":
        """From a row with the event to be retracted, and unit, kind and payload of the act."""
        kind, unit, payload = row["kind"], row["unit"], row["payload"]
        edits = kind in EDITS
        made = tuple(one.statement_id for one in made_by(kind, unit, json.loads(payload))) if edits else ()
        return cls(row["event_id"], unit, describe(kind, payload, unit), edits, made)


def last_act(reader: sqlite3.Connection, reviewer: str, pass_no: int) -> Act | None:
    """The reviewer's newest act that still stands."""
    row = reader.execute(
        f"""SELECT event_id, unit, kind, payload FROM event_live WHERE reviewer = ? AND pass = ? AND kind IN {_ACTS}
            ORDER BY event_id DESC LIMIT 1""",
        (reviewer, pass_no),
    ).fetchone()
    return Act.of(row) if row else None


def last_undone(reader: sqlite3.Connection, reviewer: str, pass_no: int) -> Act | None:
    """The newest undo with no act after it: what a redo brings back."""
    row = reader.execute(
        f"""SELECT r.event_id, e.unit, e.kind, e.payload
            FROM event AS r JOIN event AS e ON e.event_id = r.undoes_event
            WHERE r.reviewer = ? AND r.pass = ? AND r.kind = 'retract' AND e.kind <> 'retract'
            AND NOT EXISTS (SELECT 1 FROM event AS again WHERE again.undoes_event = r.event_id)
            AND NOT EXISTS (SELECT 1 FROM event AS later WHERE later.reviewer = r.reviewer
                            AND later.event_id > r.event_id AND later.kind IN {_ACTS})
            ORDER BY r.event_id DESC LIMIT 1""",
        (reviewer, pass_no),
    ).fetchone()
    return Act.of(row) if row else None


def describe(kind: str, payload: str, unit: str) -> str:
    """An act in a few words, as receipts name it."""
    said = json.loads(payload)
    match kind:
        case "decide" | "revise":
            name = _named(said)
            return name if said["axis"] == asks_of(unit).axis else f"{said['axis'].replace('/', ' ')} {name}"
        case "reason":
            return f"reason {label_in(REASONS, said['code']).name}"
        case "flag":
            return f"{label_in(FLAGS, said['flag']).name} flag {'set' if said['on'] else 'taken back'}"
        case "span_add":
            return f"marked {brief(said['exact'])}"
        case "span_del":
            return f"deleted {brief(said['exact'])}"
        case "span_move":
            return f"marked {brief(said['exact'])} instead"
        case "finding":
            return "finding rejected"
        case "promote":
            return f"made a statement of {brief(said['text'])}"
        case "split":
            return f"cut before {brief(said['made'][1]['text'])}"
        case "join":
            return "joined with the next"
        case "exclude":
            return "excluded as not medical"
        case "fact_add":
            return f"added {brief(said['text'])}"
        case "adjudicate":
            return f"settled as {_named(said)}"
        case "defer":
            return "deferred"
    return kind


def _named(said: Mapping[str, Any]) -> str:
    """A label; an order has other numbers on the screen than in the record, and is not read out."""
    return "the order of the outputs" if said["axis"] == "rank" else label_words(said["axis"], said["label"])


def brief(words: str) -> str:
    """The words of a span in quotation marks, as receipts name them."""
    return f"“{words if len(words) <= 24 else words[:23] + '…'}”"
