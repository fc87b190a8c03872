"""Answers with planted hallucinations by data set and type, as a table beside MedHalu's."""

from collections.abc import Iterator

from medreview.cli.output import given
from medreview.cli.reports.layout import Part, Title, inset, numbers, table
from medreview.stats.reports.planted_report import PlantedFigures


def planted_parts(figures: PlantedFigures) -> Iterator[Part]:
    """The table; nothing for a study without any."""
    if not figures.by_origin:
        return
    rows = [(given(origin), counts) for origin, counts in figures.by_origin.items()]
    rows += [("all", figures.all), ("MedHalu", figures.paper)]
    names = ("data set", *figures.paper, "together")
    yield Title("Planted hallucinations, by data set and type")
    yield inset(table(names, ((name, *numbers(*(counts[kind] for kind in figures.paper), sum(counts.values())))
                              for name, counts in rows)))  # fmt: skip
