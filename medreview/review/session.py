"""One reviewer's sitting over one queue: every act it can carry out."""

from medreview.errors import UserError
from medreview.labels import FLAGS, REASONS, Via, label_in, level_named
from medreview.review.decision import decision_payload
from medreview.review.queue_kinds import Mode
from medreview.review.reviewer_state import ReviewerSpan, ReviewerState, load_reviewer_state
from medreview.review.sitting import Sitting
from medreview.review.span_editing import SpanEdit
from medreview.review.span_events import span_deletion, span_event, spans_in_order
from medreview.review.undo import PromotionStays, brief, last_act, last_undone
from medreview.review.verdict_flow import FollowUp, agrees, follow_up
from medreview.study.events import NewEvent
from medreview.text import Span
from medreview.units.statement_view import load_name, load_statement_view


class ReviewSession(Sitting):
    """The state of a review and its acts. Every act returns after its commit; if that fails, nothing has changed.

    Acts raise :class:`UserError` with a sentence for the screen: what could not be done, or not be saved.
    """

    _compared = ""
    """The statement that is compared with its judges, of a block that was just shown."""
    _to_compare: tuple[str, ...] = ()
    """Those of that block that differ and come next."""

    # Acts

    def decide(self, label: str, *, via: Via = "digit", instead: bool = False) -> FollowUp:
        """My verdict, and what follows from it.

        In blind mode the judges stay hidden until the end of the block or, where each decision reveals, are shown in
        the same transaction; a second verdict after that is a revision and both labels stay. ``instead``: of
        the one given just now by mistake, when it is asked about. In open mode that one is taken back in the same
        transaction, so that it is nobody's first label.
        """
        item, own, mistaken = self._current(), self.own, ""
        words = level_named("evidence", label).name
        if instead and label == own.label:
            return follow_up(item, label, revealed=False)
        events: list[NewEvent] = []
        if instead and self.mode == "open" and self._before is not None:
            mistaken = f", not {level_named('evidence', self._mine()).name}"
            events.append(NewEvent("retract", item.statement_id, undoes_event=own.decision))
            own = self._before
        revising = own.revealed and own.label is not None
        blind = self.mode == "blind" and not revising
        reveals = blind and self.reveal == "each"
        events.append(self._decision("revise" if revising else "decide", "evidence", label, via, own))
        if reveals:
            events.append(NewEvent("reveal", item.statement_id, snapshot=self._snapshot()))
        shown = (reveals or not blind) and not mistaken
        who = " · you and the judges" if shown and agrees(item, label) else ""
        self._write(events, f"S{item.ordinal} → {words}{mistaken}{who}")
        self._before = own
        if blind and not reveals:
            return self._block_end()
        return self._settled(follow_up(item, label, revealed=reveals))

    def keep_or_change(self, label: str | None) -> FollowUp:
        """My verdict beside the judges': another label revises it, the same or ``None`` keeps it; what follows."""
        mine = self._mine()
        if label is not None and label != mine:
            return self.decide(label, via="reveal")
        return self._settled(follow_up(self._current(), mine, revealed=False))

    def look_again(self) -> FollowUp:
        """Come back to what is asked of a blind decision: to keeping or changing it, or to the end of its block.

        Raises :class:`UserError` where there is nothing to come back to.
        """
        if not self.shows_judges:
            if self._block_end() is FollowUp.BLOCK_END:
                return FollowUp.BLOCK_END
            raise UserError(f"The judges are hidden {self.hidden_until}.")
        if not self.own.revealed:
            raise UserError("Nothing is hidden here.")
        found = follow_up(self._current(), self._mine(), revealed=True)
        if found is FollowUp.ADVANCE:
            raise UserError("The judges are shown.")
        return found

    def show_judges(self) -> FollowUp:
        """Show the judges of a block in which nothing waits, in one transaction; what follows.

        Those that differ come one after the other, to be kept or changed. Raises :class:`UserError` while something
        waits, and where nothing is hidden.
        """
        block = self.block
        if block is None or not block.ended:
            raise UserError(f"The judges are hidden {self.hidden_until}.")
        here = self._current().statement_id
        receipt = self._events.write([NewEvent("reveal", unit) for unit in block.hidden], self.queue, "blind", here)
        for unit in block.hidden:
            self._after(unit, receipt, f"judges shown for {len(block.hidden)} decisions")
        self._to_compare = tuple(unit for unit in block.hidden if self._differs(unit))
        self._compared = here
        return self._settled(FollowUp.ADVANCE)

    def accept(self, *, instead: bool = False) -> FollowUp:
        """Take the judges' verdict as mine, in open mode only; ``instead`` as in :meth:`decide`."""
        verdict = self._current().verdict
        if not self.shows_judges:
            raise UserError(f"The judges are hidden {self.hidden_until}; press your own verdict.")
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
        return self._settled(FollowUp.ADVANCE)

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
        self.drafts.saved(item.statement_id, "note")

    def note_typed(self, text: str) -> None:
        """The note reads so now: it is kept as a draft, unless it says what is saved already."""
        if text != self.own.note:
            self.drafts.typed(self._current().statement_id, "note", text)
        elif self.draft is not None:
            self.discard_draft()

    def discard_draft(self) -> None:
        """Forget the note that I began."""
        self.drafts.discard(self._current().statement_id, "note")

    def flag(self, name: str) -> None:
        """Set or take back one of ``medreview.labels.FLAGS``. A flag is no verdict."""
        item = self._current()
        on = name not in self.own.flags
        words = f"S{item.ordinal} · {label_in(FLAGS, name).name} {'flagged' if on else 'flag taken back'}"
        self._write([NewEvent("flag", item.statement_id, {"flag": name, "on": on}, self._snapshot())], words)

    def defer(self) -> FollowUp:
        """Put the statement off; what follows."""
        item = self._current()
        self._write([NewEvent("defer", item.statement_id, {}, self._snapshot())], f"S{item.ordinal} deferred")
        return self._block_end()

    def undo(self) -> None:
        """Take back the last act that stands, and go to its statement.

        A promotion stays: that is said once, and the next undo takes back the act before it.
        """
        try:
            act = last_act(self.study.reader, self.reviewer, self.pass_no, self._stays)
        except PromotionStays as refused:
            self._stays = refused.event_id
            raise
        if act is None:
            raise UserError("There is nothing of yours to undo.")
        self._retract(act.target, act.unit, f"undone: {act.words}")

    def redo(self) -> None:
        """Bring back what was undone last, unless something was done since."""
        act = last_undone(self.study.reader, self.reviewer, self.pass_no)
        if act is None:
            raise UserError("There is nothing to redo.")
        self._retract(act.target, act.unit, f"done again: {act.words}")

    # Within

    def _block_end(self) -> FollowUp:
        """What follows a blind decision: the offer to show the judges once nothing of the block waits."""
        block = self.block
        return FollowUp.BLOCK_END if block is not None and block.ended else FollowUp.ADVANCE

    def _settled(self, step: FollowUp) -> FollowUp:
        """After the last step on a statement: the next of the block that differs; after those, the block's last."""
        if step is not FollowUp.ADVANCE or self._compared != self._current().statement_id:
            return step
        block = self.block
        if self._to_compare:
            self._compared, *rest = self._to_compare
            self._to_compare = tuple(rest)
            self.go(list(self.queue.units).index(self._compared))
            return FollowUp.KEEP_OR_CHANGE
        self._compared = ""
        self.go(block.last if block is not None else self.position)
        return FollowUp.ADVANCE

    def _differs(self, unit: str) -> bool:
        label = self.label_of(unit)
        item = load_statement_view(self.study.reader, unit)
        return label is not None and follow_up(item, label, revealed=True) is FollowUp.KEEP_OR_CHANGE

    def _mine(self) -> str:
        if self.own.label is None:
            raise UserError("There is no verdict of yours on this statement.")
        return self.own.label

    def _decision(self, kind: str, axis: str, label: str, via: Via, own: ReviewerState) -> NewEvent:
        item, snapshot = self._current(), self._snapshot()
        told = decision_payload(
            self.study.reader, item, own, self.mode, axis=axis, label=label, via=via, snapshot_id=snapshot
        )
        payload = {**told, "filter": self.queue.filter, "reveal": self.reveal}
        payload |= {"active_ms": self.clock.active_ms, "keys": self.clock.keys}
        return NewEvent(kind, item.statement_id, payload, snapshot)

    def _write(self, events: list[NewEvent], words: str) -> None:
        item = self._current()
        receipt = self._events.write(events, self.queue, self.mode, item.statement_id)
        self._after(item.statement_id, receipt, words)
        self.own = load_reviewer_state(self.study.reader, item.statement_id, self.reviewer, self.pass_no)

    def _retract(self, target: str, unit: str, words: str) -> None:
        mode: Mode = "blind" if self.hides(unit) else "open"
        receipt = self._events.write([NewEvent("retract", unit, undoes_event=target)], self.queue, mode, unit)
        if unit in self.queue.units:
            self.go(self.queue.units.index(unit))
            words = f"S{self._current().ordinal} {words}"
        else:
            words = f"{load_name(self.study.reader, unit)} {words}, not in this queue".lstrip()
        self._after(unit, receipt, words)
