"""Ranking the outputs of models by keys: digits from best to worst, then a quality for each.

Plain state, one value for each key pressed: what is drawn is asked of it, and nothing is saved before all is given.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from medreview.labels import QUALITY, Label

TIE_KEY: Final = "="
BACK_KEY: Final = "backspace"
_LETTERS: Final = {label.name[0].casefold(): label for label in QUALITY}

Phase = Literal["order", "quality", "done"]


@dataclass(frozen=True, slots=True)
class RankingEntry:
    """What was keyed in so far of one ranking.

    ``numbers``: the outputs' stored numbers, in the order on the screen; keys and all that is drawn count places on the
    screen, from 1. ``tiers``: the places of the outputs that were placed, best first, ties in one tier. ``tying``: the
    next output shares the last tier. ``qualities``: levels of the quality axis, by place; ``rated``: whether they are
    asked for.
    """

    numbers: tuple[int, ...]
    tiers: tuple[tuple[int, ...], ...] = ()
    tying: bool = False
    qualities: tuple[str, ...] = ()
    rated: bool = True

    @property
    def placed(self) -> tuple[int, ...]:
        """The places on the screen of the outputs that have their rank."""
        return tuple(place for tier in self.tiers for place in tier)

    @property
    def open(self) -> tuple[int, ...]:
        """The places of those that have none yet."""
        return tuple(place for place in range(1, len(self.numbers) + 1) if place not in self.placed)

    @property
    def phase(self) -> Phase:
        """What is asked now."""
        if self.open:
            return "order"
        return "quality" if self.rated and len(self.qualities) < len(self.numbers) else "done"

    @property
    def rating(self) -> int | None:
        """The place of the output whose quality is asked for now."""
        return len(self.qualities) + 1 if self.phase == "quality" else None

    def rank(self, place: int) -> int | None:
        """The rank of the output at a place: 1 is the best; ties have the same, and the next skips theirs (1 1 3)."""
        before = 1
        for tier in self.tiers:
            if place in tier:
                return before
            before += len(tier)
        return None

    @property
    def order(self) -> str | None:
        """The label of the axis ``rank`` once all are placed: stored numbers, best first."""
        if self.open:
            return None
        return ">".join("=".join(str(self.numbers[place - 1]) for place in sorted(tier)) for tier in self.tiers)

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Axes and labels to be stored: the order, and ``quality/N`` of each stored number that has its quality."""
        if self.order is None:
            return ()
        rated = zip(self.numbers, self.qualities, strict=False)
        return (("rank", self.order), *((f"quality/{number}", level) for number, level in rated))

    def press(self, key: str) -> "RankingEntry":
        """The state after a key; the same where the key means nothing here."""
        if key == BACK_KEY:
            return self._back()
        if self.phase == "quality":
            label = quality_for(key)
            return self if label is None else replace(self, qualities=(*self.qualities, label.level))
        if key == TIE_KEY:
            return replace(self, tying=not self.tying) if self.tiers and self.open else self
        if not (key.isascii() and key.isdigit()) or int(key) not in self.open:
            return self
        return self._place(int(key))

    def _place(self, place: int) -> "RankingEntry":
        tiers = (*self.tiers[:-1], (*self.tiers[-1], place)) if self.tying else (*self.tiers, (place,))
        return replace(self, tiers=tiers, tying=False)

    def _back(self) -> "RankingEntry":
        """Without what was given last: a quality, a tie that waits, an output's place."""
        if self.qualities:
            return replace(self, qualities=self.qualities[:-1])
        if self.tying:
            return replace(self, tying=False)
        if not self.tiers:
            return self
        *before, last = self.tiers
        return replace(self, tiers=tuple(before) if len(last) == 1 else (*before, last[:-1]))


def quality_for(key: str) -> Label | None:
    """The quality that a key gives in this step: its digit, or the first letter of its name."""
    return _LETTERS.get(key) or next((label for label in QUALITY if label.key == key), None)


def shown_order(order: str, numbers: Sequence[int]) -> str:
    """A stored order in places on the screen: ``2>1=3`` of outputs shown as 3, 1, 2 is ``3>2=1``.

    ``numbers``: the stored numbers in the order on the screen. A number that is not among them stays in braces.
    """
    places = {str(number): str(place) for place, number in enumerate(numbers, 1)}
    tiers = [[places.get(number, f"{{{number}}}") for number in tier.split("=")] for tier in order.split(">")]
    return ">".join("=".join(tier) for tier in tiers)
