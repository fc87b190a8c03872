"""A statement on the review screen: its card, its sources, what judges say, and the actions of statements alone."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from textual.geometry import Region, Size

from medreview.errors import UserError
from medreview.labels import NOT_IN_ANSWER, Label
from medreview.review.cell_width import fit, fit_words
from medreview.review.cell_width import width as cells
from medreview.review.highlight_index import Mark
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.session import ReviewSession
from medreview.review.statement_editing import CutEdit, exclude_event, join_event, split_event
from medreview.review.study_response import about_answer
from medreview.review.typography import set_prose
from medreview.screens.action_handlers import ActionHandlers
from medreview.screens.dialogs import CutDialog, EditDialog, HallucinationDialog, LeftOutDialog
from medreview.screens.face import Face
from medreview.screens.judge_rows import SEEN_BEFORE
from medreview.screens.key_rows import Hints
from medreview.screens.layout import TALL_FROM, Needs, PanePlan, shape_of, source_columns
from medreview.screens.review_rows import Subject
from medreview.screens.source_rows import (
    nothing_to_read,
    reference_height,
    reference_rows,
    said_of_page,
    source_bar,
    source_heading,
)
from medreview.screens.widgets.painted import Row
from medreview.sources.reading.text_structure import SetApart
from medreview.statements.left_out import LeftOut
from medreview.study.events import NewEvent
from medreview.text import Span, counted, in_words, joined, places_in_text
from medreview.units.statement_view import StatementView
from medreview.visible import visible

INDENT = 10
"""Columns before the statement's text: ``" 3 of 9   "``."""


def statement_rows(item: StatementView, marks: Sequence[Mark], columns: int, most: int, cut: str) -> list[Row]:
    """The statement, wrapped, in at most so many rows; ``cut`` says where the rest is when it is longer."""
    wrapped = set_prose(visible(item.text), columns - INDENT - 1, marks)
    rows: list[Row] = []
    for number, pieces in enumerate(wrapped[:most]):
        label = f" {_number(item)} ".ljust(INDENT) if number == 0 else " " * INDENT
        rows.append([(label, "title"), *pieces])
    if len(wrapped) > most and rows:
        line = "".join(text for text, _ in wrapped[most - 1])
        rows[-1] = [(" " * INDENT, ""), (line[: -len(cut) - 2].rstrip() + "… ", ""), (cut, "dim")]
    return [*rows, *beside_rows(item, columns)[: most - len(rows)]]


def beside_rows(item: StatementView, columns: int) -> list[Row]:
    """What is shown beside a statement's text, in one row; none where nothing is."""
    words = fit(visible(item.beside), max(1, columns - INDENT - 1))
    kind = "clash" if item.beside == NOT_IN_ANSWER else "dim"
    return [[(" " * INDENT, ""), (words, kind)]] if words else []


def statement_height(item: StatementView, columns: int) -> int:
    """Rows that the whole statement takes."""
    return len(set_prose(visible(item.text), columns - INDENT - 1)) + len(beside_rows(item, columns))


def question_rows(item: StatementView, columns: int, most: int, label: str = " asked ") -> list[Row]:
    """The question in at most so many rows."""
    text = visible(" ".join(item.question.split())) or "(no question was recorded)"
    lines = set_prose(text, columns - len(label) - 1)
    if len(lines) > most:
        last = fit_words("".join(words for words, _ in lines[most - 1]) + " …", columns - len(label) - 1)
        lines = [*lines[: most - 1], [(last, "")]] if most else []
    return [[(label if number == 0 else " " * len(label), "dim"), *line] for number, line in enumerate(lines)]


def _number(item: StatementView) -> str:
    """Which statement of its answer it is: ``3 of 9``."""
    return f"{item.short_name[1:]} of {item.siblings}"


def answer_name(item: StatementView) -> str:
    """The answer that the statement is of, as screens say it: ``answer 7``; lists and filters call it ``R07``."""
    return f"answer {int(item.response_name[1:])}"


def answer_row(item: StatementView, columns: int, *, named: bool) -> Row:
    """The row above the response: whose it is, if that may be ``named``, how it ended where it was not whole, and the
    statement's name.

    The id of its record where it has room; ids often name the model.
    """
    model = f"  {visible(item.model)}" if named else ""
    ended = f"  {in_words(item.finish)}" if item.finish not in ("", "complete") else ""
    record = f"  {visible(item.record_id)}" if named and item.record_id else ""
    first, name = f" {answer_name(item)}", f"statement {_number(item)} "
    if cells(f"{first}{model}{ended}{record}  {name}") > columns:
        record = ""
    if cells(f"{first}{model}{ended}  {name}") > columns:
        name = f"{_number(item)} "
    return [(first, "dim"), (model, "title"), (ended, "badge"), (record, "dim"), ("", "fill"), (name, "title")]


