"""The report on a study as files, one page of HTML and the same as Markdown, and the order of its sections.

Markdown has tables and texts as they are, and of each plot its numbers. No HTML, and no link. A new section is a
function, and a row of ``_SECTIONS``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output, check_own, first_allowed, write_new
from medreview.cli.output import one_line
from medreview.cli.reports.layout import Bars, Check, Inset, NextStep, ReportTable, TableHeading, Title
from medreview.cli.reports.page import PageDrawer, bars_plot, check_page, write_html
from medreview.cli.reports.page_parts import (
    Details,
    FieldList,
    Grid,
    Listing,
    PagePart,
    Plot,
    QuotedText,
    ReportSection,
    Run,
    TextLine,
)
from medreview.cli.reports.study_page.checklists.checklist import checklist_section
from medreview.cli.reports.study_page.figure_sections import (
    citations_section,
    figures_section,
    judges_section,
    pace_section,
    plots_section,
)
from medreview.cli.reports.study_page.material import Material, gather
from medreview.cli.reports.study_page.methods import (
    limitations_section,
    provenance_section,
    reviewed_section,
)
from medreview.cli.reports.study_page.methods_paragraph import methods_section
from medreview.cli.reports.study_page.overridden import overridden_section, themes_section
from medreview.cli.reports.study_page.table_one import declared_section, table_one_section
from medreview.cli.reports.study_page.unit_sections import (
    answers_section,
    cases_section,
    cost_section,
    fact_themes_section,
    facts_section,
    references_section,
)
from medreview.cli.reports.unit_agreement import own_axis_section
from medreview.errors import UserError
from medreview.judges.fact_votes import has_votes
from medreview.progress import Progress
from medreview.study import Study
from medreview.study.audit_frame import listable

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
_BEGINS: Final = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))", re.MULTILINE)
_ADDRESS: Final = re.compile(r"(?i)\b(https?|ftp|mailto|www)([.:])")
"""Some readers make a link of an address that stands in a text."""


def markdown(title: str, sections: Iterable[ReportSection]) -> Iterator[str]:
    """The whole document, in pieces."""
    yield f"# {plain(title)}\n\n"
    for section in sections:
        yield f"## {plain(section.title)}\n\n"
        titled = any(isinstance(part, Title) or (isinstance(part, Details) and part.heading) for part in section.parts)
        yield from _parts(section.parts, 3 + titled)


def plain(text: str) -> str:
    """A text of any kind as Markdown that shows just that text."""
    return _BEGINS.sub(
        lambda hit: f"{hit[1]}\\{hit[2]}" if not hit[2].isdigit() else f"{hit[1]}{hit[2]}\\", _within_line(text)
    )


def _within_line(text: str) -> str:
    """The same for a text that never begins a line, so that a number needs no mark behind it."""
    return _ADDRESS.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", text))


def _parts(parts: Iterable[PagePart], level: int) -> Iterator[str]:
    """``level``: that of headings below the titles."""
    for part in parts:
        yield from _part(part, level)


def _part(part: PagePart, level: int) -> Iterator[str]:
    match part:
        case str():
            yield f"{plain(part)}\n\n" if part else ""
        case Title(text):
            yield f"### {plain(text)}\n\n"
        case TableHeading(text):
            yield f"{'#' * level} {plain(text)}\n\n"
        case Check(sentence, _):
            yield f"{plain(sentence)}\n\n"
        case NextStep(command):
            yield f"    {command}\n\n"
        case ReportTable():
            yield from _tabled(part)
        case Grid():
            yield f"**{plain(part.caption)}**\n\n"
            rows = [[cell.text for cell in row] for row in part.rows]
            yield from _table(part.columns, rows, [False] * len(part.columns))
        case Bars():
            yield from _plot(Plot(bars_plot(part)))
        case Plot():
            yield from _plot(part)
        case Inset(inner):
            yield from _parts(inner, level)
        case TextLine(runs):
            yield f"{_runs(runs)}\n\n"
        case QuotedText(runs):
            yield "".join(f"> {row}\\\n" if row else ">\n" for row in _runs(runs).split("\n")).removesuffix("\\\n")
            yield "\n\n"
        case Listing():
            yield from _listing(part, level)
        case FieldList(rows):
            yield "".join(f"- **{plain(name)}**: {plain(value)}\n" for name, value in rows) + "\n"
        case Details():
            yield f"### {plain(part.summary)}\n\n" if part.heading else f"**{plain(part.summary)}**\n\n"
            yield from _parts(part.parts, level)


def _plot(plot: Plot) -> Iterator[str]:
    if plot.tabled:
        yield f"The numbers of the plot “{plain(plot.drawing.title)}” stand in the table “{plain(plot.tabled)}”.\n\n"
    else:
        yield f"*{plain(plot.drawing.title)}*\n\n"
        yield from _tabled(plot.drawing.numbers)


def _tabled(table: ReportTable) -> Iterator[str]:
    heads = [column.name for column in table.columns] if table.header else [""] * len(table.columns)
    yield from _table(heads, table.rows, [column.right for column in table.columns])


def _listing(items: Listing, level: int) -> Iterator[str]:
    for parts in items.items:
        block = "".join(_parts(parts, level)).rstrip("\n").split("\n")
        yield f"- {block[0]}\n" + "".join(f"  {row}\n" if row else "\n" for row in block[1:])
    yield "\n"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool]) -> Iterator[str]:
    yield f"| {' | '.join(map(_cell, heads))} |\n"
    yield f"| {' | '.join('---:' if side else '---' for side in right)} |\n"
    for row in rows:
        cells = [_cell(cell) for cell in row]
        if cells[0] and not any(cells[1:]):  # the heading of the rows below it
            cells[0] = f"**{cells[0]}**"
        yield f"| {' | '.join(cells)} |\n"
    yield "\n"


def _cell(text: str) -> str:
    return _within_line(" ".join(text.split()))


def _runs(runs: Iterable[Run]) -> str:
    return "".join(map(_run, runs))


def _run(run: Run) -> str:
    note = f" ({plain(run.note)})" if run.note else ""
    text = plain(run.text)
    if run.tone in ("strong", "quote", "clash") and text.strip() == text and text and "\n" not in text:
        return f"**{text}**{note}"
    return text + note


_SECTIONS: Final[tuple[tuple[str, str, Callable[[Material], Iterator[PagePart]]], ...]] = (
    ("provenance", "Where this report comes from", provenance_section),
    ("plots", "The leading figures", plots_section),
    ("judges", "What judges are worth", judges_section),
    ("limitations", "Limitations", limitations_section),
    ("methods", "Methods, ready to paste", methods_section),
    ("table-1", "What the study is made of", table_one_section),
    ("reviewed", "What was reviewed, and how", reviewed_section),
    ("own-labels", "What else the study asks", lambda material: own_axis_section(material.figures)),
    ("figures", "Every figure", figures_section),
    ("pace", "Pace, and agreement with oneself", pace_section),
    ("citations", "What the answers cite", citations_section),
    ("references", "What the references turned out to be", references_section),
    ("cost", "Cost and time", cost_section),
    ("facts", "Key facts", facts_section),
    ("fact-themes", "Themes in omitted and contradicted facts", fact_themes_section),
    ("themes", "What is wrong where they differ", themes_section),
    ("overridden", "Where reviewers differ from the judges", overridden_section),
    ("answers", "Hallucinations marked in the answers", answers_section),
    ("cases", "The cases", cases_section),
    ("declared", "Ethics, funding and the like", declared_section),
)
"""Anchor, title and parts of each section, in the order of the report."""


def sections(material: Material, checklists: Iterable[str] = ()) -> Iterator[ReportSection]:
    """Those that the study has something for, each made when it is asked for; at the end these checklists."""
    titles = {}
    for anchor, title, parts_of in _SECTIONS:
        if parts := tuple(parts_of(material)):
            titles[anchor] = title
            yield ReportSection(anchor, title, parts)
    for name in checklists:
        yield checklist_section(name, material, titles)


def section_titles(material: Material) -> dict[str, str]:
    """The titles of those that a report on it has, by their anchors."""
    return {one.anchor: one.title for one in sections(material)}


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


def write_report(material: Material, path: Path, checklists: Iterable[str] = ()) -> Path:
    """Write the report as a page. Raises :class:`UserError` if the file there is not an earlier report of it."""
    found = list(sections(material, checklists))
    drawer = PageDrawer()
    body = (piece for section in found for piece in drawer.section(section))
    return write_html(path, _COMMAND, _title(material), body, contents=[(one.anchor, one.title) for one in found])


def write_beside(study: Study, reviewer: str, progress: Progress) -> Path:
    """Write the report as a page beside the study, for a reviewer who is at it; where it lies.

    An earlier report there is replaced; beside anything else it gets another name. The caller has noted the look.
    """
    path, reader = study.path, study.reader
    stem = path.with_suffix("").name
    page = first_allowed(lambda more: path.with_name(f"{stem}{more}.html"), lambda place: check_report(place, None))
    listed = None if has_votes(reader) else listable(reader, reviewer)
    return write_report(gather(reader, path.name, listed=listed, to=(reviewer,), progress=progress), page)


def write_markdown(material: Material, path: Path, checklists: Iterable[str] = ()) -> Path:
    """Write the same as Markdown. Raises as :func:`write_report`."""
    with atomic_output(path, _SIGN.encode()) as partial:
        write_new(
            partial, _SIGN + "".join(markdown(_title(material), sections(material, checklists))).rstrip("\n") + "\n"
        )
    return path


def _title(material: Material) -> str:
    return f"Review of {one_line(material.name)}"
