"""The screen as it was left, painted at once while the workbench is still being loaded."""

import hashlib
import json
import os
import signal
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from medreview.bounded_reading import read_bounded
from medreview.settings_places import LARGEST, find_configs
from medreview.study.state_folder import file_state, keep_of_study, kept_file

_SCREENS: Final = "screens"
MOST: Final = 5
"""Studies whose screen is kept."""
MARK: Final = " as you left it; opening ..."
_LARGEST: Final = 1_000_000
_TERMINATED: Final = 143
_ASKED: Final = (
    "TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE", "PYTHONIOENCODING", "PYTHONUTF8",
    "LOGNAME", "USER", "LNAME", "USERNAME", "XDG_CONFIG_HOME", "TEXTUAL_COLOR_SYSTEM", "TEXTUAL_THEME",
)  # fmt: skip
"""Variables of the environment on which a screen depends, the reviewer's login name among them."""


class LastScreen:
    """The picture of this terminal: one process has one terminal, and shows one study's screen early."""

    def __init__(self) -> None:
        self._key = ""
        self._study = Path()
        self._before: list[Any] | None = None
        self._handler: Any = None

    @contextmanager
    def shown(self, study: Path, wanted: tuple[object, ...]) -> Iterator[None]:
        """Show the screen of a study until the workbench takes the terminal over, and give the terminal back as it was
        where that does not come to pass. ``wanted``: what the command line says of how it is opened, and by whom."""
        self._study = Path(os.path.realpath(study))  # opening the study reports a loop of links
        self._key = _key(wanted)
        try:  # from before it is painted: a user who interrupts saw it
            with suppress(OSError, ValueError, termios.error):
                rows = self._stored()
                if rows:
                    self._paint(rows)
            yield
        finally:
            self._give_back()
            self._key = ""

    def take_over(self) -> list[Any] | None:
        """Let the workbench have the terminal: how it was set before the picture was painted; ``None`` without one."""
        before, self._before = self._before, None
        if before is not None:
            signal.signal(signal.SIGTERM, self._handler)
        return before

    def keep(self, size: tuple[int, int], rows: Sequence[str]) -> None:
        """Keep a picture (columns x rows, with its escape sequences) of the file as it is now: it must be closed.

        Nothing is kept of a study for which :meth:`shown` was not asked.
        """
        state = file_state(self._study) if self._key else None
        if state is None:
            return
        told = {"medreview": "the first screen", "of": [self._key, *size, *state], "rows": list(rows)}
        keep_of_study(_SCREENS, self._study, json.dumps(told), MOST)

    def forget(self) -> None:
        """Keep no picture of this study."""
        if self._key:
            with suppress(OSError):
                kept_file(_SCREENS, self._study).unlink(missing_ok=True)

    def _stored(self) -> list[str]:
        """The rows of the picture, if it is of this state of the file, this reviewer and this terminal."""
        if not all(stream and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__)):
            return []
        file = kept_file(_SCREENS, self._study)
        about, state = os.stat(file), file_state(self._study)
        if about.st_uid != os.getuid() or about.st_mode & 0o077 or state is None:
            return []
        told: Any = json.loads(read_bounded(file, _LARGEST)[0])
        size = os.get_terminal_size(_out())
        if not isinstance(told, dict) or told.get("of") != [self._key, *size, *state]:
            return []
        rows = told.get("rows")
        if not isinstance(rows, list) or len(rows) != size.lines:
            return []
        return rows if all(isinstance(row, str) for row in rows) else []

    def _paint(self, rows: Sequence[str]) -> None:
        before = termios.tcgetattr(_in())
        quiet = termios.tcgetattr(_in())
        quiet[3] &= ~(termios.ECHO | termios.ICANON)
        quiet[6][termios.VMIN], quiet[6][termios.VTIME] = 1, 0
        quiet[6][termios.VSUSP] = b"\0"  # stopped now, the terminal would stay as it is
        self._handler = signal.signal(signal.SIGTERM, _terminated)
        self._before = before
        termios.tcsetattr(_in(), termios.TCSANOW, quiet)
        placed = "".join(f"\x1b[{line};1H{row}\x1b[0m" for line, row in enumerate(rows, 1))
        mark = MARK.ljust(os.get_terminal_size(_out()).columns)[: os.get_terminal_size(_out()).columns]
        _write(f"\x1b[?1049h\x1b[?25l\x1b[2J{placed}\x1b[{len(rows)};1H\x1b[7m{mark}\x1b[0m")

    def _give_back(self) -> None:
        before = self.take_over()
        if before is not None:
            with suppress(OSError, termios.error):
                _write("\x1b[?25h\x1b[?1049l")
                termios.tcsetattr(_in(), termios.TCSANOW, before)


LAST_SCREEN: Final = LastScreen()


def _terminated(*_: object) -> None:
    raise SystemExit(_TERMINATED)


def _in() -> int:
    assert sys.__stdin__ is not None
    return sys.__stdin__.fileno()


def _out() -> int:
    assert sys.__stderr__ is not None
    return sys.__stderr__.fileno()  # where Textual draws


def _write(text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(_out(), data) :]


def _key(wanted: tuple[object, ...]) -> str:
    """What the screen depends on besides the file and the size: program, command line, settings, environment."""
    import medreview

    asked: list[object] = [*wanted, os.getuid(), medreview.__version__, *(os.environ.get(name) for name in _ASKED)]
    with suppress(OSError):
        asked += [read_bounded(path, LARGEST)[0] for path in find_configs()]
    return hashlib.sha256(repr(asked).encode("utf-8", "surrogateescape")).hexdigest()
