"""What is on the screen of one unit, as far as it may be seen: texts, marks, what machines say, which acts help.

What is refused is not offered, by one rule: keys are offered by the words that refuse them.
"""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

from medreview.errors import UserError
from medreview.labels import is_own, label_words
from medreview.references.verdict import ON_REFERENCE
from medreview.review import shown_unit
from medreview.review.above_page import (
    OWN,
    AbovePage,
    absent_quotes,
    quotes_not_in,
    quotes_not_on,
    sides_of_conflict,
)
from medreview.review.decision import last_act, last_undone, likely_reason
from medreview.review.highlight_index import Mark
from medreview.review.judge_words import JudgeWords, words_on_unit
from medreview.review.reviewer_state import ReviewerSpan, load_reviewer_state
from medreview.review.shown_unit import DocumentOutline, Highlights, QueueEntry, load_outline, load_queue_entry
from medreview.review.sitting import NOT_LEARNED, Sitting
from medreview.review.spans_and_findings import FindingSpan, load_finding_spans
from medreview.review.verdict_card import RULES_ALONE, TIE, VerdictCard, card_of_statement, card_of_unit
from medreview.review.why_flagged import FlagFacts, Reason, reasons, reasons_of_unit
from medreview.study.ids import REFERENCE, unit_id
from medreview.units.cited_source import NamedBy, Source, cause, cited_by, reference_beside, references_of_sources
from medreview.units.kind import CORRECT_ANSWER, RESPONSE, SOURCE, Document, Machines, UnitView
from medreview.units.statement import STATEMENT_ASKS
from medreview.units.statement_view import Evidence, StatementView, load_absent_claims, load_evidence, load_text

if TYPE_CHECKING:
    from medreview.units.checked_reference import SourceReference

NO_REFERENCE: Final = "No reference was checked that names this source, or that the statement cites."
NOTHING_TO_UNDO: Final = "There is nothing of yours to undo."
NOTHING_TO_REDO: Final = "There is nothing to redo."
NO_OTHER_TEXT: Final = "There is no other text here."
_ANSWERS: Final = (RESPONSE, "output:", CORRECT_ANSWER)
"""How the keys of documents begin that are answers."""

_T = TypeVar("_T")


