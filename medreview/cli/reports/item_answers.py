"""What models answered to the study's QA items, as text: what was asked, and closed items scored by the key."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import counted, given
from medreview.cli.reports.layout import Part, Title, inset, reasons, table, value_cell
from medreview.stats.formulas.estimate import half_up
from medreview.stats.units.closed_answers import HOW, ItemAnswerFigures
from medreview.units.qa import TYPES

_LEGEND: Final = (
    "accuracy: right / all that were put to the model. Right is what names the key and nothing else; unread, refused "
    "and empty answers are not right, and are counted apart. of read: right / those in which a choice can be read. "
    "F1: of the options that were named."
)


def item_answer_parts(figures: ItemAnswerFigures) -> Iterator[Part]:
    """A line for each model, then its closed items by type."""
    yield Title("QA items that models answered")
    names = ("model", "asked", "answered", "cut off", "cost an item", "seconds an item")
    yield table(
        names,
        (
            (given(one.model), one.asked, one.answered, one.cut_off, _number(one.cost, 5), _number(one.seconds, 1))
            for one in figures.models
        ),
    )
    if not figures.closed:
        return
    rows = [(f"- {TYPES[one.type]}" if one.type else given(one.model), one) for one in figures.closed]
    yield ""
    yield inset(
        table(
            ("closed items", "accuracy", "95% interval", "n", "of read", *HOW[1:]),
            (
                (name, one.accuracy, one.accuracy.n, value_cell(one.of_read), *(one.how[how] for how in HOW[1:]))
                for name, one in rows
            ),
        ),
        *reasons([(f"{given(one.model)}, {TYPES.get(one.type, 'all')}", one.accuracy) for one in figures.closed]),
    )
    lists = [(given(one.model), one.overlap) for one in figures.closed if one.overlap is not None]
    if lists:
        told = ((name, f1, f1.n) for name, f1 in lists)
        yield from ("", inset(table(("F1 of lists", "mean", "95% interval", "n"), told), *reasons(lists)))
    if left := sum(one.without_key for one in figures.closed if not one.type):
        yield f"left out: {counted(left, 'answer')} to an item whose key is not one of its options"
    yield _LEGEND


def _number(value: float | None, digits: int) -> str:
    return "not known" if value is None else half_up(value, digits)
