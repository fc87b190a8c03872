"""The command ``backup``: a copy of the study."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.options import Json, StudyFile
from medreview.cli.output import result


def backup(
    study: StudyFile,
    target: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Default: a dated copy beside it.")] = None,
    as_json: Json = False,
) -> None:
    """Copy the study, also while it is in use. A review makes a copy by itself when it starts.

    Example: medreview backup sepsis.medreview /media/usb/sepsis.medreview
    """
    from medreview.study import Study
    from medreview.study.backup import backup_to

    Study.open(study, read_only=True).close()
    made = backup_to(study, target)
    result({"copy": str(made), "bytes": made.stat().st_size}, f"copied to {made}", as_json=as_json)
