"""The order of the report: a new section is a function, and a place in this list."""

from collections.abc import Callable, Iterator
from typing import Final

from medreview.cli.reports.page_parts import Section
from medreview.cli.reports.study_page.answers import answers_section
from medreview.cli.reports.study_page.citations import citations_section
from medreview.cli.reports.study_page.cost import cost_section
from medreview.cli.reports.study_page.facts import cases_section, fact_themes_section, facts_section
from medreview.cli.reports.study_page.figures import figures_section
from medreview.cli.reports.study_page.head import provenance_section
from medreview.cli.reports.study_page.leading import plots_section
from medreview.cli.reports.study_page.limitations import limitations_section
from medreview.cli.reports.study_page.material import Material
from medreview.cli.reports.study_page.methods import methods_section
from medreview.cli.reports.study_page.overridden import overridden_section
from medreview.cli.reports.study_page.pace import pace_section
from medreview.cli.reports.study_page.references import references_section
from medreview.cli.reports.study_page.reviewed import reviewed_section
from medreview.cli.reports.study_page.themes import themes_section

_ORDER: Final[tuple[Callable[[Material], Section | None], ...]] = (
    provenance_section,
    plots_section,
    limitations_section,
    methods_section,
    reviewed_section,
    figures_section,
    pace_section,
    citations_section,
    references_section,
    cost_section,
    facts_section,
    fact_themes_section,
    themes_section,
    overridden_section,
    answers_section,
    cases_section,
)


def sections(material: Material) -> Iterator[Section]:
    """Those that the study has something for, each made when it is asked for."""
    return (section for make in _ORDER if (section := make(material)) is not None)
