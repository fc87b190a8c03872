"""Making the verdicts anew after what they are made from has changed, and completing the frame of the audit."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from medreview.judges import verdict_fingerprint, verdicts
from medreview.judges.injection import mark_snapshots
from medreview.progress import SILENT, Progress
from medreview.review import audit
from medreview.statements.left_out import list_left_out
from medreview.statements.marker_stage import mark_all
from medreview.study import Study


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


@dataclass(slots=True)
class Replacing:
    """``nothing``: no judgement was stored, neither a new one nor in the place of an abstention."""

    nothing: bool = False


@contextmanager
def replacing_answers(study: Study, progress: Progress) -> Iterator[Replacing]:
    """As :func:`rolled_up`, for what may put answers in the place of abstentions, which no fingerprint shows.

    Rolled up at the start as well, since a task may ask on what the judges found so far.
    """
    roll_up(study, progress)
    verdict_fingerprint.outdate(study)
    replacing = Replacing()
    with rolled_up(study, progress):
        yield replacing
        if replacing.nothing:
            verdict_fingerprint.confirm(study)
