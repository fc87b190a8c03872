"""The rescue file: where decisions go when the study's path no longer names the file that is open.

It is a study file itself, a copy of the one that is open or of its last good copy, with every event of this sitting.
``merge`` takes it.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from medreview.atomic_output import create, new_file
from medreview.errors import NotSavedHere, UserError
from medreview.next_step import command, shell
from medreview.study.backup import backup_folder, copy_to
from medreview.study.connection import connect
from medreview.study.events import COLUMNS, insert_event, verify
from medreview.study.migrations import migrate
from medreview.study.rows import insert
from medreview.study.state_folder import made_state_folder

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
        merge = f"`{command('merge', self.study, self.rescue)}` brings it into the study"
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
