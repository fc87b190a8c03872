"""How good the judges are, on the one screen of ``stats``: against a reviewer's labels, else beside each other."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from medreview.cli.output import one_line
from medreview.cli.reports.interval_bar import interval_bar, scale
from medreview.cli.reports.layout import Table, cells, numbers, table
from medreview.stats.formulas.estimate import Estimate, half_up, percent
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.label_scales import BINARY, TOGETHER
from medreview.stats.study_figures import StudyFigures

_BAR: Final = 9
_DIGITS: Final = 2
"""Of coefficients: with three, a row is too long for a name."""


class Compared(NamedTuple):
    """Two opinions on one line; ``rank``: the lowest are shown where there is no room for all."""

    name: str
    comparison: Comparison
    rank: int

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa of the two."""
        return self.comparison.estimate("Cohen's kappa")


def compared(figures: StudyFigures) -> list[Compared]:
    """Who is compared, on supported or not: judges with reviewers, else each two judges."""
    return list(_with_reviewers(figures)) or [
        Compared(f"{one_line(pair.first)}, {one_line(pair.second)}", pair, 0)
        for pair in figures.between_judges.pairs
        if pair.scale == BINARY.name and pair.n
    ]


def judge_table(lines: Sequence[Compared]) -> Table:
    """A row for each, with the interval of kappa drawn."""
    rows = []
    for name, comparison, _ in lines:
        agreed, kappa, ac1 = map(comparison.estimate, ("percent agreement", "Cohen's kappa", "Gwet's AC1"))
        counts = numbers(comparison.n, comparison.responses)
        rows.append(
            (name, _told(agreed), *cells(kappa, _coefficient, "none"), interval_bar(kappa, _BAR), _told(ac1), *counts)
        )
    return table(
        (
            "How good are the judges? (supported or not)",
            "agree",
            "kappa",
            "95% interval",
            scale(_BAR),
            "AC1",
            "n",
            "resp",
        ),
        rows,
    )


def _with_reviewers(figures: StudyFigures) -> Iterator[Compared]:
    """A reviewer's first group with the judges together and with each; of the other groups with all together.

    Every reviewer comes before the single judges, these before the other groups.
    """
    for reviewer in figures.reviewers:
        for place, group in enumerate(reviewer.agreement):
            for comparison in group.comparisons:
                together = comparison.second == TOGETHER
                if comparison.scale == BINARY.name and comparison.n and (together or place == 0):
                    named = f"{one_line(reviewer.reviewer)}, {group.title}"
                    name = named if together else f"  {one_line(comparison.second)}"
                    yield Compared(name, comparison, rank=2 if place else 0 if together else 1)


def _told(figure: Estimate) -> str:
    if figure.value is None:
        return ""
    return percent(figure.value) if figure.name == "percent agreement" else _coefficient(figure.value)


def _coefficient(value: float) -> str:
    return half_up(value, _DIGITS)
