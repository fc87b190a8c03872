"""Figures that are kept in sight while reviewing: a row below the narrow header, three in the panel of the wide one."""

from typing import TYPE_CHECKING, Final

from medreview.review.layout.cells import fit, width
from medreview.screens.widgets.painted import Row

if TYPE_CHECKING:
    from medreview.review.live_agreement import GroupView

_PANEL_ROWS: Final = 3
_COUNTING: Final = "your labels are being counted"


def pinned_height(*, one: bool) -> int:
    """How many rows they have, in one column or in panes."""
    return 1 if one else _PANEL_ROWS


def pinned_rows(view: "GroupView | None", columns: int, *, one: bool) -> list[Row]:
    """The figures, ``None`` while they are counted for the first time, in so many rows."""
    return [_bar(view, columns)] if one else _panel(view)


def _bar(view: "GroupView | None", columns: int) -> Row:
    """One row, drawn as a rule: the group, agreement and kappa, AC1 where it has room, and of how many labels."""
    parts = [_COUNTING] if view is None else [view.group.title, *_figures(view), _number(view)]
    while len(parts) > 2 and sum(map(width, parts)) + 2 * len(parts) + 3 > columns:
        parts.pop(-2)
    told = "  ".join(parts)
    return [("── ", "rule"), (fit(told, min(width(told), columns - 4)), ""), (" ", ""), ("─", "rule fill")]


def _panel(view: "GroupView | None") -> list[Row]:
    """The same in three rows."""
    title = "you and the judges" if view is None else view.group.title
    rows: list[Row] = [[(f" ── {title} ", "rule"), ("─", "rule fill"), (" ", "")]]
    if view is None:
        return [*rows, [(f" {_COUNTING}", "dim")], []]
    agreement, kappa, ac1 = _figures(view)
    return [*rows, [(f" {agreement}   {kappa}", "")], [(f" {ac1}   {_number(view)}", "")]]


def _figures(view: "GroupView") -> list[str]:
    from medreview.stats.formulas.estimate import brief

    return [f"agree {brief(view.agreement)}", f"kappa {brief(view.kappa)}", f"AC1 {brief(view.ac1)}"]


def _number(view: "GroupView") -> str:
    two = "" if len(view.scale.labels) > 2 else ", two-way"
    responses = f" in {view.kappa.clusters}" if view.kappa.clusters else ""
    return f"n {view.agreement.n:,}{responses}{two}"
