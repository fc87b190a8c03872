"""The command ``generate brief``."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.generating import (
    Again,
    BatchInFiles,
    BatchOutFile,
    DryRun,
    Limit,
    LocalOnly,
    Model,
    Verifier,
    Wanted,
    generate_with,
)
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import bad_records, say

if TYPE_CHECKING:
    from medreview.study import Study

Notes = Annotated[
    Path | None,
    typer.Argument(metavar="[NOTES]", help="Clinical notes or cases to bring in before.", show_default=False),
]


def brief(
    study: StudyFile,
    notes: Notes = None,
    model: Model = "",
    judge: Verifier = "",
    single_prompt: Annotated[
        bool, typer.Option("--single-prompt", help="All notes in one question, to compare the stages with.")
    ] = False,
    limit: Limit = None,
    again: Again = False,
    dry_run: DryRun = False,
    local_only: LocalOnly = False,
    batch_out: BatchOutFile = None,
    batch_in: BatchInFiles = None,
    as_json: Json = False,
) -> None:
    """Write a summary of each case's hospital stay from its notes: draft, refine note by note, reorganise, verify.

    Each statement keeps the tags of its notes; one that they do not support is deleted and listed. The summary becomes
    a response to the case's question that cites the notes, so that every statement is reviewed beside its note.
    Without --judge the model verifies what it wrote itself.

    Example: medreview generate brief ward.medreview notes.jsonl --model writer --judge checker
    """
    from medreview.generators.brief.generator import Brief
    from medreview.generators.brief.single_prompt import SinglePrompt

    make = SinglePrompt if single_prompt else Brief
    wanted = Wanted(model, judge, limit, again, dry_run, local_only, batch_out, batch_in or (), as_json)
    if model and not single_prompt and judge in ("", model):
        say(f"The model {model} verifies what it wrote itself; --judge NAME asks another one.")
    generate_with(study, make, wanted, before=partial(_bring_in, path=notes))


def _bring_in(study: "Study", path: Path | None) -> None:
    if path is None:
        return
    from medreview import pipeline
    from medreview.cli.importing import imported_sentence

    done = pipeline.bring_in(study, path, {})
    bad_records(done.bad, path)
    say(imported_sentence(done))
