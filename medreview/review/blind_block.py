"""Blind blocks: the judges are shown for a whole block, once nothing in it waits any more.

Seeing the judges' errors after each decision ends a reviewer's independence (``reveal = "each"`` chooses that). Data on
units is read one by one while few are in sight, and for all at once when many are (``ByUnit``).
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from medreview.review.queue_kinds import RESERVED
from medreview.review.unblinding import kept_with
from medreview.study.ids import STATEMENT
from medreview.units.registry import KINDS

if TYPE_CHECKING:
    from medreview.review.queue import Queue


T = TypeVar("T")

FEW: Final = 64
"""Units that are asked one by one: more than are in sight, far less than a large study has."""


class ByUnit(Generic[T]):
    """``one`` reads what is known of a unit, ``None`` for nothing; ``every`` the same of all units that have any."""

    def __init__(self, one: Callable[[str], T | None], every: Callable[[], Mapping[str, T]]) -> None:
        self._one = one
        self._every = every
        self._known: dict[str, T | None] = {}
        self.whole = False
        """Whether all of them were read."""

    def get(self, unit: str) -> T | None:
        """What is known of a unit."""
        if unit not in self._known and not self.whole:
            if len(self._known) >= FEW:
                self.read_all()
            else:
                self._known[unit] = self._one(unit)
        return self._known.get(unit)

    def all(self) -> Mapping[str, T | None]:
        """What is known of every unit; units without data may be missing."""
        self.read_all()
        return self._known

    def read_all(self) -> None:
        """Read all that was not read yet."""
        if not self.whole:
            self._known, self.whole = dict(self._every()), True

    def renew(self, unit: str) -> T | None:
        """Read again, and return, what is known of a unit, after an act on it."""
        self._known[unit] = found = self._one(unit)
        return found


BLOCK_SIZE: Final = 20
"""Statements of a queue in its order; a smaller queue, or the rest of one, is a block too."""

_NO_UNIT: Final = "NOT EXISTS (SELECT 1 FROM unit AS u WHERE u.unit_id = k.unit)"
"""Leaves out units imported as such: no totals of the judges cover them, and their open block hides none."""
_TELLS: Final = f"k.act = 'decide' AND {_NO_UNIT}"
_KEPT: Final = f"""SELECT k.unit, k.act, k.seen, k.block, {_TELLS} AS tells FROM kept_blind AS k
WHERE k.reviewer = ? AND k.pass = ?"""
_IN_OTHER_PASSES: Final = f"""SELECT EXISTS (SELECT 1 FROM kept_blind AS k
WHERE k.reviewer = ? AND k.pass <> ? AND {_TELLS})"""


class BlindBlock(NamedTuple):
    """The block around a place in a queue, as it stands.

    ``first`` and ``last`` are places in the queue, ``blind`` counts the statements in between that are shown blind,
    ``waiting`` those of them that are neither decided nor put off. ``hidden`` are decided, their judges not shown yet.
    """

    first: int
    last: int
    blind: int
    waiting: int
    hidden: tuple[str, ...]

    @property
    def ended(self) -> bool:
        """Whether the judges can be shown now."""
        return not self.waiting and bool(self.hidden)

    @property
    def words(self) -> str:
        """Until when the judges are hidden, in counts alone."""
        if self.ended:
            return "until you press r: the block is done"
        if not self.waiting:
            return "until you decide what you put off"
        return f"until the block ends, {self.waiting} of {self.blind} to go"


_NOT_KEPT: Final = (None, 0, "", 0)
_Kept = tuple[str | None, int, str, int]
"""The last act, whether its judges were seen, the queue, and whether totals reveal it."""


class KeptBlind:
    """Units that are blind in every queue: statements that a reviewer decided or put off blind in one pass, whose
    judges were not shown since; and reserved members of the audit.

    Cached like :class:`medreview.review.sitting.ReviewerProgress`, so that no key press reads it again.
    """

    def __init__(
        self, reader: sqlite3.Connection, reviewer: str, pass_no: int, assisted: Set[str] = frozenset()
    ) -> None:
        """``assisted``: in the queue of an audit, the members that are shown with their judges (``audit_plan``)."""
        self._reader = reader
        self._assisted = assisted
        self._who = (reviewer, pass_no)
        self._kept = ByUnit(self._one, self._every)
        self._reserved = ByUnit(self._one_reserved, self._every_reserved)
        self._elsewhere: bool | None = None

    def read_all(self) -> None:
        """Read for all units what was read for single ones."""
        self._kept.read_all()
        self._reserved.read_all()
        if self._elsewhere is None:
            self._elsewhere = bool(self._reader.execute(_IN_OTHER_PASSES, self._who).fetchone()[0])

    def update(self, unit: str) -> None:
        """Read again how a statement stands, after an act on it."""
        self._kept.renew(unit)
        self._reserved.renew(unit)

    def _one(self, unit: str) -> _Kept | None:
        row = self._reader.execute(f"{_KEPT} AND k.unit = ?", (*self._who, unit)).fetchone()
        return (row[1], row[2], row[3], row[4]) if row else None

    def _every(self) -> dict[str, _Kept]:
        rows = self._reader.execute(_KEPT, self._who).fetchall()
        return {unit: (act, seen, block, tells) for unit, act, seen, block, tells in rows}

    def _one_reserved(self, unit: str) -> bool:
        query = f"{RESERVED} AND a.statement_id = ?2"
        return self._reader.execute(query, (self._who[0], unit)).fetchone() is not None

    def _every_reserved(self) -> dict[str, bool]:
        return {row[0]: True for row in self._reader.execute(RESERVED, (self._who[0],)).fetchall()}

    def hides(self, unit: str) -> bool:
        """Whether a statement is shown blind in every queue."""
        return any(map(self._hides, kept_with(self._reader, unit)))

    def assists(self, unit: str) -> bool:
        """Whether a member of the audit is shown with its judges there: not what was decided or put off blind."""
        return unit in self._assisted and not self._kept_blind(unit)

    def _hides(self, unit: str) -> bool:
        if self._reserved.get(unit) and not self.assists(unit):
            return True
        return self._kept_blind(unit)

    def _kept_blind(self, unit: str) -> bool:
        kept = self._kept.get(unit)
        return kept is not None and not kept[1]

    @property
    def block_open(self) -> bool:
        """As :func:`blind_block_open`, without asking the study."""
        self.read_all()
        return bool(self._elsewhere) or any(kept[3] for kept in self._kept.all().values() if kept)

    def met_in(self, unit: str) -> str:
        """The queue in which it was decided or put off blind, or is to be; ``""`` for any other statement."""
        found = ("audit" if self._reserved.get(each) else (self._kept.get(each) or _NOT_KEPT)[2]
                 for each in kept_with(self._reader, unit))  # fmt: skip
        return next(filter(None, found), "")

    def awaits_reveal(self, unit: str, queue: "Queue") -> bool:
        """Whether it is decided, and its judges are shown at the end of its block in this queue.

        In a blind queue that is every statement of the block; among those put off, the ones that were decided there.
        A pair of a statement, or a reference of one, that is kept blind itself waits for that.
        """
        act, _, block, _ = self._kept.get(unit) or _NOT_KEPT
        if any(map(self._hides, kept_with(self._reader, unit)[1:])):
            return False
        return act == "decide" and (queue.mode == "blind" or block == queue.kind.name)


def block_at(queue: "Queue", place: int, kept: KeptBlind, awaits: Callable[[str], bool]) -> BlindBlock | None:
    """The block around a place; ``awaits`` says whether a statement of the queue still waits.

    ``None`` in an open queue: what is blind there has its block in the queue it came from.
    """
    if queue.mode == "open" and not queue.kind.gathers:
        return None
    kind = KINDS.get(queue.kind.unit)
    size = max(1, len(queue.units)) if kind is not None and kind.one_block else BLOCK_SIZE
    first = place - place % size
    units: Sequence[str] = queue.units[first : first + size]
    blind = [unit for unit in units if kept.hides(unit) or (queue.mode == "blind" and not kept.assists(unit))]
    return BlindBlock(
        first=first,
        last=first + len(units) - 1,
        blind=len(blind),
        waiting=sum(map(awaits, blind)),
        hidden=tuple(unit for unit in blind if kept.awaits_reveal(unit, queue)),
    )


def blind_block_open(reader: sqlite3.Connection, reviewer: str, kind: str = STATEMENT) -> bool:
    """Whether the reviewer decided something blind whose judges were not shown yet: then no total may reveal them.

    Also between two blocks, if the reviewer chose to go on blind. Totals do not cover units imported as such, except
    those on their own ``kind``.
    """
    tells = _TELLS if kind == STATEMENT else "k.act = 'decide' AND k.unit >= ?2 || ':' AND k.unit < ?2 || ';'"
    query = f"SELECT EXISTS (SELECT 1 FROM kept_blind AS k WHERE k.reviewer = ?1 AND {tells})"
    values = (reviewer,) if kind == STATEMENT else (reviewer, kind)
    return bool(reader.execute(query, values).fetchone()[0])
