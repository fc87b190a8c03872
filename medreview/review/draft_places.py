"""Where drafts were begun: by name, and the queue that leads back there."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from medreview.next_step import command
from medreview.review.drafts import Draft, stored_drafts
from medreview.review.queue_with import queue_with
from medreview.study import Study
from medreview.study.statement_edits import unit_stands
from medreview.units.registry import unit_name

_MOST: Final = 3


class DraftPlace(NamedTuple):
    """A draft, the name of its statement (R07 S3), and a queue that has it; ``blind``: as for ``open_queue``."""

    draft: Draft
    name: str
    queue: str
    blind: bool | None

    @property
    def words(self) -> str:
        """``a note on R07 S3, draft of 14:02``."""
        return f"a {self.draft.field} on {self.name}, draft of {self.draft.time}"


def draft_places(study: Study, reviewer: str) -> tuple[DraftPlace, ...]:
    """The places of the three newest drafts. Each opens as it was seen last: what was blind then is blind again."""
    found = _named(study, reviewer)[:_MOST]
    return tuple(DraftPlace(draft, name, *queue_with(study, reviewer, draft.unit)) for draft, name in found)


def unlisted_drafts(study: Study, reviewer: str) -> int:
    """How many drafts there are besides those of :func:`draft_places`."""
    return max(0, len(_named(study, reviewer)) - _MOST)


def _named(study: Study, reviewer: str) -> list[tuple[Draft, str]]:
    """The drafts on what the study has, with its name; those on a retired statement wait for it to come back."""
    reader = study.reader
    drafts = [draft for draft in stored_drafts(reader, reviewer) if unit_stands(reader, draft.unit)]
    return [(draft, name) for draft in drafts if (name := unit_name(reader, draft.unit))]


def drafts_elsewhere(study: Study, begun: Sequence[str]) -> str:
    """What to say on leaving of lines that were begun on these statements and are in a rescue file, or ``""``."""
    elsewhere = study.elsewhere
    if elsewhere is None or not elsewhere.whole or not begun:
        return ""
    names = ", ".join(unit_name(study.reader, unit) for unit in begun)
    notes = (
        "The note that you began on {} is a draft" if len(begun) == 1 else "The notes that you began on {} are drafts"
    )
    leads = command("review", elsewhere.rescue)
    return f"{notes.format(names)} in {elsewhere.rescue}. `merge` brings no drafts; `{leads}` leads there."
