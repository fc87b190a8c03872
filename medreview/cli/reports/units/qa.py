"""Rates of QA items by type and model, tests between them, and the agreement of annotators, as tables."""

from collections.abc import Iterator, Sequence
from typing import Final

from medreview.cli.output import counted, given
from medreview.cli.reports.layout import Heading, Part, Title, cells, inset, numbers, table, value_cell
from medreview.cli.reports.units.figure_tables import MISSING, figure_table, p_words, reasons_of, sentences
from medreview.stats.formulas.estimate import Estimate, half_up, quantity
from medreview.stats.units.qa_figures import QAFigures, QARates, RateTest
from medreview.stats.units.qa_items import LEVELS
from medreview.units.qa_item import TYPES

_LEGEND: Final = (
    "hallucination: items on which a dispute or feedback stands, as settled where annotators differ, else if anybody "
    "set it; answerable: the others. plausible: relevance "
    f"{LEVELS[-1]} of {LEVELS[-1]}; ideal: plausible and without a flag; both of the items whose relevance is settled. "
    "All by Wilson. Relevance and flags as they stand now."
)


def qa_parts(figures: QAFigures) -> Iterator[Part]:
    """Relevance and flags, rates, tests, agreement of two, minutes."""
    yield Title("QA items: rates")
    modes = ", ".join(f"{count:,} {mode}" for mode, count in sorted(figures.labels.items()))
    twice = figures.twice
    share = "" if twice.value is None else f"; two labels or more on {value_cell(twice)} of {twice.n:,} items"
    yield f"labels: {modes}{share}"
    names = ("relevance", *LEVELS, "not settled", "dispute", "feedback", "items")
    yield table(
        names,
        (
            (_name(one), *numbers(*(one.relevance[level] for level in LEVELS), one.unsettled, one.disputed,
                                  one.with_feedback, one.items))
            for one in figures.rates
        ),
        others="words",
    )  # fmt: skip
    if open_flags := figures.rates[0].flags_open:
        differ = counted(open_flags, "item")
        yield f"annotators differ on a flag of {differ}, which nobody has settled: it counts as set"
    for title, name in (
        ("hallucination rate", "hallucination_rate"), ("plausible", "plausibility"), ("answerable", "answerability"),
        ("ideal pairs", "ideal_pairs"),
    ):  # fmt: skip
        rows = [(_name(one), getattr(one, name)) for one in figures.rates]
        yield from ("", inset(_shares(title, rows), *reasons_of(rows)))
    yield _LEGEND
    for split in ("type", "model"):
        tests = [test for test in figures.tests if test.split == split]
        if tests:
            yield from ("", _tests(split, tests))
    if figures.twice.value:
        for title, found in (
            ("Relevance, the first two labels of each item", figures.relevance_agreement),
            ("Flagged or not, items with two labels", figures.validity_agreement),
        ):
            yield from ("", inset(Heading(title), figure_table(found, "passages"), *sentences(found)))
        yield "Of the same counts: PABAK (Brennan-Prediger) takes no account of how rare a flag is, Fleiss' kappa does."
    timed = [(_name(one), one.minutes) for one in figures.rates if one.minutes.value is not None]
    if timed:
        told = ((name, *cells(figure, MISSING, digits=2), *numbers(figure.n)) for name, figure in timed)
        yield from ("", inset(table(("minutes for a label", "mean", "95% interval", "n"), told), *reasons_of(timed)))


def _name(one: QARates) -> str:
    return "all items" if not one.split else _stratum(one.split, one.stratum)


def _stratum(split: str, name: str) -> str:
    return TYPES.get(name, given(name)) if split == "type" else given(name)


def _shares(title: str, rows: Sequence[tuple[str, Estimate]]) -> Part:
    return table(
        (title, "share", "95% interval", "n", "left"),
        ((name, *cells(figure, MISSING), *numbers(figure.n, figure.dropped)) for name, figure in rows),
    )


def _tests(split: str, tests: Sequence[RateTest]) -> Part:
    rows = [
        (f"{_stratum(split, one.first)} - {_stratum(split, one.second)}",
         "" if one.difference is None else quantity(one.difference, "share_difference"), _z(one),
         p_words(one.test.pvalue), p_words(one.holm), p_words(one.bonferroni))
        for one in tests
    ]  # fmt: skip
    why = dict.fromkeys(reason for one in tests for reason in (one.test.reason, *one.test.notes) if reason)
    family = f"two-proportion z tests; a family of {tests[0].family}. Items are taken as independent."
    names = ("hallucination rate", "difference", "z", "p", "Holm", "Bonferroni")
    return inset(table(names, rows), *why, family)


def _z(one: RateTest) -> str:
    return "undefined" if one.test.statistic is None else half_up(one.test.statistic, 2)
