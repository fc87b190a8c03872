"""The command ``generate brief``."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medreview.cli.generate_options import Wanted, generator_command
from medreview.cli.generating import generate_with
from medreview.cli.options import StudyFile
from medreview.cli.output import bad_records, counted, odd_records, say

if TYPE_CHECKING:
    from medreview.generators.counts import GenerationCounts
    from medreview.study import Study

Notes = Annotated[Path | None, typer.Argument(metavar="[NOTES]", help="Clinical notes, or cases, to import first.")]


@generator_command(verifies=True)
def brief(
    study: StudyFile,
    wanted: Wanted,
    notes: Notes = None,
    single_prompt: Annotated[
        bool, typer.Option("--single-prompt", help="All notes in one question, to compare the stages with.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE.html", help="Also write all briefs as a page, with their notes beside."),
    ] = None,
) -> None:
    """Write a summary of each case's hospital stay from its notes: draft, refine note by note, reorganise, verify.

    Each statement keeps the tags of its notes; one that they do not support is deleted and listed. The summary becomes
    a response to the case's question that cites the notes, so that every statement is reviewed beside its note. Another
    judge of the settings verifies, unless --judge names one.

    Example: medreview generate brief ward.medreview notes.jsonl --model writer --judge checker
    """
    from medreview.cli.reports.brief_page import check_brief_page
    from medreview.generators.brief.generator import Brief
    from medreview.generators.brief.single_prompt import SinglePrompt

    if html is not None:
        check_brief_page(html)
    wanted = replace(wanted, verified=not single_prompt)
    generate_with(
        study,
        SinglePrompt if single_prompt else Brief,
        wanted,
        before=partial(_bring_in, path=notes),
        figures=partial(_figures, page=html),
    )


def _bring_in(study: "Study", path: Path | None) -> None:
    if path is None:
        return
    from medreview import pipeline
    from medreview.cli.importing import imported_sentence

    done = pipeline.bring_in(study, path, {})
    bad_records(done.bad, path)
    odd_records(done.odd, path)
    say(imported_sentence(done))


def _figures(study: "Study", counts: "GenerationCounts", page: Path | None) -> tuple[dict[str, Any], list[str]]:
    """What of the run is not counted by code: statements kept, those that could not be verified, advice of its own."""
    from dataclasses import asdict

    from medreview.cli.looking import looked
    from medreview.cli.reports.brief_page import write_brief_page
    from medreview.generators.brief.stored import brief_counts, stored_briefs

    found = brief_counts(study.reader, counts.run_id)
    lines = [f"  {counted(found.kept, 'statement')} kept, {found.deleted:,} deleted"] if found.kept else []
    if found.unverified:
        lines.append(f"  {found.unverified:,} of those kept could not be verified: no answer of the judge was of use")
    if found.own_advice:
        lines.append(f"  {counted(found.own_advice, 'statement')} with advice that no note has, left as it is")
    if page is not None:
        looked(study, "generate brief", "verdicts")
        lines.append(f"written: {write_brief_page(list(stored_briefs(study.reader)), study.path.name, page)}")
    return {"briefs": asdict(found)}, lines
