"""One reviewer's sitting over a queue of other units than statements: texts to read, one label, machines after."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from medreview.errors import UserError
from medreview.labels import EDITED, Via, is_own, label_words
from medreview.review.above_page import ABSENT, AbovePage, absent_quotes
from medreview.review.deciding import Deciding
from medreview.review.decision import Decided, FollowUp, brief
from medreview.review.highlight_index import Mark
from medreview.review.judge_words import JudgeWords, words_on_unit
from medreview.review.likely_reason import likely_reason
from medreview.review.reviewer_state import ReviewerSpan, ReviewerState, told_of_unit
from medreview.review.shown_unit import (
    MEANING,
    NEAREST,
    READ_BOTH_WAYS,
    SETTLES,
    Highlights,
    QueueEntry,
    best,
    drawn_of,
    read_both_ways,
)
from medreview.review.span_editing import SpanEdit
from medreview.review.verdict_card import VerdictCard, card_of_unit
from medreview.review.why_flagged import Reason, reasons_of_unit
from medreview.text import Span
from medreview.units.documents import RESPONSE
from medreview.units.kind import Document, Machines, UnitKind, UnitView
from medreview.units.registry import KINDS
from medreview.units.stored import CORRECT_ANSWER

_ANSWERS: Final = (RESPONSE, "output:", CORRECT_ANSWER)
"""How the keys of documents begin that are answers."""


class UnitSession(Deciding):
    """The review of units of one kind. It knows no kind: it asks the kind for a view of plain data.

    What machines say is read only where it may be seen, and for the record of a decision.
    """

    of_unit = (*Deciding.of_unit, "_view", "_machines")
    _view: UnitView | None = None
    _whole: UnitView | None = None
    _whole_beside: ReviewerState | None = None
    _machines: Machines | None = None

    kind: UnitKind

    def _begin(self, at: str) -> None:
        self.kind = self.asks = KINDS[self.queue.kind.unit]
        super()._begin(at)

    # What is shown

    @property
    def name(self) -> str:
        """``Q12``, ``R07 S3 [2]``."""
        return self.view.name if self.view else ""

    @property
    def view(self) -> UnitView | None:
        """The unit; once it is decided and its machines may be seen, with the texts that give the right label away."""
        if self._view is None or self.own.label is None or not self.shows_judges:
            return self._view
        if self._whole_beside is not self.own:
            more = self.kind.afterwards(self.study.reader, self.unit)
            self._whole = self._view._replace(documents=(*self._view.documents, *more))
            self._whole_beside = self.own
        return self._whole

    @property
    def machines(self) -> Machines:
        """What machines say of the unit; nothing where it is hidden."""
        if not self.shows_judges or not self.unit:
            return Machines()
        if self._machines is None:
            self._machines = self.kind.machines(self.study.reader, self.unit)
        return self._machines

    @property
    def badges(self) -> str:
        """Why the unit is worth a look, where that may be seen."""
        return self.machines.badges

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The same in the reviewer's words."""
        return reasons_of_unit(self.machines, self.view) if self.view else ()

    def _made_card(self) -> VerdictCard:
        if self.view is None:
            return VerdictCard()
        return card_of_unit(self.view, self.machines, self.reasons, self.judges_words, accepts=self.can_accept)

    @property
    def judge_words(self) -> tuple[JudgeWords, ...]:
        """Every machine's opinion, in their order."""
        return words_on_unit(self.view, self.machines) if self.view else ()

    def _show_read(self, words: JudgeWords) -> None:
        if words.document:
            self.show_text(words.document)

    @property
    def judges_say(self) -> str | None:
        """Their common label, ``None`` where it is hidden or missing."""
        return self.machines.level

    @property
    def judges_words(self) -> str:
        """The same in words; of judges that only say supported or not, that; ``""`` when they have no say."""
        machines = self.machines
        if machines.level is not None:
            return self.label_words(machines.level)
        return {True: "supported", False: "not supported", None: ""}[machines.supported]

    @property
    def document(self) -> Document | None:
        """The text in the main pane."""
        documents = self.view.documents if self.view else ()
        return documents[self.place] if documents else None

    def _texts(self) -> Sequence[tuple[str, str | None]]:
        return [(document.key, document.snapshot_id) for document in self.view.documents] if self.view else []

    def source_text(self, *, whole: bool = False) -> str:
        """The text of the document, which is always whole."""
        return self.document.text if self.document and not whole else ""

    def source_highlights(self) -> Highlights:
        """The document's own marks, what I marked, and, where they may be seen, the machines' quotations in it."""
        return self._highlights(self.document) if self.document else Highlights()

    def beside_text(self) -> str:
        """The text that stays beside the documents; without one, the card."""
        if self.view is None:
            return ""
        return self.view.beside.text if self.view.beside else self.view.card

    def beside_marks(self) -> tuple[Mark, ...]:
        """Its marks."""
        return self._highlights(self.view.beside).marks if self.view and self.view.beside else ()

    def _read_above(self) -> AbovePage:
        document = self.document
        if document is None or not document.text:
            return AbovePage()
        absent = {
            passage.quote: f"{opinion.judge}'s quote"
            for opinion in reversed(self.machines.opinions)
            for passage in opinion.passages
            if passage.key == document.key and passage.status == ABSENT and passage.quote
        }
        if not absent:
            return AbovePage()
        return AbovePage(absent_quotes(absent.items(), document.text))

    @property
    def source_is_answer(self) -> bool:
        """A response, or one of the outputs that are ranked."""
        return self.text_key is not None and self.text_key.startswith(_ANSWERS)

    def is_beside(self, target: str) -> bool:
        """The text beside the documents, by its key."""
        return bool(self.view and self.view.beside and target == self.view.beside.key)

    def in_sight(self, mine: ReviewerSpan) -> bool:
        """In the text beside, or in the document that is shown."""
        return self.is_beside(mine.target) or mine.target == self.text_key

    # Acts

    def label_words(self, label: str) -> str:
        """As the kind says it beside this unit."""
        return self.kind.label_words(self.view, label) if self.view else super().label_words(label)

    @property
    def also_words(self) -> list[str]:
        """My labels on further axes, in words; of outputs by their places on the screen."""
        places = {str(number): place for place, number in enumerate(self.view.numbers, 1)} if self.view else {}
        found = []
        for axis, level in self.own.also.items():
            if is_own(axis) or level == "not_flagged":  # an own axis stands among the remarks, as of a statement
                continue
            scale, _, part = axis.partition("/")
            found.append((places.get(part, 0), f"{places.get(part, scale)} {label_words(axis, level)}"))
        return [words for _, words in sorted(found)]

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

    def undo(self) -> None:
        """As everywhere; a unit of my own whose adding is undone leaves the queue."""
        super().undo()
        if not self.kind.stands(self.study.reader, self.unit):
            place, receipt = self.position, self.receipt
            self.set_filter(self.queue.filter)
            self.go(min(place, len(self.queue.units) - 1))
            self.receipt = receipt

    def add(self, text: str, category: str) -> None:
        """Add something of my own beside the unit on the screen (``asks.adds``), which is kept by that.

        Raises :class:`UserError` for what cannot be added.
        """
        try:
            made = self.kind.added(self.study.reader, self._current(), text, category)
        except ValueError as error:
            raise UserError(str(error)) from error
        receipt = self._events.write(made, self.queue, self.mode, self.unit)
        self.reopen(receipt, f"{self.name} · {self.asks.adds} added: {brief(text.strip())}")

    def default_span(self, target: str, level: str = "") -> SpanEdit:
        """What the span step starts with: the first mark of a document, else its first words."""
        document = self.view.document(target) if self.view else None
        if document is None or not document.text:
            raise UserError("There is no text here to mark.")
        opening = self._highlights(document).opening or Span(0, min(len(document.text), 80))
        if self.asks.entry == "spans":
            opening = self._next_place(document)
        return SpanEdit(document.text, *opening)

    @property
    def likely_reason(self) -> str | None:
        """By the quotes of the machines that say otherwise."""
        mine = self.own.label
        others = [opinion for opinion in self.machines.opinions if opinion.counts and opinion.label != mine]
        false = any(passage.false for opinion in others for passage in opinion.passages)
        return likely_reason(mine, (), ["absent"] * false) if mine else None

    def _next_place(self, document: Document) -> Span:
        """The first open finding in a text; else the first sentence after the last span that I marked in it."""
        from medreview.statements.sentences import sentence_spans  # only marking spans needs it

        found = (span for span in self.findings if document.key == RESPONSE and span.standing == "open")
        if (first := next(found, None)) is not None:
            return first.here[0]
        last = max((mine.span.end for mine in self.own.spans if mine.target == document.key), default=0)
        later = sentence_spans(document.text, last) or sentence_spans(document.text)
        return later[0] if later else Span(0, len(document.text))

    def response_text(self) -> str:
        """The text of the response, if the unit is one."""
        document = self.view.document(RESPONSE) if self.view else None
        return document.text if document else ""

    def _snapshot_of(self, target: str) -> str | None:
        document = self.view.document(target) if self.view else None
        return document.snapshot_id if document else None

    def text_words(self, target: str) -> str:
        """By its title."""
        document = self.view.document(target) if self.view else None
        return document.title if document else target

    def text_keys(self) -> list[str]:
        """The keys of all texts, the one beside the others first."""
        assert self.view is not None
        every = (*((self.view.beside,) if self.view.beside else ()), *self.view.documents)
        return [document.key for document in every]

    def _decide(
        self, label: str, via: Via, instead: bool, more: Mapping[str, Any], also: Sequence[tuple[str, str]] = ()
    ) -> FollowUp:
        """As for every unit; that a correct answer stood beside it is recorded. Raises :class:`UserError` for a label
        that this one cannot have."""
        if self.view is None:
            return super()._decide(label, via, instead, more, also)
        why = self.kind.fits(self.view, label)
        if label == EDITED and not more.get("text"):
            why = "Say how it should read."
        if why:
            raise UserError(why)
        beside = {"correct_answer": "before"} if self._view and self._view.document(CORRECT_ANSWER) else {}
        told = {**more, **beside, **self.kind.recorded(self.study.reader, self.view)}
        return super()._decide(label, via, instead, told, also)

    def _span_texts(self) -> Sequence[str | None]:
        return self.text_keys()

    def _span_label(self) -> tuple[str, str]:
        return self.asks.axis, self._mine()

    # The judges

    def agrees_on(self, unit: str, label: str) -> bool | None:
        """Whether machines say the same of any unit of the kind."""
        return self.kind.machines(self.study.reader, unit).agree(self.asks.axis, label)

    def _about(self) -> Decided:
        self._current()
        assert self.view is not None
        machines = self.kind.machines(self.study.reader, self.unit)
        return Decided(self.view.text_sha256, machines.level or "", told_of_unit(machines, self.view.model))

    # Within

    def _highlights(self, document: Document) -> Highlights:
        finds = self.asks.entry == "spans"
        quoted = [
            Mark(*span, "doubted" if passage.false or finds else MEANING.get(opinion.label or "", "quote"))
            for opinion in self.machines.opinions
            for passage in opinion.passages
            if passage.key == document.key
            for span in passage.spans
        ]
        if document.key == RESPONSE:
            left = {place for span in self.findings if span.standing != "rejected" for place in span.places}
            gone = {place for span in self.findings for place in span.places} - left
            quoted = [mark for mark in quoted if Span(*mark[:2]) not in gone]
        found = [Mark(*mark) for key, mark in self.machines.marks if key == document.key]
        near = (
            [] if any(mark.kind in SETTLES for mark in quoted) else [mark for mark in found if mark.kind == "evidence"]
        )
        lit = [*quoted, *near]
        if document.snapshot_id is not None:
            lit = best(lit, document.text, [Span(*mark[:2]) for mark in document.marks if mark.shade == "lexical"])
        marks = [*map(Mark._make, document.marks), *(mark for mark in found if mark.kind != "evidence")]
        stops = sorted({Span(*mark[:2]) for mark in (*marks, *lit) if mark.kind != "statement"})
        both = read_both_ways(lit)
        marks += [*drawn_of(lit), *both]
        told = {mark.end - 1: NEAREST for mark in lit if mark.kind == "evidence"}
        told |= {mark.end - 1: READ_BOTH_WAYS for mark in both}
        marks += [Mark(*mine.span, "span") for mine in self.own.spans if mine.target == document.key]
        read = self.read_words.judgement if self.read_words else ""
        its = (
            passage for opinion in self.machines.opinions if opinion.opinion_id == read for passage in opinion.passages
        )
        own_quotes = [span for passage in its if passage.key == document.key for span in passage.spans]
        passages = [Span(*mark[:2]) for mark in lit if mark.kind != "evidence"] or [Span(*mark[:2]) for mark in lit]
        first = min(own_quotes or passages, default=None)
        opens = None if document.opens is None else Span(document.opens, document.opens + 1)
        remarks = {at: words for key, at, words in self.machines.remarks if key == document.key}
        return Highlights(tuple(marks), tuple(stops), first or opens or next(iter(stops), None), remarks, told)

    def _entry(self, unit: str) -> QueueEntry:
        view = self.kind.load(self.study.reader, unit)
        return QueueEntry(view.group, view.model, view.name, "", view.text[:80])

    def _load_unit(self) -> None:
        self._view = self.kind.load(self.study.reader, self.unit)
        self.place, self._machines = 0, None
        if self.unit and self.shows_judges:
            self.show_text(self.machines.opens)
