"""The command ``run``: every step that makes a study ready to review."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.importing import opened_or_made, prepare, prepared_sentence
from medreview.cli.mapping import Map
from medreview.cli.meaning import Semantic, leave_by_summary, meaning_from_config
from medreview.cli.network import (
    Libraries,
    Ocr,
    PagesFrom,
    Proxy,
    Robots,
    authorities_from_config,
    pages_from,
    scans_lines,
)
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
    ocr: Ocr = None,
    libraries: Libraries = None,
    references: Annotated[
        bool,
        typer.Option("--references", help="Look references up at Crossref, PubMed, ...; only their words are sent."),
    ] = False,
    semantic: Semantic = None,
    as_json: Json = False,
) -> None:
    """Import answers, fetch what they cite, split them into statements and judge these: ready to review.

    Makes the study if there is none. Run it again after an interruption: it does what is missing. Without a file it
    does that for the answers that the study has, such as those that a model has just given.

    The references of the answers are found; with --library, or a library in the settings, they are held against its
    works without a network.

    Example: medreview run sepsis.medreview answers.jsonl
    """
    if not files and not study.exists():
        raise UserError(f"There is no study {study} yet; name the files that it is made of.")
    with opened_or_made(study) as opened:
        ask = True if references else False if pages else None
        meaning = meaning_from_config(semantic)
        authorities = authorities_from_config(libraries or (), ask=ask, proxy=proxy)
        provider = pages_from(pages, proxy, robots, ocr=ocr)
        done = prepare(opened, files or [], mapping, provider, "run", study, references=authorities, meaning=meaning)
        sentence = prepared_sentence(opened, done)
    result(done, sentence, *scans_lines(done.fetched), f"Review them: {command('review', study)}", as_json=as_json)
    leave_by_summary(done.judged.meaning)
