"""Writing a reviewer's labels from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medreview.api.opened import Opened
from medreview.study.events import Receipt

if TYPE_CHECKING:
    from medreview.api.material import StudyStatement
    from medreview.units.cited_source import Source


class Deciding(Opened):
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
