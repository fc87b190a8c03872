"""The command ``evidence``: the evidence engine as a filter, for scripts and for measuring it."""

from typing import Annotated

import typer

from medreview.cli.evidence_filter import answer_lines
from medreview.errors import UserError


def evidence(
    jsonl: Annotated[bool, typer.Option("--jsonl", help="JSON lines in on standard input, JSON lines out.")] = False,
    semantic: Annotated[
        bool,
        typer.Option(
            "--semantic",
            help="Score with a model of meaning, too: that of [semantic] in the settings, or the packaged one.",
        ),
    ] = False,
) -> None:
    """Find what a source says about a statement, or where a quotation stands in it. No study, no network.

    Each line in is an object with "statement" or "quote", "source_text" and, if you like, "id"; each line out answers
    one line in, at once. Places count characters from 0, the end not included.

    Example: medreview evidence --jsonl < cases.jsonl > answers.jsonl
    """
    if not jsonl:
        raise UserError("This command reads JSON lines only: medreview evidence --jsonl < cases.jsonl")
    answer_lines(semantic)
