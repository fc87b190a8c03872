"""Steps about the statement as such in the last rows: what to do with it, where to cut it, what to make one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from medreview.labels import LEFT_OUT_REASONS
from medreview.review.cut_editing import KEYS as CUT_KEYS
from medreview.review.cut_editing import CutEdit, moved_cut
from medreview.review.layout.cells import width
from medreview.screens.dialogs import Act, both_ends, flow, walked
from medreview.screens.key import Key
from medreview.screens.widgets.painted import Row, StyledText
from medreview.statements.left_out import LeftOut


@dataclass(eq=False, repr=False)
class EditDialog:
    """What to do with the statement: nothing is asked twice, since undo takes each of it back."""

    name: str
    split: Act
    join: Act
    exclude: Act
    left_out: Act
    back: Act
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The choices."""
        choices = (
            ("s", "cut in two"), ("j", "join with the next"), ("x", "exclude, not medical"),
            ("l", "make one of what is left out"), ("Esc", "back"),
        )  # fmt: skip
        words: list[list[StyledText]] = [[("  ", ""), (key, "key"), (f" {word}", "")] for key, word in choices]
        return flow([(f" edit {self.name}:", "key")], words, columns)

    def press(self, key: Key) -> bool:
        """One of the letters, or Esc."""
        acts = {"s": self.split, "j": self.join, "x": self.exclude, "l": self.left_out, "escape": self.back}
        if key.said not in acts:
            return False
        acts[key.said]()
        return True


@dataclass(eq=False, repr=False)
class CutDialog:
    """Where to cut: the second part is drawn as marked, and both stand on both sides of a bar here.

    ``draw`` draws the cut; 0 takes it away.
    """

    name: str
    cut: CutEdit
    take: Callable[[CutEdit], None]
    draw: Callable[[int], None]
    back: Act
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The words around the cut, and the keys."""
        head = f" cut {self.name}: "
        room = max(8, (columns - width(head) - 8) // 2)
        before, after = self.cut.parts
        keys: list[StyledText] = [
            (" ", ""), ("Enter", "key"), (" cut here  ", ""), ("w b", "key"), (" word  ", ""), ("W B", "key"),
            (" clause  ", ""), ("Esc", "key"), (" leave it whole", ""),
        ]  # fmt: skip
        return [
            [(head, "key"), (f"“{both_ends(before, room)}”", ""), (" | ", "key"),
             (f"“{both_ends(after, room)}”", "span")],
            keys,
        ]  # fmt: skip

    def press(self, key: Key) -> bool:
        """Move the cut, cut, or leave the statement whole."""
        if key.said in CUT_KEYS:
            self.cut = moved_cut(self.cut, key.said)
        elif key.said == "enter":
            self.take(self.cut)
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True


@dataclass(eq=False, repr=False)
class LeftOutDialog:
    """Which part of the response that is no statement to make one: one at a time, drawn in the response."""

    parts: Sequence[LeftOut]
    promote: Callable[[LeftOut], None]
    back: Act
    place: int = 0
    target: str = "response"
    takes_all: bool = False

    @property
    def part(self) -> LeftOut:
        """The one that is drawn."""
        return self.parts[self.place]

    def rows(self, columns: int) -> list[Row]:
        """Why it is left out, its words, and the keys."""
        head = f" Left out {self.place + 1} of {len(self.parts)}: "
        why = LEFT_OUT_REASONS[self.part.reason]
        keys: list[StyledText] = [
            (" ", ""), ("Enter", "key"), (" make it a statement  ", ""), ("w b", "key"), (" next, previous  ", ""),
            ("Esc", "key"), (" leave it out", ""),
        ]  # fmt: skip
        words = f"“{both_ends(self.part.text, columns - width(head) - 3)}”"
        return [[(head, "key"), (words, "")], [(f" {why}", "dim")], keys]

    def press(self, key: Key) -> bool:
        """Go to another part, make this one a statement, or leave."""
        if by := walked(key):
            self.place = (self.place + by) % len(self.parts)
        elif key.said == "enter":
            self.promote(self.part)
        elif key.said == "escape":
            self.back()
        else:
            return False
        return True
