"""What is wrong with a study file that SQLite cannot read or write: told by SQLite's codes, never by its words."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from medreview.errors import UserError

_PRIMARY: Final = 0xFF
"""The bits of an extended result code that name the kind of the error (https://sqlite.org/rescode.html)."""
_FULL: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
"""SQLite's codes of a full disk; the second is of the index of the log, which also who only reads has to make."""
_UNDECODABLE: Final = "Could not decode to UTF-8"
"""How Python's ``sqlite3`` begins the one error of its own that tells of damage; it has no code."""
NO_TEXT: Final = "a text in it is no text any more"


class FileFault(UserError, sqlite3.DatabaseError):
    """The file, its disk or its folder is at fault, and not the question that was put to it.

    It is an ``sqlite3.DatabaseError`` too, for who reads damaged files on purpose.
    """


def fault_of(error: sqlite3.Error, path: Path) -> FileFault | None:
    """What an error of SQLite says of the file at ``path``; ``None`` where it says nothing of it.

    A mistake in SQL, a broken constraint, a connection that was closed: those are their maker's.
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        if not str(error).startswith(_UNDECODABLE):
            return None
        sentence = damaged(path, NO_TEXT)
    else:
        told = _sentence(code, str(error), path)
        if told is None:
            return None
        sentence = told
    fault = FileFault(sentence)
    if code is not None:
        fault.sqlite_errorcode, fault.sqlite_errorname = code, error.sqlite_errorname
    return fault


def sentence_of(error: sqlite3.Error, path: Path) -> str:
    """What to say of an error of this program's own reading or writing, whatever it tells of."""
    return str(fault_of(error, path) or f"{path} could not be read or written ({error}).")


@contextmanager
def file_faults(path: Path) -> Iterator[None]:
    """Within, errors of SQLite that tell of the file are a :class:`FileFault`; all others stay what they are."""
    try:
        yield
    except sqlite3.Error as error:
        if fault := fault_of(error, path):
            raise fault from error
        raise


def damaged(path: Path, how: str) -> str:
    """The sentence for a file that is damaged, and how."""
    return f"{path} is damaged ({how}); restore a copy from the folder {path.name}.backups."


def of_full_disk(error: BaseException) -> bool:
    """Whether an error of SQLite or of the system says that a disk, or a quota on it, has no room left."""
    code = getattr(error, "sqlite_errorcode", None)
    return code in _FULL or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT))


def _sentence(code: int, words: str, path: Path) -> str | None:
    if code in _FULL:
        return (
            f"The disk that holds {path.name} is full, or the one for temporary files: this was not saved, what was "
            "saved before is safe. Free some space and do it again."
        )
    match code & _PRIMARY:
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return f"{path} cannot be written to: the file or its folder is read-only."
        case sqlite3.SQLITE_NOTADB:
            return f"{path} is not a medreview study."
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_PROTOCOL:
            return f"{path} is being written by another program; try again when that is done."
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_FORMAT:
            return damaged(path, words)
        case sqlite3.SQLITE_IOERR:
            return f"{path} could not be read or written ({words}): the disk may be full, or gone."
    return None
