"""Whole responses beside the same reviewer's statements, as tables."""

from collections.abc import Iterator

from medreview.cli.reports.layout import Part, Title
from medreview.cli.reports.units.agreement import agreement_part
from medreview.stats.units.scales import ALL_SUPPORTED
from medreview.stats.units.whole_responses import WholeResponseFigures


def whole_response_parts(figures: WholeResponseFigures) -> Iterator[Part]:
    """Each reviewer's word on responses beside what their labels on the statements come to."""
    if figures.own_statements:
        yield Title("Beside the same reviewer's labels on the statements")
        yield "no: as soon as one statement is not supported; yes: when all have a label and are supported."
    for each in figures.own_statements:
        yield from ("", agreement_part(each, ALL_SUPPORTED.labels, ALL_SUPPORTED.title, "all_supported", "response"))
