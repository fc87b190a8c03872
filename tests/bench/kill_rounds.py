"""Kill the workbench while someone decides, again and again, and see whether anything that was saved is lost.

    python -m tests.bench.kill_rounds --rounds 20

Every round decides statements under a real pty, follows the screen, and at a random moment sends SIGKILL or SIGHUP or
closes the pty. It fails when a decision whose receipt was on the screen is not in the study, when `check` finds a
fault, when the process stays, or when SIGHUP leaves the terminal in the alternate screen.
"""

import argparse
import random
import re
import shutil
import signal
import tempfile
from pathlib import Path

from medreview.study import Study
from medreview.study.check import check
from tests.support.commands import MEDREVIEW, Program
from tests.support.terminal import Terminal

RECEIPT = re.compile(r"saved #(\d+)")
ENDS = ("kill", "hup", "close")


class Watched(Terminal):
    """A terminal that remembers the highest receipt it has shown."""

    receipt = 0

    def took(self, piece: bytes) -> None:
        super().took(piece)
        self.receipt = max(self.receipt, *map(int, RECEIPT.findall(self.shown)), 0)


def one_round(study: Path, how: str, luck: random.Random) -> tuple[int, list[str]]:
    """Decide until the blow falls; (the receipt seen last, what is wrong)."""
    with Watched([*MEDREVIEW, "review", str(study), "--queue", "responses"]) as terminal:
        terminal.wait("supported")
        key = ""
        for _ in range(luck.randrange(2, 9)):
            before = terminal.receipt
            key = luck.choice("1234".replace(key, "") or "1234")  # the same key at once is one held down
            # Enter ends the reason strip where one opened, and means nothing elsewhere.
            terminal.type(key + "\r")
            terminal.wait_until(lambda before=before: terminal.receipt > before, "the receipt of a decision")
        terminal.type(luck.choice("1234".replace(key, "")))
        terminal.read(luck.uniform(0.0, 0.03))
        wrong = _strike(terminal, how)
    with Study.open(study) as opened:
        kept = opened.reader.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0]
        if kept < terminal.receipt:
            wrong.append(f"receipt #{terminal.receipt} was shown, the study ends at #{kept}")
        wrong += check(opened.reader)
    return terminal.receipt, wrong


def _strike(terminal: Watched, how: str) -> list[str]:
    """End the program; what it did wrong."""
    if how == "kill":
        terminal.process.kill()
        terminal.process.wait()
    elif how == "hup":
        terminal.process.send_signal(signal.SIGHUP)
        terminal.finish()
        if b"\x1b[?1049l" not in terminal.output or terminal.output.rfind(b"\x1b[?25h") < 0:
            return ["the terminal was left in the alternate screen"]
    else:
        terminal.hang_up()
        terminal.process.wait(30)
    return []


def rounds(study: Path, how: str, count: int, luck: random.Random) -> tuple[int, list[str]]:
    """So many rounds on one study; (the last receipt, what was wrong)."""
    seen, faults = 0, []
    for _ in range(count):
        receipt, wrong = one_round(study, how, luck)
        seen = max(seen, receipt)
        faults += wrong
    return seen, faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    luck = random.Random(options.seed)
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Program(folder)("demo", "--no-open", "--study", folder / "demo.medreview")
        for how in ENDS:
            study = Path(shutil.copy(folder / "demo.medreview", folder / f"{how}.medreview"))
            seen, faults = rounds(study, how, options.rounds, luck)
            print(f"{how}: {options.rounds} rounds, last receipt #{seen}, {len(faults)} faults {faults[:3]}")
            failed |= bool(faults) or not seen
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
