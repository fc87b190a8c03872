"""The command ``merge``: a colleague's decisions."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result


def merge(
    study: StudyFile,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="A colleague's copy of the study.")],
    as_json: Json = False,
) -> None:
    """Bring the decisions of a colleague's copy into this study. Merging twice adds nothing.

    Example: medreview merge sepsis.medreview sepsis-from-anna.medreview
    """
    from medreview import pipeline
    from medreview.review.edit_conflicts import edit_conflicts
    from medreview.study import Study

    with Study.open(study) as opened, progress() as bar:
        summary = pipeline.merge(opened, other, bar)
        lost = edit_conflicts(opened.reader)
    known = f", {counted(summary.known, 'event')} known already" if summary.known else ""
    foreign = f", {counted(summary.foreign, 'event')} on other material left out" if summary.foreign else ""
    told = asdict(summary) | {"edits_that_do_not_stand": lost}
    result(told, f"{counted(summary.added, 'event')} added{known}{foreign}", *lost, as_json=as_json)
