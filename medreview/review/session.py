"""One reviewer's sitting over one queue: what the screen asks, and every act it can carry out."""

from collections import Counter
from datetime import datetime
from typing import NamedTuple

from medreview.errors import UserError
from medreview.labels import REASONS, level_named
from medreview.review import highlights
from medreview.review.active_time import ActiveTime
from medreview.review.decision import decision_payload
from medreview.review.document_outline import DocumentOutline, load_outline
from medreview.review.event_writer import EventWriter
from medreview.review.exposure import judges_visible
from medreview.review.highlight_index import Mark
from medreview.review.highlights import Highlights
from medreview.review.queue import Queue, open_queue
from medreview.review.queue_entry import QueueEntry, load_queue_entry
from medreview.review.reviewer_state import ReviewerState, load_reviewer_state
from medreview.review.span_editing import SpanEdit
from medreview.review.statement_view import (
    Evidence,
    Source,
    StatementView,
    load_evidence,
    load_name,
    load_statement_view,
    load_text,
)
from medreview.review.undo import last_act, last_undone
from medreview.study import Study
from medreview.study.events import NewEvent, Receipt
from medreview.text import Span, sha256

_NOTHING = Evidence((), (), ())


class Counts(NamedTuple):
    """Where the reviewer stands in the whole study; the three parts add up to ``total``."""

    total: int
    decided: int
    deferred: int
    open: int