_QUESTION_ROWS: Final = 3
"""Side by side, the question has so many rows unless all of it is asked for: panes that keep their place are drawn
faster and read easier."""

_ALL_ROWS: Final = 99
_PANEL_ROWS: Final = 12
"""Rows of the panel at most while the judges are hidden."""
_CARD_ROWS: Final = 16
"""The same once they are shown: the verdict card."""
_RULES_ROWS: Final = 8
"""The same where the rules alone have spoken, or nobody: the answer has the others."""


class StatementFace(Face):
    """Draws what a session over statements holds."""

    _session: ReviewSession

    def subject(self) -> Subject | None:
        """By its answer."""
        item = self._session.item
        return self._subject(answer_name(item), item) if item else None

    def needs(self, size: Size, card: Region | None) -> Needs:
        """The statement, the question, two rows of judges where they are shown."""
        session, item, panes = self._session, self._session.item, self.panes
        self._tall = size.height >= TALL_FROM
        if shape_of(size) == "one" or card is None:
            judges = self._opinion_height(size.width)
            if item is None:
                return Needs(1, 0, judges)
            statement = statement_height(item, size.width)
            most = _ALL_ROWS if panes.shows_response else _QUESTION_ROWS
            bar = 0 if session.read_words or panes.shows_response else reference_height(session.reference, one=True)
            question = len(question_rows(item, size.width, most))
            strip = 0 if session.read_words else len(self._strip(size.width, one=True))
            return Needs(statement, question, judges, panes.shows_response, bar=bar, strip=strip)
        if item is None:
            return Needs(0, _QUESTION_ROWS + 3, _PANEL_ROWS)
        statement = 0 if item.span else statement_height(item, card.width) + 1
        question = _QUESTION_ROWS
        if panes.whole_question:
            question = max(question, len(question_rows(item, card.width, _ALL_ROWS, " ")))
        bar, strip = reference_height(session.reference, one=False), len(self._strip(source_columns(size), one=False))
        spoke = any(not judgement.offline for judgement in item.judgements)
        shown = _CARD_ROWS if spoke else _RULES_ROWS
        panel = self._panel_rows(shown if session.shows_judges else _PANEL_ROWS)
        return Needs(statement, question + 3, panel, bar=bar, strip=strip)

    def card_rows(self, plan: PanePlan) -> list[Row]:
        """Statement and question; side by side the question, and the statement where it is not in the response."""
        session, item = self._session, self._session.item
        region = plan.regions["statement"]
        if item is None:
            return [[(" There is no statement in this queue. q goes back; : changes the filter.", "")]]
        marks = session.statement_marks()
        if panes_cut := self.panes.cut:
            marks = (*marks, Mark(panes_cut, len(item.text), "span"))
        if plan.shape == "one":
            cut = "v shows it in the response" if not self.panes.shows_response else ""
            rows = statement_rows(item, marks, region.width, plan.statement_rows, cut)
            label = f" asked after {counted(item.turns, 'turn')} (o) " if item.turns else " asked "
            return [*rows, *question_rows(item, region.width, plan.question_rows, label)]
        origin = f" ({item.origin})" if item.origin and session.shows_judges else ""
        question = question_rows(item, region.width, plan.question_rows - 3, " ")
        before = f" after {counted(item.turns, 'turn')}: o" if item.turns else ""
        rows = [[(f" asked{origin}{before}", "dim")], *question, *([[]] * (plan.question_rows - 2 - len(question)))]
        if not item.span:
            rows += [*statement_rows(item, marks, region.width, plan.statement_rows - 1, "…"), []]
        rows.append(self._focused(answer_row(item, region.width, named=session.shows_judges), beside=True))
        return rows

    def hints(self, plan: PanePlan) -> Hints:
        """What ``a`` takes over and ``v`` brings."""
        session = self._session
        told = session.reference
        brings = "source" if self.panes.shows_response else "response"
        reference = (("reference", "reference"),) if told is not None and told.worth_a_row else ()
        return Hints(
            words=(*self._view_words(plan, brings), *reference),
            accept=session.accept_words,
            off=session.tie_words,
            decided=session.own.label is not None,
        )

    def bar_rows(self, columns: int, *, one: bool) -> list[Row]:
        """The source's bar, or the response's."""
        session, panes, item = self._session, self.panes, self._session.item
        if one and panes.shows_response:
            name = f" {item.response_name}" if item else ""
            model = f" · {item.model}" if item and session.shows_judges else ""
            return [self._beside_bar("response", f"{name}{model}")]
        if one:
            bar = [source_bar(session, columns, panes.where, panes.hidden, panes.search_words)]
            return [*bar, *self._reference_rows(columns, one=True), *self._strip(columns, one=True)]
        first, *below = source_heading(session, columns, panes.where, panes.hidden, panes.search_words)
        first = self._focused(first, beside=False)
        return [first, *self._reference_rows(columns, one=False), *below, *self._strip(columns, one=False)]

    def _reference_rows(self, columns: int, *, one: bool) -> list[Row]:
        reference = self._session.reference
        most = reference_height(reference, one=one)
        return reference_rows(reference, columns, most) if reference and most else []

    def _hidden(self, *, one: bool) -> str:
        session = self._session
        until = f"judges hidden {session.hidden_until}" if one else f"hidden {session.hidden_until}"
        if session.knows_judges:
            return f"{until}{' · ' if one else '; '}{SEEN_BEFORE}"
        return f"shared words underlined · {until}" if one else f"{until}; shared words are underlined"

    def _nothing(self) -> str:
        return nothing_to_read(self._session)

    def _preface(self, session: ReviewSession, text: str, apart: Sequence[SetApart]) -> str:
        nothing = session.source_highlights().nothing
        return said_of_page(session.source, text, apart, nothing=nothing) if session.source else ""


