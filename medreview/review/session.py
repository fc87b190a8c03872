"""One reviewer's sitting over one queue: what the screen asks, and every act it can carry out."""

from medreview.errors import UserError
from medreview.labels import FLAGS, REASONS, Via, label_in, level_named
from medreview.review import highlights
from medreview.review.active_time import ActiveTime
from medreview.review.bookmark import bookmark_in
from medreview.review.cited_source import Source
from medreview.review.decision import decision_payload
from medreview.review.document_outline import DocumentOutline, load_outline
from medreview.review.event_writer import EventWriter, receipt_line
from medreview.review.exposure import judges_visible, knows_judges
from medreview.review.highlight_index import Mark
from medreview.review.highlights import Highlights
from medreview.review.queue import Queue, open_again
from medreview.review.queue_entry import QueueEntry, load_queue_entry
from medreview.review.reviewer_progress import ReviewerProgress
from medreview.review.reviewer_state import ReviewerSpan, ReviewerState, load_reviewer_state
from medreview.review.source_order import cause
from medreview.review.span_editing import SpanEdit
from medreview.review.span_events import span_deletion, span_event, spans_in_order
from medreview.review.statement_view import (
    Evidence,
    StatementView,
    load_evidence,
    load_name,
    load_statement_view,
    load_text,
)
from medreview.review.undo import brief, last_act, last_undone
from medreview.review.verdict_flow import FollowUp, agrees, follow_up, judges_level
from medreview.study import Study
from medreview.study.counts import Counts
from medreview.study.events import NewEvent, Receipt
from medreview.text import Span


