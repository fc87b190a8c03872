"""Ranking outputs in the last rows: digits from best to worst, then how good each is."""

from collections.abc import Callable
from dataclasses import dataclass

from medreview.labels import QUALITY, level_named
from medreview.screens.key import Key
from medreview.screens.widgets.painted import Row, StyledText
from medreview.units.ranking_entry import RankingEntry


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
