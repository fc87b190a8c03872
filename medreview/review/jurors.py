"""The jury of one statement: what each judge says of it, over all its sources."""

from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from medreview.judges.rollup import Vote, roll_up
from medreview.review.statement_view import StatementView


@dataclass(frozen=True, slots=True)
class Juror:
    """One judge run and its word; without ``verdict`` and ``supported`` it abstained."""

    judge: str
    verdict: str | None
    supported: bool | None


def jurors(item: StatementView) -> tuple[Juror, ...]:
    """Every judge run that was asked, in the order in which they were; the offline judge is none."""
    asked = sorted((said for said in item.judgements if not said.offline), key=attrgetter("run"))
    found = []
    for run, group in groupby(asked, key=attrgetter("run")):
        several = list(group)
        votes = [
            Vote(
                said.judgement_id, run, False, said.snapshot_id, said.verdict, said.supported, said.confidence,
                said.quote_status,
            )
            for said in several
        ]  # fmt: skip
        word = roll_up(votes)
        found.append(Juror(several[0].judge, word.verdict, word.supported))
    return tuple(found)
