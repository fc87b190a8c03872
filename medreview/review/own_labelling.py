"""What a reviewer says of a unit on the axes of the study's own, and the tags put on it."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property

from medreview.errors import UserError
from medreview.labels import OWN, is_tag
from medreview.next_step import command
from medreview.review.decision import save_in_script
from medreview.review.refusing import Refusing
from medreview.study import Study
from medreview.study.events import NewEvent, Receipt
from medreview.study.ids import STATEMENT
from medreview.study.own_axes import OwnAxis, own_axes

NO_TAG = "A tag is one word of up to 24 letters, digits, - and _, such as #dose."


class OwnLabelling(Refusing):
    """The labels that the study has defined itself. Each is saved at once, and taken back by one undo."""

    @abstractmethod
    def decide_also(self, axis: str, level: str) -> None:
        """My label on another axis than that of the kind."""

    @abstractmethod
    def _write(self, events: list[NewEvent], words: str) -> None:
        """Save what was done to the unit on the screen; ``words`` are its receipt."""

    @cached_property
    def own_axes(self) -> Mapping[str, OwnAxis]:
        """The axes of the study's own that the unit's kind has, by their names in the record, in their order. Read
        once: whoever has the study open here is the only one who writes to it."""
        return own_axes(self.study.reader, self.asks.name)

    @property
    def own_axes_asked(self) -> Mapping[str, OwnAxis]:
        """Those that a label is asked on."""
        return self.own_axes

    def refusal(self, action: str) -> str:
        """As everywhere; of the study's own axes, where the kind of unit has none."""
        if action == "axes":
            nobody = f"No reviewers differ on this {self.asks.noun} on the study's own axes."
            return "" if self.own_axes_asked else nobody if self.own_axes else self._no_axis()
        return super().refusal(action)

    def label(self, name: str, *levels: str) -> None:
        """My label on an axis of the study's own, by its name (``harm``): one level; of an axis with many any number of
        them, and none for "none of them". Raises :class:`UserError` for an axis or a level that there is not."""
        axis = self.own_axes.get(OWN + name)
        if axis is None:
            raise UserError(self._no_axis(name))
        self.decide_also(axis.axis, _label(axis, levels))

    def tag(self, name: str) -> None:
        """Put a tag on the unit, or take it off again. Raises :class:`UserError` for what cannot be one."""
        unit, tag = self._current(), name.strip().removeprefix("#").casefold()
        if not is_tag(tag):
            raise UserError(NO_TAG)
        on = tag not in self.own.tags
        words = f"{self.name} · #{tag}{'' if on else ' removed'}"
        self._write([NewEvent("tag", unit, {"tag": tag, "on": on}, self.snapshot)], words)

    def tags_used(self) -> list[str]:
        """The tags that this reviewer has put on anything, those that are used most first."""
        rows = self.study.reader.execute(
            "SELECT tag FROM tag_standing WHERE reviewer = ? GROUP BY tag ORDER BY count(*) DESC, tag", (self.reviewer,)
        )
        return [row[0] for row in rows]

    def _no_axis(self, name: str = "") -> str:
        return _no_axis(self.own_axes, self.asks.noun, name)


def label_in_script(
    study: Study, reviewer: str, statement_id: str, name: str, levels: Sequence[str], *, pass_no: int = 1
) -> Receipt:
    """Record a reviewer's label on an axis of the study's own that was given outside the workbench.

    It counts as assisted, as by :func:`~medreview.review.decision.decide_in_script`. Raises :class:`UserError` for an
    unknown axis, level or statement, and when it cannot be saved.
    """
    axes = own_axes(study.reader, STATEMENT)
    axis = axes.get(OWN + name)
    if axis is None:
        raise UserError(_no_axis(axes, STATEMENT, name))
    return save_in_script(study, reviewer, statement_id, axis.axis, _label(axis, levels), pass_no=pass_no)


def _label(axis: OwnAxis, levels: Sequence[str]) -> str:
    known = [one.level for one in axis.levels]
    if not {*levels} <= {*known} or not (axis.many or len(levels) == 1):
        which = "any of" if axis.many else "one of"
        raise UserError(f"{axis.title} takes {which} {', '.join(known)}.")
    return axis.label_of(levels)


def _no_axis(axes: Mapping[str, OwnAxis], noun: str, name: str) -> str:
    if axes:
        known = ", ".join(one.name for one in axes.values())
        return f"There is no axis {name!r} for a {noun}; there is {known}."
    how = command("axes", "STUDY", "--add", "harm")
    return f"The study has no axes of its own for a {noun}; `{how}` adds severity of harm."
