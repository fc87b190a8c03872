"""A program under a pseudo-terminal: keys go in, and what it writes makes a screen that can be read."""

import contextlib
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Sequence
from fcntl import ioctl
from pathlib import Path
from typing import Self

import pyte

from tests.support.commands import interruptible

PATIENCE = 600.0
"""Seconds after which what does not come is taken never to come."""


class Terminal:
    """A command in a terminal of its own; ``output`` is everything that it wrote, ``shown`` what stands on the screen.

    Asked where the cursor is, it answers at once, or, while ``answers`` is false, when :meth:`catch_up` is called.
    The environment is that of the tests, without what would change the look of the workbench.
    """

    def __init__(
        self, command: Sequence[str | Path], columns: int = 80, rows: int = 24, cwd: Path | None = None, **environ: str
    ) -> None:
        self.master, self.slave = pty.openpty()
        ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        kept = {name: it for name, it in os.environ.items() if not name.startswith(("TEXTUAL", "COLUMNS", "LINES"))}
        with interruptible():
            self.process = subprocess.Popen(
                command, stdin=self.slave, stdout=self.slave, stderr=self.slave, cwd=cwd, start_new_session=True,
                env={**kept, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environ},
                preexec_fn=lambda: ioctl(0, termios.TIOCSCTTY, 0),
            )  # fmt: skip
        self.output = b""
        self.answers = True
        self.unanswered = 0
        self.screen = pyte.Screen(columns, rows)
        self.screen.write_process_input = lambda data: self._answer()  # type: ignore[method-assign]
        self._stream = pyte.ByteStream(self.screen)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.hang_up()

    def read(self, seconds: float) -> bytes:
        """What comes until there is silence for so many seconds, or the end."""
        got = b""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and select.select([self.master], [], [], seconds)[0]:
            piece = b""
            with contextlib.suppress(OSError):  # nobody has the other side open any more
                piece = os.read(self.master, 65536)
            if not piece:
                break
            got += piece
            self.took(piece)
        return got

    def took(self, piece: bytes) -> None:
        """Draw what was read."""
        self.output += piece
        self._stream.feed(piece)

    def wait_until(self, there: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
        """Read until something is there; what it is, for the one who reads that it never came."""
        end = time.monotonic() + seconds
        while not there():
            assert time.monotonic() < end, f"never saw {what}; the screen is\n{self.shown}"
            self._read_some(0.05)

    def wait(self, words: str) -> None:
        """Read until the words are on the screen."""
        self.wait_until(lambda: words in self.shown, repr(words))

    def catch_up(self) -> None:
        """Give the answers that are due, as a terminal does that has drawn at last what it was sent."""
        due, self.unanswered = self.unanswered, 0
        for _ in range(due):
            self.type("\x1b[2;1R")

    @property
    def shown(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def finish(self) -> int:
        """Read to the end; the exit status."""
        self.wait_until(lambda: self.process.poll() is not None, "the end of the program")
        self.read(0.05)
        return self.process.returncode

    def hang_up(self) -> None:
        """Close the terminal, as a lost connection does."""
        for descriptor in (self.slave, self.master):
            if descriptor >= 0:
                os.close(descriptor)
        self.master = self.slave = -1

    def _answer(self) -> None:
        self.unanswered += 1
        if self.answers:
            self.catch_up()

    def _read_some(self, seconds: float) -> None:
        if select.select([self.master], [], [], seconds)[0]:
            with contextlib.suppress(OSError):
                self.took(os.read(self.master, 65536))
