"""What systems cost and how long they take against what they say: two plots as SVG, and a table of the same as CSV."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_outputs, check_own, write_new
from medreview.cli.output import given, one_line
from medreview.cli.reports.layout import Part, Title, cells, inset, table
from medreview.cli.reports.plots import Drawing, Point, scatter
from medreview.errors import UserError
from medreview.exchange.exports.tradeoff_rows import SIGN, write_csv
from medreview.stats.facts.tradeoff import TradeOff
from medreview.stats.formulas.estimate import half_up

_SIGN: Final = b"<!-- medreview report -->\n"
"""What a plot begins with."""
COST_TABLE: Final = "Cost and time of a case"
"""The heading of the table of the numbers of both plots."""
_FREE: Final = "0, which a logarithmic axis has no place for"
_NONE: Final = "not known"


def check_trade_off(path: Path) -> None:
    """Raise :class:`UserError` where :func:`write_trade_off` would: before the work, not after it."""
    if path.suffix.lower() not in ("", ".csv"):
        raise UserError(f"{path} would hold a table; name it {path.with_suffix('.csv')}.")
    check_own(path, SIGN)
    for plot in _plots(path):
        check_own(plot, _SIGN)


def write_trade_off(found: Sequence[TradeOff], path: Path) -> list[Path]:
    """Write ``NAME.csv``, and beside it ``NAME.cost.svg`` and ``NAME.latency.svg`` where a system has a place in them.

    All of them, or none. Raises :class:`UserError` for another file in one of the places, or a place that cannot be
    written.
    """
    drawings = dict(zip(_plots(path), (cost_plot(found), latency_plot(found)), strict=True))
    drawn = {plot: drawing for plot, drawing in drawings.items() if drawing is not None}
    with atomic_outputs() as outputs:
        with outputs.file(path, SIGN) as made:
            write_csv(found, made)
        for plot, drawing in drawn.items():
            with outputs.file(plot, _SIGN) as made:
                write_new(made, _SIGN.decode() + drawing.document())
    return [path, *drawn]


def cost_plot(found: Sequence[TradeOff]) -> Drawing | None:
    """Presence against cost; ``None`` where no cost is known."""
    return _plot("Facts present against cost", "cost per case, log scale", found, lambda one: one.cost)


def latency_plot(found: Sequence[TradeOff]) -> Drawing | None:
    """Presence against time; ``None`` where no time is known."""
    return _plot("Facts present against time", "seconds per case, log scale", found, lambda one: one.seconds)


def trade_off_parts(found: Sequence[TradeOff]) -> Iterator[Part]:
    """The same as a table, with why a cost or a time is not known."""
    yield Title(COST_TABLE)
    names = ("system", "cost", "seconds", "presence", "95% interval")
    rows = (
        (given(one.system), _number(one.cost, 4), _number(one.seconds, 1), *cells(one.presence, "none"))
        for one in found
    )
    yield table(names, rows, first="words")
    yield inset(*left_out(found))


def left_out(found: Sequence[TradeOff]) -> Iterator[str]:
    """The systems that have no place in a plot, and why."""
    for one in found:
        for what, value, why in (("cost", one.cost, one.no_cost), ("time", one.seconds, one.no_time)):
            reason = why or ("no score" if one.presence.value is None else "" if value else _FREE)
            if reason:
                yield f"not in the plot of {what}: {given(one.system)} ({one_line(reason)})"


def _plot(
    title: str, x_title: str, found: Sequence[TradeOff], value: Callable[[TradeOff], float | None]
) -> Drawing | None:
    points = [
        Point(given(one.system), one.model, x, one.presence.value, one.presence.low, one.presence.high)
        for one in found
        if (x := value(one)) and one.presence.value is not None
    ]
    return scatter(title, x_title, "facts present", points) if points else None


def _plots(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.stem}.cost.svg"), path.with_name(f"{path.stem}.latency.svg")


def _number(value: float | None, digits: int) -> str:
    return _NONE if value is None else half_up(value, digits)
