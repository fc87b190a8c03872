"""The commands on a study as a file: ``check``, ``backup``, ``package`` for a colleague, ``merge`` what comes back."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from medreview.cli.options import Json, Reviewer, StudyFile, decider, open_study
from medreview.cli.output import counted, progress, result, say


def check(
    study: StudyFile,
    against: Annotated[
        list[Path] | None, Option(metavar="FOLDER", help="An export that must have been made of it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Look whether the study is whole: every stored value, places, and the chain of decisions. Changes nothing.

    Exit code 1 when something is wrong. Example: medreview check sepsis.medreview --against labels
    """
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


def backup(
    study: StudyFile,
    target: Annotated[Path | None, Argument(metavar="[FILE]", help="Default: a dated copy beside it.")] = None,
    as_json: Json = False,
) -> None:
    """Copy the study, also while it is in use. A review makes a copy by itself when it starts.

    Example: medreview backup sepsis.medreview /media/usb/sepsis.medreview
    """
    from medreview.study.backup import backup_to

    open_study(study, read_only=True).close()
    made = backup_to(study, target)
    result({"copy": str(made), "bytes": made.stat().st_size}, f"copied to {made}", as_json=as_json)


_ALL = "judges,models,gold,labels,notes"


def package(
    study: StudyFile,
    out: Annotated[Path, Argument(metavar="OUT", help="The new file.")],
    without: Annotated[
        str,
        Option(
            metavar="PARTS",
            help="What is left out, parted by commas: judges (what machines say), models (names of the models that "
            "wrote the texts), gold (right labels), labels and notes (other reviewers'); none leaves nothing out.",
        ),
    ] = _ALL,
    made_for: Annotated[
        str, Option("--for", metavar="NAME", help="A reviewer whose own labels, notes and drafts stay in it.")
    ] = "",
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Make a self-contained copy of the study for a colleague, without what must not be known before a blind decision.

    What is decided in the copy comes back with `merge`; nothing of what was left out is removed here. The copy says of
    itself what is not in it: on its first screen and in `check`. A copy without judges is reviewed blind.

    Example: medreview package sepsis.medreview sepsis-for-anna.medreview --for anna
    """
    from medreview.exchange.exports.package import package as make
    from medreview.exchange.exports.package import parts_named

    parts = parts_named(without)
    with open_study(study, read_only=True) as opened, progress() as bar:
        who = decider(reviewer)
        made = make(opened, out, who, without=parts, made_for=made_for, progress=bar)
    lines = [f"{out}: {made.words}", f"{counted(made.events, 'event')} of the record left out"]
    result({"file": str(out), **asdict(made)}, *lines, as_json=as_json)


def merge(
    study: StudyFile,
    other: Annotated[Path, Argument(metavar="OTHER", help="A colleague's copy of the study.")],
    as_json: Json = False,
) -> None:
    """Bring the decisions of a colleague's copy into this study. Merging twice adds nothing.

    Example: medreview merge sepsis.medreview sepsis-from-anna.medreview
    """
    from medreview import pipeline
    from medreview.review.statement_editing import edit_conflicts

    with open_study(study) as opened, progress() as bar:
        summary = pipeline.merge(opened, other, bar)
        lost = edit_conflicts(opened.reader)
    known = f", {counted(summary.known, 'event')} known already" if summary.known else ""
    foreign = f", {counted(summary.foreign, 'event')} on other material left out" if summary.foreign else ""
    told = asdict(summary) | {"edits_that_do_not_stand": lost}
    result(told, f"{counted(summary.added, 'event')} added{known}{foreign}", *lost, as_json=as_json)
