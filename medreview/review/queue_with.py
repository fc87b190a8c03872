"""A queue that has a unit: the one in which it was seen last, else the one of everything of its kind."""

from medreview.errors import UserError
from medreview.review.queue import open_queue
from medreview.study import Study
from medreview.study.unit_ids import kind_of
from medreview.units.registry import KINDS


def queue_with(study: Study, reviewer: str, unit: str, *, pass_no: int | None = None) -> tuple[str, bool | None]:
    """The name of a queue, and ``blind`` as ``open_queue`` takes it: what was seen blind last is blind again.

    ``pass_no``: only what was seen in that pass counts.
    """
    seen = study.reader.execute(
        """SELECT block, mode FROM event
           WHERE kind = 'shown' AND unit = ?1 AND reviewer = ?2 AND pass = coalesce(?3, pass)
           ORDER BY event_id DESC LIMIT 1""",
        (unit, reviewer, pass_no),
    ).fetchone()
    blind = True if seen and seen["mode"] == "blind" else None
    kind = KINDS.get(kind_of(unit))
    every = kind.queue_name if kind else "responses"
    for name in (seen["block"] if seen else every, every):
        try:
            if unit in open_queue(study, name, reviewer, blind=blind).units:
                return name, blind
        except UserError:  # being in that queue would tell, or an earlier version knew it
            pass
    return every, True
