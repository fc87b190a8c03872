"""Support from another work: a source supports a statement, and its page is not the work that the response names."""

import sqlite3
from dataclasses import dataclass
from typing import Final

from medreview.labels import TieRule
from medreview.references.named_works import pages_of_other_works
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.response_sample import ResponseSample
from medreview.stats.reports.study_reader import JudgedResponse

_NOTHING: Final = "No source that supports a statement has a reference of which it is known what work it is."


@dataclass(frozen=True)
class OtherWorkSupport:
    """Pairs of a statement and a source that supports it, by the judges' majority.

    ``share``: of the pairs whose source a checked reference names by an identifier, those in which that is another
    work's; the other supported pairs are left out, and counted. ``pairs`` of them, on ``statements``;
    ``statements_alone`` have no other source that supports them.
    """

    share: Estimate
    pairs: int
    statements: int
    statements_alone: int


class OtherWorkCounter:
    """Fed response by response; ``tie`` is the rule for even votes."""

    def __init__(self, reader: sqlite3.Connection, tie: TieRule) -> None:
        self._other = pages_of_other_works(reader)
        self._tie: TieRule = tie
        self._rows: list[tuple[int, int]] = []
        self._left = self._statements = self._alone = 0

    def add(self, case: JudgedResponse) -> None:
        """Take up what supports the statements of one response."""
        if not self._other:
            return
        named = other = 0
        for statement in case.statements:
            supporting = [source for source, word in statement.by_source(self._tie).items() if word]
            told = [self._other.get((case.response_id, source)) for source in supporting]
            named += len(told) - told.count(None)
            other += told.count(True)
            self._left += told.count(None)
            self._statements += True in told
            self._alone += bool(told) and told.count(True) == len(told)
        self._rows.append((other, named))

    def figures(self, resampling: Resampling) -> OtherWorkSupport | None:
        """The share, over responses; ``None`` where no page has a reference that tells what work it is."""
        if not self._other:
            return None
        sample = ResponseSample(("other", "named"), self._rows, resampling)
        share = sample.share(
            "support from another work", "other", "named", undefined=_NOTHING, whole="from another work",
            dropped=self._left,
        )  # fmt: skip
        return OtherWorkSupport(share, sample.total("other"), self._statements, self._alone)
