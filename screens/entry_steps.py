"""How a label is entered that is more than a digit: an order of outputs, words of one's own, a category.

Statements need none of this, and so do not load it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from medreview.errors import UserError
from medreview.labels import AXES, EDITED, QUALITY, Label, level_named
from medreview.review.decision import FollowUp
from medreview.review.text_entry import LineEdit
from medreview.screens.key_screen import Key
from medreview.screens.last_rows import LineInput
from medreview.screens.panes import Panes
from medreview.screens.widgets.painted import Row, StyledText
from medreview.units.ranking import FLAG_KEY, RankingEntry

if TYPE_CHECKING:
    from medreview.review.session import ReviewSession
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
        row: list[StyledText] = [(f" {self.asked}", "title")]
        for label in self.labels:
            row += [("  ", ""), (label.key, "key"), (f" {label.name}", "")]
        return [[*row, ("   ", ""), ("Esc", "key"), (" leaves", "")]]

    def press(self, key: Key) -> bool:
        """A letter or Esc; this step has no other keys."""
        label = next((one for one in self.labels if one.key == key.said), None)
        if label is not None:
            self.take(label.level)
        elif key.said == "escape":
            self.back()
        else:
            return key.said.isdigit()
        return True


_FLAG: Final = " hallucinated"
"""After an output that is flagged."""


@dataclass(eq=False, repr=False)
class RankingDialog:
    """``look`` gets the place of the output that is asked about; ``give`` gets the entry, once complete."""

    entry: RankingEntry
    look: Callable[[int], None]
    give: Callable[[RankingEntry], None]
    back: Callable[[], None]
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The order so far and what is open, or the qualities and flags so far; the keys."""
        entry = self.entry
        order = " > ".join(" = ".join(map(str, tier)) for tier in entry.tiers)
        more = " = …" if entry.tying else " > …" if entry.tiers and entry.open else " …" if entry.open else ""
        first: list[StyledText] = [(" best ", "dim"), (f"{order}{more}", "title"), (" worst", "dim")]
        if entry.rating is None:
            left = " ".join(map(str, entry.open))
            keys: list[StyledText] = [
                (" ", ""), (left, "key"), (" the next best   ", ""), ("=", "key"), (" shares the last rank   ", ""),
            ]  # fmt: skip
        else:
            given = "  ".join(
                f"{place} {level_named('quality', level).name}{_FLAG if place in entry.flagged else ''}"
                for place, level in enumerate(entry.qualities, 1)
            )
            first += [("   ", ""), (given, "")]
            flagged = entry.rating in entry.flagged
            keys = [(f" output {entry.rating}{' flagged' if flagged else ''}: ", "badge")]
            for label in QUALITY:
                keys += [(label.name[0].casefold(), "key"), (f" {label.name}  ", "")]
            keys += [(FLAG_KEY, "key"), (" unflag  " if flagged else f"{_FLAG}  ", "")]
        back = " takes back   " if entry.rating is None else " back  "
        keys += [("Backspace", "key"), (back, ""), ("Esc", "key"), (" leaves", "")]
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


class EntrySteps:
    """Asks for what a label needs, on the review screen; ``follow`` asks what follows from it."""

    def __init__(
        self, session: "ReviewSession", reading: Panes, stage: "ReviewScreen", follow: Callable[[FollowUp], None]
    ) -> None:
        self._session = session
        self._reading = reading
        self._stage = stage
        self._follow = follow

    def rank(self, key: str) -> None:
        """A digit begins the order; the step goes on with it."""
        units, view = self._session, self._session.view
        if view is None or len(view.numbers) < int(key):
            raise UserError(f"There are {len(view.numbers) if view else 0} outputs here.")

        def look(place: int) -> None:
            self._reading.shows_response = False
            units.show_text(view.documents[place - 1].key)

        def give(entry: RankingEntry) -> None:
            (_, order), *qualities = entry.labels
            self._follow(units.decide_order(order, qualities))

        entry = RankingEntry(view.numbers, rated=not units.settles).press(key)
        self._stage.open(RankingDialog(entry, look, give, self._close))

    def edit(self) -> None:
        """Ask how it should read."""
        units = self._session
        text = units.own.words or (units.view.text if units.view else "")

        def finish(words: str) -> str:
            self._follow(units.decide_words(EDITED, words))
            return ""

        self._stage.open(LineInput(f"{units.asks.noun}:", LineEdit.of(text), "saves", finish, self._close))

    def add(self) -> None:
        """Ask for the words of something of one's own, then for its category."""
        units = self._session

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

    def category(self) -> None:
        """Ask for the category of what is on the screen."""

        def take(level: str) -> None:
            self._close()
            self._session.decide_also("category", level)

        self._choose("category", take)

    def _choose(self, axis: str, take: Callable[[str], None]) -> None:
        self._stage.open(ChoiceDialog(f"{axis}?", AXES[axis], take, self._close))

    def _close(self) -> None:
        self._stage.open(None)
