"""Backups of a study, taken while it is in use."""

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from medreview.atomic_output import create, new_file
from medreview.errors import UserError
from medreview.study.connection import connect

KEEP = 5
OF_IMPORT = "-import"
"""How the name of a copy ends that was made before an import (``study.before_import``)."""


def backup_folder(study: Path) -> Path:
    """The folder of a study's automatic backups: beside the file itself, also when a symbolic link to it is given."""
    study = study.resolve()
    return study.with_name(study.name + ".backups")


def backup_to(study: Path, target: Path | None = None) -> Path:
    """Copy the study to a new file (mode 0600) by SQLite's online backup API: a consistent copy of a live file.

    Without a ``target``, to a dated file beside the study. Raises :class:`UserError` when the target exists or cannot
    be written; no partial copy is left behind.
    """
    target = target or study.with_name(f"{study.stem}-{datetime.now():%Y%m%d-%H%M%S}{study.suffix}")
    if os.path.lexists(target):
        raise _taken(target)
    try:
        with new_file(target) as made:
            source = connect(study, read_only=True)
            try:
                copy_to(source, made)
            finally:
                source.close()
    except FileExistsError as error:
        raise _taken(target) from error
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"The copy {target} could not be made ({error}); the study itself is untouched.") from error
    return target


def _taken(target: Path) -> UserError:
    return UserError(f"{target} exists already; choose another name for the copy.")


def copy_to(source: sqlite3.Connection, target: Path) -> None:
    """Copy what a connection reads into a new file of mode 0600. Raises ``OSError`` and ``sqlite3.Error``."""
    create(target).close()
    copy = sqlite3.connect(target)
    try:
        source.backup(copy, pages=2048)
    finally:
        copy.close()


def _made_folder(study: Path) -> Path:
    """The folder of the backups, made where it is missing. Raises ``OSError``, and :class:`UserError` for a link."""
    folder = backup_folder(study)
    if folder.is_symlink():
        raise UserError(f"{folder} is a link to another place, where no copies are made; remove the link.")
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def dated_backup(study: Path, ending: str = "") -> Path:
    """Copy the study into the folder of its backups, under the time and an ending. Raises :class:`UserError`."""
    try:
        folder = _made_folder(study)
    except OSError as error:
        raise UserError(f"No copy of the study could be made in {backup_folder(study)} ({error.strerror}).") from error
    return backup_to(study, folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}{ending}.medreview")


def backup_if_changed(study: Path) -> Path | None:
    """Make a dated backup beside the study unless the newest one is up to date; keep the last five.

    Its path, or ``None`` without a new one. Raises :class:`UserError` when it cannot be written.
    """
    study = study.resolve()
    try:
        folder = _made_folder(study)
        copies = sorted(folder.glob("*.medreview"))
        changed = max(p.stat().st_mtime for p in (study, study.with_name(study.name + "-wal")) if p.exists())
    except OSError as error:
        raise UserError(f"No copy of the study could be made in {backup_folder(study)} ({error.strerror}).") from error
    if copies and copies[-1].stat().st_mtime >= changed:
        return None
    made = dated_backup(study)
    copies = [copy for copy in copies if not copy.stem.endswith(OF_IMPORT)]
    for old in copies[: max(0, len(copies) + 1 - KEEP)]:
        old.unlink(missing_ok=True)
    return made
