"""The command ``run``: every step that makes a study ready to review."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.importing import opened_or_made, prepare, prepared_sentence
from medreview.cli.mapping import Map
from medreview.cli.network import PagesFrom, Proxy, Robots, pages_from
from medreview.cli.options import Json, StudyFile
from medreview.cli.output import result
from medreview.errors import UserError
from medreview.next_step import command


def run(
    study: StudyFile,
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="Answers, judgements, tables or exports.")
    ] = None,
    pages: PagesFrom = None,
    mapping: Map = None,
    proxy: Proxy = None,
    robots: Robots = None,
    as_json: Json = False,
) -> None:
    """Import answers, fetch what they cite, split them into statements and judge these: ready to review.

    Makes the study if there is none. Run it again after an interruption: it does what is missing. Without a file it
    does that for the answers that the study has, such as those that a model has just given.

    Example: medreview run sepsis.medreview answers.jsonl
    """
    if not files and not study.exists():
        raise UserError(f"There is no study {study} yet; name the files that it is made of.")
    with opened_or_made(study) as opened:
        done = prepare(opened, files or [], mapping, pages_from(pages, proxy, robots), "run", study)
        sentence = prepared_sentence(opened, done)
    result(done, sentence, f"Review them: {command('review', study)}", as_json=as_json)
