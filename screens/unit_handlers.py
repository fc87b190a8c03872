"""What the actions do with units other than statements: label, ranking, and what their kind asks after it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from medreview.errors import NotSaved, UserError
from medreview.labels import AXES, EDITED, QUALITY, Label, level_named
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.span_editing import partner_for
from medreview.review.text_entry import LineEdit
from medreview.review.unit_session import UnitSession
from medreview.screens.action_handlers import ActionHandlers
from medreview.screens.dialogs import HallucinationDialog
from medreview.screens.key_screen import Key
from medreview.screens.last_rows import LineInput
from medreview.screens.panes import Panes
from medreview.screens.widgets.painted import Row, StyledText
from medreview.units.documents import RESPONSE
from medreview.units.ranking import RankingEntry

if TYPE_CHECKING:
    from medreview.screens.review import ReviewScreen


@dataclass(eq=False, repr=False)
class ChoiceDialog:
    """What is asked, and the labels of which one is taken."""

    asked: str
    labels: Sequence[Label]
    take: Callable[[str], None]
    back: Callable[[], None]
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The question and the letters in one row."""
        row: list[StyledText] = [(f" {self.asked}", "key")]
        for label in self.labels:
            row += [("  ", ""), (label.key, "key"), (f" {label.name}", "")]
        return [[*row, ("   ", ""), ("Esc", "key"), (" leaves", "")]]

    def press(self, key: Key) -> bool:
        """A letter or Esc; every other key is none of this step's."""
        label = next((one for one in self.labels if one.key == key.said), None)
        if label is not None:
            self.take(label.level)
        elif key.said == "escape":
            self.back()
        else:
            return key.said.isdigit()
        return True


@dataclass(eq=False, repr=False)
class RankingDialog:
    """``look`` is told of the place of the output that is asked about; ``give`` takes what was keyed in, once whole."""

    entry: RankingEntry
    look: Callable[[int], None]
    give: Callable[[RankingEntry], None]
    back: Callable[[], None]
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The order so far and what is open, or the qualities so far; the keys."""
        entry = self.entry
        order = " > ".join(" = ".join(map(str, tier)) for tier in entry.tiers)
        more = " = …" if entry.tying else " > …" if entry.tiers and entry.open else " …" if entry.open else ""
        first: list[StyledText] = [(" best ", "dim"), (f"{order}{more}", "key"), (" worst", "dim")]
        if entry.rating is None:
            left = " ".join(map(str, entry.open))
            keys: list[StyledText] = [
                (" ", ""), (left, "key"), (" the next best   ", ""), ("=", "key"), (" shares the last rank   ", ""),
            ]  # fmt: skip
        else:
            given = "  ".join(
                f"{place} {level_named('quality', level).name}" for place, level in enumerate(entry.qualities, 1)
            )
            first += [("   ", ""), (given, "")]
            keys = [(f" output {entry.rating}: ", "badge")]
            for label in QUALITY:
                keys += [(f"{label.name[0].casefold()} {label.key}", "key"), (f" {label.name}  ", "")]
        keys += [("Backspace", "key"), (" takes back   ", ""), ("Esc", "key"), (" leaves", "")]
        return [first, keys]

    def press(self, key: Key) -> bool:
        """A key of the entry; Esc leaves without anything being saved. Others go to the screen."""
        if key.said == "escape":
            self.back()
            return True
        after = self.entry.press(key.said)
        if after == self.entry:
            return key.said.isdigit() or key.said == "backspace"
        self.entry = after
        if after.phase == "done":
            self.give(after)
        elif after.rating is not None:
            self.look(after.rating)
        return True


class UnitHandlers(ActionHandlers):
    """Carries out actions on units of one kind."""

    def __init__(self, session: UnitSession, reading: Panes, stage: "ReviewScreen") -> None:
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

        self.show_text(RESPONSE)
        edit = self._units.default_span(RESPONSE)
        after, more = partial(marked, wants_more), partial(marked, True)
        self._spans.mark(level, RESPONSE, edit, after=after, back=done, more=more)

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

    def other_text(self, target: str) -> str:
        keys = self._units.text_keys()
        return keys[(keys.index(target) + 1) % len(keys)] if target in keys else keys[0]

    def text_words(self, target: str) -> str:
        view = self._units.view
        document = view.document(target) if view else None
        return document.title if document else target

    def show_text(self, target: str) -> None:
        self._reading.shows_response = self._units.is_beside(target)
        self._units.show_document(target)

    def show_span(self, mine: ReviewerSpan) -> None:
        self.show_text(mine.target)

    def _parts_to_copy(self) -> Mapping[str, str]:
        view, document = self._units.view, self._units.document
        if view is None:
            return {}
        return {self._units.asks.noun: view.text, "title of the text": document.title if document else ""}
