"""The command ``second-pass``: a share of what was decided comes back, with the first label hidden."""

from dataclasses import asdict
from typing import Annotated

import typer

from medreview.cli.options import Json, Reviewer, StudyFile
from medreview.cli.output import counted, result


def second_pass(
    study: StudyFile,
    share: Annotated[
        float | None,
        typer.Option(metavar="R", help="How much of what was decided comes back: 0.1 is a tenth, 0 nothing."),
    ] = None,
    after: Annotated[
        int | None, typer.Option(metavar="DAYS", help="Days after the first decision; at first 14.")
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="TEXT", help="Draws it; default: the id of the study.")] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Show or set the second pass: how well a reviewer agrees with himself or herself (intra-rater).

    What is due waits in the queue "second", blind, with your labels, notes and spans of the first pass hidden.

    Example: medreview second-pass sepsis.medreview --share 0.1 --after 14
    """
    from medreview.config import load_config
    from medreview.review import second_pass as passes
    from medreview.study import Study

    who = reviewer or load_config().reviewer
    setting = (share, after, seed) != (None, None, None)
    with Study.open(study, read_only=not setting) as opened:
        if setting:
            passes.set_second_pass(opened, who, share=share, after_days=after, seed=seed)
        now = passes.second_pass(opened.reader)
        found = passes.pass_progress(opened.reader, who)
    if now.share:
        days = counted(now.after_days, "day")
        lines = [f"{now.share:.1%} of what is decided comes back after {days}",
                 f"{who}: {found.drawn} drawn, {found.due} due, {found.later} later, {found.done} done"]  # fmt: skip
    else:
        lines = ["There is no second pass; `--share 0.1` brings a tenth of what is decided back."]
    if found.done:
        lines.append(f"the same label both times: {found.same} of {found.done}")
    result({"reviewer": who, **asdict(now), **asdict(found)}, *lines, as_json=as_json)
