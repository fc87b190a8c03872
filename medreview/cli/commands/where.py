"""The command ``where``: which files are used."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.options import Json, study_path
from medreview.cli.output import result


def where(
    study: Annotated[
        Path | None, typer.Argument(metavar="[STUDY]", help="A study, to see its copies too.", callback=study_path)
    ] = None,
    as_json: Json = False,
) -> None:
    """Say where settings, study and copies are.

    Example: medreview where sepsis.medreview
    """
    from medreview.config import load_config
    from medreview.settings_places import FILE_NAME, config_folder, find_configs
    from medreview.study.backup import backup_folder

    found = " and ".join(str(path) for path in find_configs())
    places = {"settings": found or f"none; would be {config_folder() / FILE_NAME}"}
    if untrusted := load_config().untrusted:
        places["untrusted"] = ", ".join(untrusted)
    if study:
        places |= {"study": str(study.resolve()), "copies": str(backup_folder(study.resolve()))}
    result(places, *(f"{name:10}{place}" for name, place in places.items()), as_json=as_json)
