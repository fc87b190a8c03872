"""A decision: what is stored with it, what follows it (keep, change, say why), and how it is undone.

Undo and redo are found in the record, so that they work after a restart. Also deciding without a screen.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any, Final, NamedTuple

from medreview.errors import UserError
from medreview.labels import EVIDENCE, FLAGS, OWN, REASONS, Label, Via, axis_words, label_in, label_words, level_named
from medreview.next_step import command
from medreview.review.event_writer import EventWriter
from medreview.review.queue import Queue
from medreview.review.queue_kinds import Mode, QueueKind
from medreview.review.reviewer_state import (
    ReviewerState,
    ShownParts,
    exposure,
    load_reviewer_state,
    parts_beside_statement,
)
from medreview.study import Study
from medreview.study.events import NewEvent, Receipt
from medreview.study.ids import STATEMENT
from medreview.study.own_axes import OwnAxis, own_axes
from medreview.study.statement_edits import EDITS, made_by
from medreview.units.registry import asks_of
from medreview.units.statement_view import load_statement_view


class FollowUp(Enum):
    """What the reviewer does next; the session gives it, and takes the answer.

    ``KEEP_OR_CHANGE``: the judges were just revealed and differ; ``ReviewSession.keep_or_change`` takes the answer.
    ``REASON``: the verdict differs from the judges'; ``ReviewSession.reason`` takes the answer. ``BLOCK_END``: nothing
    in a blind block waits any more; ``ReviewSession.show_judges`` shows its judges, or one goes on blind.
    ``BLOCK_DONE``: its judges are shown and all that differs was asked about; its summary may name them. ``ADVANCE``:
    it is settled, and the next statement comes.
    """

    KEEP_OR_CHANGE = "keep or change"
    REASON = "reason"
    BLOCK_END = "end of the block"
    BLOCK_DONE = "block is done"
    ADVANCE = "advance"


_ACTS = (
    "('decide', 'revise', 'reason', 'defer', 'flag', 'note', 'span_add', 'span_del', 'span_move', 'finding', "
    "'promote', 'split', 'join', 'exclude', 'fact_add', 'adjudicate', 'tag')"
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
            WHERE r.reviewer = ? AND r.pass = ? AND r.kind = 'retract' AND e.kind IN {_ACTS}
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
            return name if said["axis"] == asks_of(unit).axis else f"{axis_words(said['axis'])} {name}"
        case "reason":
            return f"reason {label_in(REASONS, said['code']).name}"
        case "flag":
            return f"{label_in(FLAGS, said['flag']).name} flag {'set' if said['on'] else 'taken back'}"
        case "tag":
            return f"tag #{said['tag']} {'added' if said['on'] else 'removed'}"
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


SCRIPT: Final = "script"
"""How a decision from a script was given, and the name of its queue, since no queue showed the unit."""

NO_QUEUE: Final = Queue(
    QueueKind(SCRIPT, "", "from Python", "open", "Given outside the workbench.", "0"), "open", "", (), ()
)


class Decided(NamedTuple):
    """What a decision is about, as it is recorded: the hash of its text, the machines' common label, ``""`` for none,
    and which of their opinions were visible."""

    text_sha256: str
    machines: str
    beside: ShownParts


def decision_payload(
    reader: sqlite3.Connection,
    about: Decided,
    own: ReviewerState,
    mode: Mode,
    *,
    axis: str,
    label: str,
    via: Via,
    snapshot_id: str | None,
) -> dict[str, Any]:
    """A decision with what had been seen before it, and the hashes of the texts that it was made on."""
    page = reader.execute("SELECT text_sha256 FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)).fetchone()
    return {
        "axis": axis,
        "label": label,
        "via": via,
        "judge_verdict": about.machines,
        "exposure": exposure(about.beside, own, mode),
        "statement_sha256": about.text_sha256,
        "snapshot_sha256": str(page[0]) if page else "",
    }


def decide_in_script(
    study: Study,
    reviewer: str,
    statement_id: str,
    label: str,
    *,
    source_id: str | None = None,
    pass_no: int = 1,
) -> Receipt:
    """Record a reviewer's evidence label that was given outside the workbench; it replaces the one before.

    It counts as assisted: nothing proves what was seen. No working time is stored, and the reviewer's place in the
    queues stays. Raises :class:`UserError` for an unknown label, statement or source, and when it cannot be saved.
    """
    try:
        level_named("evidence", label)
    except KeyError:
        levels = ", ".join(each.level for each in EVIDENCE)
        raise UserError(f"There is no label {label!r}; there are {levels}.") from None
    return save_in_script(study, reviewer, statement_id, "evidence", label, source_id=source_id, pass_no=pass_no)


def save_in_script(
    study: Study,
    reviewer: str,
    statement_id: str,
    axis: str,
    label: str,
    *,
    source_id: str | None = None,
    pass_no: int = 1,
) -> Receipt:
    """Record a label that an axis has, as :func:`decide_in_script` does.

    Raises :class:`UserError` for an unknown statement or source, and when it cannot be saved.
    """
    try:
        item = load_statement_view(study.reader, statement_id)
    except KeyError:
        raise UserError(f"The study has no statement {statement_id!r}.") from None
    sources = {source.source_id: source for source in item.sources}
    if source_id is not None and source_id not in sources:
        raise UserError(f"The response of {statement_id} does not cite the source {source_id!r}.")
    source = sources[source_id] if source_id is not None else item.opening_source
    snapshot_id = source.snapshot_id if source else None
    own = load_reviewer_state(study.reader, statement_id, reviewer, pass_no)
    payload = decision_payload(
        study.reader,
        Decided(item.text_sha256, (item.verdict.verdict if item.verdict else None) or "", parts_beside_statement(item)),
        own,
        "open",
        axis=axis,
        label=label,
        via=SCRIPT,
        snapshot_id=snapshot_id,
    )
    event = NewEvent("decide", statement_id, payload, snapshot_id)
    return EventWriter(study, reviewer, pass_no).write([event], NO_QUEUE, "open", bookmark=None)


def label_in_script(
    study: Study, reviewer: str, statement_id: str, name: str, levels: Sequence[str], *, pass_no: int = 1
) -> Receipt:
    """Record a reviewer's label on an axis of the study's own that was given outside the workbench.

    It counts as assisted, as by :func:`decide_in_script`. Raises :class:`UserError` for an
    unknown axis, level or statement, and when it cannot be saved.
    """
    axes = own_axes(study.reader, STATEMENT)
    axis = axes.get(OWN + name)
    if axis is None:
        raise UserError(no_axis(axes, STATEMENT, name))
    return save_in_script(study, reviewer, statement_id, axis.axis, own_label(axis, levels), pass_no=pass_no)


def own_label(axis: OwnAxis, levels: Sequence[str]) -> str:
    """Levels of an axis of the study's own as a label. Raises :class:`UserError` for what it does not take."""
    known = [one.level for one in axis.levels]
    if not {*levels} <= {*known} or not (axis.many or len(levels) == 1):
        which = "any of" if axis.many else "one of"
        raise UserError(f"{axis.title} takes {which} {', '.join(known)}.")
    return axis.label_of(levels)


