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
    "F1: of lists, of the options that were named."
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
    rows = [(given(one.model), TYPES.get(one.type, "all closed"), one) for one in figures.closed]
    yield ""
    yield inset(
        table(
            ("model", "items", "accuracy", "95% interval", "n", "of read", "F1", *HOW[1:]),
            (
                (
                    model,
                    kind,
                    one.accuracy,
                    one.accuracy.n,
                    value_cell(one.of_read),
                    "" if one.overlap is None else value_cell(one.overlap),
                    *(one.how[how] for how in HOW[1:]),
                )
                for model, kind, one in rows
            ),
            long=("items",),
            if_any=("F1",),
        ),
        *reasons([(f"{model}, {kind}", one.accuracy) for model, kind, one in rows]),
    )
    if left := sum(one.without_key for one in figures.closed if not one.type):
        yield f"left out: {counted(left, 'answer')} to an item whose key is none of its options"
    yield _LEGEND


def _number(value: float | None, digits: int) -> str:
    return "not known" if value is None else half_up(value, digits)
