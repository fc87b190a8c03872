"""Which part of a study a report is of, and what that means for its figures."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Selection:
    """What a filter chose (``medreview.review.selecting``); :data:`EVERYTHING` without one.

    ``statements``: the ids of those that fit, ``None`` for all of the study. ``words``: the filter as it was given.
    ``responses``: those without statements that fit, which only a filter on whole responses can tell. ``by_labels``:
    what a reviewer did decides whether a statement fits. ``tells``: so does what judges say of it.
    """

    statements: frozenset[str] | None
    words: str
    responses: frozenset[str] = frozenset()
    by_labels: bool = False
    tells: bool = False

    def holds(self, statement_id: str) -> bool:
        """Whether a statement is in it."""
        return self.statements is None or statement_id in self.statements


EVERYTHING: Final = Selection(None, "")


@dataclass(frozen=True)
class SelectedPart:
    """The part of the study that every figure is of: ``statements`` of ``in_study``, in so many ``responses``.

    ``parted`` of these have statements outside it, too: they are in no figure on whole responses (response support,
    unused sources). ``cautions`` say what cannot be said of a part, first of the
    audit.
    """

    words: str
    statements: int
    in_study: int
    responses: int
    parted: int
    cautions: tuple[str, ...]


NOT_OF_STATEMENTS: Final = (
    "Left out, since it is of the whole study: questions, passages, generated material, revised statements, planted "
    "hallucinations."
)
AUDIT_BY_LABELS: Final = (
    "Left out: what the audit says. The filter asks what a reviewer did, and no random draw says anything of "
    "statements that were chosen by their own labels."
)
CHOSEN_BY_LABELS: Final = "Every figure here is of statements chosen by what a reviewer did with them."
AUDIT_OF_PART: Final = (
    "The audit is estimated for these statements alone, from the members of the draw among them: each was drawn with "
    "the probability it has in the whole study."
)
