"""A monkey at the keyboard: random keys and bytes at a real pty, and sizes of the terminal that nobody would choose.

    python -m tests.bench.monkey --keys 8000 --seed 1

Keys of the workbench, words, bytes that are not UTF-8, escape sequences whole and broken, mouse reports, pastes, and
resizes from 1x1 to 300x100, on a copy of the sample study. Where the keys have led out by ``q``, it is opened again. It
fails when the workbench ends otherwise, shows a traceback or writes one into its log, does not answer at the end, when
`check` finds a fault, or when a receipt that was shown is not in the study.
"""

import argparse
import os
import random
import re
import select
import shutil
import signal
import struct
import tempfile
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from fcntl import ioctl
from pathlib import Path
from typing import Final

from medreview.study import Study
from medreview.study.check import check
from tests.bench.kill_rounds import RECEIPT
from tests.support.commands import MEDREVIEW, Program
from tests.support.terminal import PATIENCE, Terminal

SIZES: Final = ((1, 1), (2, 1), (1, 50), (3, 3), (10, 4), (20, 200), (40, 10), (79, 23), (80, 24), (121, 30), (160, 50),
                (300, 1), (300, 100))  # fmt: skip
ESCAPE: Final = b"\x1b"
"""Alone, followed by silence: else it would be the beginning of a sequence."""

_ACTIONS: Final = "12345" * 5 + "hh0123wbWBoS" + "nnssddffppuuUaDl" + "jjjkt][mMgGvx/.,:yi?rcte \t" + "\r" * 8
_SPECIAL: Final = tuple(
    f"\x1b{code}".encode()
    for code in (
        "",
        "[A",
        "[B",
        "[C",
        "[D",
        "[5~",
        "[6~",
        "[H",
        "[F",
        "OP",
        "[3~",
        "[Z",
        "[1;5C",
        "[I",
        "[O",
        "\r",
        "j",
    )
)
_CONTROLS: Final = tuple(bytes([code]) for code in range(32))
_UNDECODABLE: Final = (b"\xe9 ", b"\xff", b"\x9b", b"\xe9x", b"\xed\xa0\x80", b"\xc3", b"\xf0\x9f", b"\x80\x80\x80")
_BROKEN: Final = (
    b"\x1b[", b"\x1b[<", b"\x1b[1114112;1u", b"\x1b[0;;55296u", b"\x1b[;;;;u", b"\x1b[48;0;0;0;0t", b"\x1b[48;9;9;1;1t",
    b"\x1b[48;99999999;99999999;9;9t", b"\x1b[9999999999R", b"\x1b[?2026;1$y", b"\x1b[?2048;9$y", b"\x1b]0;owned\x07",
    b"\x1b]52;c;YQ==\x07", b"\x1bP+q\x1b\\", b"\x1b[" + b"1;" * 40 + b"m", b"\x1b[200~", b"\x1b[201~", b"\x1b[1;3:3u",
)  # fmt: skip
_WORDS: Final = ("dose", "50 mg", "é", "日本語", "👩\u200d⚕️", "\u202e", "a\u0301" * 9, "[red]", "=1+1", "model=atlas-2")


def strokes(luck: random.Random) -> Iterator[bytes]:
    """One thing after another that a keyboard, a paste or a broken line could send."""
    while True:
        kind = luck.random()
        if kind < 0.05:
            yield ESCAPE
        elif kind < 0.62:
            yield luck.choice(_ACTIONS).encode()
        elif kind < 0.63:
            yield b"q"
        elif kind < 0.70:
            yield luck.choice(_WORDS).encode()
        elif kind < 0.80:
            yield luck.choice(_SPECIAL)
        elif kind < 0.84:
            yield luck.choice(_CONTROLS)
        elif kind < 0.88:
            yield luck.choice(_UNDECODABLE)
        elif kind < 0.91:
            yield luck.choice(_BROKEN)
        elif kind < 0.94:
            place = (luck.choice((0, 1, 5, 79, 300, 10**9, -1)), luck.choice((0, 1, 5, 23, 100, 10**9)))
            yield b"\x1b[<%d;%d;%d%c" % (luck.choice((0, 2, 32, 35, 64, 65, 128, 9999)), *place, luck.choice(b"Mm"))
        elif kind < 0.99:
            words = b"".join(luck.choice((*_UNDECODABLE, *_BROKEN, b"1", b"q\r", b"words ")) for _ in range(6))
            yield b"\x1b[200~" + words + b"\x1b[201~"
        else:
            yield luck.randbytes(luck.randrange(1, 40)).replace(b"\x11", b"")


