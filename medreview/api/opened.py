"""A study file that is open, what can be read of it, and labels written into it from Python."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Self

from medreview.errors import UserError
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.study.events import Receipt

if TYPE_CHECKING:
    from medreview.api.material import StudyStatement
    from medreview.api.tables import Table
    from medreview.config import Config
    from medreview.exchange.exports.label_rows import LabelRow
    from medreview.exchange.exports.pair_rows import PairRow
    from medreview.exchange.exports.study_rows import JudgementRow
    from medreview.review.looks import Shown
    from medreview.review.study_response import StudyResponse
    from medreview.statements.left_out import LeftOut
    from medreview.units.cited_source import Source


Place = str | PathLike[str]


class OpenedFile:
    """The file, its name and its closing."""

    def __init__(self, study: Study, *, settings: Place | None = None, progress: Progress = SILENT) -> None:
        self._study = study
        self._settings = None if settings is None else Path(settings)
        self._progress = progress
        self._noted: set[Shown] = set()

    def __enter__(self) -> Self:
        """The open study."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close it; what SQLite says of a damaged file becomes a ``UserError``."""
        self._study.__exit__(kind, error, trace)

    def __repr__(self) -> str:
        """Its title, its file, and whether it can be written."""
        return f"<OpenStudy {self.title!r} at {self.path}{'' if self.writable else ', read only'}>"

    @property
    def path(self) -> Path:
        """The study file."""
        return self._study.path

    @property
    def title(self) -> str:
        """What the study is called."""
        return self._study.meta("title")

    @property
    def study_id(self) -> str:
        """The id that all copies of the study share."""
        return self._study.meta("study_id")

    @property
    def writable(self) -> bool:
        """Whether this one may write."""
        return self._study.writable

    def close(self) -> None:
        """Finish what is being written and let others write. A ``with`` block does it."""
        self._study.close()

    def _looked(self, what: str, shown: Shown) -> None:
        """Note in the study that its reader sees what the judges say; warn where it cannot be noted."""
        from medreview.review.looks import note_look

        if shown in self._noted:
            return
        self._noted.add(shown)
        for reviewer in self._reading():
            if sentence := note_look(self._study, reviewer, what, shown):
                warnings.warn(sentence, stacklevel=3)

    def _reading(self) -> tuple[str, ...]:
        """The readers of what the script is given, as far as known."""
        from medreview.review.looks import readers

        config = self._config()
        return readers(self._study, config.reviewer, is_set="reviewer" in config.origins)

    def _config(self) -> Config:
        """The settings, read when they are needed."""
        from medreview.config import load_config

        return load_config(self._settings)


class GivingLabels(OpenedFile):
    """A reviewer's labels, given outside the workbench."""

    def decide(
        self,
        statement: StudyStatement | str,
        label: str,
        *,
        reviewer: str | None = None,
        source: Source | None = None,
        pass_no: int = 1,
    ) -> Receipt:
        """Record a reviewer's label on a statement (or its id): ``supported``, ``partial``, ``contradicted`` ...

        It counts as assisted, since nothing can vouch for what was seen: blind labels come from the workbench. It takes
        the place of the reviewer's label before, which stays in the record. ``reviewer`` is by default that of the
        settings, ``source`` the one that the workbench would open. Raises ``UserError`` for an unknown label, statement
        or source, and when it cannot be saved.
        """
        from medreview.review.decision import decide_in_script

        return decide_in_script(
            self._study,
            reviewer or self._config().reviewer,
            statement if isinstance(statement, str) else statement.statement_id,
            label,
            source_id=source.source_id if source else None,
            pass_no=pass_no,
        )

    def label(
        self,
        statement: StudyStatement | str,
        axis: str,
        *levels: str,
        reviewer: str | None = None,
        pass_no: int = 1,
    ) -> Receipt:
        """Record a reviewer's label on an axis of the study's own, by its name: ``study.label(one, "harm", "severe")``.

        Of an axis with many levels any number of them, none for "none of them". Otherwise as :meth:`decide`. Raises
        ``UserError`` for an axis, a level or a statement that there is not, and when it cannot be saved.
        """
        from medreview.review.decision import label_in_script

        return label_in_script(
            self._study,
            reviewer or self._config().reviewer,
            statement if isinstance(statement, str) else statement.statement_id,
            axis,
            levels,
            pass_no=pass_no,
        )


class Reading(OpenedFile):
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
        there, ``"model=atlas-2 badge=number"``. Statements show what the judges say: do not read them if you mean to
        decide blind. Raises ``UserError`` for an unknown queue or filter.
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
        """Parts of the responses that are not statements, with place and reason; ``promote`` makes them statements."""
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
        from medreview.api.tables import table_of
        from medreview.exchange.exports.label_rows import LabelRow, label_rows

        self._looked("tables", "verdicts")
        return table_of(LabelRow, label_rows(self._study.reader))

    def judgements(self) -> Table[JudgementRow]:
        """A row for each judgement of a statement against a page, by every judge, stale ones too."""
        from medreview.api.tables import table_of
        from medreview.exchange.exports.study_rows import JudgementRow, judgement_rows

        self._looked("tables", "verdicts")
        return table_of(JudgementRow, judgement_rows(self._study.reader))

    def pairs(self) -> Table[PairRow]:
        """A row for each statement beside each source of its response, with the passage to read first."""
        from medreview.api.tables import table_of
        from medreview.exchange.exports.pair_rows import PairRow, pairs_with_passages

        self._looked("tables", "verdicts")
        return table_of(PairRow, pairs_with_passages(self._study.reader))
