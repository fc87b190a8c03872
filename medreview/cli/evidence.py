"""The command ``evidence``: the evidence engine as a filter, for scripts and for measuring it."""

import sys
from typing import Annotated

import typer

from medreview.errors import UserError


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(evidence)


def evidence(
    jsonl: Annotated[bool, typer.Option("--jsonl", help="JSON lines in on standard input, JSON lines out.")] = False,
) -> None:
    """Find what a source says about a statement, or where a quotation stands in it. No study, no model, no network.

    Each line in is an object with "statement" or "quote", "source_text" and, if you like, "id"; each line out answers
    one line in, at once. Places count characters from 0, the end not included.

    Example: medreview evidence --jsonl < cases.jsonl > answers.jsonl
    """
    if not jsonl:
        raise UserError("This command reads JSON lines only: medreview evidence --jsonl < cases.jsonl")
    from medreview.evidence.protocol import serve

    # A byte that is no UTF-8 must not end a long run: its line is answered, marked by the lone surrogate it becomes.
    lines = (line.decode("utf-8-sig" if number == 0 else "utf-8", "surrogateescape") for number, line in
             enumerate(sys.stdin.buffer))  # fmt: skip
    for answer in serve(lines):
        print(answer, flush=True)
