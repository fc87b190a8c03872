"""The command ``review``: the workbench, or line prompts."""

from typing import Annotated

import typer

from medreview.cli.opening import Reviewer, open_review
from medreview.cli.options import StudyFile
from medreview.review.queue_kinds import KINDS


def review(
    study: StudyFile,
    queue: Annotated[
        str | None,
        typer.Option(help=f"One of {', '.join(kind.name for kind in KINDS)}; default: where you were."),
    ] = None,
    filter: Annotated[str, typer.Option(help="Only some of the queue, e.g. 'model=atlas-2 badge=quote'.")] = "",
    blind: Annotated[bool, typer.Option("--blind", help="Hide the judges until you decide.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Look, decide nothing.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Line prompts, for screen readers and scripts.")] = False,
    reviewer: Reviewer = None,
) -> None:
    """Review statements beside their sources. Opens where you left off; everything is saved as you decide.

    Example: medreview review sepsis.medreview --queue audit
    """
    from medreview.study import Study

    with Study.open(study, read_only=read_only) as opened:
        open_review(opened, reviewer, queue, filter, blind, plain=plain)
