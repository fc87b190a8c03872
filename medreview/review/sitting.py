"""One reviewer's place in a queue: which statement is on the screen, and what of it is shown."""

from medreview.errors import UserError
from medreview.labels import Reveal
from medreview.review import highlights
from medreview.review.active_time import ActiveTime
from medreview.review.blind_block import BlindBlock, KeptBlind, block_at
from medreview.review.bookmark import bookmark_in
from medreview.review.document_outline import DocumentOutline, load_outline
from medreview.review.drafts import Draft, Drafts
from medreview.review.event_writer import EventWriter, receipt_line
from medreview.review.exposure import judges_visible, knows_judges, statement_mode
from medreview.review.highlight_index import Mark
from medreview.review.highlights import Highlights
from medreview.review.queue import Queue, kind_named, open_again
from medreview.review.queue_entry import QueueEntry, load_queue_entry
from medreview.review.queue_kinds import Mode
from medreview.review.reviewer_progress import ReviewerProgress
from medreview.review.reviewer_state import ReviewerState, load_reviewer_state
from medreview.review.verdict_flow import judges_level
from medreview.study import Study
from medreview.study.counts import Counts
from medreview.study.events import Receipt
from medreview.study.rescue import Elsewhere
from medreview.units.cited_source import Source
from medreview.units.source_order import cause
from medreview.units.statement_view import (
    Evidence,
    StatementView,
    load_evidence,
    load_statement_view,
    load_text,
)


