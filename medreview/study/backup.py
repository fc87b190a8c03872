"""Copies of a study that is in use: backups, and the rescue file.

Decisions go into the rescue file when the study's path no longer names the file that is open. It is a study file
itself, a copy of the one that is open or of its last good copy, with every event of this sitting. ``merge`` takes it.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from medreview.atomic_output import create, new_file
from medreview.errors import NotSavedHere, UserError
from medreview.next_step import command, shell
from medreview.study.connection import connect
from medreview.study.events import COLUMNS, insert_event, verify
from medreview.study.migrations import migrate
from medreview.study.rows import insert
from medreview.study.state_folder import made_state_folder

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
    if not target.parent.is_dir():
        raise UserError(f"The copy {target} could not be made: the folder {target.parent} does not exist.")
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
        why = (isinstance(error, OSError) and error.strerror) or error
        raise UserError(f"The copy {target} could not be made ({why}); the study itself is untouched.") from error
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


Event = Mapping[str, Any]


class Elsewhere(NamedTuple):
    """Where decisions are instead of in the study, and why: ``what`` is half a sentence.

    ``whole``: the rescue file has everything, so that work can go on in it; otherwise it has the events only.
    """

    study: Path
    rescue: Path
    what: str
    whole: bool = True

    @property
    def sentence(self) -> str:
        """What happened, and where the decisions are."""
        kept = "Everything you decided is in" if self.whole else "The decisions of this sitting are in"
        more = ", and what you decide now goes there too" if self.whole else "; nothing more can be saved: leave"
        beside = self.rescue.parent == self.study.parent
        return f"NOT SAVED HERE: {self.what}. {kept} {self.rescue.name if beside else self.rescue}{more}."

    @property
    def parting(self) -> str:
        """The same at the end, with what to do."""
        merge = f"`{command('team', 'merge', self.study, self.rescue)}` brings it into the study"
        if self.study.exists():
            do = f"{merge}."
        else:
            there = f"`{shell('mv', self.rescue, self.study)}` makes it the study"
            do = f"When the study is back in its place, {merge}" + (f"; or {there}." if self.whole else ".")
        return f"NOT SAVED HERE: {self.what} while it was open. What was decided is in {self.rescue}. {do}"

    def error(self) -> NotSavedHere:
        """For who counts on the study: it does not have what was just done."""
        return NotSavedHere(self.parting, self.rescue)


def make_rescue(
    study: Path, real: Path, what: str, opened: sqlite3.Connection | None, about: Event, events: Sequence[Event]
) -> Elsewhere:
    """Write a rescue file: a copy of the file that is ``opened``, or where that was written over (``None``) of the last
    good copy; with ``events``, all that this process has added to the record.

    ``real`` is the file that ``study`` named when it was opened, ``about`` the rows of its table ``study``. The rescue
    file is beside it or, where that cannot be, in the user's state
    folder. Raises :class:`NotSavedHere` when it can be nowhere.
    """
    wrong = ""
    for folder in _folders(real):
        target = _free_name(folder, real)
        try:
            with new_file(target) as made:
                whole = _build(made, real, opened, about, events)
        except (OSError, sqlite3.Error, UserError) as error:
            wrong = (isinstance(error, OSError) and error.strerror) or str(error)
            continue
        return Elsewhere(study, target, what, whole)
    raise NotSavedHere(
        f"NOT SAVED HERE: {what} while it was open, and no rescue file could be written ({wrong.rstrip('.')}). "
        "What was decided is kept as long as this program runs.",
        None,
    )


def _folders(real: Path) -> Iterator[Path]:
    if real.parent.is_dir():
        yield real.parent
    try:
        folder = made_state_folder()
    except OSError:
        return
    yield folder


def _free_name(folder: Path, real: Path) -> Path:
    stem = f"{real.stem}.rescue-{datetime.now():%Y%m%d-%H%M%S}"
    names = (folder / f"{stem}{'' if number == 1 else f'-{number}'}{real.suffix}" for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def _build(made: Path, real: Path, opened: sqlite3.Connection | None, about: Event, events: Sequence[Event]) -> bool:
    """Whether it became a whole study."""
    if opened is not None:
        copy_to(opened, made)
        if _added(made, about, events) is not None:
            return True
        made.unlink()
    for copy in sorted(backup_folder(real).glob("*.medreview"), reverse=True):
        if _copied(copy, made) and _added(made, about, events) == []:
            return True
        made.unlink(missing_ok=True)
    create(made).close()
    with closing(connect(made)) as connection:
        migrate(connection)
        insert(connection, "study", [{"key": key, "value": value} for key, value in about.items()])
        insert(connection, "event", [{name: event[name] for name in (*COLUMNS, "hash")} for event in events])
    return False


def _copied(copy: Path, made: Path) -> bool:
    try:
        with closing(connect(copy, read_only=True)) as source:
            copy_to(source, made)
    except (OSError, sqlite3.Error):
        return False
    return True


def _added(made: Path, about: Event, events: Sequence[Event]) -> list[str] | None:
    """Add the events that a copy lacks; what is wrong with its record then, ``None`` if it is no copy of the study."""
    try:
        with closing(connect(made)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")  # so that the one file is all of it
            migrate(connection)
            found = connection.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()
            if found is None or found[0] != about["study_id"]:
                return None
            known = {row[0] for row in connection.execute("SELECT event_id FROM event")}
            connection.execute("BEGIN IMMEDIATE")
            for event in events:
                if event["event_id"] not in known:
                    insert_event(connection, event)
            connection.execute("COMMIT")
            return verify(connection)
    except (ValueError, sqlite3.Error):  # it is damaged, or has no response that a promotion is of
        return None
