"""One reviewer's place in a queue: which unit is on the screen, what of it may be shown, how far the queue is."""

import sqlite3
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from medreview.errors import UserError
from medreview.labels import Reveal
from medreview.review.blind_block import BlindBlock, ByUnit, KeptBlind, block_at
from medreview.review.event_writer import EventWriter, receipt_line
from medreview.review.goal import ActiveTime, SittingGoal, SittingPace
from medreview.review.queue import Queue, kind_named, open_again, with_units
from medreview.review.queue_kinds import Mode
from medreview.review.resuming import Draft, Drafts, Later, bookmark_in, note_field
from medreview.review.reviewer_state import ReviewerState, judges_visible, knows_judges, statement_mode
from medreview.review.shown_unit import QueueEntry
from medreview.review.unblinding import OthersNote, others_notes
from medreview.study import Study
from medreview.study.backup import Elsewhere
from medreview.study.connection import data_version
from medreview.study.counts import OF_KIND, STATES, Counts, count_statements, load_states, prefix_of, whose_states
from medreview.study.events import Receipt
from medreview.study.ids import STATEMENT
from medreview.study.package import without_judges
from medreview.study.statement_edits import unit_stands
from medreview.study.study_acts import shown_by_coin
from medreview.units.kind import Asks
from medreview.units.registry import KINDS, count_units
from medreview.units.statement import STATEMENT_ASKS

if TYPE_CHECKING:
    from medreview.review.learned_order import LearnedOrder, OrderVersion

_FEW: Final = 300
"""Units of a queue up to which they are asked one by one how they stand."""
OF_UNIT: Final = ("unit", "own", "reads", "place", "item", "_before", "_view", "_held")
"""The attributes that reading a unit sets."""


_STANDING: Final = f"SELECT unit, state, label FROM standing WHERE reviewer = ? AND pass = ? AND {OF_KIND}"
_STALE: Final = """SELECT EXISTS (SELECT 1 FROM decision_stale WHERE event_id = (
    SELECT event_id FROM standing WHERE reviewer = ? AND pass = ? AND unit = ?))"""
_OPEN: Final = ("open", None)
NOT_LEARNED: Final = "Only triage has an order that is learned from your labels, where the judges are shown."
ORDER_WAITS: Final = ("ordered by the rules", "ordered by your labels from 25 on")

_Standing = tuple[str, str | None]
"""State and label."""


class ReviewerProgress:
    """The state of every unit of a kind in one pass: decided, deferred or open, whichever came last.

    ``total`` is how many units of the kind there are; ``states`` how many stand as decided and as deferred, where that
    was counted already. The units themselves are read when they are asked for, or all by :meth:`read_all`.
    """

    def __init__(
        self,
        reader: sqlite3.Connection,
        reviewer: str,
        pass_no: int,
        kind: str = STATEMENT,
        *,
        states: Mapping[str, int] | None = None,
    ) -> None:
        self._reader = reader
        self._who = (reviewer, pass_no, prefix_of(kind))
        self._standing = ByUnit(self._one, self._every)
        self._stale: dict[str, bool] = {}
        self._total = count_statements(reader) if kind == STATEMENT else count_units(reader, kind)
        self.counts = Counts.of(self._total, load_states(reader, reviewer, kind, pass_no) if states is None else states)

    def state_of(self, unit: str) -> str:
        """``"decided"``, ``"deferred"`` or ``"open"``."""
        return self._here(unit)[0]

    def label_of(self, unit: str) -> str | None:
        """The label on a unit that is decided."""
        return self._here(unit)[1]

    def stale(self, unit: str) -> bool:
        """Whether it was decided on a page whose text has changed since."""
        if self.state_of(unit) != "decided":
            return False
        if unit not in self._stale:  # one by one: among many decisions only those in sight are asked for
            reviewer, pass_no, _ = self._who
            (stale,) = self._reader.execute(_STALE, (reviewer, pass_no, unit)).fetchone()
            self._stale[unit] = bool(stale)
        return self._stale[unit]

    def read_all(self) -> None:
        """Read how all units stand, so that neither an act nor a jump has to."""
        self._standing.read_all()

    @property
    def whole(self) -> bool:
        """Whether that was read."""
        return self._standing.whole

    def update(self, unit: str) -> None:
        """Read again where a unit stands, after an act on it."""
        self._stale.pop(unit, None)
        if not self._standing.whole:  # how it stood before the act may not be known
            self.counts = Counts.of(self._total, Counter(here[0] for here in self._standing.all().values() if here))
            return
        before, now = self.state_of(unit), self._standing.renew(unit) or _OPEN
        parts = self.counts._asdict()
        parts[before] -= 1
        parts[now[0]] += 1
        self.counts = Counts(**parts)

    def _here(self, unit: str) -> _Standing:
        return self._standing.get(unit) or _OPEN

    def _one(self, unit: str) -> _Standing | None:
        row = self._reader.execute(f"{_STANDING} AND unit = ?", (*self._who, unit)).fetchone()
        return (row[1], row[2]) if row else None

    def _every(self) -> dict[str, _Standing]:
        same: dict[_Standing, _Standing] = {}  # of many thousands of units there are a handful of states and labels
        found = {}
        for unit, state, label in self._reader.execute(_STANDING, self._who):
            here = (state, label)
            found[unit] = same.setdefault(here, here)
        return found


