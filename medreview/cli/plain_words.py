"""How line mode prints: text from outside made visible, in lines of 78 columns."""

import textwrap

from medreview.cli.output import one_line
from medreview.visible import visible


def wrapped(text: str) -> str:
    """One thing that is said, in lines that fit. A line of its own within a reason could pass for a receipt."""
    return textwrap.fill(one_line(text), 78)


def read(text: str) -> str:
    """A text that is read line by line: a source, a response."""
    return "\n".join(textwrap.fill(line, 78) for line in visible(text).split("\n"))
