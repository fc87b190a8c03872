"""The command ``review``: the workbench, or line prompts."""

from typing import Annotated

import typer

from medreview.cli.opening import Reviewer, open_review
from medreview.cli.options import StudyFile
from medreview.errors import UserError
from medreview.review.queue_kinds import KINDS


def review(
    study: StudyFile,
    queue: Annotated[
        str | None,
        typer.Option(help=f"One of {', '.join(kind.name for kind in KINDS)}; default: the first screen."),
    ] = None,
    filter: Annotated[str, typer.Option(help="Only some of the queue, e.g. 'model=atlas-2 badge=quote'.")] = "",
    audit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Draw an audit of N statements or more, and open it.")
    ] = None,
    blind: Annotated[bool, typer.Option("--blind", help="Hide the judges until you decide.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Look, decide nothing.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Line prompts, for screen readers and scripts.")] = False,
    reviewer: Reviewer = None,
) -> None:
    """Review statements beside their sources; everything is saved as you decide.

    Without --queue, the first screen opens at where you left off: Enter goes on there.

    Example: medreview review sepsis.medreview --queue audit
    """
    from medreview.study import Study

    if audit is not None and queue not in (None, "audit"):
        raise UserError("--audit opens the audit; name no other queue with it.")
    with Study.open(study, read_only=read_only) as opened:
        if audit is not None:
            from medreview.config import load_config
            from medreview.review.audit import draw

            draw(opened, reviewer or load_config().reviewer, size=audit)
            queue = "audit"
        open_review(opened, reviewer, queue, filter, blind, plain=plain)
