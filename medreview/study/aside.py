"""Writing a word into a study that is only being read: at once, or not at all."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from medreview.errors import UserError
from medreview.study.close_note import close_note
from medreview.study.connection import connect, make_durable
from medreview.study.file_fault import of_full_disk
from medreview.study.lock import InUse, WriterLock
from medreview.study.migrations import NEWEST, schema_version


def write_aside(path: Path, change: Callable[[sqlite3.Connection], object]) -> None:
    """Run ``change`` in one transaction on a study file that nobody has open for writing.

    A file of an earlier version is left as it is. Raises :class:`UserError` with half a sentence on what is in the way.
    """
    try:
        connection = connect(path, read_only=True)
        try:
            if schema_version(connection) != NEWEST:
                raise UserError("an earlier version made the file")
        finally:
            connection.close()
        lock = WriterLock(path)
        try:
            lock.take()
        except InUse:
            raise UserError("it is open for writing elsewhere") from None
        note = None
        try:
            note = _write(path, change)
        finally:
            lock.release(note)
    except (sqlite3.Error, OSError) as error:
        raise UserError("the disk is full" if of_full_disk(error) else "the file cannot be written") from None


def _write(path: Path, change: Callable[[sqlite3.Connection], object]) -> dict[str, Any] | None:
    connection = connect(path)
    try:
        make_durable(connection, path)
        connection.execute("BEGIN IMMEDIATE")
        change(connection)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # readers keep the log's file; it shall hold nothing
        return close_note(connection)
    finally:
        connection.close()