class Sitting:
    """Where a reviewer is in a queue, and what may be seen there. It writes nothing but that something was seen."""

    def __init__(
        self,
        study: Study,
        reviewer: str,
        queue: Queue,
        *,
        pass_no: int = 1,
        reveal: Reveal = "block",
        drafts: Drafts | None = None,
    ) -> None:
        self.study = study
        self.reviewer = reviewer
        self.queue = queue
        self.pass_no = pass_no
        self.reveal = reveal
        self.drafts = drafts or Drafts(study, reviewer)
        self.clock = ActiveTime()
        self.receipt = ""
        self.position = 0
        self.item: StatementView | None = None
        self.own = ReviewerState()
        self.source: Source | None = None
        self._before: ReviewerState | None = None
        self._stays = ""
        self._told: Elsewhere | None = None
        study.goes_on_elsewhere = True  # every receipt says where it is
        self._events = EventWriter(study, reviewer, pass_no)
        self._read_anew()
        self._resume()

    # Where we are

    @property
    def counts(self) -> Counts:
        """Decided, deferred and open statements of the whole study."""
        return self._progress.counts

    def state_of(self, statement_id: str) -> str:
        """``"decided"``, ``"deferred"`` or ``"open"``."""
        return self._progress.state_of(statement_id)

    def label_of(self, statement_id: str) -> str | None:
        """My evidence label on a statement that I decided."""
        return self._progress.label_of(statement_id)

    def stale(self, statement_id: str) -> bool:
        """Whether I decided it on a page whose text has changed since."""
        return self._progress.stale(statement_id)

    def listed(self, position: int) -> QueueEntry:
        """The line of a place in the queue, read when it is shown; what it tells of the judges is seen then."""
        unit = self.queue.units[position]
        if not self.hides(unit) and self.state_of(unit) == "open":
            self._events.note_listed(unit, self.queue)
        return load_queue_entry(self.study.reader, unit)

    @property
    def mode(self) -> Mode:
        """How the statement on the screen is shown; one that is kept blind is, in an open queue too."""
        return statement_mode(self.queue.mode, self.own)

    def hides(self, statement_id: str) -> bool:
        """Whether a list says nothing of the judges beside a statement."""
        return self.queue.mode == "blind" or self._kept.hides(statement_id)

    @property
    def block(self) -> BlindBlock | None:
        """The block of what is blind around the statement on the screen; ``None`` in a queue that has none."""
        return block_at(self.queue, self.position, self._kept, self.awaits)

    @property
    def hidden_until(self) -> str:
        """Until when the judges of the statement on the screen are hidden, in a few words."""
        if self.reveal == "each" and self.own.label is None:
            return "until you decide"
        block = self.block
        if block is not None:
            return block.words
        home = self._kept.met_in(self.item.statement_id) if self.item else ""
        return f"until its block ends, in “{kind_named(home).title}”" if home else "until its block ends"

    @property
    def draft(self) -> Draft | None:
        """The note that I began on the statement on the screen, and did not save."""
        return self.drafts.of(self.item.statement_id, "note") if self.item else None

    @property
    def shows_judges(self) -> bool:
        """Whether the judges' opinion is shown for the statement on the screen."""
        return judges_visible(self.mode, self.own)

    @property
    def judges_say(self) -> str | None:
        """The verdict that a decision is compared with (``verdict_flow.judges_level``)."""
        return judges_level(self.item) if self.item else None

    @property
    def knows_judges(self) -> bool:
        """Whether the judges' opinion was or is in sight, so that a first label given now is an assisted one."""
        return knows_judges(self.mode, self.own)

    def go(self, position: int) -> bool:
        """Show the statement at a place in the queue; False when there is none."""
        if not 0 <= position < len(self.queue.units):
            return False
        self.position = position
        self._load()
        self.clock.start()
        return True

    def next(self) -> bool:
        """The next statement of the queue; False at its end."""
        return self.go(self.position + 1)

    def previous(self) -> bool:
        """The statement before; False at the start."""
        return self.go(self.position - 1)

    def awaits(self, statement_id: str) -> bool:
        """Whether a statement of this queue still waits: it is open or, in the queues for that, deferred or stale."""
        state, queue = self.state_of(statement_id), self.queue.kind.name
        return state == "open" or state == queue or (queue == "stale" and self.stale(statement_id))

    def next_open(self) -> bool:
        """The next statement that still waits, from the start again at the end; False if there is none."""
        units = self.queue.units
        for step in range(1, len(units) + 1):
            place = (self.position + step) % len(units)
            if self.awaits(units[place]):
                return self.go(place)
        return False

    def set_filter(self, text: str) -> None:
        """Narrow the queue to a filter (``""`` for all of it), staying on the statement if it is still there.

        Raises :class:`UserError` for words that no filter knows, or when nothing is left.
        """
        queue = open_again(self.study, self.queue, self.reviewer, text, self.pass_no)
        if not queue.units:
            raise UserError(f"Nothing in this queue fits {text!r}.")
        here = self.queue.units[self.position] if self.queue.units else ""
        self.queue = queue
        self.go(queue.units.index(here) if here in queue.units else 0)

    def reopen(self, receipt: Receipt, words: str) -> None:
        """Open the queue anew, for statements that have come into the study, and stay on this one."""
        here = self._current().statement_id
        queue = open_again(self.study, self.queue, self.reviewer, self.queue.filter, self.pass_no)
        if here in queue.units:
            self.queue, self.position = queue, queue.units.index(here)
        self._progress = ReviewerProgress(self.study.reader, self.reviewer, self.pass_no)
        self._load()
        self._after(here, receipt, words)

    @property
    def elsewhere(self) -> Elsewhere | None:
        """Where decisions go since the path of the study no longer names the file that was opened."""
        return self.study.elsewhere

    def alert(self) -> str:
        """What is to be said once, as soon as decisions go elsewhere than into the study; else ``""``."""
        if self.study.elsewhere is self._told:
            return ""
        self._read_anew()
        self._told = self.study.elsewhere
        return self._told.sentence if self._told else ""

    # What is shown

    def turn_source(self, step: int) -> bool:
        """Show the next (1) or previous (-1) source, round and round, the statement's own citations first.

        False when there is one source at most.
        """
        sources = self.item.sources if self.item else ()
        if len(sources) < 2 or self.source is None:
            return False
        self.source = sources[(sources.index(self.source) + step) % len(sources)]
        return True

    def show_source_of(self, snapshot_id: str | None) -> None:
        """Show the cited source that a snapshot belongs to, if it is its page as it is now."""
        self.source = (self.item.source_of(snapshot_id) if self.item else None) or self.source

    def source_text(self, *, whole: bool = False) -> str:
        """The text of the source on the screen, or the ``whole`` page where that is more; else empty."""
        snapshot = self._snapshot()
        return load_text(self.study.reader, snapshot, whole=whole) if snapshot else ""

    def source_places(self) -> DocumentOutline:
        """The headings and pages of the source on the screen."""
        snapshot = self._snapshot()
        return load_outline(self.study.reader, snapshot) if snapshot else DocumentOutline()

    def source_highlights(self) -> Highlights:
        """The marks of the source on the screen, by the blind rules."""
        if self.item is None or self.source is None or self.source.snapshot_id is None:
            return Highlights()
        return highlights.in_source(self.item, self.own, self.source, self._evidence(), self.shows_judges)

    def statement_marks(self) -> tuple[Mark, ...]:
        """Marks in the statement's own text."""
        return highlights.in_statement(self._evidence(), self.shows_judges)

    def response_marks(self) -> tuple[Mark, ...]:
        """Marks in the response."""
        if self.item is None:
            return ()
        return highlights.in_response(self.item, self.own, self._evidence(), self.shows_judges)

    def leave(self) -> str:
        """Store drafts, and the place to come back to; ``""``, or what of that and of looks cannot be recorded."""
        self.drafts.keep()
        unsaid = self._events.leave(self.queue, self.item.statement_id if self.item else None)
        lost = self.drafts.keep()  # once more: the file may have been found gone since
        return " ".join(filter(None, (lost, unsaid)))

    # Within

    def _resume(self) -> None:
        units = self.queue.units
        if not units:
            return
        place = bookmark_in(self.study.reader, self.reviewer, self.queue.kind.name)
        if place and place.unit in units:
            self.go(units.index(place.unit))
        else:
            self.position = -1
            if not self.next_open():
                self.go(0)

    def _current(self) -> StatementView:
        if self.item is None:
            raise UserError("There is no statement here to decide on.")
        return self.item

    def _snapshot(self) -> str | None:
        return self.source.snapshot_id if self.source else None

    def _evidence(self) -> Evidence:
        return load_evidence(self.study.reader, self._current().statement_id, self._snapshot())

    def _load(self) -> None:
        reader = self.study.reader
        self.item = load_statement_view(reader, self.queue.units[self.position])
        self.own = load_reviewer_state(reader, self.item.statement_id, self.reviewer, self.pass_no)
        queue, item = self.queue.kind.name, self.item
        about = cause(reader, item.sources, queue, item.statement_id, self.own.snapshot_id)
        self.source = about or item.opening_source
        self._before = None
        self._events.note_exposure(self.item.statement_id, self._snapshot(), self.queue, self.mode)

    def _read_anew(self) -> None:
        self._reader = self.study.reader
        self._progress = ReviewerProgress(self._reader, self.reviewer, self.pass_no)
        self._kept = KeptBlind(self._reader, self.reviewer, self.pass_no)

    def _after(self, unit: str, receipt: Receipt, words: str) -> None:
        if self._reader is not self.study.reader:
            self._read_anew()
        else:
            self._progress.update(unit)
            self._kept.update(unit)
        self.receipt = receipt_line(receipt, words, self.study.elsewhere)
