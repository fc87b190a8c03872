"""The command ``recent``: the studies that were opened for review last, and what is open in each."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.options import Json
from medreview.cli.output import result


def recent(
    forget: Annotated[
        Path | None, typer.Option("--forget", metavar="STUDY", help="Take this study off the list; its file stays.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the studies that were opened for review last, newest first, and what is open in each.

    On a terminal `medreview` alone lists them too, and opens the one you choose. The studies are only read.

    Example: medreview recent
    """
    from medreview.cli.reports.recent import as_told, study_lines
    from medreview.config import load_config
    from medreview.recent_studies import look_at
    from medreview.study import recent_list

    if forget is not None:
        was_there = recent_list.forget(forget)
        said = "is off the list; its file stays as it is" if was_there else "was not on the list"
        result({"study": str(forget), "forgotten": was_there}, f"{forget} {said}.", as_json=as_json)
        return
    reviewer = load_config().reviewer
    found = [look_at(one, reviewer) for one in recent_list.recent_list()]
    lines = [line for number, study in enumerate(found, 1) for line in study_lines(number, study)]
    result(
        {"studies": [as_told(study) for study in found]},
        *(lines or ["No study was opened for review yet."]),
        as_json=as_json,
    )
