"""A page for each system and for each case: what its texts say of the key facts, by whom, and the texts themselves.

The pages lie in one folder, ``system-01-NAME.html`` ... in the order of the scores and ``case-01-NAME.html`` ... in
that of the cases. Each is whole by itself, so that the makers of one system can be given theirs alone.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from medreview.atomic_output import Outputs, atomic_outputs
from medreview.cli.output import given, one_line
from medreview.cli.reports.page import PageDrawer, check_page, write_html
from medreview.cli.reports.page_parts import PagePart, ReportSection
from medreview.cli.reports.study_page.unit_sections import case_parts, fact_parts, theme_parts
from medreview.errors import UserError
from medreview.judges.rollup import tie_rule
from medreview.labels import TieRule
from medreview.progress import Progress
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.fact_report import FactReport, report_on, system_scores
from medreview.units.held_facts import HeldFact, held_facts

_COMMAND: Final = "report"
_NO_NAME: Final = re.compile(r"[^a-z0-9]+")
_LONGEST: Final = 40


def check_folder(folder: Path) -> None:
    """Raise :class:`UserError` where pages cannot lie: before the work, not after it."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; name a folder for the pages of systems and cases.")
    for path in folder.glob("*.html") if folder.exists() else ():
        check_page(path, _COMMAND)


def write_fact_pages(
    reader: sqlite3.Connection, folder: Path, name: str, tie: TieRule | None, resampling: Resampling, progress: Progress
) -> list[Path]:
    """Write them, all of them or none; where they lie. ``name``: of the study's file.

    Raises :class:`UserError` without a text that is held against a key fact, and where a page cannot be written.
    """
    facts = held_facts(reader)
    if not facts.held:
        raise UserError("No text of the study is held against a key fact: there is no system and no case to report on.")
    scores = system_scores(facts, tie or tie_rule(reader), resampling)
    folder.mkdir(parents=True, exist_ok=True)

    def part(wanted: Callable[[HeldFact], bool]) -> FactReport:
        return report_on(reader, facts.where(wanted), tie=tie, resampling=resampling)

    progress.begin("pages", len(scores) + len(facts.cases))
    written = []
    with atomic_outputs() as outputs:
        for number, score in enumerate(scores, 1):
            report = part(lambda one, system=score.system: one.text.system == system)  # type: ignore[misc]
            place = f"Place {number} of {len(scores)} by the facts that the texts say."
            title = f"{given(score.system)} in {one_line(name)}"
            path = folder / f"system-{number:02d}{_slug(score.system)}.html"
            written.append(_write(path, title, report, place, outputs))
            progress.step(1)
        for number, case in enumerate(facts.cases, 1):
            if all(one.case.case_id != case.case_id for one in facts.held):
                continue
            report = part(lambda one, case_id=case.case_id: one.case.case_id == case_id)  # type: ignore[misc]
            title = " ".join(filter(None, (case.name, one_line(case.title), "in", one_line(name))))
            path = folder / f"case-{number:02d}{_slug(case.title)}.html"
            written.append(_write(path, title, report, "", outputs))
            progress.step(1)
    return written


def _write(path: Path, title: str, report: FactReport, place: str, among: Outputs) -> Path:
    def sections() -> Iterator[ReportSection]:
        said: tuple[PagePart, ...] = (place,) if place else ()
        yield ReportSection("facts", "Key facts", (*said, *fact_parts(report)))
        if themes := tuple(theme_parts(report)):
            yield ReportSection("fact-themes", "Themes in omitted and contradicted facts", themes)
        yield ReportSection("cases", "Texts", tuple(case_parts(report)))

    found, drawer = list(sections()), PageDrawer()
    body = (piece for section in found for piece in drawer.section(section))
    return write_html(path, _COMMAND, title, body, contents=[(one.anchor, one.title) for one in found], among=among)


def _slug(name: str) -> str:
    """A name from outside as the end of a file's name: letters and digits alone."""
    words = _NO_NAME.sub("-", name.casefold()).strip("-")[:_LONGEST].strip("-")
    return f"-{words}" if words else ""
