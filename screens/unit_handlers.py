"""What the actions do with units other than statements: the label, and what its kind asks after it."""

from collections.abc import Callable, Mapping
from functools import partial

from medreview.errors import NotSaved, UserError
from medreview.labels import AXES, EDITED
from medreview.review.line_edit import LineEdit
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.span_rules import partner_for
from medreview.review.unit_session import UnitSession
from medreview.screens.action_handlers import ActionHandlers, ReviewHost
from medreview.screens.choice_dialog import ChoiceDialog
from medreview.screens.dialogs import HallucinationDialog
from medreview.screens.line_input import LineInput
from medreview.screens.panes import Panes
from medreview.screens.ranking_dialog import RankingDialog
from medreview.units.ranking_entry import RankingEntry
from medreview.units.source_document import RESPONSE


class UnitHandlers(ActionHandlers):
    """Carries out actions on units of one kind."""

    def __init__(self, session: UnitSession, reading: Panes, stage: ReviewHost) -> None:
        self._units = session
        super().__init__(session, reading, stage)

    def _more(self) -> Mapping[str, Callable[[], None]]:
        return {
            "hallucination": self._another_span,
            "category": lambda: self._choose("category", self._take_category),
            "add": self._add,
            **{f"place_{place}": partial(self._rank, str(place)) for place in range(1, 10)},
        }

    def _decide(self, label: str) -> None:
        if self._units.asks.entry == "words" and label == EDITED:
            self._edit()
            return
        step = self._units.decide(label)
        if self._units.asks.entry == "spans" and label != "none" and not self._units.settles:
            self._mark(label, lambda: self._follow(step))
        else:
            self._follow(step)

    def _mark(self, level: str, done: Callable[[], None], wants_more: bool = False) -> None:
        """Ask for a span in the answer, of a context-conflict for both; ``done``: what comes then, or another span."""

        def marked(more: bool) -> None:
            if partner_for(level, self._units.own.spans):
                self._mark(level, done, more)
            elif more:
                self._another_span(done)
            else:
                done()

        self._show_text(RESPONSE)
        edit = self._units.default_span(RESPONSE)
        after, more = partial(marked, wants_more), partial(marked, True)
        self._mark_span(level, RESPONSE, edit, after=after, back=done, more=more)

    def _another_span(self, done: Callable[[], None] | None = None) -> None:
        """Ask for the type of a further span, then for its words."""
        then = done or self._close
        if self._units.own.label in (None, "none"):
            raise UserError(f"Say first that the {self._units.asks.noun} has a hallucination, by its type.")
        levels = [level for level in self._units.asks.levels if level.level != "none"]
        self._stage.open(
            HallucinationDialog(self._units.full_name, lambda label: self._mark(label.level, then), then, levels)
        )

    # What other kinds of entry ask

    def _rank(self, key: str) -> None:
        """A digit begins the order; the step goes on with it."""
        units, view = self._units, self._units.view
        if view is None or len(view.numbers) < int(key):
            raise UserError(f"There are {len(view.numbers) if view else 0} outputs here.")

        def look(place: int) -> None:
            self._reading.shows_response = False
            units.show_document(view.documents[place - 1].key)

        def give(entry: RankingEntry) -> None:
            (_, order), *qualities = entry.labels
            self._follow(units.decide_order(order, qualities))

        entry = RankingEntry(view.numbers, rated=not units.settles).press(key)
        self._stage.open(RankingDialog(entry, look, give, self._close))

    def _edit(self) -> None:
        units = self._units
        text = units.own.words or (units.view.text if units.view else "")

        def finish(words: str) -> str:
            try:
                self._follow(units.decide_words(EDITED, words))
            except NotSaved as error:
                return error.row
            except UserError as error:
                return str(error)
            return ""

        self._stage.open(LineInput(f"{units.asks.noun}:", LineEdit.of(text), "saves", finish, self._close))

    def _add(self) -> None:
        units = self._units

        def finish(text: str) -> str:
            if not text.strip():
                return "There are no words yet."
            self._choose("category", partial(take, text))
            return ""

        def take(text: str, category: str) -> None:
            self._close()
            units.add(text, category)

        label = f"own {units.asks.adds}:"
        self._stage.open(LineInput(label, LineEdit(), "goes on to its category", finish, self._close))

    def _choose(self, axis: str, take: Callable[[str], None]) -> None:
        self._stage.open(ChoiceDialog(f"{axis}?", AXES[axis], take, self._close))

    def _take_category(self, level: str) -> None:
        self._close()
        self._units.decide_also("category", level)

    def _other_text(self, target: str) -> str:
        keys = self._units.text_keys()
        return keys[(keys.index(target) + 1) % len(keys)] if target in keys else keys[0]

    def _text_words(self, target: str) -> str:
        view = self._units.view
        document = view.document(target) if view else None
        return document.title if document else target

    def _show_text(self, target: str) -> None:
        self._reading.shows_response = self._units.is_beside(target)
        self._units.show_document(target)

    def _show_span(self, mine: ReviewerSpan) -> None:
        self._show_text(mine.target)

    def _parts_to_copy(self) -> Mapping[str, str]:
        view, document = self._units.view, self._units.document
        if view is None:
            return {}
        return {self._units.asks.noun: view.text, "title of the text": document.title if document else ""}
