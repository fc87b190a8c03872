"""What follows a verdict: keep or change it beside the judges', say why it differs, or go on. Every face obeys this."""

from enum import Enum

from medreview.labels import level_named
from medreview.units.statement_view import StatementView


class FollowUp(Enum):
    """What the reviewer does next; the session gives it, and takes the answer.

    ``KEEP_OR_CHANGE``: the judges were just revealed and differ; ``ReviewSession.keep_or_change`` takes the answer.
    ``REASON``: the verdict differs from the judges'; ``ReviewSession.reason`` takes the answer. ``BLOCK_END``: nothing
    in a blind block waits any more; ``ReviewSession.show_judges`` shows its judges, or one goes on blind.
    ``BLOCK_DONE``: its judges are shown and all that differs was asked about; its summary may tell of them.
    ``ADVANCE``: it is settled, and the next statement comes.
    """

    KEEP_OR_CHANGE = "keep or change"
    REASON = "reason"
    BLOCK_END = "end of the block"
    BLOCK_DONE = "block is done"
    ADVANCE = "advance"


def follow_up(item: StatementView, label: str, *, revealed: bool) -> FollowUp:
    """What follows a verdict on a statement; ``revealed``: it was the one that showed the judges.

    Nothing is asked about the offline rules: they read words, and a reviewer owes them no reason.
    """
    if agrees(item, label) is not False:
        return FollowUp.ADVANCE
    return FollowUp.KEEP_OR_CHANGE if revealed else FollowUp.REASON


def agrees(item: StatementView, label: str) -> bool | None:
    """Whether the judges say the same; ``None`` when they have no say. Where they have no common verdict, ``None`` as
    well if one of them says the same, else False.

    A judge is a model or a recorded one: the offline rules alone have no say.
    """
    if all(said.offline for said in item.judgements):
        return None
    if (level := judges_level(item)) is not None:
        return label == level
    supported = item.verdict.supported if item.verdict else None
    if supported is not None:
        return None if label == "cannot_judge" else supported == (label == "supported")
    said = {said.verdict for said in item.judgements if said.verdict is not None and not said.offline}
    return False if said and label not in said else None


def judges_level(item: StatementView) -> str | None:
    """The judges' common verdict, which a decision is compared with; ``None`` where they have none."""
    return item.verdict.verdict if item.verdict else None


def judges_words(item: StatementView) -> str:
    """The same in words; of judges that only say supported or not, that; ``""`` when they say nothing in common."""
    level = judges_level(item)
    if level is not None:
        return level_named("evidence", level).name
    supported = item.verdict.supported if item.verdict else None
    return "" if supported is None else "supported" if supported else "not supported"
