"""References that the rules accuse beside what reviewers say of them, as tables."""

from collections.abc import Iterator

from medreview.cli.output import one_line
from medreview.cli.reports.layout import Heading, Part, Title, inset
from medreview.cli.reports.units.figure_tables import figure_table, sentences
from medreview.stats.units.references import Accusations, ReferenceUnitFigures

_NOTE = (
    "Accused: described wrongly, another work's identifier, or not found. False: the reviewer calls it a match. "
    "Lead with the share of accused: where triage chose what was labelled, the others are not those of all references."
)


def reference_unit_parts(figures: ReferenceUnitFigures) -> Iterator[Part]:
    """False accusations first: what honest references suffer."""
    if not figures.accusations:
        return
    yield Title("False accusations")
    yield _NOTE
    for each in figures.accusations:
        yield from ("", _accusations(each))


def _accusations(each: Accusations) -> Part:
    shown = (each.false, *(figure for figure in each.by_verdict if figure.n or figure.dropped), each.honest)
    return inset(
        Heading(f"{one_line(each.machine)} beside {one_line(each.reviewer)}, {each.which} labels"),
        figure_table(shown, "responses"),
        *sentences(shown),
    )
