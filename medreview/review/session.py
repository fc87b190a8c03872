"""One reviewer's sitting over a queue of units of any kind: every act of a review, and the record of it."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from medreview.errors import UserError
from medreview.labels import EDITED, FLAGS, OWN, Via, axis_words, is_own, is_tag, label_in, label_words
from medreview.review.decision import (
    Act,
    Decided,
    FollowUp,
    brief,
    decision_payload,
    last_act,
    last_undone,
    no_axis,
    own_label,
)
from medreview.review.on_screen import NOTHING_TO_REDO, NOTHING_TO_UNDO, ShownUnit
from medreview.review.queue_kinds import Mode
from medreview.review.resuming import note_field
from medreview.review.reviewer_state import (
    ReviewerSpan,
    ReviewerState,
    load_reviewer_state,
    parts_beside_statement,
    parts_beside_unit,
)
from medreview.review.span_editing import SpanEdit, partner_for
from medreview.review.spans_and_findings import (
    FindingSpan,
    next_open,
    rejecting,
    span_deletion,
    span_event,
    span_move,
    spans_in_order,
    taking,
)
from medreview.study.events import NewEvent, Receipt
from medreview.study.ids import kind_of
from medreview.study.own_axes import OwnAxis, own_axes
from medreview.study.statement_edits import unit_stands
from medreview.text import Span, counted, joined, places_in_text
from medreview.units.kind import CORRECT_ANSWER, RESPONSE, Document, Machines
from medreview.units.registry import KINDS, unit_name
from medreview.units.statement_view import StatementView

NO_TAG = "A tag is one word of up to 24 letters, digits, - and _, such as #dose."


class ReviewSession(ShownUnit):
    """The acts of a review. Every act returns after its commit; if that fails, nothing has changed.

    Acts raise :class:`UserError` with a sentence for the screen: what could not be done, or not be saved.
    """

    _compared = ""
    """The unit that is compared with its judges, of the block just revealed."""
    _to_compare: tuple[str, ...] = ()
    """Those of that block that differ and come next."""
    _ends_block = False
    """The label just given was the last of its block, where each label shows its judges."""
    _decided_last = ""
    """The unit that was given a label last in this sitting."""
    finishes = False
    """Whether the label just given was the last that this queue lacked."""
    acted: frozenset[str] = frozenset()
    """What was decided or put off in this sitting."""

    # Labels

    def decide(self, label: str, *, via: Via = "digit", instead: bool = False) -> FollowUp:
        """My label on the axis of the unit's kind, and what follows from it.

        In blind mode the judges stay hidden until the end of the block or, where each decision reveals, are shown in
        the same transaction; a second label after that is a revision and both stay. ``instead``: of
        the one given just now by mistake, when it is asked about. In open mode that one is taken back in the same
        transaction, so that it is nobody's first label.
        """
        return self._decide(label, via, instead, {})

    @property
    def full_name(self) -> str:
        """What the unit on the screen is called in the whole study: ``R02 S1``."""
        return unit_name(self.study.reader, self.unit) if self.unit else ""

    @property
    def just_decided(self) -> str:
        """The unit that was given a label last, if another one is on the screen since; else empty."""
        unit = self._decided_last
        here = unit == self.unit or unit not in self.queue.units or self.label_of(unit) is None
        return "" if here else unit

    def _decide(
        self, label: str, via: Via, instead: bool, more: Mapping[str, Any], also: Sequence[tuple[str, str]] = ()
    ) -> FollowUp:
        """The same; ``more`` goes into the record of the decision, ``also`` are labels on further axes. That a correct
        answer stood beside it is recorded. Raises :class:`UserError` for a label that this one cannot have."""
        unit, own, mistaken = self._current(), self.own, ""
        self._refuse_label(label)
        if label == EDITED and not more.get("text"):
            raise UserError("Say how it should read.")
        more = {**more, **self._beside_decision()}
        words = self.label_words(label)
        if instead and label == own.label:
            return self._follow_up(label, revealed=False)
        events: list[NewEvent] = []
        if instead and self.mode == "open" and self._before is not None:
            mistaken = f", not {self.label_words(self._mine())}"
            events.append(NewEvent("retract", unit, undoes_event=own.decision))
            own = self._before
        waited, before = self.awaits(unit), self.done_here
        revising = own.revealed and own.label is not None
        blind = self.mode == "blind" and not revising
        reveals = blind and self.reveal == "each"
        kind = "revise" if revising else "decide"
        # The label of the unit is the last, so that one undo opens it again.
        events += [self._decision(kind, axis, level, via, own, {}) for axis, level in also]
        events.append(self._decision(kind, self.asks.axis, label, via, own, more))
        if reveals:
            events.append(NewEvent("reveal", unit, snapshot=self.snapshot))
        shown = (reveals or not blind) and not mistaken
        who = " · you and the judges" if shown and self.agrees_on(unit, label) else ""
        self._write(events, f"{self.name} → {words}{mistaken}{who}")
        self._update_flags(unit)
        self.finishes = before is not None and before < len(self.queue.units) == self.done_here
        self.pace.add(0 if unit in self.acted else self.clock.active_ms, decided=unit not in self.acted)
        self._before = own
        self.acted |= {unit}
        self._decided_last = unit
        if self.goal is not None:
            self.goal.add(unit)
        self._learn()
        if blind and not reveals:
            return self._block_end()
        self._ends_block = reveals and waited and self._nothing_waits()
        return self._settled(self._follow_up(label, revealed=reveals))

    def _refuse_label(self, label: str) -> None:
        if self.view is not None and (why := self.asks.fits(self.view, label)):
            raise UserError(why)

    def _beside_decision(self) -> Mapping[str, Any]:
        if self._view is None or self.view is None:
            return {}
        correct = {CORRECT_ANSWER: "before"} if self._view.document(CORRECT_ANSWER) else {}
        return {**correct, **self.asks.recorded(self.study.reader, self.view)}

    def decide_words(self, label: str, text: str) -> FollowUp:
        """A label that comes with words of mine: a fact as it should read. Raises :class:`UserError` for no words, and
        for those that it has already."""
        words, view = text.strip(), self.view
        if not words:
            raise UserError("There are no words yet.")
        if view is not None and words == view.text:
            raise UserError(f"It reads like this already: {self.asks.levels[0].key} {self.asks.levels[0].name}.")
        return self._decide(label, "digit", False, {"text": words})

    def decide_order(self, order: str, also: Sequence[tuple[str, str]]) -> FollowUp:
        """An order of the outputs by their stored numbers, with quality and flag of each, in one transaction."""
        return self._decide(order, "digit", False, {}, also)

    def keep_or_change(self, label: str | None) -> FollowUp:
        """My label beside the judges': another one revises it, the same or ``None`` keeps it; what follows."""
        mine = self._mine()
        if label is not None and label != mine:
            return self.decide(label, via="reveal")
        return self._settled(self._follow_up(mine, revealed=False))

    def look_again(self) -> FollowUp:
        """Return to the question after a blind decision: keep or change it, or the end of its block.

        Raises :class:`UserError` where there is nothing to come back to.
        """
        self._refuse("reveal")
        if not self.shows_judges:
            return FollowUp.BLOCK_END
        found = self._follow_up(self._mine(), revealed=True)
        if found is FollowUp.ADVANCE:
            raise UserError("The judges are shown.")
        return found

    def show_judges(self) -> FollowUp:
        """Show the judges of a block in which nothing waits, in one transaction; what follows.

        Those that differ come one after the other, to be kept or changed. Raises :class:`UserError` while something
        waits, and where nothing is hidden.
        """
        block = self.block
        if block is None or not block.ended or self.has_no_judges:
            raise UserError(f"The judges are hidden {self.hidden_until}.")
        here = self._current()
        receipt = self._events.write([NewEvent("reveal", unit) for unit in block.hidden], self.queue, "blind", here)
        for unit in block.hidden:
            self._after(unit, receipt, f"judges shown for {counted(len(block.hidden), 'decision')}")
        self._to_compare = tuple(unit for unit in block.hidden if self._differs(unit))
        self._compared = here
        return self._settled(FollowUp.ADVANCE)

    def accept(self, *, instead: bool = False) -> FollowUp:
        """Take the judges' label as mine, in open mode only; ``instead`` as in :meth:`decide`."""
        self._current()
        self._refuse("accept")
        return self.decide(self.judges_say or "", via="accept", instead=instead)

    def reason(self, code: str | None) -> FollowUp:
        """Why my label differs from the judges': one of ``asks.reasons``, or ``None`` for no reason."""
        unit, label = self._current(), self.label_words(self._mine())
        if code is not None:
            name = label_in(self.asks.reasons, code).name
            payload = {"decision": self.own.decision, "code": code}
            self._write([NewEvent("reason", unit, payload, self.snapshot)], f"{self.name} → {label} · {name}")
        return self._settled(FollowUp.ADVANCE)

    def decide_also(self, axis: str, level: str) -> None:
        """My label on another axis than that of the kind: a hallucination, a quality, a category."""
        self._current()
        event = self._decision("decide", axis, level, "digit", self.own, {})
        colon = ":" if is_own(axis) else ""
        self._write([event], f"{self.name} · {axis_words(axis)}{colon} {label_words(axis, level)}")

    def add(self, text: str, category: str) -> None:
        """Add something of my own beside the unit on the screen (``asks.adds``), which is kept by that.

        Raises :class:`UserError` for what cannot be added.
        """
        try:
            made = self.asks.added(self.study.reader, self._current(), text, category)
        except ValueError as error:
            raise UserError(str(error)) from error
        receipt = self._events.write(made, self.queue, self.mode, self.unit)
        self.reopen(receipt, f"{self.name} · {self.asks.adds} added: {brief(text.strip())}")

    # The study's own axes, and tags. Each is saved at once, and taken back by one undo

    @cached_property
    def own_axes(self) -> Mapping[str, OwnAxis]:
        """The axes of the study's own that the unit's kind has, by their names in the record, in their order. Read
        once: whoever has the study open here is the only one who writes to it."""
        return own_axes(self.study.reader, self.asks.name)

    @property
    def own_axes_asked(self) -> Mapping[str, OwnAxis]:
        """Those that a label is asked on."""
        return self.own_axes

    @property
    def flags_asked(self) -> Sequence[str]:
        """The flags that are asked for beside the label."""
        return self.asks.flags

    def refusal(self, action: str) -> str:
        """As everywhere; of the study's own axes, where the kind of unit has none."""
        if action == "axes":
            nobody = f"No reviewers differ on this {self.asks.noun} on the study's own axes."
            none = nobody if self.own_axes else no_axis(self.own_axes, self.asks.noun)
            return "" if self.own_axes_asked else none
        return super().refusal(action)

    def label(self, name: str, *levels: str) -> None:
        """My label on an axis of the study's own, by its name (``harm``): one level; of an axis with many any number of
        them, and none for "none of them". Raises :class:`UserError` for an axis or a level that there is not."""
        axis = self.own_axes.get(OWN + name)
        if axis is None:
            raise UserError(no_axis(self.own_axes, self.asks.noun, name))
        self.decide_also(axis.axis, own_label(axis, levels))

    def tag(self, name: str) -> None:
        """Put a tag on the unit, or take it off again. Raises :class:`UserError` for what cannot be one."""
        unit, tag = self._current(), name.strip().removeprefix("#").casefold()
        if not is_tag(tag):
            raise UserError(NO_TAG)
        on = tag not in self.own.tags
        words = f"{self.name} · #{tag}{'' if on else ' removed'}"
        self._write([NewEvent("tag", unit, {"tag": tag, "on": on}, self.snapshot)], words)

    def tags_used(self) -> list[str]:
        """The tags that this reviewer has put on anything, those that are used most first."""
        rows = self.study.reader.execute(
            "SELECT tag FROM tag_standing WHERE reviewer = ? GROUP BY tag ORDER BY count(*) DESC, tag", (self.reviewer,)
        )
        return [row[0] for row in rows]

    # Spans

    @property
    def span_axis(self) -> str:
        """The axis whose levels spans are marked with."""
        return self.asks.axis if self.item is None else "hallucination"

    def add_span(
        self, target: str, edit: SpanEdit, *, label: str = "", reason: str = "", with_span: str | None = None
    ) -> None:
        """Mark a span of the hallucination just named, or of another ``label``, in one of the unit's texts; the second
        place of a context-conflict belongs to the first."""
        unit = self._current()
        named = self._mine() if self.item is None else self.own.hallucination or "other"
        partner = with_span or partner_for(label or named, self.own.spans)
        document = self.text_named(target)
        snapshot = document.snapshot_id if document else None
        event = span_event(
            unit, self.span_axis, label or named, target, edit, snapshot, reason=reason, with_span=partner
        )
        self._write([event], f"{self.name} · marked {brief(edit.exact)}")

    def mark_numbered(self, label: str, typed: str) -> None:
        """Mark the places that numbers name (``3 5``) with a label of those in ``asks.numbered``.

        Raises :class:`UserError` for no number, for one that there is not, and where all of them are marked so.
        """
        target, unit = self.asks.numbered[label], self._current()
        document = self.text_named(target)
        assert document is not None
        try:
            places = self.asks.places_named(self.study.reader, unit, typed)
        except ValueError as error:
            raise UserError(str(error)) from error
        marked = {mine.span for mine in self.own.spans if mine.label == label and mine.target == target}
        if not (fresh := [place for place in dict.fromkeys(places) if place not in marked]):
            raise UserError("That is marked already." if places else "Type at least one number.")
        for place in fresh:
            self.add_span(target, SpanEdit(document.text, *place), label=label)

    def default_span(self, target: str, level: str = "") -> SpanEdit:
        """What the span step starts with in one of the unit's texts: the first place that is marked in it, else its
        first words. In the response of a statement what a judge found there, for a hallucination of this ``level``, or
        what clashes with the page, else the statement. Raises :class:`UserError` without a text."""
        document, item = self.text_named(target), self.item
        text = document.text if document else ""
        if document is None or not text:
            raise UserError("There is no text here to mark.")
        if item is not None and target == RESPONSE:
            places = self._doubtful_places(item, level) or item.shown_at or (Span(0, len(text)),)
            return SpanEdit(text, places[0].start, places[-1].end)
        if self.asks.entry == "spans":
            return SpanEdit(text, *self._next_place(document))
        return SpanEdit(text, *(self._highlights(document).opening or Span(0, min(len(text), 80))))

    def _doubtful_places(self, item: StatementView, level: str) -> Sequence[Span]:
        """Where in the response the wrong words are, where the judges may be seen: an open finding of this type, else
        the first clash or missing part, else any open finding."""
        found = [span for span in self.findings if span.here and span.standing == "open"]
        same = next((span.here for span in found if span.label == level), None)
        clash = next((Span(mark.start, mark.end) for mark in self.statement_marks()), None)
        if same is None and clash is not None and joined(item.response, item.places) == item.text:
            return places_in_text(item.places, clash)
        return same or (found[0].here if found else ())

    def _next_place(self, document: Document) -> Span:
        """The first open finding in a text; else the first sentence after the last span that I marked in it, of those
        where no statement stands, and that are not left out either, if the text shows these."""
        from medreview.statements.sentences import sentence_spans  # only marking spans needs it

        found = (span for span in self.findings if document.key == RESPONSE and span.standing == "open")
        if (first := next(found, None)) is not None:
            return first.here[0]
        last = max((mine.span.end for mine in self.own.spans if mine.target == document.key), default=0)
        later = sentence_spans(document.text, last) or sentence_spans(document.text)
        held = [Span(mark.start, mark.end) for mark in document.marks if mark.shade in ("statement", "left_out")]
        free = (place for place in later if not any(place.overlap(one) for one in held))
        return next(free, None) or (later[0] if later else Span(0, len(document.text)))

    def words_to_name(self, target: str) -> Sequence[Span]:
        """The ranges of a text whose words the span step names by letters: in the response those of the statement; none
        for all that is in sight."""
        return self.item.shown_at if self.item is not None and target == RESPONSE else ()

    def span_to_resize(self, mine: ReviewerSpan) -> SpanEdit:
        """What the span step starts with to move the ends of a span.

        Raises :class:`UserError` where its text is not on the screen.
        """
        text = self.beside_text() if self.is_beside(mine.target) else self.source_text()
        if not self.in_sight(mine) or text[mine.span.start : mine.span.end] != mine.exact:
            raise UserError("The text of this span is not the one on the screen; delete it and mark it again.")
        return SpanEdit(text, *mine.span)

    def resize_span(self, mine: ReviewerSpan, edit: SpanEdit) -> None:
        """Give a span that I marked other ends; undo brings the ones before back."""
        self._write([span_move(self._current(), mine, edit)], f"{self.name} · marked {brief(edit.exact)} instead")

    def spans_to_delete(self) -> tuple[ReviewerSpan, ...]:
        """The spans I marked here, in the order of their texts; raises :class:`UserError` without any."""
        self._refuse("delete_span")
        texts: Sequence[str | None] = self.text_keys()
        if self.item is not None:
            texts = [RESPONSE, *(source.snapshot_id for source in self.item.sources)]
        return spans_in_order(texts, self.own)

    def delete_span(self, mine: ReviewerSpan) -> None:
        """Delete a span that I marked; undo brings it back."""
        self._write([span_deletion(self._current(), mine)], f"{self.name} · deleted {brief(mine.exact)}")

    # What machines found in the response; it is read only where their opinion may be seen

    def open_finding(self, after: FindingSpan | None = None, step: int = 1) -> FindingSpan:
        """The next (1) or previous (-1) open finding where the unit stands, round and round.

        Raises :class:`UserError` where findings are hidden, and when none is open.
        """
        self._refuse("findings")
        found = next_open(self.findings, after, step)
        assert found is not None
        return found

    def take_finding(self, span: FindingSpan) -> None:
        """Take one over: it becomes my span, with its type."""
        text = self.response_text()
        self._write(taking(self._current(), text, span, self.own.spans), f"{self.name} · took over {brief(span.quote)}")

    def reject_finding(self, span: FindingSpan) -> None:
        """Reject it: no hallucination."""
        self._write([rejecting(self._current(), span)], f"{self.name} · rejected {brief(span.quote)}")

    # Notes, flags, putting off

    def note(self, text: str) -> None:
        """A note on the unit; it replaces the one before, which stays in the record."""
        unit = self._current()
        words = f"{self.name} · note" if text else f"{self.name} · note removed"
        self._write([NewEvent("note", unit, {"text": text}, self.snapshot)], words)
        self.drafts.saved(unit, note_field(self.pass_no))

    def note_typed(self, text: str) -> None:
        """The note was changed: keep it as a draft, unless it equals the saved note."""
        if text != self.own.note:
            self.drafts.typed(self._current(), note_field(self.pass_no), text)
        elif self.draft is not None:
            self.discard_draft()

    def discard_draft(self) -> None:
        """Forget the note that I began."""
        self.drafts.discard(self._current(), note_field(self.pass_no))

    def flag(self, name: str) -> None:
        """Set or take back one of ``medreview.labels.FLAGS``. A flag is not a label."""
        unit, on = self._current(), name not in self.own.flags
        words = f"{self.name} · {label_in(FLAGS, name).name} {'flagged' if on else 'flag taken back'}"
        self._write([NewEvent("flag", unit, {"flag": name, "on": on}, self.snapshot)], words)

    def defer(self) -> FollowUp:
        """Put the unit off; what follows."""
        self._write([NewEvent("defer", self._current(), {}, self.snapshot)], f"{self.name} deferred")
        self.pace.add(self.clock.active_ms, decided=False)
        self.acted |= {self.unit}
        return self._block_end()

    # Undo

    def undo(self) -> None:
        """Take back the last act that stands, and go to its unit; one of my own whose adding is undone leaves the
        queue."""
        act = last_act(self.study.reader, self.reviewer, self.pass_no)
        if act is None:
            raise UserError(NOTHING_TO_UNDO)
        self._retract(act, f"undone: {act.words}")
        if not self.asks.stands(self.study.reader, self.unit):
            place, receipt = self.position, self.receipt
            self.set_filter(self.queue.filter)
            self.go(min(place, len(self.queue.units) - 1))
            self.receipt = receipt

    def redo(self) -> None:
        """Bring back what was undone last, unless something was done since."""
        act = last_undone(self.study.reader, self.reviewer, self.pass_no)
        if act is None:
            raise UserError(NOTHING_TO_REDO)
        self._retract(act, f"done again: {act.words}")

    # Within

    def agrees_on(self, unit: str, label: str) -> bool | None:
        """Whether the judges of a unit say the same as a label; ``None`` when they have no say."""
        machines = self.asks.machines(self.study.reader, unit) if unit != self.unit else self._all_machines()
        return machines.agree(self.asks.axis, label)

    def _all_machines(self) -> Machines:
        """What machines say of the unit on the screen, also where it is hidden: for what follows a label."""
        self._current()
        assert self._view is not None
        return self.asks.machines_on(self.study.reader, self._view)

    def _about(self) -> Decided:
        """What a decision on the unit on the screen is about, as it is recorded."""
        machines, item, view = self._all_machines(), self.item, self.view
        assert view is not None
        beside = parts_beside_statement(item) if item is not None else parts_beside_unit(machines, view.model)
        return Decided(view.text_sha256, machines.level or "", beside)

    def _follow_up(self, label: str, *, revealed: bool) -> FollowUp:
        """What follows a label on the unit on the screen; ``revealed``: it was the one that showed the judges.

        Nothing is asked about the offline rules: they read words, and a reviewer owes them no reason.
        """
        if self.agrees_on(self._current(), label) is not False:
            return FollowUp.ADVANCE
        if revealed:
            return FollowUp.KEEP_OR_CHANGE
        return FollowUp.REASON if self.asks.reasons else FollowUp.ADVANCE

    def _differs(self, unit: str) -> bool:
        """Whether my label on a unit of the queue, whose judges were just shown, differs from theirs."""
        label = self.label_of(unit)
        return label is not None and self.agrees_on(unit, label) is False

    def _block_end(self) -> FollowUp:
        """What follows a blind decision: the offer to show the judges once nothing of the block waits."""
        block = self.block
        return FollowUp.BLOCK_END if block is not None and block.ended else FollowUp.ADVANCE

    def _nothing_waits(self) -> bool:
        block = self.block
        return block is not None and not block.waiting

    def _settled(self, step: FollowUp) -> FollowUp:
        """After the last step on a unit: the next of the block that differs; after those, the block's last."""
        if step is FollowUp.ADVANCE and self._ends_block:
            self._ends_block = False
            return FollowUp.BLOCK_DONE
        if step is not FollowUp.ADVANCE or self._compared != self._current():
            return step
        block = self.block
        if self._to_compare:
            self._compared, *rest = self._to_compare
            self._to_compare = tuple(rest)
            self.go(list(self.queue.units).index(self._compared))
            return FollowUp.KEEP_OR_CHANGE
        self._compared = ""
        self.go(block.last if block is not None else self.position)
        return FollowUp.BLOCK_DONE

    def _mine(self) -> str:
        if self.own.label is None:
            raise UserError(f"There is no verdict of yours on this {self.asks.noun}.")
        return self.own.label

    def _decision(
        self, kind: str, axis: str, label: str, via: Via, own: ReviewerState, more: Mapping[str, Any]
    ) -> NewEvent:
        unit, snapshot = self._current(), self.snapshot
        recorded = decision_payload(
            self.study.reader, self._about(), own, self.mode, axis=axis, label=label, via=via, snapshot_id=snapshot
        )
        payload = {**recorded, "filter": self.queue.filter, "reveal": self.reveal}
        if self.ordered_by is not None:
            payload["order"] = self.ordered_by
        payload |= {"active_ms": self.clock.active_ms, "keys": self.clock.keys, **more}
        return NewEvent(kind, unit, payload, snapshot)

    def _write(self, events: list[NewEvent], words: str) -> None:
        unit = self._current()
        receipt = self._events.write(events, self.queue, self.mode, unit)
        self._after(unit, receipt, words)
        self.own = load_reviewer_state(self.study.reader, unit, self.reviewer, self.pass_no)

    def _retract(self, act: Act, words: str) -> None:
        unit = act.unit
        mode: Mode = "blind" if self.hides(unit) else "open"
        receipt = self._events.write([NewEvent("retract", unit, undoes_event=act.target)], self.queue, mode, unit)
        self._update_flags(unit)
        if act.edits:
            self._edit_retracted(act, receipt, words)
            return
        if unit in self.queue.units:
            self.go(self.queue.units.index(unit))
            words = f"{self.name} {words}"
        else:
            words = f"{unit_name(self.study.reader, unit)} {words}, not in this queue".lstrip()
        self._after(unit, receipt, words)
        if self.goal is not None:
            self.goal.settle(unit, decided=self.state_of(unit) == "decided")

    def _update_flags(self, unit: str) -> None:
        """Update the flags of statements that a label on a unit changes. The label is saved by then: if this fails, the
        next roll-up does it."""
        kind = KINDS.get(kind_of(unit))
        response = kind.flags_of(self.study.reader, unit) if kind and self.study.elsewhere is None else ""
        if response:
            from medreview.judges.verdicts import refresh_response

            with suppress(UserError, sqlite3.Error):
                refresh_response(self.study, response)

    def _edit_retracted(self, act: Act, receipt: Receipt, words: str) -> None:
        """Go to the statement that is whole again, or to the parts that are there again."""
        reader = self.study.reader
        there = [unit for unit in (act.unit, *act.made) if unit_stands(reader, unit)]
        known = any(unit in self.queue.units for unit in (act.unit, *act.made))
        self.reopen(receipt, f"{unit_name(reader, act.unit)} {words}".lstrip(), there, put=known)
