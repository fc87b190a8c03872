"""A sitting over conflicts: two reviewers' labels beside each other; a digit settles, and changes nobody's label."""

from collections.abc import Mapping, Sequence
from typing import Any

from medreview.errors import UserError
from medreview.labels import FLAG_AXES, Via, axis_words
from medreview.review.blind_block import BlindBlock
from medreview.review.conflicts import Conflict, adjudication, conflict_units, conflicts_of
from medreview.review.decision import FollowUp
from medreview.review.session import ReviewSession
from medreview.study.counts import Counts
from medreview.study.events import Receipt
from medreview.study.own_axes import OwnAxis
from medreview.units.registry import words_on


class ConflictSession(ReviewSession):
    """Settling instead of deciding. The machines' opinion stays hidden: a conflict is settled by the texts."""

    settles = True

    def _begin(self, at: str) -> None:
        found = conflict_units(self.study.reader).get(self.queue.kind.unit)
        self._open = found.open if found else set()
        super()._begin(at)

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Those of the unit on the screen, that on the axis of its kind first."""
        return conflicts_of(self.study.reader, self.unit) if self.unit else ()

    @property
    def own_axes_asked(self) -> Mapping[str, OwnAxis]:
        """Those on which they differ."""
        differ = {one.axis for one in self.conflicts}
        return {name: axis for name, axis in self.own_axes.items() if name in differ}

    @property
    def flags_asked(self) -> Sequence[str]:
        """Those on which they differ."""
        return [one.axis for one in self.conflicts if one.axis in FLAG_AXES]

    def words_on(self, axis: str, label: str) -> str:
        """A label on the unit on the screen in words: an order in the places that its outputs have there."""
        return words_on(self.study.reader, self._current(), axis, label)

    @property
    def block(self) -> BlindBlock | None:
        """No block: the machines' opinion is not shown here."""
        return None

    @property
    def hidden_until(self) -> str:
        """Never here."""
        return "where conflicts are settled"

    @property
    def counts(self) -> Counts:
        """Settled and open conflicts."""
        return Counts(len(self.queue.units), len(self.queue.units) - self._waiting(), 0, self._waiting())

    def state_of(self, unit: str) -> str:
        """``"open"`` until it is settled."""
        return "open" if unit in self._open else "decided"

    def awaits(self, unit: str) -> bool:
        """Whether something on it is not settled."""
        return unit in self._open

    def decide_also(self, axis: str, level: str) -> None:
        """The label that settles a conflict on another axis than that of the kind."""
        self._settle({axis: level}, {})

    def defer(self) -> FollowUp:
        """Unsettled conflicts stay open by themselves."""
        raise UserError("A conflict that is not settled stays open; j goes on.")

    def _decide(
        self, label: str, via: Via, instead: bool, more: Mapping[str, Any], also: Sequence[tuple[str, str]] = ()
    ) -> FollowUp:
        self._refuse_label(label)
        axes, given = {one.axis for one in self.conflicts}, {self.asks.axis: label}
        if "support" in axes:
            if self.asks.axis not in axes:
                given.clear()
            if label != "cannot_judge":
                given["support"] = label if label == "supported" else "not_supported"
            elif not given:
                raise UserError("They differ on supported or not: 1 says supported, 2 not supported.")
        self._settle(given, more)
        return FollowUp.ADVANCE

    def flag(self, name: str) -> None:
        """Settle a difference on a flag: it belongs on the unit; pressed again, it does not."""
        if name not in FLAG_AXES:
            super().flag(name)
            return
        found = self._conflict(name)
        on = found is not None and found.settled is not None and not found.open and found.settled.label == "flagged"
        self._settle({name: "not_flagged" if on else "flagged"}, {})

    def _conflict(self, axis: str) -> Conflict | None:
        return next((one for one in self.conflicts if one.axis == axis), None)

    def _settle(self, given: Mapping[str, str], more: Mapping[str, Any]) -> None:
        """Settle the conflicts on some axes, in one transaction; ``more`` goes with the label on the kind's own."""
        self._current()
        events, words = [], []
        for axis, label in given.items():
            conflict = self._conflict(axis)
            if conflict is None:
                raise UserError(f"Nobody differs on this {self.asks.noun} ({axis_words(axis)}).")
            events.append(adjudication(conflict, self.reviewer, label, **(more if axis == self.asks.axis else {})))
            by = "by agreement" if self.reviewer in conflict.reviewers else "by a third reviewer"
            named = "" if axis == self.asks.axis else f"{axis_words(axis)} "
            words.append(f"{named}{self.words_on(axis, label)}, {by}")
        self._write(events, f"{self.name} settled: {'; '.join(words)}")
        self._update_flags(self.unit)
        self.acted |= {self.unit}

    def _after(self, unit: str, receipt: Receipt, words: str) -> None:
        super()._after(unit, receipt, words)
        self._open.discard(unit)
        if any(one.open for one in conflicts_of(self.study.reader, unit)):
            self._open.add(unit)

    def _waiting(self) -> int:
        return sum(unit in self._open for unit in self.queue.units)
