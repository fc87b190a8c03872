"""What each action does: acts of the session, the steps after them, editing a statement, search, filters, copying."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from medreview.errors import UserError
from medreview.labels import EDITED, FLAGS
from medreview.review.decision import FollowUp
from medreview.review.judge_words import read_in_full
from medreview.review.on_screen import NO_OTHER_TEXT
from medreview.review.session import ReviewSession
from medreview.review.statement_editing import CutEdit, exclude_event, join_event, split_event
from medreview.review.study_response import about_answer
from medreview.review.text_entry import LineEdit
from medreview.screens.dialogs import CutDialog, EditDialog, LeftOutDialog, ReasonDialog, RevealDialog
from medreview.screens.last_rows import LineInput, Scope, palette_dialog, search_line
from medreview.screens.own_label_steps import OF_AXIS, OwnLabelSteps
from medreview.screens.panes import Panes
from medreview.screens.queue_rows import STEP
from medreview.screens.review_rows import VERDICT, verdict_words
from medreview.screens.source_rows import of_statements
from medreview.screens.span_steps import SpanSteps
from medreview.statements.left_out import LeftOut
from medreview.study.events import NewEvent
from medreview.study.study import READ_ONLY
from medreview.text import Span, joined, places_in_text
from medreview.units.registry import unit_name
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.review.history import Listed
    from medreview.review.palette import PaletteEntry
    from medreview.screens.entry_steps import EntrySteps
    from medreview.screens.page import Choices
    from medreview.screens.review import ReviewScreen


Act = Callable[[], None]
AskOf = Callable[[int | None, tuple[str, Act] | None], None]
"""Asks something of the unit on the screen: the place of the queue to go back to afterwards, and the other unit that
may be meant, with what asks the same of that one."""

_TURNS = frozenset({"source_next", "source_previous", "mark_next", "mark_previous"})
"""What is about the source."""

_FOR_STEPS = frozenset({"palette", "filter"})
"""What the palette does not list: itself."""


class ActionHandlers:
    """Carries out actions by their name in the table, which has those of its kind of unit. Raises what the session
    raises; the screen words it."""

    def __init__(self, session: ReviewSession, reading: Panes, stage: "ReviewScreen") -> None:
        self._session = session
        self._reading = reading
        self._stage = stage
        self._spans = SpanSteps(session, reading, stage)
        self._own_labels = OwnLabelSteps(session, stage, self)
        noun = session.asks.noun
        self._by_name: dict[str, Callable[[], None]] = {
            "accept": lambda: self._follow(session.accept()),
            "delete_span": self._spans.delete,
            "resize_span": self._spans.resize,
            "note": self._note,
            "axes": self._own_labels.ask,
            "tag": self._own_labels.tag,
            "hallucination": self._hallucination,
            "category": lambda: self._entry().category(),
            "add": lambda: self._entry().add(),
            **{f"place_{place}": partial(self._rank, str(place)) for place in range(1, 10)},
            "left_out": self._left_out,
            "edit": self._edit,
            "about": self._about,
            "attach": self._attach,
            "defer": lambda: self._follow(session.defer()),
            **{flag.level: partial(session.flag, flag.level) for flag in FLAGS},
            "undo": session.undo,
            "redo": session.redo,
            "reveal": lambda: self._follow(session.look_again()),
            "next": lambda: self._go(session.next(), f"This is the last {noun} of the queue."),
            "previous": lambda: self._go(session.previous(), f"This is the first {noun} of the queue."),
            "next_open": lambda: self._go(session.next_open(), "Nothing in this queue is open."),
            "source_next": lambda: self._turn_source(1),
            "source_previous": lambda: self._turn_source(-1),
            "mark_next": lambda: self._step_mark(1),
            "mark_previous": lambda: self._step_mark(-1),
            "page_down": lambda: reading.moved_view.page(1),
            "page_up": lambda: reading.moved_view.page(-1),
            "top": lambda: reading.moved_view.to_top(),
            "end": lambda: reading.moved_view.to_end(),
            "judge_next": lambda: self._walk_judges(1),
            "judge_previous": lambda: self._walk_judges(-1),
            "judges_in_full": self._judges_in_full,
            "view": self._view,
            "whole_page": self._whole_page,
            "pane": self._pane,
            "search": self._search,
            "hit_next": lambda: stage.tell(reading.step_hit(1)),
            "hit_previous": lambda: stage.tell(reading.step_hit(-1)),
            "filter": self._filter,
            "learned_order": self._order,
            "queue_narrower": lambda: stage.widen_queue(-STEP),
            "queue_wider": lambda: stage.widen_queue(STEP),
            "palette": self._palette,
            "history": lambda: stage.app.show_history(),
            "editor": lambda: stage.tell(stage.app.edit_note(session)),
            "switch": lambda: stage.app.switch(session),
            "reference": lambda: stage.app.switch(session, crossing=True),
            "copy": self._copy,
            "findings": self._spans.findings,
            "figures": lambda: stage.app.show_figures(),
            "redraw": stage.redraw,
            "help": lambda: stage.app.show_help(),
            "glossary": lambda: stage.app.show_glossary(),
            "guidelines": lambda: stage.app.show_guidelines(session.asks.name),
            "leave": stage.leave,
        }

    def refusal(self, name: str) -> str:
        """Why an action of the table does nothing here, in a sentence; ``""`` for one that does something. A note may
        be begun anywhere: its draft is kept as long as it can be."""
        session, reading = self._session, self._reading
        name = name.partition(OF_AXIS)[0]
        if not session.study.writable and self._stage.actions[name].group == "Decide" and name != "note":
            return READ_ONLY
        if name in _TURNS and reading.shows_response:
            return ""  # it brings the source back
        if name.startswith("source_") and reading.columns:
            return "All texts stand side by side."
        if name.startswith("mark_"):
            return "" if reading.has_stops else "Nothing is highlighted in this text."
        if name == "pane" and self._stage.panes and reading.beside_drawn:
            return NO_OTHER_TEXT
        return session.refusal(name)

    def perform(self, name: str) -> None:
        """Do an action, unless it is refused; raises ``KeyError`` for a name that the table does not have."""
        if why := self.refusal(name):
            raise UserError(why)
        if name.startswith("decide_"):
            self._decide(name.removeprefix("decide_"))
        elif OF_AXIS in name:
            self._own_labels.ask(name.partition(OF_AXIS)[2])
        else:
            self._by_name[name]()

    def answer_again(self, step: ReasonDialog | RevealDialog, name: str) -> bool:
        """Another verdict while a step asks about the one just given, by a key of the table; ``True``."""
        if name == "accept":
            self._follow(self._session.accept(instead=True))
        else:
            step.give(name.removeprefix("decide_"))
        return True

    # Verdicts

    def _decide(self, label: str) -> None:
        session = self._session
        if session.asks.entry == "words" and label == EDITED:
            self._entry().edit()
            return
        step = session.decide(label)
        if session.asks.entry == "spans" and label != "none" and not session.settles:
            self._spans.mark_places(label, lambda: self._follow(step))
        else:
            self._follow(step)

    def _entry(self) -> "EntrySteps":
        from medreview.screens.entry_steps import EntrySteps

        return EntrySteps(self._session, self._reading, self._stage, self._follow)

    def _rank(self, key: str) -> None:
        self._entry().rank(key)

    def _hallucination(self) -> None:
        """Of a statement its type; of a unit whose label is one, a further span."""
        if self._session.asks.entry == "spans":
            self._spans.another(self._close)
        else:
            self.of_decided(lambda back_to, other: self._spans.ask_type(back_to, other=other))

    def _close(self) -> None:
        self._stage.open(None)

    def _follow(self, step: FollowUp) -> None:
        """Ask what the session says is asked next."""
        match step:
            case FollowUp.KEEP_OR_CHANGE:
                self._ask_keep_or_change()
            case FollowUp.REASON:
                self._ask_reason()
            case FollowUp.BLOCK_END:
                self._end_block(shown=False)
            case FollowUp.BLOCK_DONE:
                self._end_block(shown=True)
            case FollowUp.ADVANCE:
                self._advance()

    def _end_block(self, *, shown: bool) -> None:
        """Sum up a blind block: nothing of it waits, or its judges are ``shown`` and all that differs was asked
        about."""
        from medreview.review.sitting_report import block_report

        ends = "End of the block" if self._session.has_no_judges else "End of the block: the judges can be shown now"
        title, offers = "The block, with its judges" if shown else ends, not shown and not self._session.has_no_judges
        reveal: Choices = {"r": ("see the judges of this block", lambda: self._follow(self._session.show_judges()))}
        choices: Choices = {
            **(reveal if offers else {}),
            "Enter": ("go on blind" if offers else "go on", self._advance),
            "Esc": ("stay here", self._close),
        }
        self._stage.sum_up(title, block_report(self._session, shown=shown), choices)

    def _advance(self) -> None:
        session = self._session
        self._stage.open(None)
        if session.finishes or not session.next():
            session.finishes = False
            self._stage.end_queue()

    def _ask_keep_or_change(self) -> None:
        session = self._session
        glyph = VERDICT.get(session.judges_say or "", "")
        self._stage.open(
            RevealDialog(
                name=session.full_name,
                mine=session.order_words or verdict_words(session.own.label or "", session.asks),
                theirs=f"{glyph} {(session.judges_words or 'no common verdict').upper()}".strip(),
                asks=session.asks,
                saved=self._saved,
                give=lambda label: self._follow(session.keep_or_change(label)),
                back=self._close,
            )
        )

    def _ask_reason(self) -> None:
        self._stage.open(
            ReasonDialog(
                name=self._session.full_name,
                mine=self._session.asks.level_named(self._session.own.label or ""),
                theirs=self._session.judges_words,
                asks=self._session.asks,
                saved=self._saved,
                answer=lambda code: self._follow(self._session.reason(code)),
                give=lambda label: self._follow(self._session.decide(label, instead=True)),
                words=lambda: self._note(lambda: self._follow(self._session.reason(None))),
                back=self._close,
                likely=self._session.likely_reason,
                type=self._ask_type_of_decided if of_statements(self._session) else None,
            )
        )

    def _ask_type_of_decided(self) -> None:
        """Ask for the hallucination of the statement that was decided just now, and go on."""
        self._spans.ask_type(then=lambda: self._follow(self._session.reason(None)), back=self._ask_reason)

    def _saved(self) -> str:
        number = next((word for word in self._session.receipt.split() if word.startswith("#")), "")
        return self._stage.held or (f"saved {number} ✓" if self._session.elsewhere is None else "NOT SAVED HERE")

    def of_decided(self, ask: AskOf) -> None:
        """Ask of the unit that the keys name: the one that the key before decided, which is not on the screen any more,
        else the one on the screen. The same key once more asks the same of the other."""
        session, here = self._session, self._session.position
        name = partial(unit_name, session.study.reader)

        def of_decided(unit: str) -> None:
            session.go(list(session.queue.units).index(unit))
            ask(here, (f"{name(session.queue.units[here])}, the next", of_next))

        def of_next() -> None:
            session.go(here)
            ask(None, None)

        if unit := self._stage.just_decided:
            of_decided(unit)
        elif unit := session.just_decided:
            ask(None, (f"{name(unit)}, just decided", partial(of_decided, unit)))
        else:
            ask(None, None)

    # Notes

    def _note(self, after: Callable[[], None] | None = None) -> None:
        session = self._session
        if not session.unit:
            raise UserError(f"There is no {session.asks.noun} here to write a note on.")

        def finish(text: str) -> str:
            if text != session.own.note:
                session.note(text)
            elif session.draft is not None:
                session.discard_draft()
            (after or self._close)()
            return ""

        def leave() -> None:
            self._close()
            if session.draft is not None:
                self._stage.tell("Not saved: kept as a draft; n goes on writing it.")

        def discard() -> None:
            self._close()
            session.discard_draft()
            self._stage.tell("The draft is discarded.")

        draft = session.draft
        line = LineEdit.of(draft.text if draft else session.own.note)
        label = f"note {session.name}:"
        self._stage.open(LineInput(label, line, "saves", finish, leave, session.note_typed, discard))
        if draft:
            self._stage.tell(f"draft of {draft.time}, not saved yet; Ctrl+X discards it")

    # Moving and reading

    def _go(self, went: bool, otherwise: str) -> None:
        if not went:
            self._stage.tell(otherwise)

    def _turn_source(self, by: int) -> None:
        self._reading.shows_response = False
        self._session.turn_source(by)

    def _walk_judges(self, by: int) -> None:
        self._session.walk_judges(by)
        words = self._session.read_words
        self._reading.shows_response = bool(words and words.document and self._session.is_beside(words.document))

    def _judges_in_full(self) -> None:
        session, notes = self._session, self._session.others_notes
        if not session.shows_judges and not notes:
            raise UserError(f"The judges are hidden {session.hidden_until}.")
        said = read_in_full(session.judge_words) if session.shows_judges else ""
        text = "\n\n".join(filter(None, (said, *(f"note of {note.reviewer}: {note.text}" for note in notes))))
        if not text:
            raise UserError(f"No judge has a say on this {session.asks.noun}.")
        self._stage.app.show_page(f"What was said of {session.name}", lambda _columns: text)

    def _step_mark(self, by: int) -> None:
        self._reading.shows_response = False
        self._stage.tell(self._reading.step(by))

    def _view(self) -> None:
        if self._stage.panes:
            self._reading.whole_question = not self._reading.whole_question
        else:
            self._reading.shows_response = not self._reading.shows_response

    def _whole_page(self) -> None:
        self._reading.shows_response = False
        self._stage.tell(self._reading.toggle_whole())

    def _pane(self) -> None:
        if not self._stage.panes:
            self._view()
            return
        self._reading.on_response = not self._reading.on_response
        names = ("source", "response") if of_statements(self._session) else ("text", "text beside it")
        self._stage.tell(f"Paging now moves the {names[self._reading.on_response]}.")

    # Search

    def _search(self) -> None:

        def here(text: str) -> str:
            wrong = self._reading.search(text)
            if not wrong:
                self._close()
            return wrong

        def past(listed: "Listed", text: str) -> str:
            self._close()
            self._stage.app.show_history(listed, text)
            return ""

        scopes = (
            Scope("here", here),
            Scope("my notes", partial(past, "notes")),
            Scope("my decisions", partial(past, "decisions")),
        )
        self._stage.open(search_line(scopes, self._close))

    # The palette, and filters

    def _palette(self, begun: str = "") -> None:
        from medreview.review.overview import queues_in_use
        from medreview.review.palette import Palette
        from medreview.review.queue import saved_filters
        from medreview.review.queue_filters import FilterWords

        session = self._session
        reader, queue = session.study.reader, session.queue
        palette = Palette(
            (
                *(action for action in self._stage.actions.values() if action.id not in _FOR_STEPS),
                *self._own_labels.actions(),
            ),
            queues_in_use(reader, session.reviewer),
            saved_filters(reader, session.reviewer),
            FilterWords(reader, queue.kind, queue.mode),
            current=queue.filter,
            noun=session.asks.noun,
            themes=self._stage.app.themes,
            refusal=self.refusal,
        )
        self._stage.open(palette_dialog(palette, self._run, self._close, self._stage.app.preview, begun))

    def _order(self) -> None:
        self._stage.tell(self._session.switch_order())

    def _filter(self) -> None:
        self._palette(f"filter {self._session.queue.filter}".rstrip() + " ")

    def _run(self, entry: "PaletteEntry") -> str:
        """Do what an entry of the line says; what is wrong with it, or ``""``."""
        from medreview.review.queue import delete_filter, save_filter, saved_filters
        from medreview.screens.home_rows import Entrance

        session, value = self._session, entry.value
        try:
            match entry.does:
                case "filter":
                    session.set_filter(value)
                    self._close()
                case "save":
                    saved = save_filter(session.study, session.reviewer, value, session.queue)
                    self._close()
                    self._stage.tell(f"The filter is saved as “{saved.name}”; the first screen lists it.")
                case "delete":
                    delete_filter(session.study, session.reviewer, value)
                    self._close()
                    self._stage.tell(f"The saved filter “{value}” is deleted.")
                case "saved":
                    every = saved_filters(session.study.reader, session.reviewer)
                    saved = next(one for one in every if one.name == value)
                    self._stage.visit(Entrance(saved.queue, saved.filter, saved.mode == "blind"))
                case "queue":
                    self._stage.visit(Entrance(value))
                case "theme":
                    self._close()
                    self._stage.tell(self._stage.app.keep_theme(value))
                case "out":
                    self._stage.app.take_out(value)
                    if value != "tour":
                        self._close()
                case "quit":
                    self._stage.app.quit()
        except UserError as error:
            return str(error)
        if entry.does == "act":
            self._close()
            self.perform(value)
        return ""

    # Copying

    def _copy(self) -> None:
        parts = self._parts_to_copy()
        told = [name for name, text in parts.items() if text]
        if not told:
            raise UserError("There is nothing here to copy.")
        where = self._stage.app.copy_text("\n".join(visible(text) for text in parts.values() if text))
        self._stage.tell(f"{', '.join(told)}: {where}")

    def _parts_to_copy(self) -> Mapping[str, str]:
        """The texts that can be copied, by name."""
        session = self._session
        if not of_statements(session):
            title = session.document.title if session.document else ""
            return {session.asks.noun: session.view.text, "title of the text": title} if session.view else {}
        item, words = session.item, session.read_words or next(iter(session.judge_words), None)
        quote = words.quote if words else ""
        address = session.source.url if item and session.source else ""
        return {"statement": item.text if item else "", "quote": quote, "address": address}

    # What only statements have

    def _attach(self) -> None:
        session = self._session
        if session.source is None:
            raise UserError("This response cites no source.")
        self._stage.app.show_attach(session, session.source)

    def _about(self) -> None:
        session = self._session
        item = session.item
        if item is None:
            raise UserError("There is no answer here.")
        text = about_answer(session.study.reader, item.response_id, item.statement_id, named=session.shows_judges)
        if not text:
            raise UserError("Nothing is known of this answer beside its question and text.")
        self._stage.app.show_page(f"About the answer {item.response_name}", lambda _columns: text)

    def _left_out(self) -> None:
        item = self._session.item
        parts = item.left_out if item else ()
        if not parts:
            raise UserError("Everything in this response is a statement.")

        def promote(part: LeftOut) -> None:
            self._stage.app.promote(self._session, part)
            self._close()

        self._stage.open(LeftOutDialog(parts, promote, self._close))

    def _edit(self) -> None:
        session = self._session
        unit, name = session.unit, session.name
        if not unit:
            raise UserError("There is no statement here to edit.")
        reader = session.study.reader

        def edit(event: NewEvent, words: str) -> None:
            self._close()
            self._stage.app.edit(session, event, f"{name} {words}")

        def cut(where: CutEdit) -> None:
            edit(split_event(reader, unit, where.at), "cut in two")

        def draw(at: int) -> None:
            item = session.item
            whole = item is not None and joined(item.response, item.places) == item.text
            behind = places_in_text(item.places, Span(at, len(item.text))) if at and item and whole else []
            self._reading.draw_cut(at, behind)

        def split() -> None:
            assert session.item is not None
            self._stage.open(CutDialog(name, CutEdit.of(session.item.text), cut, draw, self._close))

        self._stage.open(
            EditDialog(
                name=name,
                split=split,
                join=lambda: edit(join_event(reader, unit), "joined with the next"),
                exclude=lambda: edit(exclude_event(reader, unit), "excluded as not medical"),
                left_out=self._left_out,
                back=self._close,
            )
        )