class _Watched(Terminal):
    """A terminal of which only the receipts and the words of a traceback are read."""

    def __init__(self, *arguments: str | Path, **environ: str) -> None:
        self.receipts: set[int] = set()
        super().__init__([*MEDREVIEW, *map(str, arguments)], 80, 24, None, **environ)

    def took(self, piece: bytes) -> None:
        self.output = (self.output + piece)[-200_000:]
        self._stream.feed(piece)

    def rest(self) -> None:
        """Wait until nothing more is drawn, and read the receipts that stand there: only cells that changed are sent,
        so that a number is whole on the screen alone."""
        self.read(0.15)
        self.receipts.update(map(int, RECEIPT.findall(self.shown)))

    def send(self, data: bytes) -> None:
        """Write, and read what comes meanwhile: neither side may wait for the other."""
        end = time.monotonic() + PATIENCE
        while data and self.process.poll() is None:
            assert time.monotonic() < end, "the workbench does not read what is typed"
            readable, writable, _ = select.select([self.master], [self.master], [], 1)
            if readable:
                self._read_some(0)
            elif writable:
                data = data[os.write(self.master, data[:512]) :]

    def resize(self, columns: int, rows: int) -> None:
        """The window has another size."""
        ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@dataclass
class Found:
    """What came of it: keys sent, times the workbench was opened, receipts seen, faults."""

    keys: int = 0
    opened: int = 0
    receipts: set[int] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)


def monkey(study: Path, folder: Path, keys: int, seed: int) -> Found:
    """Let it type; settings and log are in ``folder``."""
    luck, found = random.Random(seed), Found()
    source = strokes(luck)
    own = {
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_STATE_HOME": str(folder / "state"),
        "PYTHONFAULTHANDLER": "1",
    }
    while found.keys < keys and not found.faults:
        with _Watched("review", study, "--reviewer", "monkey", **own) as terminal:
            found.opened += 1
            terminal.wait("leave")
            last: list[bytes] = []
            while found.keys < keys and terminal.process.poll() is None:
                if luck.random() < 0.02:
                    terminal.resize(*luck.choice(SIZES))
                last = [*last, next(source)][-60:]
                terminal.send(last[-1])
                found.keys += 1
                if last[-1] == ESCAPE or luck.random() < 0.2:
                    terminal.rest()
            found.faults += [f"{fault}; the last keys were {last}" for fault in _end(terminal)]
            found.receipts |= terminal.receipts
    log = folder / "state" / "medreview" / "workbench.log"
    if log.exists():
        found.faults.append(f"the log says {log.read_text()}")
    with Study.open(study) as opened:
        kept = {row[0] for row in opened.reader.execute("SELECT seq FROM event")}
        if lost := found.receipts - kept:
            found.faults.append(f"receipts {sorted(lost)} were shown and are not in the study")
        found.faults += check(opened.reader)
    return found


def _end(terminal: _Watched) -> list[str]:
    """Leave by the keys for that, if they have not been pressed already; what is wrong."""
    terminal.resize(80, 24)
    end = time.monotonic() + PATIENCE
    while terminal.process.poll() is None:
        if time.monotonic() > end:
            shown = terminal.shown
            terminal.process.send_signal(signal.SIGABRT)  # faulthandler then says what each thread does
            terminal.finish()
            return [f"it does not leave; the screen is\n{shown}\n{terminal.output[-9000:].decode(errors='replace')}"]
        terminal.process.send_signal(signal.SIGCONT)
        terminal.send(b"\x1b[201~\x1b")  # out of a paste, out of a line
        terminal.read(0.3)
        terminal.send(b"q")
        terminal.read(0.3)
    terminal.read(0.05)
    # Once it has left, the terminal makes signals of Ctrl+C and Ctrl+\\ again.
    left = terminal.output.rfind(b"\x1b[?1049l") > terminal.output.rfind(b"\x1b[?1049h")
    code = terminal.process.returncode
    wrong = [] if code == 0 or (left and code in (-signal.SIGINT, -signal.SIGQUIT, 130)) else [f"it ended with {code}"]
    if re.search(rb"Traceback|Error:", terminal.output):
        wrong.append(f"it wrote {terminal.output[-2000:]!r}")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1, help="the first of them")
    parser.add_argument("--rounds", type=int, default=4, help="seeds, with the keys shared among them")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Program(folder)("demo", "--no-open", "--study", folder / "demo.medreview")
        for seed in range(options.seed, options.seed + options.rounds):
            own = folder / f"seed{seed}"
            own.mkdir()
            study = Path(shutil.copy(folder / "demo.medreview", own / "monkey.medreview"))
            found = monkey(study, own, options.keys // options.rounds, seed)
            print(
                f"seed {seed}: {found.keys} keys, opened {found.opened} times, {len(found.receipts)} receipts", end=""
            )
            print(f", {len(found.faults)} faults", *found.faults, sep="\n  ", flush=True)
            failed |= bool(found.faults) or not found.receipts
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
