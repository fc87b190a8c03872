"""The command ``import``: answers and judgements from files."""

from dataclasses import asdict
from typing import Annotated, Literal

import typer

from medreview.cli.importing import Files, imported_sentence, opened_or_made, say_what_is_missing
from medreview.cli.mapping import Map, read_mapping
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import progress, result


def import_(
    study: StudyFile,
    files: Files,
    mapping: Map = None,
    as_copy: Annotated[bool, typer.Option("--as-copy", help="Take the export of another study, too.")] = False,
    correct: Annotated[
        Literal["after", "shown"] | None,
        typer.Option("--correct-answer", help="When reviewers see correct answers; as before, else after they decide."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Bring answers or judgements into a study: JSON, JSON lines, CSV, text, SourceCheckup tables, exports.

    Example: medreview import sepsis.medreview answers.csv --map answer_text=response
    """
    from medreview import pipeline
    from medreview.units.reference_answers import show_correct_answers

    with opened_or_made(study) as opened, progress() as bar:
        done = [pipeline.bring_in(opened, path, read_mapping(mapping), bar, as_copy=as_copy) for path in files]
        if correct is not None:
            show_correct_answers(opened, correct)
    for imported in done:
        say_what_is_missing(imported, study, mapping, "import", study)
    result({"files": [asdict(imported) for imported in done]}, *map(imported_sentence, done), as_json=as_json)
