"""What stands at a path that is meant for a study: asked before anything is opened, since a pipe waits for ever."""

import errno
import os
import stat
from pathlib import Path
from typing import Final

from medreview.errors import UserError

_KINDS: Final = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_SQLITE: Final = b"SQLite format 3\0"


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, as a study is."""
    return _header(path).startswith(_SQLITE)


def study_version(path: Path) -> int:
    """The version of the study format of a file, without opening it as a database; 0 for another file.

    It is the ``user_version`` of SQLite's header (https://www.sqlite.org/fileformat.html).
    """
    header = _header(path)
    return int.from_bytes(header[60:64]) if header.startswith(_SQLITE) else 0


def _header(path: Path) -> bytes:
    try:
        if not path.is_file():  # to open a pipe is to wait
            return b""
        with path.open("rb") as file:
            return file.read(100)
    except OSError:
        return b""


def is_no_file(path: Path) -> str:
    """What else than a regular file is there, as ``"a pipe"``; ``""`` for a file, and where nothing is.

    A symbolic link is what it leads to.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        return "a symbolic link to itself" if error.errno == errno.ELOOP else ""
    if stat.S_ISREG(mode):
        return ""
    return "a folder" if stat.S_ISDIR(mode) else _KINDS.get(stat.S_IFMT(mode), "no file")


def refuse_no_file(path: Path) -> None:
    """Raise :class:`UserError` where no study can be because something else than a file is there."""
    if kind := is_no_file(path):
        rest = "name the study file in it" if kind == "a folder" else "a study is a file"
        raise UserError(f"{path} is {kind}; {rest}.")
