"""Making the verdicts again after what they are made from has changed, and completing the frame of the audit.

Also at the end of what changes a study under review: edits of statements, the tie rule, a colleague's decisions.
"""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from medreview.judges import rollup, verdict_fingerprint, verdicts
from medreview.judges.claimed_quotes import ground_claims
from medreview.judges.injection import mark_snapshots
from medreview.judges.offline_stage import judge_offline, pairs_waiting
from medreview.labels import TieRule
from medreview.progress import SILENT, Progress
from medreview.references.model import check_of
from medreview.review import audit
from medreview.review.decision import NO_QUEUE, brief
from medreview.review.event_writer import EventWriter
from medreview.review.queue import Queue
from medreview.review.queue_kinds import Mode
from medreview.review.statement_editing import made_of
from medreview.statements.left_out import LeftOut, list_left_out, promotion
from medreview.statements.stage import mark_all
from medreview.study import Study
from medreview.study.events import NewEvent, Receipt
from medreview.study.ids import kind_of
from medreview.study.merge import BRINGS, Brought, MergeSummary, Reads
from medreview.study.merge import merge as join
from medreview.units.kind import UnitView
from medreview.units.registry import KINDS

if TYPE_CHECKING:
    from medreview.review.session import ReviewSession


def roll_up(study: Study, progress: Progress = SILENT) -> int:
    """Make the table of verdicts, unless it is right; how many statements are flagged.

    It may be wrong in a study that an earlier version made, or in which something was killed or done by hand. What is
    left out of the statements is listed where that was not done yet.
    """
    list_left_out(study, progress)
    if verdict_fingerprint.is_current(study.reader):
        return verdicts.flagged(study.reader)
    mark_all(study, progress)
    mark_snapshots(study, progress)
    return verdicts.refresh(study, progress)


@contextmanager
def rolled_up(study: Study, progress: Progress) -> Iterator[None]:
    """Rolls up at the end, also of what breaks off: what was stored by then counts."""
    try:
        yield
    finally:
        roll_up(study, progress)
        study.write(audit.complete)


@contextmanager
def replacing_answers(study: Study, progress: Progress) -> Iterator[None]:
    """As :func:`rolled_up`, for what may put answers in the place of abstentions, which no fingerprint shows.

    Rolled up at the start as well, since a task may ask on what the judges found so far. Where no judgement was stored,
    neither a new one nor in the place of an abstention, ``verdict_fingerprint.confirm`` says so inside.
    """
    roll_up(study, progress)
    verdict_fingerprint.outdate(study)
    with rolled_up(study, progress):
        yield


@dataclass(frozen=True, slots=True)
class Edited:
    """The ids of the statements that edits have made, and the receipt of the first edit."""

    statements: list[str]
    receipt: Receipt


def promote(
    study: Study,
    reviewer: str,
    left_out_ids: Sequence[str],
    *,
    queue: Queue = NO_QUEUE,
    pass_no: int = 1,
    progress: Progress = SILENT,
    synonyms: Path | None = None,
) -> Edited:
    """Make statements of parts that are left out; the offline judge looks at them, if it has looked at all others.

    Whatever the ``queue``, these are no looks at judges: of a statement that was not there none has said anything.
    Raises :class:`UserError` for an id that nothing has, and when it cannot be saved.
    """
    events = [promotion(study.reader, left_out_id) for left_out_id in dict.fromkeys(left_out_ids)]
    return edit(study, reviewer, events, queue=queue, pass_no=pass_no, progress=progress, synonyms=synonyms)


def edit(
    study: Study,
    reviewer: str,
    events: Sequence[NewEvent],
    *,
    queue: Queue = NO_QUEUE,
    mode: Mode = "blind",
    pass_no: int = 1,
    progress: Progress = SILENT,
    synonyms: Path | None = None,
) -> Edited:
    """Edit statements (``medreview.review.statement_editing``), in one transaction; ``mode``: as they are shown.

    The offline judge looks at what they make, if it has looked at all others. Judgements of a replaced statement do not
    carry over to its parts: ask the models again. Raises :class:`UserError` when it cannot be saved.
    """
    others = pairs_waiting(study.reader)
    with rolled_up(study, progress):
        receipt = EventWriter(study, reviewer, pass_no).write(events, queue, mode, bookmark=None)
        if not others:
            mark_all(study, progress)
            judge_offline(study, progress, 0, synonyms)
            ground_claims(study, progress)
    return Edited([each for event in events for each in made_of(event)], receipt)


def edit_here(session: "ReviewSession", event: NewEvent, words: str, synonyms: Path | None) -> None:
    """Edit a statement in a sitting, and go to the result; ``words`` tell what was done."""
    done = edit(session.study, session.reviewer, [event], queue=session.queue, mode=session.mode,
                pass_no=session.pass_no, synonyms=synonyms)  # fmt: skip
    session.reopen(done.receipt, words, done.statements)


def promote_here(session: "ReviewSession", part: LeftOut, synonyms: Path | None) -> None:
    """Make a statement of what was left out of the response that a sitting is at."""
    done = promote(session.study, session.reviewer, [part.left_out_id], queue=session.queue, pass_no=session.pass_no,
                   synonyms=synonyms)  # fmt: skip
    session.reopen(done.receipt, f"{brief(part.text)} is a statement now")


def set_tie_rule(study: Study, rule: TieRule, progress: Progress = SILENT) -> None:
    """Set what the jury of this study gives on even votes, from now on and for all that was judged before."""
    with rolled_up(study, progress):
        rollup.set_tie_rule(study, rule)


def merge(
    study: Study,
    other: Path | Sequence[Path],
    progress: Progress = SILENT,
    parts: Collection[Brought] = tuple(BRINGS),
) -> MergeSummary:
    """Join other copies with a study (``medreview.study.merge``), one after the other, each wholly or not at all.

    The pages that are current here and can be read stay so. Verdicts are made again once, after the last copy.
    Raises :class:`UserError` when another file is this one, no study, one that has nothing in common with this one,
    or what it holds cannot be relied on; the copies before it are merged then.
    """
    others = [other] if isinstance(other, Path) else other
    joined = MergeSummary(0, 0, 0)
    with rolled_up(study, progress):
        progress.begin("copies", len(others))
        for one in others:
            summary = join(study, one, parts, Reads(check_of, _shown))
            if any(rows.replaced for rows in summary.rows.values()):
                verdict_fingerprint.outdate(study)
            joined += summary
            progress.step()
        if joined.pages:
            ground_claims(study, progress)
    return joined


def _shown(reader: sqlite3.Connection, unit: str) -> UnitView:
    return KINDS[kind_of(unit)].load(reader, unit)
