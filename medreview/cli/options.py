"""Arguments and options that many commands share."""

from pathlib import Path
from typing import Annotated

import typer


def study_path(path: Path | None) -> Path | None:
    """The path as it is; refuses what can be no study (a pipe would be waited for), before a command does anything."""
    if path is not None:
        from medreview.study.file_kind import refuse_no_file

        refuse_no_file(path)
    return path


StudyFile = Annotated[Path, typer.Argument(metavar="STUDY", help="The study file.", callback=study_path)]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
"""Every command with a result can print it for a script."""
Reviewer = Annotated[str | None, typer.Option(help="Who decides; default: from the settings, else the login name.")]
