"""Reading a study: responses and statements one by one, labels, judgements and pairs as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from medreview.api.opened import Opened
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.api.material import StudyStatement
    from medreview.api.rows import JudgementRow, LabelRow, PairRow
    from medreview.api.tables import Table
    from medreview.review.study_response import StudyResponse
    from medreview.statements.left_out import LeftOut
    from medreview.units.cited_source import Source


class Reading(Opened):
    """What stands in the study."""

    def responses(self) -> Iterator[StudyResponse]:
        """Every response, in the order of import."""
        from medreview.review.study_response import load_response, response_ids

        reader = self._study.reader
        return (load_response(reader, response_id) for response_id in response_ids(reader))

    def statements(
        self, *, queue: str = "responses", filter: str = "", reviewer: str | None = None, pass_no: int = 1
    ) -> Iterator[StudyStatement]:
        """Statements with all that is known of them; by default every one, response by response.

        ``queue`` is one of the workbench's (``flagged``, ``audit``, ``deferred``, ``differing``, ``stale``), in its
        order, as it stands for a ``reviewer`` (by default that of the settings) in one pass; ``filter`` as after ``:``
        there, ``"model=atlas-2 badge=number"``. Statements show what the judges say: who means to decide blind should
        not read them. Raises ``UserError`` for an unknown queue or filter.
        """
        from medreview.api.material import read_statements
        from medreview.review.queue import open_queue

        self._looked("statements", "verdicts")
        who = reviewer or self._config().reviewer
        units = open_queue(self._study, queue, who, filter=filter, pass_no=pass_no).units
        return read_statements(self._study.reader, units, pass_no)

    def statement(self, statement_id: str, *, pass_no: int = 1) -> StudyStatement:
        """One statement by its id; raises ``UserError`` when the study does not have it."""
        from medreview.api.material import read_statements

        self._looked("statements", "verdicts")
        try:
            return next(read_statements(self._study.reader, [statement_id], pass_no))
        except KeyError:
            raise UserError(f"The study has no statement {statement_id!r}; `statements()` goes through all.") from None

    def left_out(self) -> Iterator[LeftOut]:
        """What of the responses is no statement, with its place and the reason; ``promote`` makes a statement of it."""
        from medreview.statements.left_out import left_out

        return left_out(self._study.reader)

    def source_text(self, source: Source, *, whole: bool = False) -> str:
        """The text of a source's current page, that passages count in; ``""`` when it was not fetched.

        ``whole``: everything on the page, menus and footnotes too; ``""`` where that is no more.
        """
        from medreview.units.statement_view import load_text

        page = source.snapshot_id
        return load_text(self._study.reader, page, whole=whole) if page else ""

    def labels(self) -> Table[LabelRow]:
        """A row for each statement, reviewer and pass: what they said, when, how, and what they had seen."""
        from medreview.api.tables import label_table

        self._looked("tables", "verdicts")
        return label_table(self._study.reader, self.study_id)

    def judgements(self) -> Table[JudgementRow]:
        """A row for each judgement of a statement against a page, by every judge, stale ones too."""
        from medreview.api.tables import judgement_table

        self._looked("tables", "verdicts")
        return judgement_table(self._study.reader)

    def pairs(self) -> Table[PairRow]:
        """A row for each statement beside each source of its response, with the passage to read first."""
        from medreview.api.tables import pair_table

        self._looked("tables", "verdicts")
        return pair_table(self._study.reader)
