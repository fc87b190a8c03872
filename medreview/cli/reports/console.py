"""A report as text: as wide as the terminal and styled for it; 80 columns and plain where there is none."""

from collections.abc import Iterable
from io import StringIO
from typing import Final

from rich.console import Console, RenderableType

_WIDTH: Final = 80
"""Columns of a report that goes into a file or a pipe."""


def printed(parts: Iterable[RenderableType]) -> str:
    """The parts beneath each other, each line without blanks at its end, one newline at the end of all.

    A string is shown as it stands, in a cell as well: nothing in it is taken for markup or an emoji.
    """
    terminal, written = Console(), StringIO()
    console = Console(
        file=written,
        force_terminal=terminal.is_terminal,
        width=terminal.width if terminal.is_terminal else _WIDTH,
        color_system="auto" if terminal.is_terminal else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in parts:
        console.print(part)
    lines = (line.rstrip() for line in written.getvalue().splitlines())
    return "\n".join(lines).rstrip("\n") + "\n"
