"""The steps for a study's own axes and for tags: levels by their keys, words after ``#``."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from medreview.errors import UserError
from medreview.review.actions import Action, shown_key
from medreview.review.cell_width import fit_words, width
from medreview.review.session import ReviewSession
from medreview.review.text_entry import LineEdit
from medreview.screens.dialogs import flow
from medreview.screens.key_screen import Key
from medreview.screens.last_rows import LineInput
from medreview.screens.layout import FOOT_ROWS
from medreview.screens.widgets.painted import Row, StyledText
from medreview.study.own_axes import OwnAxis
from medreview.text import in_words
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.screens.action_handlers import ActionHandlers
    from medreview.screens.review import ReviewScreen

Act = Callable[[], None]
OF_AXIS: Final = "/"
"""Between the action that asks for the study's own labels and the axis that it shall begin with."""


@dataclass(eq=False, repr=False)
class OwnAxisDialog:
    """Which level of an axis a unit, by its ``name``, has; of an axis with many which ``levels``, taken by Enter.

    ``mine``: the label that it has. ``more``: the next axis, and what Tab does to ask for that. ``other``: another unit
    that may be meant, and what the key of the step does to ask the same of that one.
    """

    name: str
    axis: OwnAxis
    mine: str
    key: str
    give: Callable[[Collection[str]], None]
    back: Act
    more: tuple[OwnAxis, Act] | None = None
    other: tuple[str, Act] | None = None
    levels: set[str] = field(default_factory=set)
    takes_all: bool = False

    def __post_init__(self) -> None:
        if self.mine and self.axis.many:
            self.levels = {*self.axis.levels_in(self.mine)}

    def rows(self, columns: int) -> list[Row]:
        """The axis and its levels; what else the keys do; what is asked, where there is a row for it."""
        keys: list[list[StyledText]] = [
            [("  ", ""), (one.key, "key"), (f" {visible(one.name)}", ""), *self._given(one.level)]
            for one in self.axis.levels
        ]
        last: list[list[StyledText]] = [
            *([[("Enter", "key"), (" saves  ", "")]] if self.axis.many else []),
            *([[("Tab", "key"), (f" {visible(self.more[0].title)}  ", "")]] if self.more else []),
            *([[(self.key, "key"), (f" {visible(self.other[0])}  ", "")]] if self.other else []),
            [("Esc", "key"), (" back  ", "")],
        ]
        head: StyledText = (f" {visible(self.axis.title)} · {visible(self.name)}:", "title")
        asked = flow([head], keys, columns)
        if len(asked) >= FOOT_ROWS:  # many levels or long names: the unit is named by its axis alone
            asked = flow([(f" {visible(self.axis.title)}:", "title")], keys, columns)[: FOOT_ROWS - 1]
        below = flow([(" ", "")], last, columns)[0]
        if self.mine:
            below = [*below, (f"now {self.axis.words(self.mine)}", "own")]
        rows: list[Row] = [*asked, below]
        if self.axis.about and len(rows) < FOOT_ROWS:
            rows.append([(f" {fit_words(visible(self.axis.about), columns - 2)}", "dim")])
        return rows

    def _given(self, level: str) -> list[StyledText]:
        return [(" ✓", "own")] if level in self.levels else []

    def press(self, key: Key) -> bool:
        """A level; Enter, Tab, Esc."""
        level = self.axis.level_for(key.said)
        if level is not None and self.axis.many:
            self.levels ^= {level.level}
        elif level is not None:
            self.give([level.level])
        elif key.said == "enter" and self.axis.many:
            self.give(self.levels)
        elif key.said == "tab" and self.more is not None:
            self.more[1]()
        elif key.said == self.key and self.other is not None:
            self.other[1]()
        elif key.said == "escape":
            self.back()
        else:
            return key.said == "tab"
        return True


