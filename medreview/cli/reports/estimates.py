"""Estimates as rows of a table, and the sentences that belong below it."""

from collections.abc import Sequence
from typing import Final

from medreview.cli.output import counted
from medreview.cli.reports.interval_words import method_word
from medreview.cli.reports.layout import Table, cells, numbers, reasons, table
from medreview.stats.formulas.estimate import Estimate, half_up

SHORT: Final = {
    "source URL validity": "URL validity",
    "statement-level support, own citations": "statement support, by a source the statement cites",
    "statement-level support": "statement support, by any source of the response",
    "response-level support": "response support",
    "Cohen's kappa (linear weights)": "kappa, linear weights",
    "Cohen's kappa (quadratic weights)": "kappa, quadratic",
    "Gwet's AC2 (linear weights)": "Gwet's AC2, linear",
    "Gwet's AC2 (quadratic weights)": "Gwet's AC2, quadratic",
}
"""Names for a column that leaves room for the rest of an 80-column row; the JSON has the full ones."""
COEFFICIENTS: Final = ("Cohen's kappa", "Gwet's AC1")


def figure_table(figures: Sequence[Estimate]) -> Table:
    """A row for each figure; what bears the name of the one above it (the same by Wilson) is not named again."""
    before = ["", *(figure.name for figure in figures)]
    rows = (
        ("" if figure.name == above else SHORT.get(figure.name, figure.name), *figure_cells(figure))
        for figure, above in zip(figures, before, strict=False)
    )
    return table(("", "value", "95% interval", "method", "n", "resp", "left"), rows)


def figure_cells(figure: Estimate) -> tuple[str, ...]:
    """Value, interval, method, n, clusters, left out."""
    counts = numbers(figure.n, figure.clusters, figure.dropped)
    return *cells(figure, "not given"), method_word(figure.method), *counts


def sentences(figures: Sequence[Estimate]) -> list[str]:
    """Why a value or an interval is missing, and the figures' own cautions; each once."""
    notes = dict.fromkeys(note for figure in figures for note in figure.notes)
    return [*reasons((SHORT.get(figure.name, figure.name), figure) for figure in figures), *notes]


def p_value(value: float) -> str:
    """A p value with three digits: ``p 0.041``, ``p below 0.001``."""
    return "p below 0.001" if value < 0.0005 else f"p {half_up(value)}"


def more_models(count: int, done: str) -> str:
    """That some models are not ``compared``, or not ``shown``, and which of them that are: none needs to be smaller."""
    return (
        f"{counted(count, 'more model')} not {done}: those with most responses are, and of equal ones the first by name"
    )
