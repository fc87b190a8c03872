"""Commands on the study file (export, merge, backup, check, where) and on what comes with the program (prompts)."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from medreview.cli.output import counted, progress, result
from medreview.errors import UserError

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY", help="The study file.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    for command in (export, merge, backup, check, where, prompts):
        app.command()(command)


def export(
    study: StudyFile,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or an earlier export of this study.")],
    dialect: Annotated[
        Literal["analysis", "excel"],
        typer.Option(help="analysis: plain UTF-8, untouched. excel: opens well in Excel, formulas guarded."),
    ] = "analysis",
    as_json: Json = False,
) -> None:
    """Write labels, spans, judgements and events as CSV files, with a codebook and a manifest.

    Example: medreview export sepsis.medreview labels-2026-11
    """
    from medreview.exchange.export import export as write
    from medreview.study import Study

    with Study.open(study, read_only=True) as opened, progress() as bar:
        summary = write(opened, folder, dialect, bar)
    labels = summary.files.get("labels.csv", 0)
    result(summary, f"{counted(labels, 'label')} and {len(summary.files) - 1} more files in {folder}", as_json=as_json)


def merge(
    study: StudyFile,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="A colleague's copy of the study.")],
    as_json: Json = False,
) -> None:
    """Bring the decisions of a colleague's copy into this study. Merging twice adds nothing.

    Example: medreview merge sepsis.medreview sepsis-from-anna.medreview
    """
    from medreview.study import Study
    from medreview.study.merge import merge as bring

    with Study.open(study) as opened:
        summary = bring(opened, other)
    known = f", {counted(summary.known, 'event')} known already" if summary.known else ""
    foreign = f", {counted(summary.foreign, 'event')} on other material left out" if summary.foreign else ""
    result(summary, f"{counted(summary.added, 'event')} added{known}{foreign}", as_json=as_json)


def backup(
    study: StudyFile,
    target: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Default: a dated copy beside it.")] = None,
    as_json: Json = False,
) -> None:
    """Copy the study, also while it is in use. A review makes a copy by itself when it starts.

    Example: medreview backup sepsis.medreview /media/usb/sepsis.medreview
    """
    from datetime import datetime

    from medreview.study import Study
    from medreview.study.backup import backup_to

    Study.open(study, read_only=True).close()
    target = target or study.with_name(f"{study.stem}-{datetime.now():%Y%m%d-%H%M%S}{study.suffix}")
    made = backup_to(study, target)
    result({"copy": str(made), "bytes": made.stat().st_size}, f"copied to {made}", as_json=as_json)


def check(study: StudyFile, as_json: Json = False) -> None:
    """Look whether the study is whole: structure, texts, places, and the chain of decisions. Changes nothing.

    Exit code 1 when something is wrong. Example: medreview check sepsis.medreview
    """
    from medreview.cli.output import say
    from medreview.study import Study
    from medreview.study.check import check as look

    with Study.open(study, read_only=True) as opened:
        wrong = look(opened.reader)
        events = opened.reader.execute("SELECT count(*) FROM event").fetchone()[0]
    for sentence in wrong:
        say(sentence)
    found = counted(len(wrong), "fault") if wrong else "whole"
    result({"faults": wrong, "events": events}, f"{study}: {found}, {counted(events, 'event')}", as_json=as_json)
    raise typer.Exit(1 if wrong else 0)


def where(
    study: Annotated[Path | None, typer.Argument(metavar="[STUDY]", help="A study, to see its copies too.")] = None,
    as_json: Json = False,
) -> None:
    """Say where settings, study and copies are.

    Example: medreview where sepsis.medreview
    """
    from medreview.config import FILE_NAME, config_folder, find_config
    from medreview.study.backup import backup_folder

    found = find_config()
    places = {"settings": str(found) if found else f"none; would be {config_folder() / FILE_NAME}"}
    if study:
        places |= {"study": str(study.resolve()), "copies": str(backup_folder(study.resolve()))}
    result(places, "\n".join(f"{name:9}{place}" for name, place in places.items()), as_json=as_json)


def prompts(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A task; without it, all are listed.")] = None,
    whole: Annotated[
        bool, typer.Option("--file", help="The whole file that comes with the program, to make your own of it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what judges are asked, to put the same question to a model elsewhere and import its answers.

    Example: medreview prompts source_verification
    """
    from medreview.config import load_config
    from medreview.judges.prompts import load_prompt, prompt_file, prompt_names

    if whole:
        if name is None:
            raise UserError("--file is for one task: medreview prompts NAME --file.")
        print(prompt_file(name), end="")
        return
    own = load_config().prompts
    folder = Path(own) if own else None
    if name is None:
        known = [load_prompt(task, folder) for task in prompt_names()]
        listed = {prompt.id: prompt.sha256 for prompt in known}
        result(listed, "\n".join(f"{key}  sha256 {value[:12]}" for key, value in listed.items()), as_json=as_json)
        return
    result(prompt := load_prompt(name, folder), prompt.text, as_json=as_json)
