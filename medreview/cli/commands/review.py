"""The command ``review``: the workbench, or line prompts."""

from pathlib import Path
from typing import Annotated

import typer

from medreview.cli.mapping import Map
from medreview.cli.network import PagesFrom
from medreview.cli.options import Reviewer
from medreview.cli.review_words import Wanted
from medreview.cli.reviewing import review_paths
from medreview.review.queue_kinds import KINDS


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
    review_paths(
        paths,
        Wanted(queue, filter, audit, blind, read_only, plain, goal, reviewer),
        pages=pages,
        mapping=mapping,
    )
