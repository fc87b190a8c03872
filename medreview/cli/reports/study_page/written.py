"""The report as files: one page of HTML, and the same as Markdown."""

from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output, check_own, write_new
from medreview.cli.output import one_line
from medreview.cli.reports.page import check_page, write_html
from medreview.cli.reports.page_drawing import PageDrawer
from medreview.cli.reports.page_markdown import markdown
from medreview.cli.reports.study_page.material import Material
from medreview.cli.reports.study_page.sections import sections
from medreview.errors import UserError

_COMMAND: Final = "report"
_ENDINGS: Final = ("", ".md", ".markdown", ".txt")
_SIGN: Final = "<!-- medreview report -->\n"
"""What a report in Markdown begins with."""


def check_report(html: Path | None, text: Path | None) -> None:
    """Raise :class:`UserError` where the two below would: before the work, not after it."""
    if html is not None:
        if html.suffix.lower() in _ENDINGS[1:]:
            raise UserError(f"{html} would hold a page of HTML; for the same as Markdown, --markdown {html}.")
        check_page(html, _COMMAND)
    if text is not None:
        if text.suffix.lower() not in _ENDINGS:
            raise UserError(f"{text} would hold Markdown; name it {text.with_suffix('.md')}.")
        check_own(text, _SIGN.encode())


def write_report(material: Material, path: Path) -> Path:
    """Write the report as a page. Raises :class:`UserError` for a file in the place that is no earlier one of it."""
    found = list(sections(material))
    drawer = PageDrawer()
    body = (piece for section in found for piece in drawer.section(section))
    return write_html(path, _COMMAND, _title(material), body, contents=[(one.anchor, one.title) for one in found])


def write_markdown(material: Material, path: Path) -> Path:
    """Write the same as Markdown. Raises as :func:`write_report`."""
    with atomic_output(path, _SIGN.encode()) as partial:
        write_new(partial, _SIGN + "".join(markdown(_title(material), sections(material))).rstrip("\n") + "\n")
    return path


def _title(material: Material) -> str:
    return f"Review of {one_line(material.name)}"
