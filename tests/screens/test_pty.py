"""The workbench on a real terminal: bytes, colours, signals, silence."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pyte
import pytest

from medreview.study import Study
from medreview.study.events import verify
from medreview.study.lock import WriterLock

OPEN = """
import sys
from pathlib import Path
from medreview.config import Config
from medreview.errors import UserError
from medreview.review.queue import open_queue
from medreview.screens.app import run
from medreview.study import Study
with Study.open(Path(sys.argv[1])) as study:
    try:
        run(study, Config(reviewer="kb"), queue=open_queue(study, "responses", "kb"))
    except UserError as error:
        print("REFUSED", error)
        sys.exit(2)
print("LEFT IN ORDER")
"""


class Terminal:
    """A program under a pty, everything it wrote, and the screen that makes."""

    def __init__(self, study: Path, columns: int = 80, rows: int = 24, **environ: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        clean = {
            name: text for name, text in os.environ.items() if not name.startswith(("TEXTUAL", "COLUMNS", "LINES"))
        }
        environment = {**clean, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environ}
        self.process = subprocess.Popen(
            [sys.executable, "-c", OPEN, str(study)],
            stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        self.slave = slave
        self.output = b""
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)

    def read(self, seconds: float) -> bytes:
        """What comes within so many seconds."""
        got = b""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.master], [], [], left)[0]:
                break
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                break
            if not piece:
                break
            got += piece
            self.output += piece
            self._stream.feed(piece)
        return got

    def wait(self, words: str, seconds: float = 20) -> None:
        """Read until the words are on the screen."""
        end = time.monotonic() + seconds
        while words not in self.shown:
            if time.monotonic() > end:
                pytest.fail(f"no {words!r} on the screen:\n{self.shown}")
            self.read(0.05)

    @property
    def shown(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def finish(self, seconds: float = 10) -> int:
        """Read to the end; the exit status."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > end:
                pytest.fail("the workbench did not end")
            self.read(0.05)
        self.read(0.2)
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def started(terminals: list[Terminal], study: Path, columns: int = 80, rows: int = 24, **environ: str) -> Terminal:
    terminal = Terminal(study, columns, rows, **environ)
    terminals.append(terminal)
    terminal.wait("? " if columns > 100 else "undo", 30)
    return terminal


def labels(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        assert verify(study.reader) == []
        return [
            row["label"] for row in study.reader.execute("SELECT label FROM event WHERE kind = 'decide' ORDER BY seq")
        ]


def colours(output: bytes) -> set[int]:
    """The SGR codes that colour, of everything that was written."""
    codes = set()
    for found in re.findall(rb"\x1b\[([0-9;:]*)m", output):
        codes |= {int(code) for code in re.split(rb"[;:]", found) if code}
    return {code for code in codes if 30 <= code <= 38 or 40 <= code <= 48 or 90 <= code <= 107}


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
def test_nothing_from_outside_acts_on_the_terminal(
    study_path: Path, terminals: list[Terminal], size: tuple[int, int]
) -> None:
    terminal = started(terminals, study_path, *size)
    for keys, words in (
        (":response=R02\r", "eGFR"),
        ("v", "metformin"),
        ("v", "zero¦width"),
        ("j", "any eGFR"),
        ("n\x1b[200~a\x1b]0;t\x07b\x1b[201~\r", "note"),
        ("]", "scan"),
        ("q", "REVIEW"),
    ):
        terminal.type(keys)
        terminal.wait(words)
    terminal.type("q")
    assert terminal.finish() == 0
    text = terminal.output.decode()
    assert not re.search("\x1b\\](0|1|2|52);", text)
    assert "\x1b[31m" not in text
    assert "\x1b[2J\u202e" not in text
    assert not [char for char in text if 0x80 <= ord(char) < 0xA0 or char in "\u202e\u202c\u200b"]
    assert "[red]bold[/red]" in text
    assert "LEFT IN ORDER" in text


def test_no_color_gives_no_colour_and_an_empty_one_does_not_count(study_path: Path, terminals: list[Terminal]) -> None:
    plain = started(terminals, study_path, NO_COLOR="1")
    plain.type("j3")
    plain.wait("Why not")
    assert "^^ 50" in plain.shown
    assert "▌" in plain.shown
    plain.type("\x1b")
    plain.wait("agree")
    plain.type("q")
    plain.wait("REVIEW")
    plain.type("q")
    plain.finish()
    assert colours(plain.output) == set()
    coloured = started(terminals, study_path, NO_COLOR="")
    assert colours(coloured.output)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_leaves_in_order(study_path: Path, terminals: list[Terminal], number: signal.Signals) -> None:
    terminal = started(terminals, study_path)
    terminal.type("2")
    terminal.wait("saved #")
    terminal.process.send_signal(number)
    assert terminal.finish() == 0
    assert b"LEFT IN ORDER" in terminal.output
    assert termios.tcgetattr(terminal.slave) == terminal.before
    assert terminal.output.rfind(b"\x1b[?1049l") > terminal.output.rfind(b"\x1b[?1049h")
    assert terminal.output.rfind(b"\x1b[?25h") > terminal.output.rfind(b"\x1b[?25l")
    assert labels(study_path) == ["partial"]
    WriterLock(study_path).take()


def test_a_lost_terminal_ends_the_process(study_path: Path, terminals: list[Terminal]) -> None:
    terminal = started(terminals, study_path)
    terminal.type("2")
    terminal.wait("saved #")
    os.close(terminal.slave)
    os.close(terminal.master)
    terminal.master = terminal.slave = -1
    terminal.process.wait(10)
    assert labels(study_path) == ["partial"]
    with Study.open(study_path) as study:
        assert study.reader.execute("SELECT count(*) FROM bookmark").fetchone()[0] == 1


def test_nothing_is_written_while_nobody_types(study_path: Path, terminals: list[Terminal]) -> None:
    terminal = started(terminals, study_path)
    terminal.read(0.5)
    assert terminal.read(1) == b""
    terminal.type("n")
    terminal.wait("note S1")
    terminal.read(0.5)
    assert terminal.read(1) == b""


def test_a_dumb_terminal_is_refused(study_path: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal(study_path, TERM="dumb")
    terminals.append(terminal)
    assert terminal.finish(20) == 2
    assert b"--plain" in terminal.output
    assert b"\x1b" not in terminal.output


def test_typed_ahead_keys_are_answered_in_order(study_path: Path, terminals: list[Terminal]) -> None:
    terminal = started(terminals, study_path)
    terminal.type("2nslow\rj/fluid\r")
    terminal.wait("/fluid")
    terminal.type("\x1b")
    terminal.wait("3 of 8")
    terminal.read(0.3)
    terminal.type("q")
    terminal.wait("REVIEW")
    terminal.type("6")
    terminal.wait("3 of 8")
    terminal.type("qq")
    terminal.finish()
    with Study.open(study_path, read_only=True) as study:
        kinds = [
            row["kind"] for row in study.reader.execute("SELECT kind FROM event WHERE kind <> 'shown' ORDER BY seq")
        ]
    assert kinds == ["decide", "note"]
