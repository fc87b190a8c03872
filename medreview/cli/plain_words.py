"""How line mode prints: text from outside made visible, in lines of 78 columns."""

import textwrap
from typing import Final

from medreview.cli.output import one_line
from medreview.visible import visible

WIDTH: Final = 78
"""Columns of a line."""


def wrapped(text: str) -> str:
    """One thing that is said, in lines that fit. A line of its own within a reason could pass for a receipt."""
    return textwrap.fill(one_line(text), WIDTH)


def read(text: str) -> str:
    """A text that is read line by line: a source, a response."""
    return "\n".join(textwrap.fill(line, WIDTH) for line in visible(text).split("\n"))
