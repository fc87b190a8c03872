"""The folder for what this program keeps of a user on this machine: files that speed up an opening, and recent studies.

A file that speeds up an opening is read only while the study is as it was, and can be made again. Nothing here loads
SQLite: the screen that was left is shown from it before the study is opened.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from medreview.atomic_output import atomic_output, write_new
from medreview.bounded_reading import read_bounded
from medreview.errors import UserError


def state_folder() -> Path:
    """The user's folder for the state of programs: ``~/.local/state/medreview`` on Linux. It need not exist."""
    from platformdirs import user_state_path

    return user_state_path("medreview")


def made_state_folder(inside: str = "") -> Path:
    """The same folder, or one ``inside`` of it, made for its user alone if it is not there. Raises ``OSError``."""
    folder = state_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if inside:
        folder /= inside
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def kept_file(what: str, study: Path) -> Path:
    """Where it is kept, if it is; ``what`` names the folder, ``study`` is the path of the file with its links
    followed."""
    return state_folder() / what / f"{hashlib.sha256(os.fsencode(study)).hexdigest()[:32]}.json"


def keep_of_study(what: str, study: Path, told: str, most: int) -> None:
    """Keep a text, and that of the ``most`` studies which were kept last; where it cannot be kept, nothing is."""
    from medreview.atomic_output import atomic_output, write_new

    with suppress(UserError, OSError):
        folder = made_state_folder(what)
        with atomic_output(kept_file(what, study), b"") as partial:
            write_new(partial, told)
        for old in sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime)[:-most]:
            old.unlink(missing_ok=True)


def file_state(path: Path) -> tuple[int, ...] | None:
    """What tells one state of a study's file from every other: which file it is, its size and its times, and those of a
    log beside it that holds anything; ``None`` where there is no file."""
    try:
        file = os.stat(path)
        state: tuple[int, ...] = (file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns)
    except OSError:
        return None
    for suffix in ("-wal", "-journal"):
        with suppress(OSError):
            log = os.stat(f"{path}{suffix}")
            if log.st_size:
                state += (log.st_ino, log.st_size, log.st_mtime_ns, log.st_ctime_ns)
    return state


MOST: Final = 20
"""Studies in the list."""
_LARGEST: Final = 1_000_000
"""Bytes that are read of it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A study that was opened for review: its whole path, when that was (UTC), and what it was called then.

    ``reviewer`` is who was named for it on the command line; ``""``: whoever the settings name.
    """

    path: str
    opened_at: str
    title: str = ""
    reviewer: str = ""

    @property
    def file(self) -> Path:
        """Its path."""
        return Path(self.path)


def list_file() -> Path:
    """Where the list is kept."""
    return state_folder() / "recent.json"


def recent_list() -> list[Opened]:
    """The studies that were opened last, the newest first. What of the list cannot be read is left out."""
    try:
        told: Any = json.loads(read_bounded(list_file(), _LARGEST)[0])
        entries = told["studies"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    found = filter(None, map(_entry, entries if isinstance(entries, list) else []))
    newest: dict[str, Opened] = {}
    for one in sorted(found, key=lambda one: one.opened_at, reverse=True):
        newest.setdefault(one.path, one)
    return list(newest.values())[:MOST]


def note_opened(study: Path, title: str, reviewer: str = "") -> None:
    """Put a study at the head of the list. Where no list can be kept there is none: nobody's review waits for it."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    one = Opened(os.fspath(study.resolve()), now, title, reviewer)
    with suppress(UserError):
        _keep([one, *(other for other in recent_list() if other.path != one.path)])


def forget(study: Path) -> bool:
    """Take a study off the list, by its path there or as it is resolved; whether it was on it. Raises
    :class:`UserError`."""
    names = {os.fspath(study), os.fspath(study.absolute()), os.fspath(study.resolve())}
    before = recent_list()
    after = [one for one in before if one.path not in names]
    if len(after) < len(before):
        _keep(after)
    return len(after) < len(before)


def _entry(told: Any) -> Opened | None:
    if not isinstance(told, dict):
        return None
    texts = {name: told.get(name, "") for name in ("path", "opened_at", "title", "reviewer")}
    if not all(isinstance(text, str) for text in texts.values()) or not _is_path(texts["path"]):
        return None
    with suppress(ValueError):
        datetime.fromisoformat(texts["opened_at"])
        return Opened(**texts)
    return None


def _is_path(text: str) -> bool:
    return Path(text).is_absolute() and "\0" not in text


def _keep(studies: Sequence[Opened]) -> None:
    told = {"medreview": "studies opened for review last", "studies": [asdict(one) for one in studies[:MOST]]}
    try:
        made_state_folder()
    except OSError as error:
        raise UserError(f"{state_folder()} cannot be made ({error.strerror or error}).") from error
    with atomic_output(list_file(), b"") as partial:  # also over one that was damaged: nothing else has this name
        write_new(partial, json.dumps(told, indent=1) + "\n")
