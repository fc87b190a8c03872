"""Which of a study's comparisons are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.stats.reports.comparison import Comparison
    from medreview.stats.reports.reviewer_labels import Mode
    from medreview.stats.study_figures import StudyFigures

Between = Literal["reviewers_and_judges", "judges", "reviewers"]
ScaleName = Literal["levels", "binary"]


def comparisons(
    figures: StudyFigures, between: Between, mode: Mode | None = None, scale: ScaleName | None = None
) -> tuple[Comparison, ...]:
    """The comparisons of one kind, of one mode and on one scale, or of all of them; without those that compare nothing.

    Raises ``UserError`` for a word that is none of these, and for a mode between judges.
    """
    _check("agreement between", between, get_args(Between))
    _check("scale", scale, (None, *get_args(ScaleName)))
    _check("mode", mode, (None,) if between == "judges" else (None, "blind", "assisted"))
    return tuple(
        comparison
        for comparison in _all(figures, between)
        if mode in (None, comparison.mode)
        and scale in (None, comparison.scale)
        and (comparison.n or comparison.dropped)
    )


def _check(what: str, told: str | None, known: Sequence[str | None]) -> None:
    if told not in known:
        raise UserError(f"There is no {what} {told!r} here; there is {', '.join(map(repr, known))}.")


def _all(figures: StudyFigures, between: Between) -> Iterator[Comparison]:
    if between == "judges":
        yield from figures.between_judges.pairs
    elif between == "reviewers":
        yield from figures.between_reviewers
    else:
        for reviewer in figures.reviewers:
            for group in reviewer.agreement:
                for comparison in group.comparisons:
                    yield replace(comparison, cautions=(*group.cautions, *comparison.cautions))
