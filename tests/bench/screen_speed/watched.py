"""A program in a terminal at the end of a link, each key of which is timed."""

import contextlib
import os
import re
import select
import statistics
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from medreview.screens.last_screen import MARK
from tests.bench.screen_speed.plain_differ import cost, picture
from tests.support.terminal import Terminal

QUIET_S: Final = 0.12
"""Silence after which a key's output is over; it is not counted."""

_NOTHING_S: Final = 0.4
_MORE_S: Final = 0.0003
_BUFFER: Final = 65536
_PRIVATE = re.compile(rb"\x1b\[[<>=][0-9;]*[A-Za-z]|\x1b\[\?[0-9;]*(?:u|\$p|n)|\x1b\[[0-9;]*(?: q|t)|\x1b\[6n")
_OPEN = re.compile(rb"\x1b(?:\[[0-9;?<>=$ ]*)?\Z")
_ASKED = re.compile(rb"\x1b\[(?:\?2026\$p|6n)")


@dataclass(frozen=True)
class Press:
    """One key: milliseconds to the first and last byte and of processor; bytes sent, and what is ``cost`` of them."""

    first: float
    last: float
    cpu: float
    sent: int
    plain: int


class Watched(Terminal):
    """Answers what the program asks: synchronized output is there, and where the cursor is.

    ``delay_s`` one way, ``rate`` in bytes a second towards the terminal: 0 and infinite without a link.
    """

    def __init__(
        self, command: Sequence[str | Path], columns: int, rows: int, cwd: Path,
        delay_s: float = 0.0, rate: float = float("inf"), **environ: str,
    ) -> None:  # fmt: skip
        self.started = time.perf_counter()
        self._delay_s, self._rate = delay_s, rate
        self._down: deque[tuple[float, bytes]] = deque()
        self._up: deque[tuple[float, bytes]] = deque()
        self._waiting, self._free_at, self._tail = 0, 0.0, b""
        self.last_at = self.started
        self.received, self._asked = 0, False
        super().__init__(command, columns, rows, cwd, **environ)

    def __enter__(self) -> Self:
        return self

    def took(self, piece: bytes) -> None:
        """Draw what has come through the link, and answer."""
        self.received += len(piece)
        self.output = self.output[-4096:]
        data = self._tail + piece
        found = _OPEN.search(data)
        data, self._tail = (data[: found.start()], data[found.start() :]) if found else (data, b"")
        for asked in _ASKED.findall(data):
            self._asked, there = True, self.screen.cursor
            self.write(b"\x1b[?2026;2$y" if b"2026" in asked else b"\x1b[%d;%dR" % (there.y + 1, there.x + 1))
        super().took(_PRIVATE.sub(b"", data))  # without questions, which it would answer past the link

    def write(self, data: bytes) -> None:
        """Towards the program, through the link."""
        self._up.append((time.perf_counter() + self._delay_s, data))

    def step(self, seconds: float) -> bool:
        """Carry what is due; whether anything reached the screen."""
        now = time.perf_counter()
        while self._up and self._up[0][0] <= now:
            with contextlib.suppress(OSError):
                os.write(self.master, self._up.popleft()[1])
        drawn = False
        while self._down and self._down[0][0] <= now:
            self.last_at, piece = self._down.popleft()
            self._waiting -= len(piece)
            self.took(piece)
            drawn = True
        due = [line[0][0] - now for line in (self._up, self._down) if line]
        wait = max(0.0, min([seconds, *due]))
        if self._waiting >= _BUFFER:
            time.sleep(wait)
        else:
            self._read(wait)
        return drawn

    def _read(self, seconds: float) -> None:
        """All that the program writes now; it does not wait until it is drawn, which takes pyte longer than others."""
        while self._waiting < _BUFFER and select.select([self.master], [], [], seconds)[0]:
            try:
                piece, now = os.read(self.master, 4096), time.perf_counter()
            except OSError:
                return
            if not piece:
                return
            self._free_at = max(now, self._free_at) + len(piece) / self._rate
            self._waiting += len(piece)
            self._down.append((self._free_at + self._delay_s, piece))
            seconds = _MORE_S

    def settle(self, nothing_s: float = _NOTHING_S) -> None:
        """Until there is silence."""
        start, any_yet = time.perf_counter(), False
        while True:
            any_yet |= self.step(0.02)
            idle = time.perf_counter() - max(start, self.last_at)
            if not self._down and idle > (QUIET_S if any_yet else nothing_s) + self._delay_s:
                return

    def ready(self, words: str, *, live: bool = True) -> float:
        """Milliseconds from the start until the words are on the screen; ``live``: not as they were left, but drawn by
        Textual, which has asked the terminal what it can do."""
        end = self.started + 60
        while words not in (shown := self.shown) or (live and (MARK in shown or not self._asked)):
            assert time.perf_counter() < end, f"never saw {words!r}; the screen is\n{shown}"
            self.step(0.02)
        return (self.last_at - self.started) * 1e3

    def cpu_ms(self) -> float:
        """Processor time of the program so far, of all its threads."""
        total = 0
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                total += int((task / "schedstat").read_text().split()[0])
        return total / 1e6

    def peak_mb(self) -> float:
        """The most memory it has had."""
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(found[1]) / 1024

    def press(self, key: str, compared: bool = True) -> Press:
        """One key, until its output is over."""
        before, sent, cpu = picture(self.screen) if compared else [], self.received, self.cpu_ms()
        pressed = time.perf_counter()
        self.write(key.encode())
        first = 0.0
        while not first and time.perf_counter() - pressed < _NOTHING_S + 2 * self._delay_s:
            if self.step(0.02):
                first = self.last_at
        if first:
            self.settle()
        after = picture(self.screen) if compared else []
        return Press(
            (first - pressed) * 1e3 if first else 0.0, (self.last_at - pressed) * 1e3 if first else 0.0,
            self.cpu_ms() - cpu, self.received - sent, cost(before, after),
        )  # fmt: skip

    def hold(self, key: str, seconds: float, a_second: int = 30) -> tuple[float, int]:
        """A key held; seconds until the last byte after it is let go, and bytes."""
        sent, start = self.received, time.perf_counter()
        for number in range(int(seconds * a_second)):
            while time.perf_counter() < start + number / a_second:
                self.step(max(0.0, start + number / a_second - time.perf_counter()))
            self.write(key.encode())
        released = time.perf_counter()
        self.settle(1.0)
        return max(0.0, self.last_at - released), self.received - sent

    def idle(self, seconds: float) -> tuple[int, float]:
        """Bytes and processor milliseconds while nobody types."""
        sent, cpu, end = self.received, self.cpu_ms(), time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.step(0.1)
        return self.received - sent, self.cpu_ms() - cpu


def median(values: Sequence[float]) -> float:
    """0 of nothing."""
    return statistics.median(values) if values else 0.0
