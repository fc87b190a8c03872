"""The command ``parse``: responses into statements, and what of them is none."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.network import authorities_from_config
from medreview.cli.options import Json, Reviewer, StudyFile
from medreview.cli.output import counted, one_line, progress, result
from medreview.next_step import command
from medreview.words import in_words

if TYPE_CHECKING:
    from medreview.statements.left_out import LeftOut
    from medreview.study import Study


def parse(
    study: StudyFile,
    list_left_out: Annotated[
        bool, typer.Option("--left-out", help="List what of the responses is no statement, and why.")
    ] = False,
    promote: Annotated[
        list[str] | None,
        typer.Option("--promote", metavar="ID", help="Make this part that is left out a statement; may be repeated."),
    ] = None,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Split the responses into statements, by rules, and find their references.

    Example: medreview parse sepsis.medreview --left-out
    """
    from medreview import pipeline
    from medreview.statements.left_out import left_out
    from medreview.study import Study

    with Study.open(study) as opened, progress() as bar:
        done = pipeline.parse(opened, bar, authorities_from_config(ask=False))
        if promote:
            promoted = _promote(opened, promote, reviewer)
            names = ", ".join(promoted.values())
            result({"statements": list(promoted)}, f"Statements now: {names}", as_json=as_json)
            return
        if list_left_out:
            found = list(left_out(opened.reader))
            result([asdict(part) for part in found], *_listed(opened, study, found), as_json=as_json)
            return
    empty = f"; {counted(done.empty, 'response')} without any" if done.empty else ""
    result(
        done,
        f"{counted(done.statements, 'statement')} in {counted(done.responses, 'response')}, "
        f"{counted(done.dropped, 'part')} left out{empty}",
        as_json=as_json,
    )


def _promote(study: "Study", ids: Sequence[str], reviewer: str | None) -> dict[str, str]:
    """The id of each new statement, with what the workbench calls it."""
    from medreview import pipeline
    from medreview.config import load_config
    from medreview.units.statement_view import load_name

    config = load_config()
    with progress() as bar:
        done = pipeline.promote(study, reviewer or config.reviewer, ids, progress=bar, synonyms=config.synonyms_file)
    return {unit: load_name(study.reader, unit) for unit in done.statements}


def _listed(study: "Study", path: Path, found: Sequence["LeftOut"]) -> list[str]:
    from medreview.cli.reports.layout import table
    from medreview.cli.reports.terminal import printed
    from medreview.labels import LEFT_OUT_REASONS
    from medreview.units.statement_view import response_name

    if not found:
        return ["Everything in the responses is a statement."]
    names = dict(study.reader.execute("SELECT response_id, ordinal FROM response").fetchall())
    rows = [
        (part.left_out_id, response_name(names[part.response_id]), in_words(part.reason), one_line(part.text))
        for part in found
    ]
    reasons = [
        f"{in_words(reason)}: {why}"
        for reason, why in LEFT_OUT_REASONS.items()
        if any(part.reason == reason for part in found)
    ]
    told = table(("id", "response", "reason", "text"), rows, first="never", long=("response", "reason", "text"))
    last = f"`{command('parse', path, '--promote', 'ID')}` makes one a statement."
    return printed([told, "", *reasons, "", last]).rstrip("\n").split("\n")
