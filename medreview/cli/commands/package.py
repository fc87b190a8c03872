"""The command ``package``: a copy of the study for a colleague."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.options import Json, Reviewer, StudyFile
from medreview.cli.output import counted, progress, result

_ALL = "judges,models,gold,labels,notes"


def package(
    study: StudyFile,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The new file.")],
    without: Annotated[
        str,
        typer.Option(
            metavar="PARTS",
            help="What is left out, parted by commas: judges (what machines say), models (names of the models that "
            "wrote the texts), gold (right labels), labels and notes (other reviewers'); none leaves nothing out.",
        ),
    ] = _ALL,
    made_for: Annotated[
        str, typer.Option("--for", metavar="NAME", help="A reviewer whose own labels, notes and drafts stay in it.")
    ] = "",
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Make a self-contained copy of the study for a colleague, without what must not be known before a blind decision.

    What is decided in the copy comes back with `merge`; nothing of what was left out is removed here. The copy says of
    itself what is not in it: on its first screen and in `check`. A copy without judges is reviewed blind.

    Example: medreview package sepsis.medreview sepsis-for-anna.medreview --for anna
    """
    from medreview.config import load_config
    from medreview.exchange.exports.package import package as make
    from medreview.exchange.exports.package import parts_named
    from medreview.study import Study

    parts = parts_named(without)
    with Study.open(study, read_only=True) as opened, progress() as bar:
        who = reviewer or load_config().reviewer
        made = make(opened, out, who, without=parts, made_for=made_for, progress=bar)
    lines = [f"{out}: {made.words}", f"{counted(made.events, 'event')} of the record left out"]
    result({"file": str(out), **asdict(made)}, *lines, as_json=as_json)
