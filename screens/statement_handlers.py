"""What the actions do that only statements have: the hallucination step, what was left out, the judge's quote."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from medreview.errors import UserError
from medreview.labels import Label
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.session import ReviewSession
from medreview.review.statement_editing import CutEdit, exclude_event, join_event, split_event
from medreview.screens.action_handlers import ActionHandlers
from medreview.screens.dialogs import CutDialog, EditDialog, HallucinationDialog, LeftOutDialog
from medreview.screens.judge_rows import lead
from medreview.screens.panes import Panes
from medreview.statements.left_out import LeftOut
from medreview.study.events import NewEvent
from medreview.text import Span, joined, places_in_text
from medreview.units.registry import unit_name

if TYPE_CHECKING:
    from medreview.screens.review import ReviewScreen


class StatementHandlers(ActionHandlers):
    """Carries out actions on statements."""

    _no_other_text = "The response cites no other source."
    _pane_names = ("source", "response")

    def __init__(self, session: ReviewSession, reading: Panes, stage: "ReviewScreen") -> None:
        self._statements = session
        super().__init__(session, reading, stage)

    def _more(self) -> Mapping[str, Callable[[], None]]:
        return {"hallucination": self._hallucination, "left_out": self._left_out, "edit": self._edit}

    def _hallucination(self, back_to: int | None = None) -> None:
        """Ask for the type, of the statement on the screen, which the step names; ``h`` once more leads to the one that
        was decided just now, and from there back to the place ``back_to``."""
        session = self._statements

        def done() -> None:
            self._close()
            if back_to is not None:
                session.go(back_to)

        def chosen(label: Label) -> None:
            session.hallucination(label.level)
            if label.level == "none" or session.settles:
                done()
            else:
                self._spans.mark(label.level, "response", session.default_span("response"), after=done, back=done)

        def of_decided(unit: str) -> None:
            here = session.position
            session.go(list(session.queue.units).index(unit))
            self._hallucination(here)

        unit = session.just_decided if back_to is None else ""
        decided = (unit_name(session.study.reader, unit), partial(of_decided, unit)) if unit else None
        self._stage.open(HallucinationDialog(session.full_name, chosen, done, decided=decided))

    def other_text(self, target: str) -> str:
        return "source" if target == "response" else "response"

    def show_text(self, target: str) -> None:
        self._reading.shows_response = target == "response"

    def text_words(self, target: str) -> str:
        return target

    def show_span(self, mine: ReviewerSpan) -> None:
        if mine.target == "source":
            self._statements.show_source_of(mine.snapshot_id)

    def _left_out(self) -> None:
        item = self._statements.item
        parts = item.left_out if item else ()
        if not parts:
            raise UserError("Everything in this response is a statement.")

        def promote(part: LeftOut) -> None:
            self._stage.promote(part)
            self._close()

        self._stage.open(LeftOutDialog(parts, promote, self._close))

    def _edit(self) -> None:
        session = self._statements
        unit, name = session.unit, session.name
        if not unit:
            raise UserError("There is no statement here to edit.")
        reader = session.study.reader

        def edit(event: NewEvent, words: str) -> None:
            self._close()
            self._stage.edit(event, f"{name} {words}")

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
        session = self._statements
        judgement = lead(session) if session.shows_judges else None
        return {
            "statement": session.item.text if session.item else "",
            "quote": judgement.quote if judgement else "",
            "address": session.source.url if session.item and session.source else "",
        }
