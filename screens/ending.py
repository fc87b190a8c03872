"""How the workbench ends when nobody asked it to: an exit code, one sentence, and a log."""

import os
import signal
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.study.state_folder import state_folder
from medreview.visible import visible

FAILED: Final = 70
"""The exit code after an error of the workbench's own (EX_SOFTWARE of sysexits.h)."""

BY_SIGNAL: Final = 128
"""What is added to the number of the signal that ended it, as shells do."""

_LARGEST_LOG: Final = 1_000_000
_KEPT: Final = "Every decision is saved, and a line that you were typing is kept as a draft."


class WorkbenchEnded(UserError):
    """The workbench ended without having been asked to; ``exit_code`` says by what."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def ended_by_signal(number: int, lost: str = "") -> WorkbenchEnded:
    """By SIGHUP, which a lost terminal counts as, SIGTERM or SIGINT: exit code 128 and the signal's number.

    ``lost`` says what could not be kept.
    """
    name = signal.Signals(number).name
    why = "the terminal is gone" if number == signal.SIGHUP else f"it was told to ({name})"
    log = _write(f"ended by {name}")
    return WorkbenchEnded(f"The workbench ended because {why}. {lost or _KEPT} {_place(log)}", BY_SIGNAL + number)


def ended_by_error(error: BaseException, lost: str = "") -> WorkbenchEnded:
    """By an error of its own, or of the file; the traceback goes into the log, without the values of variables."""
    log = _write("ended by an error\n" + "".join(traceback.format_exception(error)))
    what = f": {error}" if isinstance(error, UserError) else " on an error of its own."
    return WorkbenchEnded(f"The workbench ended{what} {lost or _KEPT} {_place(log)}", FAILED)


def log_path() -> Path:
    """The log: ``workbench.log`` in the user's state folder."""
    return state_folder() / "workbench.log"


def _place(log: Path | None) -> str:
    return f"What happened is in {log}." if log else f"What happened could not be written to {log_path()}."


def _write(told: str) -> Path | None:
    """Append to the log, which its owner alone can read; one that has grown large begins anew."""
    import medreview

    path = log_path()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = f"{now} medreview {medreview.__version__}: {visible(told).rstrip()}\n"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _LARGEST_LOG:
            path.unlink()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(path, flags, 0o600), "a", encoding="utf-8", errors="backslashreplace") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(entry)
    except OSError:
        return None
    return path
