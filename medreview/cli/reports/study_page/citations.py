"""What the answers cite, by the allow-list that comes with the program."""

from medreview.cli.reports.citations import report_parts
from medreview.cli.reports.page_parts import Section
from medreview.cli.reports.study_page.material import Material


def citations_section(material: Material) -> Section | None:
    """The same as ``medreview citations`` says, with the bars of the responses that are worst."""
    if material.citations is None:
        return None
    parts = report_parts(material.citations, material.name, (), full=False)
    return Section("citations", "What the answers cite", tuple(parts))
