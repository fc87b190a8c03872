"""The command ``import``: answers and judgements from files."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from medreview.cli.importing import (
    imported_sentence,
    kept_before,
    opened_or_made,
    say_what_is_missing,
    show_first,
)
from medreview.cli.mapping import Map, read_mapping
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, progress, result
from medreview.errors import UserError

_NAMED: Final = 10
"""Pages that a message names; ``--json`` has all."""


def import_(
    study: StudyFile,
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE...]", help="Answers, judgements, tables or exports.")
    ] = None,
    mapping: Map = None,
    as_copy: Annotated[bool, typer.Option("--as-copy", help="Take the export of another study, too.")] = False,
    correct: Annotated[
        Literal["after", "shown"] | None,
        typer.Option("--correct-answer", help="When reviewers see correct answers; as before, else after they decide."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what the files hold; nothing is written.")] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take the newest import back, while nobody has decided anything since.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Bring answers or judgements into a study: JSON, JSON lines, CSV, text, SourceCheckup tables, exports.

    The study is copied first. On a terminal the first records are shown before anything is stored. --undo puts the
    study back to that copy, whether `import`, `run` or `review` brought the files: pages that were fetched and
    statements that were made since go with them.

    Example: medreview import sepsis.medreview answers.csv --map answer_text=response
    """
    from medreview import pipeline
    from medreview.units.reference_answers import show_correct_answers

    if undo:
        if files or dry_run:
            raise UserError("--undo takes the newest import back; name no file with it.")
        _undo(study, as_json=as_json)
        return
    if not files:
        raise UserError("Name the files to import, or --undo to take the newest import back.")
    if dry_run:
        found = show_first(files, mapping, always=True)
        lines = ("Nothing was written.",)
        result({"dry_run": True, "files": [asdict(one) for one in found]}, *lines, as_json=as_json)
        return
    show_first(files, mapping)
    with opened_or_made(study) as opened, kept_before(opened, files) as brought, progress() as bar:
        brought += (pipeline.bring_in(opened, path, read_mapping(mapping), bar, as_copy=as_copy) for path in files)
        done = list(brought)
        if correct is not None:
            show_correct_answers(opened, correct)
    for imported in done:
        say_what_is_missing(imported, study, mapping, "import", study)
    result({"files": [asdict(imported) for imported in done]}, *map(imported_sentence, done), as_json=as_json)


def _undo(study: Path, *, as_json: bool) -> None:
    from medreview.study.before_import import take_back

    done = take_back(study)
    what = [counted(done.responses, "response")] if done.responses or not done.units else []
    what += [counted(done.units, "unit")] if done.units else []
    line = f"The import of {', '.join(done.files)} was taken back: {' and '.join(what)}; a copy with it is {done.copy}"
    more = f" and {len(done.pages) - _NAMED} more" if len(done.pages) > _NAMED else ""
    gone = [f"Gone with it, pages that came since: {', '.join(done.pages[:_NAMED])}{more}"] if done.pages else []
    result(done, line, *gone, as_json=as_json)