_OPEN = ("open", None, "")


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
        self._events = EventWriter(study, reviewer, pass_no)
        rows = study.reader.execute(
            "SELECT unit, state, label, event_id FROM standing WHERE reviewer = ? AND pass = ?", (reviewer, pass_no)
        )
        # state, label and event: of a decision or a deferral, whichever came last
        self._standing: dict[str, tuple[str, str | None, str]] = {row[0]: row[1:] for row in rows}
        self._stale: dict[str, bool] = {}
        self._tally = Counter(here[0] for here in self._standing.values())
        self._total = study.reader.execute("SELECT count(*) FROM statement").fetchone()[0]
        self._resume()

    # Where we are

    @property
    def counts(self) -> Counts:
        """Decided, deferred and open statements of the whole study."""
        decided, deferred = self._tally["decided"], self._tally["deferred"]
        return Counts(self._total, decided, deferred, self._total - decided - deferred)

    def state_of(self, statement_id: str) -> str:
        """``"decided"``, ``"deferred"`` or ``"open"``."""
        return self._standing.get(statement_id, _OPEN)[0]

    def label_of(self, statement_id: str) -> str | None:
        """My evidence label on a statement that I decided."""
        return self._standing.get(statement_id, _OPEN)[1]

    def stale(self, statement_id: str) -> bool:
        """Whether I decided it on a page whose text has changed since."""
        state, _, event = self._standing.get(statement_id, _OPEN)
        if state != "decided":
            return False
        if event not in self._stale:  # one by one: among many decisions only those in sight are asked for
            found = self.study.reader.execute("SELECT 1 FROM decision_stale WHERE event_id = ?", (event,)).fetchone()
            self._stale[event] = found is not None
        return self._stale[event]

    def listed(self, position: int) -> QueueEntry:
        """The line of a place in the queue, read when it is shown."""
        return load_queue_entry(self.study.reader, self.queue.units[position])

    @property
    def shows_judges(self) -> bool:
        """Whether the judges' opinion is shown for the statement on the screen."""
        return judges_visible(self.queue.mode, self.own)

    @property
    def judges_say(self) -> str | None:
        """The verdict a decision is compared with: the judges' common one, of a tied jury that of the one shown."""
        item = self.item
        if item is None or item.verdict is None:
            return None
        lead = (said.verdict for said in item.judgements if said.judgement_id == item.verdict.judgement_id)
        return item.verdict.verdict or next(lead, None)

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
        blind = self.queue.mode == "blind"
        queue = open_queue(
            self.study, self.queue.kind.name, self.reviewer, filter=text, blind=blind, pass_no=self.pass_no
        )
        if not queue.units:
            raise UserError(f"Nothing in this queue fits {text!r}.")
        here = self.queue.units[self.position] if self.queue.units else ""
        self.queue = queue
        self.go(queue.units.index(here) if here in queue.units else 0)

    # What is shown

    def turn_source(self, step: int) -> bool:
        """Show the next (1) or previous (-1) cited source, round and round; False when there is one at most."""
        sources = self.item.sources if self.item else ()
        if len(sources) < 2 or self.source is None:
            return False
        self.source = sources[(self.source.number - 1 + step) % len(sources)]
        return True

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

    def decide(self, label: str, *, via: str = "digit") -> bool:
        """My verdict. True when it settles the statement; False when the judges differ, which asks for a reason.

        In blind mode the judges are revealed in the same transaction; a second verdict after that is a revision and
        both labels stay.
        """
        item = self._current()
        level_named("evidence", label)
        revising = self.queue.mode == "blind" and self.own.revealed and self.own.label is not None
        events = [self._decision("revise" if revising else "decide", label, via)]
        if self.queue.mode == "blind" and not revising:
            events.append(NewEvent("reveal", item.statement_id, snapshot=self._snapshot()))
        agrees = self._agrees(label)
        who = " · you and the judges" if agrees else ""
        self._write(events, f"S{item.ordinal} → {level_named('evidence', label).name}{who}")
        return agrees is not False

    def accept(self) -> bool:
        """Take the judges' verdict as mine; in open mode only."""
        verdict = self._current().verdict
        if not self.shows_judges:
            raise UserError("The judges are hidden until you decide; press your own verdict.")
        if not self._current().judgements:
            raise UserError("No judge has looked at this statement; press your own verdict.")
        if verdict is None or verdict.verdict is None:
            raise UserError("The judges have no common verdict here; press your own.")
        return self.decide(verdict.verdict, via="accept")

    def reason(self, code: str) -> None:
        """Why the verdict just given differs from the judges': one of ``medreview.labels.REASONS``."""
        item = self._current()
        name = next(reason.name for reason in REASONS if reason.level == code)
        event = NewEvent("reason", item.statement_id, {"decision": self.own.decision, "code": code}, self._snapshot())
        label = level_named("evidence", self.own.label or "").name
        self._write([event], f"S{item.ordinal} → {label} · {name}")

    def hallucination(self, level: str) -> None:
        """The hallucination type, an axis of its own; the span is marked in the next step."""
        item = self._current()
        name = level_named("hallucination", level).name
        event = NewEvent("decide", item.statement_id, self._payload("hallucination", level, "digit"), self._snapshot())
        self._write([event], f"S{item.ordinal} · hallucination {name}")

    def default_span(self, target: str) -> SpanEdit:
        """What the span step starts with: the statement in the response, or the first highlight in the source."""
        item = self._current()
        if target == "response":
            return SpanEdit(item.response, *(item.span or Span(0, len(item.response))))
        text = self.source_text()
        if not text:
            raise UserError("There is no source text here to mark.")
        opening = self.source_highlights().opening or Span(0, min(len(text), 80))
        return SpanEdit(text, *opening)

    def add_span(self, target: str, edit: SpanEdit) -> None:
        """Mark the span of the hallucination just named, in the ``"response"`` or the ``"source"``."""
        item = self._current()
        payload = {
            "axis": "hallucination",
            "label": self.own.hallucination or "other",
            "target": target,
            "start": edit.start,
            "end": edit.end,
            "exact": edit.exact,
            "sha256": sha256(edit.text),
        }
        snapshot = self._snapshot() if target == "source" else None
        shown = edit.exact if len(edit.exact) <= 30 else edit.exact[:29] + "…"
        self._write([NewEvent("span_add", item.statement_id, payload, snapshot)], f"S{item.ordinal} · marked “{shown}”")

    def note(self, text: str) -> None:
        """A note on the statement; it replaces the one before, which stays in the record."""
        item = self._current()
        words = f"S{item.ordinal} · note" if text else f"S{item.ordinal} · note removed"
        self._write([NewEvent("note", item.statement_id, {"text": text}, self._snapshot())], words)

    def flag(self, name: str) -> None:
        """Set or take back one of the flags ``dispute``, ``feedback``, ``badly_parsed``. A flag is no verdict."""
        item = self._current()
        on = name not in self.own.flags
        words = f"S{item.ordinal} · {name.replace('_', ' ')} {'flagged' if on else 'flag taken back'}"
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
        place = self.study.reader.execute(
            "SELECT unit FROM bookmark WHERE reviewer = ? AND block = ?", (self.reviewer, self.queue.kind.name)
        ).fetchone()
        if place and place["unit"] in units:
            self.go(units.index(place["unit"]))
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
        snapshot = self._snapshot()
        return load_evidence(self.study.reader, self._current().statement_id, snapshot) if snapshot else _NOTHING

    def _load(self) -> None:
        reader = self.study.reader
        self.item = load_statement_view(reader, self.queue.units[self.position])
        self.own = load_reviewer_state(reader, self.item.statement_id, self.reviewer, self.pass_no)
        self.source = self.item.opening_source(judges=self.shows_judges)
        self._events.note_exposure(self.item.statement_id, self._snapshot(), self.queue)

    def _agrees(self, label: str) -> bool | None:
        """Whether the judges say the same; ``None`` when they have no say, or the one shown is half of a tied jury."""
        item = self._current()
        if self.judges_say is None:
            supported = item.verdict.supported if item.verdict else None
            return None if supported is None or label == "cannot_judge" else supported == (label == "supported")
        tied = item.verdict is None or item.verdict.verdict is None
        return (None if tied else True) if label == self.judges_say else False

    def _decision(self, kind: str, label: str, via: str) -> NewEvent:
        return NewEvent(kind, self._current().statement_id, self._payload("evidence", label, via), self._snapshot())

    def _payload(self, axis: str, label: str, via: str) -> dict[str, object]:
        told = decision_payload(
            self.study.reader,
            self._current(),
            self.own,
            self.queue.mode,
            axis=axis,
            label=label,
            via=via,
            snapshot_id=self._snapshot(),
        )
        return {**told, "active_ms": self.clock.active_ms, "keys": self.clock.keys}

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
        row = self.study.reader.execute(
            "SELECT state, label, event_id FROM standing WHERE unit = ? AND reviewer = ? AND pass = ?",
            (unit, self.reviewer, self.pass_no),
        ).fetchone()
        self._tally[self.state_of(unit)] -= 1
        if row:
            self._standing[unit] = tuple(row)
        else:
            self._standing.pop(unit, None)
        self._tally[self.state_of(unit)] += 1
        time = datetime.fromisoformat(receipt.at_utc).astimezone().strftime("%H:%M:%S")
        self.receipt = f"last  {words}   saved #{receipt.seq}  {time}"
