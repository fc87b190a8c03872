"""The queues of other units than statements, of second passes, of two reviewers, of batches; all queues there are.

Apart from those of statements: a command that only names these loads no kind of unit.
"""

from collections.abc import Iterator
from typing import Final, Literal

from medreview.review.queue_kinds import KINDS, QueueKind
from medreview.study.ids import STATEMENT
from medreview.units.registry import KINDS as UNIT_KINDS

UNIT_QUEUES: Final = tuple(
    QueueKind(
        kind.queue_name, "", kind.title, "blind" if kind.blind else "open", kind.about,
        "1", "s.cluster, s.ordinal", unit=kind.name,
    )
    for kind in UNIT_KINDS.values()
)  # fmt: skip
"""The queue of each other kind of unit, after those."""


def _of_each_kind(
    chosen: Literal["second", "conflicts", "share", "mine"], key: str, title: str, help: str
) -> Iterator[QueueKind]:
    """A queue of statements, which the letter opens, and of each other kind of unit."""
    for kind in (next(kind for kind in KINDS if kind.name == "responses"), *UNIT_QUEUES):
        other = kind.unit != STATEMENT
        yield QueueKind(
            f"{chosen}_{kind.name}" if other else chosen, "" if other else key,
            f"{title}: {kind.title}" if other else title, "blind", help, "1", kind.order,
            unit=kind.unit, pass_no=2 if chosen == "second" else 1, chosen=chosen,
        )  # fmt: skip


SECOND: Final = tuple(
    _of_each_kind("second", "Z", "second pass", "Your earlier decisions once more, with the earlier labels hidden.")
)  # fmt: skip
"""The queue of the second pass of statements and of each other kind of unit."""

CONFLICTS: Final = tuple(
    _of_each_kind("conflicts", "C", "conflicts", "Where two reviewers differ: both labels, and a digit settles it.")
)
"""The same of conflicts of reviewers."""

SHARE: Final = tuple(
    _of_each_kind("share", "J", "second annotator", "Units that another reviewer has decided: you decide them too, "
                  "without seeing how.")
)  # fmt: skip
"""The same of the share that a second reviewer annotates."""

MINE: Final = tuple(_of_each_kind("mine", "", "my batch", "The units that were shared out to you, in your order."))
"""The same of a reviewer's own batches; no letter is left for them, and the pointer begins there."""

ALL: Final = (*KINDS, *UNIT_QUEUES, *SECOND, *CONFLICTS, *SHARE, *MINE)


def unit_rows(kind: str) -> str:
    """What a queue of a kind of unit chooses from, as :data:`ROWS` is for statements."""
    return f"""FROM ({UNIT_KINDS[kind].rows}) AS s
LEFT JOIN standing AS mine ON mine.unit = s.unit AND mine.reviewer = ?1 AND mine.pass = ?2"""
