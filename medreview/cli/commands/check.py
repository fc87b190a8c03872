"""The command ``check``: is the study whole?"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, result


def check(
    study: StudyFile,
    against: Annotated[
        list[Path] | None, typer.Option(metavar="FOLDER", help="An export that must have been made of it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Look whether the study is whole: every stored value, places, and the chain of decisions. Changes nothing.

    Exit code 1 when something is wrong. Example: medreview check sepsis.medreview --against labels
    """
    from medreview.cli.output import say
    from medreview.exchange.files.export_folder import not_as_exported
    from medreview.study import Study
    from medreview.study.check import check_study

    with Study.open(study, read_only=True, altered_too=True) as opened:
        found = check_study(opened)
        wrong = [*found.faults, *(fault for folder in against or () for fault in not_as_exported(opened, folder))]
    for sentence in wrong:
        say(sentence)
    if found.package:
        say(found.package.words)
    faults = counted(len(wrong), "fault") if wrong else "whole"
    events = "events that cannot be counted" if found.events is None else counted(found.events, "event")
    told = {"faults": wrong, "events": found.events, "package": asdict(found.package) if found.package else None}
    result(told, f"{study}: {faults}, {events}", as_json=as_json)
    raise typer.Exit(1 if wrong else 0)
