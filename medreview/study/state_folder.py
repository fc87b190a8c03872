"""The folder for what this program keeps of a user on this machine, and the files in it that speed up an opening.

Such a file is read only while the study is as it was, and can be made again. Nothing here loads SQLite: the screen that
was left is shown from it before the study is opened.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

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