class ShownUnit(Sitting):
    """The unit on the screen. It knows no kind but the statement, of which more is known than a view holds: it asks the
    kind for a view of plain data.

    What machines say is read only where it may be seen, and for the record of a decision.
    """

    item: StatementView | None = None
    """The statement, where the unit is one."""
    _view: UnitView | None = None
    _read_from: str | None = None
    """The text that was on the screen before the judges' words were read one after the other."""
    _last: tuple[int, bool, bool] = (-1, False, False)
    """As of which act: whether there is anything to undo, and to do again."""

    def _once(self, name: str, made_of: tuple[object, ...], make: Callable[[], _T]) -> _T:
        """What is made of these, read or worked out again only when one of them has changed."""
        held = self._held.get(name)
        if held is None or held[0] != made_of:
            held = self._held[name] = made_of, make()
        found: _T = held[1]
        return found

    # The unit

    @property
    def view(self) -> UnitView | None:
        """The unit; once it is decided and its machines may be seen, with the texts that give the right label away."""
        view = self._view
        if view is None or self.own.label is None or not self.shows_judges:
            return view
        more = self._once("afterwards", (self.own,), lambda: self.asks.afterwards(self.study.reader, self.unit))
        return self._once("whole", (more,), lambda: view._replace(documents=(*view.documents, *more)))

    @property
    def name(self) -> str:
        """What the screen calls the unit among those around it: ``S3``, ``Q12``; empty without one."""
        return self._view.name if self._view else ""

    @property
    def machines(self) -> Machines:
        """What machines say of the unit; nothing where it is hidden."""
        view = self._view
        if not self.shows_judges or view is None:
            return Machines()
        return self._once("machines", (), lambda: self.asks.machines_on(self.study.reader, view))

    def _entry(self, unit: str) -> QueueEntry:
        reader = self.study.reader
        if self.asks is STATEMENT_ASKS:
            entry = load_queue_entry(reader, unit)
            return entry._replace(badges=self._tellable(unit, entry.badges))
        view = self.asks.load(reader, unit)
        return QueueEntry(view.group, view.model, view.name, "", view.text[:80])

    def _read_unit(self) -> None:
        self.unit = self.queue.units[self.position] if self.queue.units else ""
        self.own = load_reviewer_state(self.study.reader, self.unit, self.reviewer, self.pass_no)
        self._view = self.asks.load(self.study.reader, self.unit) if self.unit else None
        self._held, self.place = {}, 0
        item = self.item = self._view.statement if self._view else None
        if item is not None:
            about = cause(self.study.reader, item.sources, self.queue.kind.name, self.unit, self.own.snapshot_id)
            if first := about or item.opening_source:
                self.show_text(first.source_id)
        elif self.unit and self.shows_judges:
            self.show_text(self.machines.opens)
        self._before, self.reads = None, None

    def _read_beside(self) -> None:
        _ = self.findings
        if self.item is not None:
            _ = self._evidence(), self.reference, self.card, self.above_page

    # What machines say

    @property
    def judges_say(self) -> str | None:
        """The label that a decision is compared with, ``None`` where it is hidden, or they have no common one."""
        return self.machines.level

    @property
    def judges_words(self) -> str:
        """The same in words; of judges that only say supported or not, that; ``""`` when they have no say."""
        machines = self.machines
        if machines.level is not None:
            return self.label_words(machines.level)
        return {True: "supported", False: "not supported", None: ""}[machines.supported]

    def label_words(self, label: str) -> str:
        """A label of the unit on the screen in words, as the kind says it beside this unit."""
        return self.asks.label_words(self.view, label) if self.view else self.asks.level_named(label).name

    @property
    def badges(self) -> str:
        """Why the unit on the screen is flagged, as far as it may be seen; else empty."""
        return self._tellable(self.unit, self.machines.badges)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The same in the reviewer's words, with the values at hand, the gravest first. Of a statement, whichever
        source is on the screen."""
        item, badges = self.item, self.badges
        if item is None:
            return reasons_of_unit(self.machines, self.view) if self.view else ()
        return self._once("reasons", (badges,), lambda: reasons(badges, self._facts(item))) if badges else ()

    def _facts(self, item: StatementView) -> FlagFacts:
        opens = item.opening_source.snapshot_id if item.opening_source else None
        here = self._evidence() if opens == self.snapshot else load_evidence(self.study.reader, self.unit, opens)
        return FlagFacts(item, here.clashes, opens, self._text_of, self.references)

    def _text_of(self, snapshot_id: str) -> str:
        return load_text(self.study.reader, snapshot_id)

    @property
    def card(self) -> VerdictCard:
        """Why, what the judges say together, and each of them, those on the text in the main pane first; empty where
        they are hidden."""
        if not self.shows_judges or self.view is None:
            return VerdictCard()
        return self._once("card", (self.text_key, self.judges_say, self.own.label), self._made_card)

    def _made_card(self) -> VerdictCard:
        view, machines = self.view, self.machines
        assert view is not None
        if self.item is None:
            return card_of_unit(view, machines, self.reasons, self.judges_words, accepts=self.can_accept)
        beside, accepts = (self.reasons, self.is_other_work), self.can_accept
        return card_of_statement(view, machines, self.source, *beside, self._evidence(), accepts=accepts)

    @property
    def judge_words(self) -> tuple[JudgeWords, ...]:
        """What each machine says; nothing where it is hidden. Of a statement every judge on every source as the screen
        lists them, then those by all sources together. Walking through the judges keeps the list it began with: it
        brings other sources to the screen."""
        view = self.view
        if view is None or not self.shows_judges:
            return ()
        here = self.text_key if self.reads is None else self._read_from
        return self._once("words", (here, self.own.label), lambda: words_on_unit(view, self.machines, here))

    @property
    def read_words(self) -> JudgeWords | None:
        """The words that are on the screen in full."""
        return self.judge_words[self.reads] if self.reads is not None and self.shows_judges else None

    def walk_judges(self, by: int) -> None:
        """The next (1) or previous (-1) machine's words in full, with the text that it read; after the last, none."""
        if self.reads is None:
            self._read_from = self.text_key
        turn = [None, *range(len(self.judge_words))]
        self.reads = turn[(turn.index(self.reads) + by) % len(turn)]
        if self.reads is not None:
            words = self.judge_words[self.reads]
            if words.document:
                self.show_text(words.document)
            else:
                self.show_source_of(words.snapshot)

    @property
    def findings(self) -> tuple[FindingSpan, ...]:
        """The places of findings in the response of the unit on the screen; none where they are hidden.

        In an audit that shows half of it with the judges, those in the statement alone: others of the response may be
        blind.
        """
        return self._once("findings", (self.acts, self.shows_judges), self._read_findings) if self.unit else ()

    def _read_findings(self) -> tuple[FindingSpan, ...]:
        if not self.shows_judges:
            return ()
        found = load_finding_spans(self.study.reader, self.unit, self.reviewer, self.pass_no)
        if self._kept.assists(self.unit):
            found = tuple(span._replace(places=span.here) for span in found if span.here)
        return found

    def open_findings(self) -> int:
        """How many are open where the unit stands."""
        return sum(1 for span in self.findings if span.here and span.standing == "open")

    def finding_marks(self) -> tuple[Mark, ...]:
        """Their marks in the response, without those that I rejected."""
        left = (span for span in self.findings if span.standing != "rejected")
        return tuple(Mark(*place, "doubted") for span in left for place in span.places)

    @property
    def likely_reason(self) -> str | None:
        """The reason of ``asks.reasons`` that is the likeliest for my label: by the machines that say otherwise, by
        what clashes with the page on the screen, and by their quotes."""
        item, mine = self.item, self.own.label
        if mine is None or not self.shows_judges:
            return None
        if item is None:
            others = [opinion for opinion in self.machines.opinions if opinion.counts and opinion.label != mine]
            false = any(passage.false for opinion in others for passage in opinion.passages)
            return likely_reason(mine, (), ["absent"] * false)
        said = [one for one in item.judgements if not one.offline and one.verdict != mine]
        changed = [kind for one in said for quote in one.quotes for kind in quote.kinds]
        clashes = [clash.kind for clash in self._evidence().clashes]
        return likely_reason(mine, [*changed, *clashes], [one.quote_status for one in said])

    # What is known of the references of a statement

    @property
    def references(self) -> Mapping[str, NamedBy]:
        """By source, the reference that names it, with the rules' verdict; nothing where the judges are hidden."""
        item = self.item
        if not self.shows_judges or item is None:
            return {}

        def read() -> Mapping[str, NamedBy]:
            named = references_of_sources(self.study.reader, item.response_id)
            return {source: each for source, each in named.items() if self._tells(each)}

        return self._once("references", (), read)

    def _tells(self, named: NamedBy) -> bool:
        """Whether the rules' verdict on a reference may be seen: not while a statement that cites it is kept blind."""
        return not self._kept.hides(unit_id(REFERENCE, named.reference_id))

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
        return self._once("reference", (self.text_key,), lambda: self._worst(self.references.get(self.text_key or "")))

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

    # The texts

    @property
    def document(self) -> Document | None:
        """The text in the main pane."""
        view = self.view
        return view.documents[self.place] if view and view.documents else None

    @property
    def source(self) -> Source | None:
        """The cited source on the screen, beside a statement."""
        return self.item.sources[self.place] if self.item and self.item.sources else None

    @property
    def text_key(self) -> str | None:
        """The key of the text in the main pane, unique within the unit."""
        return found.key if (found := self.document) else None

    @property
    def snapshot(self) -> str | None:
        """The snapshot whose text is in the main pane."""
        return found.snapshot_id if (found := self.document) else None

    def turn_source(self, step: int) -> bool:
        """Show the next (1) or previous (-1) text, round and round. False when there is one at most."""
        count = len(self.view.documents) if self.view else 0
        if count < 2:
            return False
        self.place = (self.place + step) % count
        return True

    def show_text(self, key: str) -> None:
        """Show the text with a :attr:`text_key` in the main pane, if the unit has it."""
        documents = self.view.documents if self.view else ()
        self.place = next((place for place, one in enumerate(documents) if one.key == key), self.place)

    def show_source_of(self, snapshot_id: str | None) -> None:
        """Show the cited source that a snapshot belongs to, if it is its page as it is now."""
        source = self.item.source_of(snapshot_id) if self.item else None
        self.show_text(source.source_id if source else "")

    def text_named(self, target: str) -> Document | None:
        """The text that spans with a target lie in; beside a statement ``source`` is the one on the screen."""
        if target == SOURCE and self.item is not None:
            return self.document
        return self.view.document(target) if self.view else None

    def source_text(self, *, whole: bool = False) -> str:
        """The text in the main pane, or the ``whole`` page of a cited source where that is more; else empty."""
        if whole:
            snapshot = self.snapshot if self.item is not None else None
            return load_text(self.study.reader, snapshot, whole=True) if snapshot else ""
        return self.document.text if self.document else ""

    def source_places(self) -> DocumentOutline:
        """The headings and pages of that text, where it is that of a page."""
        return load_outline(self.study.reader, self.snapshot) if self.snapshot else DocumentOutline()

    @property
    def source_is_answer(self) -> bool:
        """Whether the text in the main pane is an answer, set in Markdown, and no page."""
        return self.text_key is not None and self.text_key.startswith(_ANSWERS)

    def beside_text(self) -> str:
        """The text that stays beside it, the response of a statement; without one, the card."""
        if self.view is None:
            return ""
        return self.view.beside.text if self.view.beside else self.view.card

    def response_text(self) -> str:
        """The text of the response that findings are in; empty for a unit without one."""
        document = self.view.document(RESPONSE) if self.view else None
        return document.text if document else ""

    @property
    def beside_told(self) -> tuple[tuple[int, str], ...]:
        """Why parts of a statement's response are no statements, by where they begin."""
        return shown_unit.left_out_words(self.item) if self.item is not None else ()

    def is_beside(self, target: str) -> bool:
        """Whether spans with a target lie in the text that stands beside, and not in the main pane."""
        return bool(self.view and self.view.beside and target == self.view.beside.key)

    def in_sight(self, mine: ReviewerSpan) -> bool:
        """Whether a marked span lies in one of the two texts on the screen."""
        if self.item is not None and mine.target == SOURCE:
            return self.source is not None and self.snapshot == mine.snapshot_id
        return self.is_beside(mine.target) or mine.target == self.text_key

    def text_keys(self) -> list[str]:
        """The targets of spans in the unit's texts, that of the one beside the others first."""
        assert self.view is not None
        if self.item is not None:
            return [RESPONSE, SOURCE]
        every = (*((self.view.beside,) if self.view.beside else ()), *self.view.documents)
        return [document.key for document in every]

    def other_text(self, target: str) -> str:
        """The target of the text that spans can be marked in beside one."""
        keys = self.text_keys()
        return keys[(keys.index(target) + 1) % len(keys)] if target in keys else keys[0]

    def text_words(self, target: str) -> str:
        """What a text is called."""
        document = self.text_named(target) if self.item is None else None
        return document.title if document else target

    # Marks in the texts

    def source_highlights(self) -> Highlights:
        """The marks of the text in the main pane, by the blind rules."""
        return self._highlights(self.document) if self.document else Highlights()

    def _highlights(self, document: Document) -> Highlights:
        """The document's own marks, what I marked, and, where they may be seen, the machines' quotations in it."""
        item, source, read = self.item, self.source, self.read_words.judgement if self.read_words else ""
        if item is None:
            return shown_unit.in_document(
                document, self.machines, self.own, self.findings, read, finds=self.asks.entry == "spans"
            )
        if source is None or source.snapshot_id is None:
            return Highlights()
        made_of = self.own, source.source_id, self.shows_judges, read
        return self._once(
            "highlights",
            made_of,
            lambda: shown_unit.in_source(
                item, self.own, source, self._evidence(), self.shows_judges, read, self.source_text
            ),
        )

    def statement_marks(self) -> tuple[Mark, ...]:
        """Marks in the statement's own text."""
        if self.item is None or not self.shows_judges:
            return ()
        return shown_unit.in_statement(self.item, self._evidence(), self.source.snapshot_id if self.source else None)

    def beside_marks(self) -> tuple[Mark, ...]:
        """The marks in the text that stays beside."""
        if self.item is not None:
            marks = shown_unit.in_response(self.item, self.own, self.statement_marks())
            return (*marks, *self.finding_marks())
        return self._highlights(self.view.beside).marks if self.view and self.view.beside else ()

    def _evidence(self) -> Evidence:
        """What the rules found for the statement in the page that is on the screen; each part of the screen asks for
        it."""
        return self._once(
            "evidence", (self.snapshot,), lambda: load_evidence(self.study.reader, self.unit, self.snapshot)
        )

    @property
    def above_page(self) -> AbovePage:
        """What stands above the text in the main pane: quotes that are not in it, and two sources in conflict; nothing
        where the judges are hidden."""
        if not self.shows_judges:
            return AbovePage()
        above = self._once("above", (self.text_key,), self._read_above)
        return above._replace(nearest=bool(self.source_highlights().stops))

    def _read_above(self) -> AbovePage:
        item, document = self.item, self.document
        if item is not None:
            quotes = quotes_not_on(item, self.snapshot)
            quotes |= dict.fromkeys(load_absent_claims(self.study.reader, self.unit, self.snapshot), OWN)
            page = (self.source_text(whole=True) or self.source_text()) if quotes else ""
            return AbovePage(absent_quotes(quotes.items(), page), sides_of_conflict(item))
        if document is None or not document.text:
            return AbovePage()
        quotes = quotes_not_in(document, self.machines)
        return AbovePage(absent_quotes(quotes.items(), document.text)) if quotes else AbovePage()

    # My labels in words

    @property
    def order_words(self) -> str:
        """My label in places on the screen, where it is an order of what is on it; else empty."""
        return self.label_words(self.own.label) if self.own.label and self.asks.entry == "order" else ""

    @property
    def also_words(self) -> list[str]:
        """My labels on further axes than that of the kind, in words; of outputs by their places on the screen."""
        places = {str(number): place for place, number in enumerate(self.view.numbers, 1)} if self.view else {}
        found = []
        for axis, level in self.own.also.items():
            if is_own(axis) or level == "not_flagged" or self.item is not None:  # these stand among the remarks
                continue
            scale, _, part = axis.partition("/")
            found.append((places.get(part, 0), f"{places.get(part, scale)} {label_words(axis, level)}"))
        return [words for _, words in sorted(found)]

    # Which acts do something

    def refusal(self, action: str) -> str:
        """Why an action of the table does nothing here, in a sentence; ``""`` for one that does something."""
        noun = self.asks.noun
        match action:
            case "accept":
                return self._nothing_to_accept()
            case "reveal":
                return self._nothing_to_reveal()
            case "findings":
                return self._nothing_found()
            case "delete_span" | "resize_span":
                return "" if self.own.spans else f"You have marked no span on this {noun}."
            case "judge_next" | "judge_previous":
                if not self.shows_judges:
                    return f"The judges are hidden {self.hidden_until}."
                return "" if self.judge_words else f"No judge has a say on this {noun}."
            case "source_next" | "source_previous":
                if self.view is not None and len(self.view.documents) > 1:
                    return ""
                return "The response cites no other source." if self.asks is STATEMENT_ASKS else NO_OTHER_TEXT
            case "figures":
                hidden = f"Figures are hidden here like the judges, {self.hidden_until}."
                return "" if self.shows_judges else hidden
            case "reference" if self.asks is STATEMENT_ASKS:
                return "" if self._beside_reference() else NO_REFERENCE
            case "learned_order":
                return "" if self.ordered_by is not None else NOT_LEARNED
            case "undo":
                return "" if self._may_go_back()[0] else NOTHING_TO_UNDO
            case "redo":
                return "" if self._may_go_back()[1] else NOTHING_TO_REDO
        return ""

    @property
    def can_accept(self) -> bool:
        """Whether the judges say one thing of what is on the screen, which can be taken as mine."""
        return not self.refusal("accept")

    @property
    def accept_words(self) -> str:
        """What accepting takes over: ``supported 2-0``; empty where it is refused."""
        if not self.can_accept:
            return ""
        together = self.card.together
        alone = " (rules alone)" if together.who == RULES_ALONE else ""
        return f"{self.judges_words} {together.tally}".rstrip() + alone

    @property
    def tie_words(self) -> str:
        """That accepting is refused because the judges are even: ``judges tie 1-1``; else empty."""
        together = self.card.together
        return f"judges tie {together.tally}" if together.word == TIE and not self.can_accept else ""

    def _refuse(self, action: str) -> None:
        """Raise :class:`UserError` where an action is refused."""
        if why := self.refusal(action):
            raise UserError(why)

    def _nothing_to_accept(self) -> str:
        if not self.shows_judges:
            return f"The judges are hidden {self.hidden_until}; press your own verdict."
        if self.judges_say is not None:
            return ""
        if self.asks is not STATEMENT_ASKS:
            return f"The judges have no common label for this {self.asks.noun}; press your own."
        if self.item is None or not self.item.judgements:
            return "No judge has looked at this statement; press your own verdict."
        return "The judges have no common verdict here; press your own."

    def _nothing_to_reveal(self) -> str:
        block = self.block
        if not self.shows_judges:
            ended = block is not None and block.ended and not self.has_no_judges
            return "" if ended else f"The judges are hidden {self.hidden_until}."
        return "" if self.own.revealed else "Nothing is hidden here."

    def _nothing_found(self) -> str:
        if not self.shows_judges:
            return f"The judges' findings are hidden {self.hidden_until}."
        if self.open_findings():
            return ""
        here = any(span.here for span in self.findings)
        return "No finding is open here any more." if here else f"No judge found anything in this {self.asks.noun}."

    def _beside_reference(self) -> str:
        """The unit of the reference to cross to, ``""`` without one."""
        if self.item is None or self.reference is not None:
            return self.reference.unit if self.reference else ""
        return reference_beside(self.study.reader, self.unit, self.item.response_id, self.text_key)

    def _may_go_back(self) -> tuple[bool, bool]:
        if self._last[0] != self.acts:
            who = self.study.reader, self.reviewer, self.pass_no
            self._last = self.acts, True, True
            with suppress(UserError, sqlite3.Error):  # where the file cannot be read, the key says so
                self._last = self.acts, last_act(*who) is not None, last_undone(*who) is not None
        return self._last[1:]