class StatementHandlers(ActionHandlers):
    """Carries out actions on statements."""

    _session: ReviewSession
    _pane_names = ("source", "response")

    def _more(self) -> Mapping[str, Callable[[], None]]:
        return {
            "hallucination": self._hallucination, "left_out": self._left_out, "edit": self._edit, "about": self._about,
            "attach": self._attach,
        }  # fmt: skip

    def _attach(self) -> None:
        session = self._session
        if session.source is None:
            raise UserError("This response cites no source.")
        self._stage.app.show_attach(session, session.source)

    def _about(self) -> None:
        session, item = self._session, self._session.item
        if item is None:
            raise UserError("There is no answer here.")
        text = about_answer(session.study.reader, item.response_id, item.statement_id, named=session.shows_judges)
        if not text:
            raise UserError("Nothing is known of this answer beside its question and text.")
        self._stage.app.show_page(f"About the answer {item.response_name}", text)

    def _type_of_decided(self) -> Callable[[], None]:
        return partial(self._ask_type, then=lambda: self._follow(self._session.reason(None)))

    def _hallucination(self) -> None:
        self.of_decided(lambda back_to, other: self._ask_type(back_to, other=other))

    def _ask_type(
        self,
        back_to: int | None = None,
        then: Callable[[], None] | None = None,
        other: tuple[str, Callable[[], None]] | None = None,
    ) -> None:
        """Ask for the type of the statement on the screen, then go back to a place of the queue. ``then``: what follows
        a label; without one it is asked again why it differs from the judges'."""
        session = self._session

        def done() -> None:
            self._close()
            if back_to is not None:
                session.go(back_to)
            if then is not None:
                then()

        def chosen(label: Label) -> None:
            session.decide_also("hallucination", label.level)
            if label.level == "none" or session.settles:
                done()
            else:
                edit = session.default_span("response", label.level)
                self._spans.mark(label.level, "response", edit, after=done, back=done)

        back = self._ask_reason if then else done
        self._stage.open(HallucinationDialog(session.full_name, chosen, back, other=other))

    def show_span(self, mine: ReviewerSpan) -> None:
        """Bring the source of a span to the screen; the response comes with the step."""
        if mine.target == "source":
            self._session.show_source_of(mine.snapshot_id)

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

    def _parts_to_copy(self) -> Mapping[str, str]:
        session = self._session
        words = session.read_words or next(iter(session.judge_words), None)
        return {
            "statement": session.item.text if session.item else "",
            "quote": words.quote if words else "",
            "address": session.source.url if session.item and session.source else "",
        }