@dataclass(eq=False, repr=False)
class TagLine(LineInput):
    """Tags by their words. ``used``: those that there are, which Tab completes; ``on``: those on the unit."""

    used: Sequence[str] = ()
    on: Collection[str] = ()

    def rows(self, columns: int) -> list[Row]:
        """The line, the keys, and the tags that the word may become."""
        typed, _, below = super().rows(columns)
        keys: Row = [
            (" ", ""), ("Enter", "key"), (" adds or removes it   ", ""), ("Tab", "key"), (" completes   ", ""),
            ("Esc", "key"), (" leave", ""),
        ]  # fmt: skip
        listed: list[StyledText] = []
        for tag in self._fitting():
            words = f" #{visible(tag)}{' ✓' if tag in self.on else ''} "
            if sum(width(text) for text, _ in listed) + width(words) > columns - 1:
                break
            listed.append((words, "own" if tag in self.on else "dim"))
        return [typed, keys, below or listed]

    def press(self, key: Key) -> bool:
        """Tab completes the last word; everything else is typed, or ends the line."""
        if key.name != "tab":
            return super().press(key)
        found, before = self._fitting(), self.line.text
        if found:
            head = before[: len(before) - len(self._word())]
            self.line = LineEdit.of(f"{head}{found[0]}")
            self._changed(before, True)
        return True

    def _word(self) -> str:
        return self.line.text.rpartition(" ")[2].removeprefix("#")

    def _fitting(self) -> list[str]:
        every = dict.fromkeys([*sorted(self.on), *self.used])
        return [tag for tag in every if tag.startswith(self._word().casefold())]


def axes_hint(axes: Sequence[OwnAxis]) -> str:
    """What the key of the step is called in the rows of keys: the axis, of several that these are the study's own, and
    nothing where there are none."""
    if not axes:
        return ""
    return visible(in_words(axes[0].name)) if len(axes) == 1 else "own labels"


def axes_help(axes: Sequence[OwnAxis]) -> str:
    """The axes with the keys of their levels, for the page of keys."""
    words = (f"{one.title}: " + ", ".join(f"{level.key} {level.name}" for level in one.levels) for one in axes)
    return "The study's own labels. " + "; ".join(words) + ". Tab goes to the next axis, Enter saves several levels."


class OwnLabelSteps:
    """Asks for labels on the study's own axes and for tags, on the review screen."""

    def __init__(self, session: ReviewSession, stage: "ReviewScreen", acts: "ActionHandlers") -> None:
        self._session = session
        self._stage = stage
        self._acts = acts

    def actions(self) -> Iterator[Action]:
        """An action without a key for each axis, by the axis's name."""
        for axis in self._session.own_axes_asked.values():
            told = f"{axis.title}. {axis.about}".strip()
            yield Action(f"axes{OF_AXIS}{axis.axis}", (), axis.name, told, "Decide")

    def ask(self, axis: str = "") -> None:
        """Ask for the label on one axis of the unit that the keys name, or on all that have none."""
        self._acts.of_decided(partial(self._ask, axis))

    def tag(self) -> None:
        """Ask for tags of the unit on the screen."""
        session = self._session
        if not session.unit:
            raise UserError(f"There is no {session.asks.noun} here to tag.")

        def finish(text: str) -> str:
            for word in dict.fromkeys(text.split()):
                session.tag(word)
            self._close()
            return ""

        used, on = session.tags_used(), session.own.tags
        label = f"tag {visible(session.name)}: #"
        self._stage.open(TagLine(label, LineEdit(), "adds it", finish, self._close, used=used, on=on))

    def _ask(self, only: str, back_to: int | None, other: tuple[str, Act] | None, at: str = "") -> None:
        """Ask on the axis ``at``, else on ``only`` that one, else on the first without a label and then on those after
        it; then go back to a place of the queue."""
        session = self._session
        axes = session.own_axes_asked
        names = [*axes]
        without = [name for name in names if name not in session.own.also]
        asked = axes[at or only or (without or names)[0]]
        place = names.index(asked.axis)

        def done() -> None:
            self._close()
            if back_to is not None:
                session.go(back_to)

        def give(levels: Collection[str]) -> None:
            session.label(asked.name, *levels)
            left = [name for name in names[place + 1 :] if name in without and not only]
            if left:
                self._ask(only, back_to, None, left[0])
            else:
                done()

        after = axes[names[(place + 1) % len(names)]]
        turn = partial(self._ask, only, back_to, other, after.axis)
        self._stage.open(
            OwnAxisDialog(
                name=session.full_name,
                axis=asked,
                mine=session.own.also.get(asked.axis, ""),
                key=shown_key(self._stage.actions["axes"].keys[0]),
                give=give,
                back=done,
                more=(after, turn) if len(names) > 1 else None,
                other=other,
            )
        )

    def _close(self) -> None:
        self._stage.open(None)
