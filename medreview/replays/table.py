"""The table at the end of a replay: a figure as the paper prints it, the study's own, and why they differ."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate, Scale, number, percent


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    ``what``: the figure, in words that say what it is of. ``of``: whose it is in the study (a model, a judge), ``""``
    for all. ``paper``: as the paper prints it, with whose it is. ``ours``: the study's; ``None`` where it cannot be
    computed yet, and ``missing`` says what for. ``scale``: that of the paper where ours is another, or is not there.
    ``why``: why the two differ, beyond other data.
    """

    what: str
    paper: str
    ours: Estimate | None = None
    of: str = ""
    scale: Scale | None = None
    missing: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        if self.ours is None and not self.missing:
            raise ValueError(f"{self.what}: a figure that is not there needs a sentence")

    @property
    def written_on(self) -> Scale:
        """The scale on which value and interval are shown."""
        return self.scale or (self.ours.scale if self.ours else "share")

    @property
    def shown(self) -> str:
        """Value and interval, or why there is none."""
        if self.ours is None:
            return self.missing
        if self.ours.value is None:
            return f"undefined: {self.ours.reason}"
        value = number(self.ours.value, self.written_on)
        if self.ours.low is None or self.ours.high is None:
            return f"{value}, no interval"
        level = "" if self.ours.level == LEVEL else f"{percent(self.ours.level, 0)}: "
        low, high = (number(end, self.written_on) for end in (self.ours.low, self.ours.high))
        return f"{value} ({level}{low} to {high})"

    @property
    def counted(self) -> str:
        """How many items it rests on, and in how many clusters these are."""
        if self.ours is None or self.ours.value is None:
            return ""
        in_clusters = f" in {self.ours.clusters:,}" if self.ours.clusters is not None else ""
        return f"{self.ours.n:,}{in_clusters}"


def as_json(rows: Iterable[Row]) -> list[dict[str, object]]:
    """The rows for a script: every row has every key. Shares are fractions."""
    return [
        {
            "figure": row.what,
            "of": row.of,
            "paper": row.paper,
            "scale": "share" if row.written_on == "share" else "number",
            **{name: getattr(row.ours, name, None) for name in _OF_ESTIMATE},
            "left_out": row.ours.dropped if row.ours else None,
            "missing": row.missing or (row.ours.reason or "" if row.ours else ""),
            "why_they_differ": row.why,
        }
        for row in rows
    ]


_OF_ESTIMATE: Final = ("value", "low", "high", "level", "method", "n", "clusters", "seed")
