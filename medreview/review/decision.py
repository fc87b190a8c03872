"""What is stored with a decision; and deciding without a screen."""

import sqlite3
from typing import Any, Final, NamedTuple

from medreview.errors import UserError
from medreview.labels import EVIDENCE, Via, level_named
from medreview.review.event_writer import EventWriter
from medreview.review.exposure import Told, exposure, told_of_statement
from medreview.review.queue import Queue
from medreview.review.queue_kinds import Mode, QueueKind
from medreview.review.reviewer_state import ReviewerState, load_reviewer_state
from medreview.study import Study
from medreview.study.events import NewEvent, Receipt
from medreview.units.statement_view import StatementView, load_statement_view

SCRIPT: Final = "script"
"""How a decision was given that no key was pressed for, and the name of its queue: it was met in none."""

NO_QUEUE: Final = Queue(
    QueueKind(SCRIPT, "", "from Python", "open", "Given outside the workbench.", "0"), "open", "", (), ()
)


class Decided(NamedTuple):
    """What a decision is about, as it is recorded: the hash of its text, the machines' common label, ``""`` for none,
    and what of their opinion there was to be seen."""

    text_sha256: str
    machines: str
    told: Told


def decided_statement(item: StatementView) -> Decided:
    """A statement."""
    return Decided(item.text_sha256, (item.verdict.verdict if item.verdict else None) or "", told_of_statement(item))


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
        "exposure": exposure(about.told, own, mode),
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
    """Record a reviewer's evidence label that was given outside the workbench; it takes the place of the one before.

    It counts as assisted: nothing can vouch for what was seen. No working time is stored, and the reviewer's place in
    the queues stays. Raises :class:`UserError` for an unknown label, statement or source, and when it cannot be saved.
    """
    try:
        level_named("evidence", label)
    except KeyError:
        levels = ", ".join(each.level for each in EVIDENCE)
        raise UserError(f"There is no label {label!r}; there are {levels}.") from None
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
        decided_statement(item),
        own,
        "open",
        axis="evidence",
        label=label,
        via=SCRIPT,
        snapshot_id=snapshot_id,
    )
    event = NewEvent("decide", statement_id, payload, snapshot_id)
    return EventWriter(study, reviewer, pass_no).write([event], NO_QUEUE, "open", bookmark=None)