class Sitting(ABC):
    """Where a reviewer is in a queue, and what may be seen there. It writes nothing but that something was seen.

    What is on the screen, its texts and what machines say of it, is read by :class:`ShownUnit`.
    """

    goal: SittingGoal | None = None
    """The goal of the sitting, if the reviewer set one."""
    pace: SittingPace
    """How fast the sitting goes."""
    settles = False
    """Whether labels given here settle conflicts of others (``medreview.review.adjudicating``)."""
    place = 0
    """Which of the unit's texts is in the main pane."""
    _ahead: tuple[Self, int] | None = None
    """The sitting at the next unit, and the version of the data that it was read from."""

    def __init__(
        self,
        study: Study,
        reviewer: str,
        queue: Queue,
        *,
        pass_no: int = 1,
        reveal: Reveal = "block",
        drafts: Drafts | None = None,
        at: str = "",
        later: Later | None = None,
        learns: bool = True,
    ) -> None:
        """``at``: the unit to begin with, if it is in the queue; else where the reviewer left off in it. ``later``: as
        :class:`EventWriter` has it. ``learns``: whether a queue that can have it gets the learned order."""
        self.study = study
        self.reviewer = reviewer
        self.queue = queue
        self.asks: Asks = KINDS.get(queue.kind.unit, STATEMENT_ASKS)
        """What is asked of the units of this queue."""
        self.pass_no = pass_no
        self.reveal = reveal
        self.drafts = drafts or Drafts(study, reviewer)
        self.clock = ActiveTime()
        self.pace = SittingPace()
        self._done: tuple[Queue, set[str]] | None = None
        self.receipt = ""
        self.position = 0
        self.unit = ""
        """The unit on the screen; empty in a queue without any."""
        self.own = ReviewerState()
        self.reads: int | None = None
        """Which machine's words are on the screen in full, among :attr:`judge_words`."""
        self._before: ReviewerState | None = None
        """My state before the label just given."""
        self._held: dict[str, tuple[tuple[object, ...], Any]] = {}
        """What was read and worked out for the unit on the screen (:meth:`ShownUnit._once`)."""
        self._alerted: Elsewhere | None = None
        self.acts = 0
        """A number that changes when the state of units may have: after an act, and after all was read again."""
        study.goes_on_elsewhere = True  # every receipt says where it is
        self._events = EventWriter(study, reviewer, pass_no, later)
        self._learned = self._begin_learning() if learns else None
        self._begin(at)

    # Where we are

    @property
    def counts(self) -> Counts:
        """Decided, deferred and open units of this kind, of the whole study; in a batch and in a second pass, of the
        queue."""
        if self.queue.kind.pass_no == 1 and self.queue.kind.chosen != "mine":
            return self._progress.counts
        return Counts.of(len(self.queue.units), Counter(map(self.state_of, self.queue.units)))

    def state_of(self, unit: str) -> str:
        """``"decided"``, ``"deferred"`` or ``"open"``."""
        return self._progress.state_of(unit)

    def label_of(self, unit: str) -> str | None:
        """My label on a unit that I decided."""
        return self._progress.label_of(unit)

    def stale(self, unit: str) -> bool:
        """Whether I decided it on a page whose text has changed since."""
        return self._progress.stale(unit)

    def listed(self, position: int) -> QueueEntry:
        """The line of a place in the queue, read when it is shown; what it says of the judges is seen then."""
        unit = self.queue.units[position]
        if not self.hides(unit) and self.state_of(unit) == "open":
            self._events.note_listed(unit, self.queue)
        return self._entry(unit)

    @property
    def mode(self) -> Mode:
        """How the unit on the screen is shown: blind in an open queue, too, if kept blind; open in the audit where a
        coin says so."""
        return "open" if self._kept.assists(self.unit) else statement_mode(self.queue.mode, self.own)

    def hides(self, unit: str) -> bool:
        """Whether a list hides the judges beside a unit."""
        return self.queue.mode == "blind" or self._kept.hides(unit)

    @property
    def block(self) -> BlindBlock | None:
        """The block of what is blind around the unit on the screen; ``None`` in a queue that has none.

        Where one unit tells of the others (``Asks.one_block``) it waits for all of the study, whatever this queue
        is narrowed to, and for what was put off.
        """
        block = block_at(self.queue, self.position, self._kept, self.awaits)
        if block is None or self.pass_no > 1 or not self.asks.one_block:
            return block
        every = self._progress.counts
        return block._replace(blind=every.total, waiting=every.open + every.deferred)

    @cached_property
    def has_no_judges(self) -> bool:
        """Whether the study is a copy without judges: at the end of a block there are none to be shown."""
        return without_judges(self.study.reader)

    @property
    def hidden_until(self) -> str:
        """Until when the judges of the unit on the screen are hidden, in a few words."""
        if self.has_no_judges:
            return "in this copy, which was made without them"
        if self.reveal == "each" and self.own.label is None:
            return "until you decide"
        block = self.block
        if block is not None:
            return block.words
        home = self._kept.met_in(self.unit)
        return f"until its block ends, in “{kind_named(home).title}”" if home else "until its block ends"

    @property
    def draft(self) -> Draft | None:
        """The note that I began on the unit on the screen, and did not save."""
        return self.drafts.of(self.unit, note_field(self.pass_no)) if self.unit else None

    @property
    def shows_judges(self) -> bool:
        """Whether the judges' opinion is shown for the unit on the screen."""
        return judges_visible(self.mode, self.own)

    @property
    def hides_totals(self) -> bool:
        """Whether figures of the judges are hidden now: where it is blind, and as long as a blind block is open."""
        return "blind" in (self.queue.mode, self.mode) or self._kept.block_open

    @property
    def knows_judges(self) -> bool:
        """Whether the judges' opinion was or is in sight, so that a first label given now is an assisted one."""
        return knows_judges(self.mode, self.own)

    def go(self, position: int) -> bool:
        """Show the unit at a place in the queue; False for no such place."""
        if not 0 <= position < len(self.queue.units):
            return False
        self.position = position
        self._load()
        self.clock.start()
        return True

    def next(self) -> bool:
        """The next unit of the queue; False at its end."""
        return self.go(self.position + 1)

    def previous(self) -> bool:
        """The unit before; False at the start."""
        return self.go(self.position - 1)

    def ahead(self) -> Self | None:
        """This sitting as it will be at the next unit, to read beforehand what is shown there; ``None`` at the end.

        Nothing counts as seen, and nothing may be done in it. What was read is not read again when the reviewer comes
        there, if nothing was written meanwhile.
        """
        if self.position + 1 >= len(self.queue.units):
            return None
        self._ahead = None
        there, version = copy(self), data_version(self.study.reader)
        there.position += 1
        there._read_unit()
        there._read_beside()
        self._ahead = there, version
        return there

    def awaits(self, unit: str) -> bool:
        """Whether a unit of this queue still waits: it is open or, in the queues for that, deferred or stale."""
        state, queue = self.state_of(unit), self.queue.kind.name
        return state == "open" or state == queue or (queue == "stale" and self.stale(unit))

    @property
    def done_here(self) -> int | None:
        """How many units of this queue are decided, on the page as it is now; ``None`` of a long one as long as not all
        was read ahead. In a long one, labels on an earlier page count, too: each would have to be asked for."""
        queue = self.queue
        if self._done is None or self._done[0] is not queue:
            if len(queue.units) > _FEW and not self._progress.whole:
                return None
            self._done = queue, {unit for unit in queue.units if self._is_done(unit)}
        return len(self._done[1])

    def _is_done(self, unit: str) -> bool:
        decided = self.state_of(unit) == "decided" and not self.awaits(unit)
        return decided and (len(self.queue.units) > _FEW or not self.stale(unit))

    def next_open(self) -> bool:
        """The next unit that still waits, from the start again at the end; False if nothing waits."""
        units = self.queue.units
        for step in range(1, len(units) + 1):
            place = (self.position + step) % len(units)
            if self.awaits(units[place]):
                return self.go(place)
        return False

    def set_filter(self, text: str) -> None:
        """Narrow the queue to a filter (``""`` for all of it), staying on the unit if it is still there.

        Raises :class:`UserError` for words that no filter knows, or when nothing is left.
        """
        queue = open_again(self.study, self.queue, self.reviewer, text, self.pass_no)
        if not queue.units:
            raise UserError(f"Nothing in this queue fits {text!r}.")
        here = self.queue.units[self.position] if self.queue.units else ""
        self.queue = self._arranged(queue, here)
        units = self.queue.units
        # what is done stands first where the order is learned: nobody filters for that alone
        first = next((at for at, unit in enumerate(units) if self.learned and self.awaits(unit)), 0)
        self.go(units.index(here) if here in units else first)

    def reopen(self, receipt: Receipt, words: str, at: Sequence[str] = (), *, put: bool = True) -> None:
        """Open the queue again after statements were edited, and go to the first of those ``at``, else stay on this
        one.

        ``put``: they come to this place in the queue, even if they do not belong in it: the reviewer looks at them.
        """
        here, place = self.unit, self.position
        queue = open_again(self.study, self.queue, self.reviewer, self.queue.filter, self.pass_no)
        queue = with_units(queue, [unit for unit in at if put and unit not in queue.units], place, self.queue)
        wanted = next((unit for unit in (*at, here) if unit in queue.units), None)
        if wanted is None and not at and unit_stands(self.study.reader, here):
            queue, wanted = self.queue, here
        self.queue = queue
        self._read_again()
        self._learned = self._learned and self._begin_learning()  # there may be other statements now
        queue = self.queue = self._arranged(queue, wanted or "")
        self.position = queue.units.index(wanted) if wanted else max(0, min(place, len(queue.units) - 1))
        self._load()
        self._after(self.unit, receipt, words)

    @property
    def elsewhere(self) -> Elsewhere | None:
        """Where decisions go since the path of the study no longer names the file that was opened."""
        return self.study.elsewhere

    def alert(self) -> str:
        """The sentence shown once, as soon as decisions go elsewhere than into the study; else ``""``."""
        if self.study.elsewhere is self._alerted:
            return ""
        self._read_again()
        self._alerted = self.study.elsewhere
        return self._alerted.sentence if self._alerted else ""

    @property
    def others_notes(self) -> tuple[OthersNote, ...]:
        """Other reviewers' notes on the unit on the screen, as far as they may be seen."""
        if not self.own.saw_others:  # true wherever there is one to be seen
            return ()
        return others_notes(self.study.reader, self.unit, self.reviewer, self.pass_no)

    def leave(self) -> str:
        """Store drafts, and the place to come back to; ``""``, or what of that and of looks cannot be recorded."""
        self.drafts.keep()
        unsaid = self._events.leave(self.queue, self.unit or None)
        lost = self.drafts.keep()  # once more: the file may have been found gone since
        return " ".join(filter(None, (lost, unsaid)))

    # The order that is learned from my labels

    @property
    def learned(self) -> "OrderVersion | None":
        """What this queue is ordered by; ``None`` for the order of the rules."""
        return self._learned.in_force if self._learned is not None else None

    @property
    def ordered_by(self) -> str | None:
        """The event of what put the unit on the screen in its place, ``""`` for the rules; ``None`` in a queue that is
        never ordered by labels."""
        return self._learned.version_at(self.position) if self._learned is not None else None

    def switch_order(self) -> str:
        """Turn the learned order of my queues off, or on again, staying on this unit; a sentence on what it is now.

        Raises :class:`UserError` where there is none, and when it cannot be saved.
        """
        if self._learned is None:
            raise UserError(NOT_LEARNED)
        version = self._learned.switch()
        self.set_filter(self.queue.filter)
        return f"The queue is {version.words if version.labels and version.on else ORDER_WAITS[version.on]}."

    def _begin_learning(self) -> "LearnedOrder | None":
        """Only where the judges are shown, in the first pass of a queue that a name leads back to."""
        queue = self.queue
        if queue.mode == "blind" or not queue.kind.learns or self.pass_no > 1 or queue.among is not None:
            return None
        from medreview.review.learned_order import LearnedOrder

        return LearnedOrder(self.study, self.reviewer)

    def _passed(self, queue: Queue) -> list[bool]:
        self._progress.read_all()
        return [self.state_of(unit) != "open" for unit in queue.units]

    def _arranged(self, queue: Queue, first: str) -> Queue:
        """A queue that is opened, as it was learned: what I have done, the unit ``first``, then the rest."""
        if self._learned is None:
            return queue
        return self._learned.opened(queue, self._passed(queue) if self.learned else [], first)

    def _learn(self) -> None:
        """After a label: learn from it where it is time to. The unit on the screen and the next one stay in place."""
        if self._learned is None or not self._learned.decided():
            return
        passed = self._passed(self.queue)
        after = next((at for at in range(self.position + 1, len(passed)) if not passed[at]), len(passed))
        self.queue = self._learned.behind(self.queue, passed, min(after + 1, len(passed)))

    # By what is on the screen

    @abstractmethod
    def _read_unit(self) -> None:
        """Read the unit at this place of the queue."""

    @abstractmethod
    def _read_beside(self) -> None:
        """Read the parts that are read on demand, but always needed."""

    @property
    @abstractmethod
    def snapshot(self) -> str | None:
        """The snapshot whose text is in the main pane."""

    @abstractmethod
    def _entry(self, unit: str) -> QueueEntry:
        """The line of a unit in a list."""

    # Within

    def _begin(self, at: str) -> None:
        """Read how the units stand, and go to the first."""
        self._read_again()
        self._resume(at)

    def _resume(self, at: str) -> None:
        units, place = self.queue.units, bookmark_in(self.study.reader, self.reviewer, self.queue.kind.name)
        begin = next((unit for unit in (at, place.unit if place else "") if unit in units), None)
        self.queue = self._arranged(self.queue, begin or "")
        units = self.queue.units
        if begin is not None:
            self.go(units.index(begin))
        elif units:
            self.position = -1
            if not self.next_open():
                self.go(0)

    def _current(self) -> str:
        if not self.unit:
            raise UserError(f"There is no {self.asks.noun} here to decide on.")
        return self.unit

    def _load(self) -> None:
        if not self._was_read():
            self._read_unit()
        if self.unit:
            self._events.note_exposure(self.unit, self.snapshot, self.queue, self.mode)

    def _was_read(self) -> bool:
        """Take what was read ahead of the unit to show, if the study is as it was then."""
        if self._ahead is None:
            return False
        (there, version), self._ahead = self._ahead, None
        reader = self.study.reader
        here = (there.queue, there.position, there._reader) == (self.queue, self.position, reader)
        if not here or data_version(reader) != version:
            return False
        vars(self).update((name, getattr(there, name)) for name in OF_UNIT)
        return True

    def _read_progress(self) -> ReviewerProgress:
        who = whose_states(self.reviewer, self.asks.name, self.pass_no)
        states = dict(self.study.counted(STATES, who))
        return ReviewerProgress(self.study.reader, self.reviewer, self.pass_no, self.asks.name, states=states)

    def read_ahead(self) -> None:
        """Read for all units what was read for those in sight, while nobody waits."""
        self._progress.read_all()
        self._kept.read_all()
        if self._learned is not None:
            self._learned.prepare()

    def _read_again(self) -> None:
        self.acts += 1
        self._done = None
        self._reader = self.study.reader
        self._progress = self._read_progress()
        tossed = self.queue.kind.name == "audit" and self.queue.mode == "blind" and self.pass_no == 1
        assisted = shown_by_coin(self._reader, self.reviewer) if tossed else frozenset()
        self._kept = KeptBlind(self._reader, self.reviewer, self.pass_no, assisted)

    def _after(self, unit: str, receipt: Receipt, words: str) -> None:
        self.acts += 1
        if self._reader is not self.study.reader:
            self._read_again()
        else:
            self._progress.update(unit)
            self._kept.update(unit)
            if self._done is not None:
                done = self._done[1]
                done.discard(unit)
                if self._is_done(unit) and unit in self.queue.units:
                    done.add(unit)
        self.receipt = receipt_line(receipt, words, self.study.elsewhere)
