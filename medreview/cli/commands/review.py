"""The command ``review``: the workbench, or line prompts."""

from pathlib import Path
from typing import Annotated, Final

import typer

from medreview.cli.importing import opened_or_made, prepare, prepared_sentence
from medreview.cli.mapping import Map
from medreview.cli.network import PagesFrom, pages_from
from medreview.cli.opening import Reviewer, open_review
from medreview.cli.output import say
from medreview.errors import UserError
from medreview.next_step import command
from medreview.review.queue_kinds import KINDS

SUFFIX: Final = ".medreview"
"""Of the study that is made beside a file of answers."""


def review(
    paths: Annotated[
        list[Path], typer.Argument(metavar="STUDY|FILE...", help="The study; or answers, which become one beside them.")
    ],
    queue: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(kind.name for kind in KINDS)}; of other units, as docs/units.md names them; "
            "default: the first screen."
        ),
    ] = None,
    filter: Annotated[str, typer.Option(help="Only some of the queue, e.g. 'model=atlas-2 badge=quote'.")] = "",
    audit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Draw an audit of N statements or more, and open it.")
    ] = None,
    blind: Annotated[
        bool,
        typer.Option(
            "--blind", help="Every statement, in an order of your own; the judges hidden until the block is done."
        ),
    ] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Look, decide nothing.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Line prompts, for screen readers and scripts.")] = False,
    goal: Annotated[
        str | None, typer.Option(metavar="N|TIME", help="What the sitting is to come to: 60 decisions, 45min, 1h30.")
    ] = None,
    reviewer: Reviewer = None,
    pages: PagesFrom = None,
    mapping: Map = None,
) -> None:
    """Review statements beside their sources; everything is saved as you decide.

    Without --queue, the first screen opens at where you left off: Enter goes on there.

    Of a file of answers it makes a study first, as `run` does: answers.jsonl becomes answers.medreview beside it. Given
    again, it opens that one and takes in what is new in the file.

    Exit code 70 after an error of the workbench's own, 129 when the terminal was lost, 143 after SIGTERM.

    Example: medreview review answers.jsonl
    """
    from medreview.study import Study
    from medreview.units.registry import kinds_in

    if audit is not None and queue not in (None, "audit"):
        raise UserError("--audit opens the audit; name no other queue with it.")
    study, files = _study_and_files(paths)
    if files and read_only and not study.exists():
        raise UserError(f"There is no study {study} to look at yet; without --read-only it is made from {files[0]}.")
    adding = bool(files) and not read_only
    with opened_or_made(study) if adding else Study.open(study, read_only=read_only) as opened:
        if adding:
            given = [path for path in paths if path == study]
            done = prepare(opened, files, mapping, pages_from(pages), "review", *given)
            say(prepared_sentence(opened, done))
            others = kinds_in(opened.reader).keys() - {"response"}  # without a statement, responses are invalid ones
            if not opened.reader.execute("SELECT 1 FROM statement LIMIT 1").fetchone() and not others:
                raise UserError(f"There is nothing to review in {files[0]}: no statement was found in it.")
        if audit is not None:
            from medreview.config import load_config
            from medreview.review.audit import draw

            draw(opened, reviewer or load_config().reviewer, size=audit)
            queue = "audit"
        open_review(opened, reviewer, queue, filter, blind, plain=plain, goal=goal)


def _study_and_files(paths: list[Path]) -> tuple[Path, list[Path]]:
    """The study to open, and the files to bring in first; told apart by their content.

    What does not exist is meant for a study, unless it has the name of another kind of file.
    """
    from medreview.exchange.imports.citation_answers import is_database
    from medreview.study.file_kind import refuse_no_file

    for path in paths:
        if not path.is_dir():  # of saved answers
            refuse_no_file(path)
    studies = [
        path for path in paths if is_database(path) or path.suffix == SUFFIX or not (path.suffix or path.exists())
    ]
    files = [path for path in paths if path not in studies]
    if len(studies) > 1:
        join = command("merge", *studies[:2])
        raise UserError(f"{studies[1]} is a second study; open one at a time, or join copies of one with `{join}`.")
    return (studies[0] if studies else files[0].with_suffix(SUFFIX)), files
