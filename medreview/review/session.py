"""One reviewer's sitting over a queue of statements: what is on the screen, and the acts that only statements have."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from medreview.errors import UserError
from medreview.references.verdict import ON_REFERENCE
from medreview.review import shown_unit
from medreview.review.above_page import OWN, AbovePage, absent_quotes, quotes_not_on, sides_of_conflict
from medreview.review.deciding import Deciding
from medreview.review.decision import Decided, agrees, decided_statement, judges_level, judges_words
from medreview.review.highlight_index import Mark
from medreview.review.judge_words import JudgeWords, together_words, words_on_statement
from medreview.review.likely_reason import likely_reason
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.shown_unit import Highlights, QueueEntry, load_queue_entry
from medreview.review.span_editing import SpanEdit
from medreview.review.verdict_card import VerdictCard, card_of_statement
from medreview.review.why_flagged import Facts, Reason, reasons
from medreview.study.ids import REFERENCE, unit_id
from medreview.text import Span, in_words, joined, places_in_text
from medreview.units.asks import STATEMENT_ASKS
from medreview.units.cited_source import NamedBy, Source, cause, cited_by, reference_beside, references_of_sources
from medreview.units.statement_view import (
    Evidence,
    StatementView,
    load_absent_claims,
    load_evidence,
    load_statement_view,
    load_text,
)

if TYPE_CHECKING:
    from medreview.units.checked_reference import SourceReference

NO_REFERENCE = "No reference was checked that names this source, or that the statement cites."


class ReviewSession(Deciding):
    """The review of statements: each beside its response and the sources that this cites."""

    asks = STATEMENT_ASKS
    of_unit = (*Deciding.of_unit, "item", "_found", "_lit", "_named", "_reference", "_why")
    no_other_text = "The response cites no other source."
    item: StatementView | None = None
    _found: tuple[str | None, Evidence] | None = None
    _lit: tuple[tuple[object, ...], Highlights] | None = None
    """The marks of the source on the screen, and what they were made of."""
    _named: Mapping[str, NamedBy] | None = None
    _why: tuple[str, tuple[Reason, ...]] = "", ()
    _read_from: str | None = None
    """The page that was on the screen before the judges' words were read one after the other."""
    _reference: "tuple[str | None, SourceReference | None] | None" = None

    # What is shown

    @property
    def name(self) -> str:
        """``S3``, ``S3a``."""
        return self.item.short_name if self.item else ""

    @property
    def judges_say(self) -> str | None:
        """The verdict that a decision is compared with (``decision.judges_level``)."""
        return judges_level(self.item) if self.item else None

    @property
    def judges_words(self) -> str:
        """The same in words (``decision.judges_words``)."""
        return judges_words(self.item) if self.item else ""

    @property
    def judge_words(self) -> tuple[JudgeWords, ...]:
        """Every judge on every source as the screen lists them, then those by all sources together. Walking through the
        judges keeps the list it began with: it brings other sources to the screen."""
        here = self.snapshot if self.reads is None else self._read_from
        return words_on_statement(self.item, here) if self.item and self.shows_judges else ()

    def walk_judges(self, by: int) -> None:
        """As everywhere."""
        if self.reads is None:
            self._read_from = self.snapshot
        super().walk_judges(by)

    def _show_read(self, words: JudgeWords) -> None:
        self.show_source_of(words.snapshot)

    @property
    def source(self) -> Source | None:
        """The source on the screen."""
        return self.item.sources[self.place] if self.item and self.item.sources else None

    def _texts(self) -> Sequence[tuple[str, str | None]]:
        return [(source.source_id, source.snapshot_id) for source in self.item.sources] if self.item else []

    def show_source_of(self, snapshot_id: str | None) -> None:
        """Show the cited source that a snapshot belongs to, if it is its page as it is now."""
        source = self.item.source_of(snapshot_id) if self.item else None
        self.show_text(source.source_id if source else "")

    @property
    def references(self) -> Mapping[str, NamedBy]:
        """By source, the reference that names it, with the rules' verdict; nothing where the judges are hidden."""
        if not self.shows_judges or self.item is None:
            return {}
        if self._named is None:
            named = references_of_sources(self.study.reader, self.item.response_id)
            self._named = {source: each for source, each in named.items() if self._tells(each)}
        return self._named

    def _tells(self, named: NamedBy) -> bool:
        """Whether the rules' verdict on a reference may be seen: not while a statement that cites it is kept blind."""
        return not self._kept.hides(unit_id(REFERENCE, named.reference_id))

    @property
    def badges(self) -> str:
        """Why the statement on the screen is flagged, where that may be seen."""
        verdict = self.item.verdict if self.item and self.shows_judges else None
        return self._tellable(self.unit, verdict.badges) if verdict else ""

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why it is flagged, with what differs and by whose word, where that may be seen. Of the statement, whichever
        source is on the screen."""
        badges, item = self.badges, self.item
        if item is None or not badges:
            return ()
        if self._why[0] != badges:
            self._why = badges, reasons(badges, self._facts(item))
        return self._why[1]

    def _made_card(self) -> VerdictCard:
        if self.item is None:
            return VerdictCard()
        text_of, beside = partial(load_text, self.study.reader), (self.reasons, together_words(self.item))
        return card_of_statement(self.item, self.source, *beside, text_of, self.is_other_work, accepts=self.can_accept)

    def _facts(self, item: StatementView) -> Facts:
        opens = item.opening_source.snapshot_id if item.opening_source else None
        here = self._evidence() if opens == self.snapshot else load_evidence(self.study.reader, self.unit, opens)
        return Facts(item, here.clashes, opens, partial(load_text, self.study.reader), self.references)

    def _tellable(self, unit: str, badges: str) -> str:
        """Badges without those of references whose verdict must not be seen yet."""
        if ON_REFERENCE not in badges or all(map(self._tells, cited_by(self.study.reader, unit))):
            return badges
        return " · ".join(badge for badge in badges.split(" · ") if not badge.startswith(ON_REFERENCE))

    def is_other_work(self, source_id: str) -> bool:
        """Whether a source is another work than its reference says, where that may be seen."""
        named = self.references.get(source_id)
        return named is not None and named.verdict == "other_work"

    @property
    def reference(self) -> "SourceReference | None":
        """What the rules say of the reference that names the source on the screen. Where that is fine or missing, of
        another one that the statement cites, if that is not."""
        if not self.shows_judges or self.item is None:
            return None
        if self._reference is None or self._reference[0] != self.text_key:
            self._reference = self.text_key, self._worst(self.references.get(self.text_key or ""))
        return self._reference[1]

    def _worst(self, here: NamedBy | None) -> "SourceReference | None":
        others = [named for named in cited_by(self.study.reader, self.unit) if named != here and self._tells(named)]
        if here is None and not others:
            return None
        from medreview.units.checked_reference import load_source_reference

        reader = self.study.reader
        found = load_source_reference(reader, here, self.reviewer) if here else None
        if found is not None and found.worth_a_row:
            return found
        worded = (load_source_reference(reader, named, self.reviewer, by_name=True) for named in others)
        return next((other for other in worded if other.worth_a_row), found)

    def source_text(self, *, whole: bool = False) -> str:
        """The text of the source on the screen, or the ``whole`` page where that is more; else empty."""
        return load_text(self.study.reader, self.snapshot, whole=whole) if self.snapshot else ""

    def source_highlights(self) -> Highlights:
        """The marks of the source on the screen, by the blind rules."""
        item, own, source = self.item, self.own, self.source
        if item is None or source is None or source.snapshot_id is None:
            return Highlights()
        judges, read = self.shows_judges, self.read_words.judgement if self.read_words else ""
        made_of = item, own, source, judges, read
        if self._lit is None or any(one is not other for one, other in zip(self._lit[0], made_of, strict=True)):
            found = shown_unit.in_source(item, own, source, self._evidence(), judges, read, self.source_text)
            self._lit = made_of, found
        return self._lit[1]

    def statement_marks(self) -> tuple[Mark, ...]:
        """Marks in the statement's own text."""
        return shown_unit.in_statement(self._evidence(), self.shows_judges)

    def beside_text(self) -> str:
        """The response."""
        return self.item.response if self.item else ""

    def beside_marks(self) -> tuple[Mark, ...]:
        """Marks in the response."""
        if self.item is None:
            return ()
        marks = shown_unit.in_response(self.item, self.own, self._evidence(), self.shows_judges)
        return (*marks, *self.finding_marks())

    def _read_above(self) -> AbovePage:
        item = self.item
        if item is None:
            return AbovePage()
        quotes = quotes_not_on(item, self.snapshot)
        quotes |= dict.fromkeys(load_absent_claims(self.study.reader, self.unit, self.snapshot), OWN)
        page = (self.source_text(whole=True) or self.source_text()) if quotes else ""
        return AbovePage(absent_quotes(quotes.items(), page), sides_of_conflict(item))

    @property
    def beside_told(self) -> tuple[tuple[int, str], ...]:
        """Why parts of the response are no statements; of neighbours with one reason the first says it."""
        item = self.item
        if item is None:
            return ()
        parts = sorted(item.left_out, key=lambda part: part.start)
        told = [
            (part.start, f"left out: {in_words(part.reason)}")
            for before, part in zip((None, *parts), parts, strict=False)
            if before is None or before.reason != part.reason or item.response[before.end : part.start].strip()
        ]
        return tuple(told)

    def response_text(self) -> str:
        """The response."""
        return self.beside_text()

    def is_beside(self, target: str) -> bool:
        """The response."""
        return target == "response"

    def in_sight(self, mine: ReviewerSpan) -> bool:
        """In the response, or in the page that is shown."""
        return mine.target == "response" or (self.source is not None and self.snapshot == mine.snapshot_id)

    # Spans

    def default_span(self, target: str, level: str = "") -> SpanEdit:
        """What the span step starts with: in the response what a judge found there or what clashes with the page, else
        the statement; in the source the first highlight."""
        item = self._statement()
        if target == "response":
            places = self._doubtful_places(level) or item.shown_at or (Span(0, len(item.response)),)
            return SpanEdit(item.response, places[0].start, places[-1].end)
        text = self.source_text()
        if not text:
            raise UserError("There is no source text here to mark.")
        opening = self.source_highlights().opening or Span(0, min(len(text), 80))
        return SpanEdit(text, *opening)

    def _doubtful_places(self, level: str) -> Sequence[Span]:
        """Where in the response the wrong words are, where the judges may be seen: an open finding of this type, else
        the first clash, else any open finding."""
        item = self._statement()
        found = [span for span in self.findings if span.here and span.standing == "open"]
        same = next((span.here for span in found if span.label == level), None)
        clash = next((Span(mark.start, mark.end) for mark in self.statement_marks()), None)
        if same is None and clash is not None and joined(item.response, item.places) == item.text:
            return places_in_text(item.places, clash)
        return same or (found[0].here if found else ())

    def words_to_name(self, target: str) -> Sequence[Span]:
        """In the response the words of the statement."""
        return self._statement().shown_at if target == "response" else ()

    @property
    def likely_reason(self) -> str | None:
        """By what clashes with the page on the screen, and the quotes of the judges that say otherwise."""
        item, mine = self.item, self.own.label
        if item is None or mine is None or not self.shows_judges:
            return None
        others = [said for said in item.judgements if not said.offline and said.verdict != mine]
        changed = [kind for said in others for kind in said.difference_kinds]
        clashes = [clash.kind for clash in self._evidence().clashes]
        return likely_reason(mine, [*changed, *clashes], [said.quote_status for said in others])

    def text_keys(self) -> list[str]:
        """The response and the source on the screen."""
        return ["response", "source"]

    def _span_texts(self) -> Sequence[str | None]:
        return ["response", *(source.snapshot_id for source in self._statement().sources)]

    def _span_label(self) -> tuple[str, str]:
        return "hallucination", self.own.hallucination or "other"

    # The judges

    def agrees_on(self, unit: str, label: str) -> bool | None:
        """As the roll-up has it."""
        return agrees(self._statement() if unit == self.unit else load_statement_view(self.study.reader, unit), label)

    def refusal(self, action: str) -> str:
        """As everywhere; of the reference, where none names what is on the screen."""
        if action == "reference":
            return "" if self._beside_reference() else NO_REFERENCE
        return super().refusal(action)

    @property
    def _judges_speak(self) -> bool:
        """The same, without wording them."""
        return self.item is not None and self.shows_judges and bool(self.item.judgements or self.item.merged)

    def _beside_reference(self) -> str:
        """The unit of the reference to cross to, ``""`` without one."""
        if self.item is None or self.reference is not None:
            return self.reference.unit if self.reference else ""
        return reference_beside(self.study.reader, self.unit, self.item.response_id, self.text_key)

    def _no_common_label(self) -> str:
        if self.item is None or not self.item.judgements:
            return "No judge has looked at this statement; press your own verdict."
        return "The judges have no common verdict here; press your own."

    def _about(self) -> Decided:
        return decided_statement(self._statement())

    # Within

    def _statement(self) -> StatementView:
        self._current()
        assert self.item is not None
        return self.item

    def _evidence(self) -> Evidence:
        """Asked for each part of the screen, read once for the page that is on it."""
        if self._found is None or self._found[0] != self.snapshot:
            self._found = self.snapshot, load_evidence(self.study.reader, self._current(), self.snapshot)
        return self._found[1]

    def _entry(self, unit: str) -> QueueEntry:
        entry = load_queue_entry(self.study.reader, unit)
        return entry._replace(badges=self._tellable(unit, entry.badges))

    def _read_beside(self) -> None:
        super()._read_beside()
        _ = self._evidence(), self.reference, self.card, self.above_page

    def _load_unit(self) -> None:
        reader, self._found = self.study.reader, None
        self._named = self._reference = None
        self._why = "", ()
        self.place = 0
        if not self.unit:
            self.item = None
            return
        self.item = load_statement_view(reader, self.unit)
        about = cause(reader, self.item.sources, self.queue.kind.name, self.unit, self.own.snapshot_id)
        if first := about or self.item.opening_source:
            self.show_text(first.source_id)
