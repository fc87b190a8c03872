"""Which studies were opened for review last: a small private list in the user's state folder, of paths and titles."""

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
from medreview.study.state_folder import made_state_folder, state_folder

MOST: Final = 20
"""Studies in the list."""
_LARGEST: Final = 1_000_000
"""Bytes that are read of it."""


@dataclass(frozen=True, slots=True)
class OpenedStudy:
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


def recent_list() -> list[OpenedStudy]:
    """The studies that were opened last, the newest first. Unreadable entries are left out."""
    try:
        told: Any = json.loads(read_bounded(list_file(), _LARGEST)[0])
        entries = told["studies"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    found = filter(None, map(_entry, entries if isinstance(entries, list) else []))
    newest: dict[str, OpenedStudy] = {}
    for one in sorted(found, key=lambda one: one.opened_at, reverse=True):
        newest.setdefault(one.path, one)
    return list(newest.values())[:MOST]


def note_opened(study: Path, title: str, reviewer: str = "") -> None:
    """Put a study at the head of the list. Where no list can be kept it is missing: no review waits for it."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    one = OpenedStudy(os.fspath(study.resolve()), now, title, reviewer)
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


def _entry(told: Any) -> OpenedStudy | None:
    if not isinstance(told, dict):
        return None
    texts = {name: told.get(name, "") for name in ("path", "opened_at", "title", "reviewer")}
    if not all(isinstance(text, str) for text in texts.values()) or not _is_path(texts["path"]):
        return None
    with suppress(ValueError):
        datetime.fromisoformat(texts["opened_at"])
        return OpenedStudy(**texts)
    return None


def _is_path(text: str) -> bool:
    return Path(text).is_absolute() and "\0" not in text


def _keep(studies: Sequence[OpenedStudy]) -> None:
    told = {"medreview": "studies opened for review last", "studies": [asdict(one) for one in studies[:MOST]]}
    try:
        made_state_folder()
    except OSError as error:
        raise UserError(f"{state_folder()} cannot be made ({error.strerror or error}).") from error
    with atomic_output(list_file(), b"") as partial:  # also over one that was damaged: nothing else has this name
        write_new(partial, json.dumps(told, indent=1) + "\n")