def no_axis(axes: Mapping[str, OwnAxis], noun: str, name: str = "") -> str:
    """That there is no axis of the study's own with a name, with those that there are."""
    if axes:
        known = ", ".join(one.name for one in axes.values())
        return f"There is no axis {name!r} for a {noun}; there is {known}."
    how = command("plan", "axes", "STUDY", "--add", "harm")
    return f"The study has no axes of its own for a {noun}; `{how}` adds severity of harm."


_BY_CLASH: Final[Mapping[str, str]] = {
    **dict.fromkeys(("number", "unit", "range", "comparison"), "number"),
    **dict.fromkeys(("negation", "significance"), "negation"),
    **dict.fromkeys(("direction", "opposite", "order"), "direction"),
    **dict.fromkeys(("quantifier", "severity"), "stronger"),
    "population": "population",
}
"""By the kind of a clash between statement and page, or of a difference between a judge's quote and the page."""
_BY_QUOTE: Final = {"absent": "quote", "altered": "quote"}
_BY_LABEL: Final = {"not_addressed": "topic", "partial": "stronger"}
"""By my own label, where nothing else is known."""


def likely_first(reasons: Iterable[Label], likely: str | None) -> list[Label]:
    """The reasons as they are offered."""
    return sorted(reasons, key=lambda reason: reason.level != likely)


def likely_reason(mine: str, clashes: Iterable[str], quotes: Collection[str]) -> str | None:
    """The level of the likeliest reason for a label of ``mine``, ``None`` where nothing points to one.

    ``clashes``: kinds of what differs between page and statement or quote. ``quotes``: how true the quotes of the
    judges are that say otherwise.
    """
    by_clash = (_BY_CLASH[kind] for kind in clashes if kind in _BY_CLASH)
    by_quote = (_BY_QUOTE[status] for status in quotes if status in _BY_QUOTE)
    return next(chain(by_clash, by_quote), None) or _BY_LABEL.get(mine)
