"""``stats --require``: print what became of each requirement, and end the command by it."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from medreview.cli.output import one_line, say

if TYPE_CHECKING:
    from medreview.stats.requirements import Outcome


def tell(outcomes: "Sequence[Outcome]", *, beside: bool) -> None:
    """A line for each; ``beside``: standard output is for a program, and they go to the error output.

    Raises ``typer.Exit`` of 1 where one does not hold.
    """
    from medreview.cli.reports.layout import Check
    from medreview.cli.reports.terminal import show

    if not outcomes:
        return
    lines = [Check(f"{'met' if one.met else 'not met'}: {one_line(one.sentence)}", one.met) for one in outcomes]
    if beside:
        for line in lines:
            say(line.sentence)
    else:
        show(lines)
    sys.stdout.flush()
    if not all(one.met for one in outcomes):
        raise typer.Exit(1)  # a mistake of the user is 2
