"""Kill the workbench while someone decides, and commands while they work, and see whether anything is lost.

    python -m tests.bench.kill_rounds                       # 200 kills in review, 4 of each command, 12 of a live judge
    python -m tests.bench.kill_rounds --rounds 20 --each 1 --judged 2 --generated 1 --seed 7

Every round of review decides statements under a real pty, follows the screen, and at a random moment sends SIGKILL or
SIGHUP or closes the pty. It fails when a decision whose receipt was on the screen is not in the study, when `check`
finds a fault, when the process stays, or when SIGHUP leaves the terminal in the alternate screen. What a round of a
command is says `killed_commands.py`, of a generator `killed_generators.py`. With `--steps`, each command that writes a
file is also killed, and finds the disk full, at every one of its steps.
"""

import argparse
import itertools
import random
import re
import shutil
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

from medreview.study import Study
from medreview.study.check import check
from tests.bench.killed_commands import Result, Row, command_rounds
from tests.bench.killed_generators import generator_rounds
from tests.support.commands import MEDREVIEW, Program
from tests.support.dying import Blow
from tests.support.terminal import Terminal
from tests.support.writers import WRITERS, bench_of, states, strike

RECEIPT = re.compile(r"saved #(\d+)")
ON_ONE_STUDY = 20
"""Rounds on one study: it grows with every one, and so does what it takes to check it."""
ENDS = ("kill", "hup", "close")


class Watched(Terminal):
    """A terminal that remembers the receipts that it has shown."""

    receipt = 0
    """The highest of them."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self.receipts: set[int] = set()
        super().__init__(command)

    def took(self, piece: bytes) -> None:
        super().took(piece)
        self.receipts.update(map(int, RECEIPT.findall(self.shown)))
        self.receipt = max(self.receipts, default=0)


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


def review_row(sample: Path, folder: Path, how: str, count: int, seed: int) -> Row:
    """Rounds of review that end in one way."""
    row, luck = Row(f"review ({how})"), random.Random(f"{seed} {how}")
    for number in range(count):
        study = folder / f"{how}{number // ON_ONE_STUDY}.medreview"
        if not study.exists():
            shutil.copy(sample, study)
        receipt, wrong = one_round(study, how, luck)
        lost = [fault for fault in wrong if fault.startswith("receipt")]
        row.add(Result(receipt > 0, len(lost), tuple(wrong)))
    return row


def step_row(sample: Path, folder: Path, blow: Blow) -> Row:
    """Every command that writes a file, struck at each of its steps."""
    row = Row(f"writers ({blow})")
    for number, writer in enumerate(itertools.chain(*WRITERS.values())):
        (folder / f"{blow}{number}").mkdir()
        bench = bench_of(sample, folder / f"{blow}{number}")
        before, after, steps = states(writer, bench)
        for step in range(1, steps + 1):
            try:
                code = strike(writer, bench, step, blow, before, after)
                row.add(Result(code != 0))
            except AssertionError as error:
                row.add(Result(True, 0, (f"{' '.join(writer.arguments)} at step {step}: {error}",)))
        shutil.rmtree(bench.base)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200, help="kills in review; a tenth of it of the other ends")
    parser.add_argument("--each", type=int, default=4, help="kills of each command")
    parser.add_argument("--judged", type=int, default=12, help="kills of a judge that is asked over a live server")
    parser.add_argument("--generated", type=int, default=4, help="rounds of each generator, over a live server")
    parser.add_argument("--steps", action="store_true", help="also every step of the commands that write a file")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = False
    print(f"seed {options.seed}\n{'':22}{'rounds':>8}{'hit':>8}{'lost':>8}{'faulty':>8}")

    def told(row: Row) -> None:
        nonlocal failed
        print(f"{row.name:22}{row.rounds:8}{row.hit:8}{row.lost:8}{len(row.faults):8}", flush=True)
        for fault in row.faults[:5]:
            print(f"    {fault}", flush=True)
        failed |= bool(row.faults or row.lost)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Program(folder)("demo", "--no-open", "--study", folder / "demo.medreview")
        for how in ENDS:
            rounds_of = options.rounds if how == "kill" else options.rounds // 10
            told(review_row(folder / "demo.medreview", folder, how, rounds_of, options.seed))
        for row in command_rounds(folder, options.seed, options.each, options.judged):
            told(row)
        for row in generator_rounds(folder, options.seed, options.generated):
            told(row)
        if options.steps:
            for blow in ("kill", "full"):
                told(step_row(folder / "demo.medreview", folder, blow))
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
