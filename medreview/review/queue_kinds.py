"""Queues of statements: what is in each, in which order, what it is called; how full one is. A new one is an entry of
``KINDS``."""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from medreview.study.audit_frame import UNMET
from medreview.study.counts import DIFFERING
from medreview.study.ids import STATEMENT

Mode = Literal["open", "blind"]


IN_ORDER: Final = 'r.ordinal, s.place, s."start", s.ordinal'
"""The order in which statements are read: what was cut or joined in the place of what it was."""


class QueueKind(NamedTuple):
    """One kind of queue: its name in the study and on the command line, the capital that opens it on the first screen
    (``""``: no key, Enter opens it), what the screen calls it, how it is shown.

    ``where`` and ``order`` are SQL over :data:`ROWS`: which statements are in it, and in which order. ``tells``: being
    in it reveals what the judges think, so that units kept blind are left out. ``gathers``: it has units kept blind,
    too, and shows them blind. ``unit``: the kind of unit that is in it; of others than statements the rows are
    ``unit_queues.unit_rows``. ``pass_no``: in which pass it is reviewed. ``chosen``: its units are listed one by one,
    by ``repeat_annotation``, ``conflicts`` or ``batches``. ``follows``: SQL for a text that has all from which
    ``where`` and ``order`` choose beside the statements themselves (``queue``), where that is no reviewer's doing;
    ``""`` for the others. ``learns``: what is in doubt most comes first, so that it may have the order that is learned
    from the reviewer's labels (``learned_order``).
    """

    name: str
    key: str
    title: str
    mode: Mode
    help: str
    where: str
    order: str = IN_ORDER
    tells: bool = False
    gathers: bool = False
    unit: str = STATEMENT
    pass_no: int = 1
    chosen: Literal["", "second", "conflicts", "share", "mine"] = ""
    follows: str = ""
    learns: bool = False

    @property
    def column(self) -> str:
        """The column of its rows that has the id of a unit."""
        return "s.statement_id" if self.unit == STATEMENT else "s.unit"


STALE: Final = "{0}.state = 'decided' AND {0}.event_id IN (SELECT event_id FROM decision_stale)"
"""Which rows of ``standing`` are labels on another text than the page has now, or on no page where there is one now."""

MATERIAL: Final = """FROM statement_standing AS s JOIN response AS r USING (response_id)
LEFT JOIN verdict AS v USING (statement_id)"""
"""What there is to review, without anything that a reviewer did."""

ROWS: Final = f"""{MATERIAL} LEFT JOIN audit_item AS a USING (statement_id)
LEFT JOIN standing AS mine ON mine.unit = s.statement_id AND mine.reviewer = ?1 AND mine.pass = ?2"""
"""What queues choose from; its two values are the reviewer and the pass."""

RESERVED: Final = f"{UNMET} AND NOT EXISTS (SELECT 1 FROM audit_released AS o WHERE o.reviewer = ?1)"
"""Those that are kept from every queue that shows the judges: all of them, until the reviewer gives them back."""

SHOWABLE: Final = f"s.statement_id NOT IN ({RESERVED})"
"""Which of them may be shown with the judges' opinion: not what is reserved for the audit."""

_KEPT_BLIND: Final = "(SELECT unit FROM kept_blind WHERE reviewer = ?1 AND pass = ?2 AND NOT seen)"
HELD: Final = f"{RESERVED} UNION ALL SELECT * FROM {_KEPT_BLIND}"
"""The ids of units in no queue that reveals what the judges think; its two values are those of :data:`ROWS`."""

KEPT: Final = f"s.statement_id IN {_KEPT_BLIND}"
"""Which of them were decided or put off blind, and wait for their judges to be shown."""

KEPT_UNIT: Final = f"s.unit IN {_KEPT_BLIND}"
"""The same of units of other kinds, whose rows are ``unit_queues.unit_rows``."""

KINDS: Final = (
    QueueKind(
        "flagged", "T", "triage: flagged", "open", "Statements that judges, quotes or numbers make doubtful.",
        "v.priority > 0", f"v.priority DESC, {IN_ORDER}", tells=True, learns=True,
        follows="""SELECT group_concat(statement_id || ' ' || priority) FROM (
            SELECT statement_id, priority FROM verdict WHERE priority > 0 ORDER BY priority DESC, statement_id)""",
    ),
    QueueKind(
        "audit", "A", "audit: random", "blind",
        "A random draw, judges hidden until the block is done; figures come from it.",
        "a.number IS NOT NULL", "a.number / a.inclusion_prob, s.statement_id",
    ),
    QueueKind(
        "unchecked", "Q", "not checked by a model yet", "open",
        "Only the offline rules have looked, and nothing is flagged: farthest from its page first.",
        "v.by_rules AND v.priority = 0", f"v.doubt DESC, {IN_ORDER}", tells=True, learns=True,
    ),
    QueueKind(
        "deferred", "S", "deferred", "open", "Statements that you put off; those put off blind stay blind.",
        "mine.state = 'deferred'", gathers=True,
    ),
    QueueKind(
        "differing", "Y", "you and the judges differ", "open", "Your label differs from the judges'.",
        DIFFERING, tells=True,
    ),
    QueueKind(
        "stale", "O", "stale: page has changed", "open", "Decided on a page whose text has changed since.",
        STALE.format("mine"),
    ),
    QueueKind("responses", "V", "by response", "open", "Every statement, response by response.", "1"),
)  # fmt: skip
"""Every queue of statements, in the order of the first screen, where its letter opens it."""


def shown_in(kind: QueueKind) -> str:
    """SQL over :data:`ROWS`: what a queue of a kind may show when it is open."""
    if kind.gathers:
        return "1"
    return f"{SHOWABLE} AND NOT {KEPT}" if kind.tells else SHOWABLE


HALF_HIDDEN: Final = "judges hidden on half"
"""What is remarked of an audit with randomised assistance."""


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A queue; ``size`` is what is ``open``, ``deferred`` and decided in it.

    ``reserved``: how many more would be in it, were they not kept for the audit. ``waiting``: how many are to be
    decided; in the queue of deferred units that is all of them. ``remark``: what is in it. ``hidden``: nothing of this
    may be shown, because it would reveal what the judges think.
    """

    kind: QueueKind
    size: int
    open: int
    deferred: int
    reserved: int
    remark: str
    hidden: bool = False

    @property
    def waiting(self) -> int:
        """Units worth doing here."""
        return self.size if self.kind.name in ("deferred", "stale") else self.open
