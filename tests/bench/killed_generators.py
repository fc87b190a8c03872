"""Generators that are killed at a moment of chance and given again, as often as it takes.

Each sample of a generator, over a live server. After the last run the same was made as without a kill, by the same
attempts; what was asked more than once was on its way when a blow fell, and is counted as lost.
"""

import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from medreview.study import Study
from medreview.study.check import check
from tests.bench.killed_commands import DELAY, Result, Row, questions, whole
from tests.support.commands import Program
from tests.support.generator_samples import SAMPLES
from tests.support.http_server import slowly
from tests.support.interrupted_generating import made, prepared, spent
from tests.support.judge_endpoint import JudgeEndpoint
from tests.support.misbehaving import Misbehaving

BLOWS = 3
"""Kills of one run, each of the command given again."""


class GeneratorRing:
    """What a generator makes of its sample without a blow, how many calls and how long that takes."""

    def __init__(self, name: str, base: Path) -> None:
        self.name, self._base, self._round = name, base, 0
        with JudgeEndpoint(slowly(DELAY, Misbehaving(good=SAMPLES[name].good))) as server:
            program, path, words = self._fresh(server)
            program.process(*words)  # once, so that nothing has to be compiled when time is taken
            self.made = made(path)
            self.calls = len(server.asked)

    def _fresh(self, server: JudgeEndpoint) -> tuple[Program, Path, list[object]]:
        self._round += 1
        folder = self._base / str(self._round)
        folder.mkdir(parents=True)
        path, words = prepared(folder, self.name, server)
        return Program(folder), path, words

    def strike(self, luck: random.Random) -> Result:
        """One round: some kills, then a run to the end."""
        faults, hit = [], False
        with JudgeEndpoint(slowly(DELAY, whole(Misbehaving(good=SAMPLES[self.name].good)))) as server:
            program, path, words = self._fresh(server)
            for _ in range(BLOWS):
                before = len(server.received)
                process = program.start(*words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
                until = time.monotonic() + 30
                while len(server.received) == before and process.poll() is None and time.monotonic() < until:
                    time.sleep(0.005)
                time.sleep(luck.uniform(0, 4 * DELAY))
                process.kill()
                process.communicate()
                hit |= process.returncode == -9
                with Study.open(path, read_only=True) as study:
                    faults += check(study.reader)
            program.process(*words)
            asked = questions(server)
        answers, sent = spent(path)
        twice = sum(times - 1 for times in asked.values())
        if made(path) != self.made:
            faults.append("something else was made than without a blow")
        if (answers, len(asked)) != (self.calls, self.calls):
            faults.append(f"{answers} answers kept and {len(asked)} questions put, {self.calls} without a blow")
        if twice > sent - answers:
            faults.append(f"{twice} asked twice, {sent - answers} counted as lost")
        return Result(hit, 0, tuple(f"generate {self.name}: {fault}" for fault in faults))


def generator_rounds(base: Path, seed: int, rounds: int) -> Iterator[Row]:
    """So many rounds of each sample."""
    for number, name in enumerate(SAMPLES if rounds else ()):
        row, luck = Row(f"generate {name}"[:21]), random.Random(f"{seed} {name}")
        ring = GeneratorRing(name, base / f"g{number}")
        for _ in range(rounds):
            row.add(ring.strike(luck))
        yield row
