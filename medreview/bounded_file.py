"""Reading a file that a folder of somebody else may hold: of bounded size, and a file, not what never ends."""

import os
import stat
from pathlib import Path
from typing import Final

MOST_DOTS: Final = 500
"""In one line of TOML; the time to read a key of many parts grows with the square of their number."""


def read_bounded(path: Path, most: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a file, at most so many, and what a stat says of that very one.

    Raises ``OSError``, and ``ValueError`` with half a sentence for a pipe, a device and a larger file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("a file is needed, and this is something else")
        body = file.read(most + 1)
    if len(body) > most:
        raise ValueError(f"there are more than {most:,} bytes")
    return body, about


def read_toml(path: Path, most: int) -> tuple[str, os.stat_result]:
    """The same for a text that is read as TOML after this; it must be UTF-8, and have no line that takes for ever."""
    body, about = read_bounded(path, most)
    text = body.decode("utf-8")
    if any(line.count(".") > MOST_DOTS for line in text.split("\n")):
        raise ValueError(f"a line has more than {MOST_DOTS} dots")
    return text, about