class ReviewSession:
    """The state of a review and its acts. Every act returns after its commit; if that fails, nothing has changed.

    Acts raise :class:`UserError` with a sentence for the screen: what could not be done, or not be saved.
    """

    def __init__(self, study: Study, reviewer: str, queue: Queue, *, pass_no: int = 1) -> None:
        self.study = study
        self.reviewer = reviewer
        self.queue = queue
        self.pass_no = pass_no
        self.clock = ActiveTime()
        self.receipt = ""
        self.position = 0
        self.item: StatementView | None = None
        self.own = ReviewerState()
        self.source: Source | None = None
        self._before: ReviewerState | None = None
        self._events = EventWriter(study, reviewer, pass_no)
        self._progress = ReviewerProgress(study.reader, reviewer, pass_no)
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
        """The line of a place in the queue, read when it is shown."""
        return load_queue_entry(self.study.reader, self.queue.units[position])

    @property
    def shows_judges(self) -> bool:
        """Whether the judges' opinion is shown for the statement on the screen."""
        return judges_visible(self.queue.mode, self.own)

    @property
    def judges_say(self) -> str | None:
        """The verdict that a decision is compared with (``verdict_flow.judges_level``)."""
        return judges_level(self.item) if self.item else None

    @property
    def knows_judges(self) -> bool:
        """Whether the judges' opinion was or is in sight, so that a first label given now is an assisted one."""
        return knows_judges(self.queue.mode, self.own)

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

    # Acts

    def decide(self, label: str, *, via: Via = "digit", instead: bool = False) -> FollowUp:
        """My verdict, and what follows from it.

        In blind mode the judges are revealed in the same transaction; a second verdict after that is a revision and
        both labels stay. ``instead``: of the one given just now by mistake, when it is asked about. In open mode that
        one is taken back in the same transaction, so that it is nobody's first label.
        """
        item, own, mistaken = self._current(), self.own, ""
        words = level_named("evidence", label).name
        if instead and label == own.label:
            return follow_up(item, label, revealed=False)
        events: list[NewEvent] = []
        if instead and self.queue.mode == "open" and self._before is not None:
            mistaken = f", not {level_named('evidence', self._mine()).name}"
            events.append(NewEvent("retract", item.statement_id, undoes_event=own.decision))
            own = self._before
        revising = self.queue.mode == "blind" and self.own.revealed and self.own.label is not None
        reveals = self.queue.mode == "blind" and not revising
        events.append(self._decision("revise" if revising else "decide", "evidence", label, via, own))
        if reveals:
            events.append(NewEvent("reveal", item.statement_id, snapshot=self._snapshot()))
        who = " · you and the judges" if agrees(item, label) and not mistaken else ""
        self._write(events, f"S{item.ordinal} → {words}{mistaken}{who}")
        self._before = own
        return follow_up(item, label, revealed=reveals)

    def keep_or_change(self, label: str | None) -> FollowUp:
        """My verdict beside the judges': another label revises it, the same or ``None`` keeps it; what follows."""
        mine = self._mine()
        if label is not None and label != mine:
            return self.decide(label, via="reveal")
        return follow_up(self._current(), mine, revealed=False)

    def look_again(self) -> FollowUp:
        """Come back to keeping or changing a blind decision that differs from the judges'.

        Raises :class:`UserError` where there is nothing to come back to.
        """
        if self.queue.mode == "open":
            raise UserError("Nothing is hidden in this queue.")
        if not self.shows_judges:
            raise UserError("The judges are hidden until you decide.")
        found = follow_up(self._current(), self._mine(), revealed=True)
        if found is FollowUp.ADVANCE:
            raise UserError("The judges are shown.")
        return found

    def accept(self, *, instead: bool = False) -> FollowUp:
        """Take the judges' verdict as mine, in open mode only; ``instead`` as in :meth:`decide`."""
        verdict = self._current().verdict
        if not self.shows_judges:
            raise UserError("The judges are hidden until you decide; press your own verdict.")
        if not self._current().judgements:
            raise UserError("No judge has looked at this statement; press your own verdict.")
        if verdict is None or verdict.verdict is None:
            raise UserError("The judges have no common verdict here; press your own.")
        return self.decide(verdict.verdict, via="accept", instead=instead)

    def reason(self, code: str | None) -> FollowUp:
        """Why my verdict differs from the judges': one of ``medreview.labels.REASONS``, or ``None`` for no reason."""
        item, label = self._current(), level_named("evidence", self._mine()).name
        if code is not None:
            name = label_in(REASONS, code).name
            payload = {"decision": self.own.decision, "code": code}
            event = NewEvent("reason", item.statement_id, payload, self._snapshot())
            self._write([event], f"S{item.ordinal} → {label} · {name}")
        return FollowUp.ADVANCE

    def hallucination(self, level: str) -> None:
        """The hallucination type, an axis of its own; the span is marked in the next step."""
        item = self._current()
        name = level_named("hallucination", level).name
        event = self._decision("decide", "hallucination", level, "digit", self.own)
        self._write([event], f"S{item.ordinal} · hallucination {name}")

    def default_span(self, target: str) -> SpanEdit:
        """What the span step starts with: the statement in the response, or the first highlight in the source."""
        item = self._current()
        if target == "response":
            places = item.places or (Span(0, len(item.response)),)
            return SpanEdit(item.response, places[0].start, places[-1].end)
        text = self.source_text()
        if not text:
            raise UserError("There is no source text here to mark.")
        opening = self.source_highlights().opening or Span(0, min(len(text), 80))
        return SpanEdit(text, *opening)

    def add_span(self, target: str, edit: SpanEdit) -> None:
        """Mark the span of the hallucination just named, in the ``"response"`` or the ``"source"``."""
        item = self._current()
        event = span_event(item, self.own, target, edit, self._snapshot())
        self._write([event], f"S{item.ordinal} · marked {brief(edit.exact)}")

    def spans_to_delete(self) -> tuple[ReviewerSpan, ...]:
        """The spans I marked on this statement (``span_events.spans_in_order``)."""
        return spans_in_order(self._current(), self.own)

    def delete_span(self, mine: ReviewerSpan) -> None:
        """Delete a span that I marked; undo brings it back."""
        item = self._current()
        self._write([span_deletion(item, mine)], f"S{item.ordinal} · deleted {brief(mine.exact)}")

    def note(self, text: str) -> None:
        """A note on the statement; it replaces the one before, which stays in the record."""
        item = self._current()
        words = f"S{item.ordinal} · note" if text else f"S{item.ordinal} · note removed"
        self._write([NewEvent("note", item.statement_id, {"text": text}, self._snapshot())], words)

    def flag(self, name: str) -> None:
        """Set or take back one of ``medreview.labels.FLAGS``. A flag is no verdict."""
        item = self._current()
        on = name not in self.own.flags
        words = f"S{item.ordinal} · {label_in(FLAGS, name).name} {'flagged' if on else 'flag taken back'}"
        self._write([NewEvent("flag", item.statement_id, {"flag": name, "on": on}, self._snapshot())], words)

    def defer(self) -> None:
        """Put the statement off."""
        item = self._current()
        self._write([NewEvent("defer", item.statement_id, {}, self._snapshot())], f"S{item.ordinal} deferred")

    def undo(self) -> None:
        """Take back the last act that stands, and go to its statement."""
        act = last_act(self.study.reader, self.reviewer, self.pass_no)
        if act is None:
            raise UserError("There is nothing of yours to undo.")
        self._retract(act.target, act.unit, f"undone: {act.words}")

    def redo(self) -> None:
        """Bring back what was undone last, unless something was done since."""
        act = last_undone(self.study.reader, self.reviewer, self.pass_no)
        if act is None:
            raise UserError("There is nothing to redo.")
        self._retract(act.target, act.unit, f"done again: {act.words}")

    def leave(self) -> None:
        """Note the place to come back to."""
        self._events.leave(self.queue, self.item.statement_id if self.item else None)

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

    def _mine(self) -> str:
        if self.own.label is None:
            raise UserError("There is no verdict of yours on this statement.")
        return self.own.label

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
        self._events.note_exposure(self.item.statement_id, self._snapshot(), self.queue)

    def _decision(self, kind: str, axis: str, label: str, via: Via, own: ReviewerState) -> NewEvent:
        item, snapshot = self._current(), self._snapshot()
        told = decision_payload(
            self.study.reader, item, own, self.queue.mode, axis=axis, label=label, via=via, snapshot_id=snapshot
        )
        payload = {**told, "filter": self.queue.filter, "active_ms": self.clock.active_ms, "keys": self.clock.keys}
        return NewEvent(kind, item.statement_id, payload, snapshot)

    def _write(self, events: list[NewEvent], words: str) -> None:
        item = self._current()
        receipt = self._events.write(events, self.queue, item.statement_id)
        self._after(item.statement_id, receipt, words)
        self.own = load_reviewer_state(self.study.reader, item.statement_id, self.reviewer, self.pass_no)

    def _retract(self, target: str, unit: str, words: str) -> None:
        receipt = self._events.write([NewEvent("retract", unit, undoes_event=target)], self.queue, unit)
        if unit in self.queue.units:
            self.go(self.queue.units.index(unit))
            words = f"S{self._current().ordinal} {words}"
        else:
            words = f"{load_name(self.study.reader, unit)} {words}, not in this queue".lstrip()
        self._after(unit, receipt, words)

    def _after(self, unit: str, receipt: Receipt, words: str) -> None:
        self._progress.update(unit)
        self.receipt = receipt_line(receipt, words)
