"""Kill the workbench while someone decides, again and again, and see whether anything that was saved is lost.

    python tests/bench/kill_rounds.py --rounds 20

Every round decides statements under a real pty, follows the screen, and at a random moment sends SIGKILL or SIGHUP or
closes the pty. It fails when a decision whose receipt was on the screen is not in the study, when `check` finds a
fault, when the process stays, or when SIGHUP leaves the terminal in the alternate screen.
"""

import argparse
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from fcntl import ioctl
from pathlib import Path

import pyte

from medreview.study import Study
from medreview.study.check import check

MEDREVIEW = [sys.executable, "-m", "medreview"]
RECEIPT = re.compile(r"saved #(\d+)")
PATIENCE = 20.0


class Terminal:
    """A program on a pty of its own, and the screen it has drawn so far."""

    def __init__(self, command: list[str]) -> None:
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self.output = b""
        self.receipt = 0
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execvp(command[0], command)
        ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def read(self, seconds: float) -> bool:
        """Take in what comes within ``seconds``; False once the program is gone."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.master], [], [], left)[0]:
                return True
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return False
            if not data:
                return False
            self.output += data
            self._stream.feed(data)
            for row in self.screen.display:
                for number in RECEIPT.findall(row):
                    self.receipt = max(self.receipt, int(number))
        return True

    def wait_for(self, text: str) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if any(text in row for row in self.screen.display):
                return
            if not self.read(0.05):
                break
        raise SystemExit(f"never saw {text!r}; the screen was:\n" + "\n".join(self.screen.display))

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def gone(self) -> bool:
        """Wait for the process to end by itself."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return True
            time.sleep(0.02)
        return False


def one_round(study: Path, how: str, luck: random.Random) -> tuple[int, list[str]]:
    """Decide until the blow falls; (decisions seen as saved, what is wrong)."""
    terminal = Terminal([*MEDREVIEW, "review", str(study), "--queue", "responses"])
    terminal.wait_for("supported")
    for _ in range(luck.randrange(2, 9)):
        # Enter ends the reason strip where one opened, and means nothing elsewhere.
        terminal.press(luck.choice("1234") + "\r")
        terminal.read(luck.uniform(0.16, 0.3))
    terminal.press(luck.choice("1234"))
    terminal.read(luck.uniform(0.0, 0.03))
    wrong = []
    if how == "kill":
        os.kill(terminal.pid, signal.SIGKILL)
        os.waitpid(terminal.pid, 0)
    elif how == "hup":
        os.kill(terminal.pid, signal.SIGHUP)
        terminal.read(PATIENCE)
        if b"\x1b[?1049l" not in terminal.output or terminal.output.rfind(b"\x1b[?25h") < 0:
            wrong.append("the terminal was left in the alternate screen")
        if not terminal.gone():
            wrong.append("the process is still there after SIGHUP")
    else:
        os.close(terminal.master)
        if not terminal.gone():
            wrong.append("the process is still there after its terminal was closed")
    with Study.open(study) as opened:
        kept = opened.reader.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0]
        if kept < terminal.receipt:
            wrong.append(f"receipt #{terminal.receipt} was shown, the study ends at #{kept}")
        wrong += check(opened.reader)
    return terminal.receipt, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    luck = random.Random(options.seed)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for how in ("kill", "hup", "close"):
            study = Path(folder) / f"{how}.medreview"
            subprocess.run([*MEDREVIEW, "demo", "--no-open", "--study", str(study)], check=True, capture_output=True)
            seen, faults = 0, []
            for _ in range(options.rounds):
                receipt, wrong = one_round(study, how, luck)
                seen = max(seen, receipt)
                faults += wrong
            print(f"{how}: {options.rounds} rounds, last receipt #{seen}, {len(faults)} faults {faults[:3]}")
            failed |= bool(faults) or not seen
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
