"""The open work in the studies that were opened last. They are only read, and not migrated."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeVar

from medreview.errors import UserError
from medreview.review.resuming import last_bookmark, stored_drafts
from medreview.review.unit_queues import ALL as QUEUES
from medreview.study import Study
from medreview.study.connection import connect, sentence_of
from medreview.study.counts import Counts, load_counts, load_states
from medreview.study.file_kind import is_no_file
from medreview.study.ids import STATEMENT
from medreview.study.lock import WriterLock
from medreview.study.migrations import APPLICATION_ID, NEWEST, schema_version
from medreview.study.recent_list import OpenedStudy
from medreview.units.registry import KINDS, count_units, unit_name

T = TypeVar("T")
State = Literal["ready", "open elsewhere", "older", "newer", "broken", "gone"]
OPENS: Final[frozenset[State]] = frozenset({"ready", "older"})
"""The states in which a study can be opened for review."""


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """How far the reviewer is with the units of one kind; ``title``: what they are called."""

    kind: str
    title: str
    counts: Counts


@dataclass(frozen=True, slots=True)
class RecentStudy:
    """A study of the list as it is now.

    ``remark`` says in half a sentence what is wrong or unusual, ``""`` for ``ready``; ``counts`` is ``None`` where
    nothing could be counted. ``units``: kinds beside statements that came as such, or of which something was decided;
    of a study without statements all that its first screen has. ``left_off``: queue, filter and statement where the
    reviewer was last. ``drafts``: lines begun and not saved.
    """

    path: Path
    title: str
    opened_at: str
    reviewer: str
    state: State
    remark: str = ""
    counts: Counts | None = None
    units: tuple[UnitCounts, ...] = ()
    left_off: str = ""
    drafts: int = 0


def look_at(opened: OpenedStudy, reviewer: str) -> RecentStudy:
    """What is open in a study for whoever it was opened for, else for ``reviewer``. Never raises for its file."""
    who = opened.reviewer or reviewer

    def only(state: State, remark: str) -> RecentStudy:
        return RecentStudy(opened.file, opened.title, opened.opened_at, who, state, remark)

    try:
        if kind := is_no_file(opened.file):
            return only("broken", f"there is {kind} now")
        if not opened.file.is_file():
            return only("gone", "no file is there any more")
        holder = WriterLock(opened.file).holder()
        try:
            return _read(opened, who, holder, at_rest=True)
        except sqlite3.Error:  # somebody may just have begun to write
            return _read(opened, who, holder, at_rest=False)
    except sqlite3.Error as error:
        return only("broken", sentence_of(error, Path(opened.file.name)).rstrip("."))
    except UserError as error:
        return only("newer" if isinstance(error, _Newer) else "broken", str(error))
    except OSError as error:
        return only("broken", f"it cannot be read ({error.strerror or error})")


def card_of(study: RecentStudy) -> tuple[str, ...]:
    """Where the reviewer stopped in it and what is next, in the sentences of its first screen; none of a study that an
    earlier version made, or that is open elsewhere."""
    from medreview.review.overview import overview

    if study.state != "ready":
        return ()
    try:
        with closing(connect(study.path, read_only=True, at_rest=True)) as reader:
            return overview(Study(study.path, reader, None), study.reviewer).card
    except (sqlite3.Error, UserError, OSError):  # changed since it was looked at: its row says enough
        return ()


class _Newer(UserError):
    """A later version made the file."""


def _read(opened: OpenedStudy, who: str, holder: str, *, at_rest: bool) -> RecentStudy:
    with closing(connect(opened.file, read_only=True, at_rest=at_rest)) as reader:
        if reader.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise UserError("it is not a medreview study any more")
        version = schema_version(reader)
        if version > NEWEST:
            raise _Newer("a newer medreview made it; install that one to open it")
        older = version < NEWEST
        title = reader.execute("SELECT value FROM study WHERE key = 'title'").fetchone()
        return RecentStudy(
            path=opened.file,
            title=str(title[0]) if title else opened.title,
            opened_at=opened.opened_at,
            reviewer=who,
            state="open elsewhere" if holder else "older" if older else "ready",
            remark=f"open {holder}" if holder else "updated when it is opened" if older else "",
            counts=_if_known(older, lambda: _counts(reader, who, version), None),
            units=_if_known(older, lambda: _units(reader, who), ()),
            left_off=_if_known(older, lambda: _left_off(reader, who), ""),
            drafts=_if_known(older, lambda: len(stored_drafts(reader, who)), 0),
        )


_RETIRES: Final = 5
"""The version since which statements can be retired: in an older file all of them are the study's."""


def _counts(reader: sqlite3.Connection, who: str, version: int) -> Counts:
    if version >= _RETIRES:
        return load_counts(reader, who)
    total = reader.execute("SELECT count(*) FROM statement").fetchone()[0]
    return Counts.of(int(total), load_states(reader, who, STATEMENT))


def _if_known(older: bool, read: Callable[[], T], else_: T) -> T:
    """The value read; ``else_`` if an older file, with other tables, cannot be read."""
    try:
        return read()
    except sqlite3.OperationalError:
        if not older:
            raise
        return else_


def _units(reader: sqlite3.Connection, who: str) -> tuple[UnitCounts, ...]:
    stored = {row[0] for row in reader.execute("SELECT DISTINCT kind FROM unit")}
    alone = not reader.execute("SELECT EXISTS (SELECT 1 FROM statement)").fetchone()[0]
    states = {name: load_states(reader, who, name) for name in KINDS}
    return tuple(
        UnitCounts(name, kind.title, Counts.of(count_units(reader, name), states[name]))
        for name, kind in KINDS.items()
        if states[name] or name in stored or (alone and kind.in_use(reader))
    )


def _left_off(reader: sqlite3.Connection, who: str) -> str:
    last = last_bookmark(reader, who)
    if last is None:
        return ""
    title = next((queue.title for queue in QUEUES if queue.name == last.queue), last.queue)
    pieces = (title, unit_name(reader, last.unit), last.filter and f"filter {last.filter}")
    return ", ".join(filter(None, pieces))
