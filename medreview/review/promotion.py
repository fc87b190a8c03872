"""Making statements of what was left out."""

from collections.abc import Sequence

from medreview.review.decision import NO_QUEUE
from medreview.review.event_writer import EventWriter
from medreview.review.queue import Queue
from medreview.statements.left_out import promotion
from medreview.study import Study
from medreview.study.events import Receipt


def promote(
    study: Study, reviewer: str, left_out_ids: Sequence[str], *, queue: Queue = NO_QUEUE, pass_no: int = 1
) -> tuple[list[str], Receipt]:
    """Make statements of parts that are left out, in one transaction: their ids, and the receipt of the first.

    Whatever the ``queue``, these are no looks at judges: of a statement that was not there none has said anything.
    Raises :class:`UserError` for an id that nothing has, and when it cannot be saved.
    """
    events = [promotion(study.reader, left_out_id) for left_out_id in dict.fromkeys(left_out_ids)]
    writer = EventWriter(study, reviewer, pass_no)
    receipt = writer.write(events, queue, "blind", bookmark=None)
    return [event.unit for event in events], receipt
