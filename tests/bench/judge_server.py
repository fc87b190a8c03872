"""How close a judge comes to the ideal time, and what a kill costs: a model that always takes 50 ms, and counts.

    python -m tests.bench.judge_server --pairs 2000 --concurrency 8 --latency 0.05

Makes a study, serves a model on this machine in a process of its own, and runs ``medreview judge`` on it three times:
whole; killed half-way (SIGKILL) and run again; and once more, when there is nothing left to ask. The server knows which
question came how often and which answers it had sent before the kill.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from medreview.study import Study
from tests.bench.make_study import make
from tests.support.commands import MEDREVIEW, ROOT, own_settings
from tests.support.http_server import Exchange, LocalServer, answer_json
from tests.support.judge_endpoint import NOT_ADDRESSED, says

ANSWER = json.dumps(NOT_ADDRESSED)


class Model(LocalServer):
    """Answers a question after the latency; GET gives the counts."""

    def __init__(self, latency: float) -> None:
        super().__init__(self._exchange, keep_alive=True)
        self.latency = latency
        self.asked: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self.in_hand = 0

    def _exchange(self, exchange: Exchange) -> None:
        if exchange.command == "GET":
            with self.lock:
                told = {"asked": dict(self.asked), "sent": dict(self.sent), "in_hand": self.in_hand}
            answer_json(told)(exchange)
            return
        question = sha256(exchange.body).hexdigest()
        with self.lock:
            self.asked[question] += 1
            self.in_hand += 1
        try:
            self.over.wait(self.latency)
            words = len(exchange.body.split())
            says(ANSWER, usage=(2 * words, 30))(exchange)
            with self.lock:
                self.sent[question] += 1
        finally:
            with self.lock:
                self.in_hand -= 1


def serve(latency: float) -> None:
    """Serve until the process ends; prints the port."""
    with Model(latency) as model:
        print(model.port, flush=True)
        threading.Event().wait()


class Bench:
    """One folder, one server, one study."""

    def __init__(self, folder: Path, wanted: argparse.Namespace) -> None:
        self.folder, self.wanted = folder, wanted
        self.environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config")}
        command = [sys.executable, "-m", "tests.bench.judge_server", "--serve", "--latency", str(wanted.latency)]
        self.server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout is not None
        self.address = f"http://127.0.0.1:{int(self.server.stdout.readline())}"
        own_settings(
            folder,
            f'[judges.bench]\nmodel = "b"\nbase_url = "{self.address}/v1"\nconcurrency = {wanted.concurrency}\n'
            "price_input = 1.0\nprice_output = 2.0\n",
        )
        pairs = wanted.pairs * 5 // 4  # one page in twelve is empty
        make(folder / "made.medreview", responses=pairs // 10, pairs=pairs, decided=0, judges=0, sources=200)

    def counts(self) -> tuple[Counter[str], Counter[str]]:
        """How often each question was asked, and answered to the last byte."""
        told = self.told()
        return Counter(told["asked"]), Counter(told["sent"])

    def told(self) -> dict[str, Any]:
        """What the server counts, and how many questions it has in hand."""
        with urlopen(self.address) as reply:
            counts: dict[str, Any] = json.load(reply)
        return counts

    def study(self, name: str) -> Path:
        """A fresh copy."""
        return Path(shutil.copy(self.folder / "made.medreview", self.folder / f"{name}.medreview"))

    def judge(self, study: Path) -> subprocess.Popen[str]:
        """The command, under way."""
        command = [*MEDREVIEW, "judge", str(study), "--judge", "bench"]
        command += ["--limit", str(self.wanted.pairs)]
        return subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment
        )

    def whole(self) -> None:
        """Wall time against latency times questions over concurrency."""
        before = self.counts()[0].total()
        began = time.perf_counter()
        out, error = (process := self.judge(self.study("whole"))).communicate()
        wall = time.perf_counter() - began
        if process.returncode:
            raise SystemExit(f"medreview judge failed: {error or out}")
        asked = self.counts()[0].total() - before
        ideal = self.wanted.latency * asked / self.wanted.concurrency
        print(f"whole: {asked:,} questions in {wall:.1f} s; ideal {ideal:.1f} s; {wall / ideal:.2f} times that")

    def killed(self) -> None:
        """Killed half-way, run again."""
        study = self.study("killed")
        asked_before, sent_before = self.counts()
        process = self.judge(study)
        while (self.counts()[1] - sent_before).total() < self.wanted.pairs // 2:
            time.sleep(0.02)
            if process.poll() is not None:
                raise SystemExit(f"medreview judge ended early: {process.communicate()}")
        process.send_signal(signal.SIGKILL)
        process.wait()
        while self.told()["in_hand"]:  # what it still answers counts as sent
            time.sleep(0.02)
        with Study.open(study) as opened:
            kept = opened.reader.execute("SELECT count(*) FROM llm_call WHERE status = 'ok'").fetchone()[0]
        asked_then, sent_then = (now - old for now, old in zip(self.counts(), (asked_before, sent_before), strict=True))
        self.finish(study)
        asked_now = self.counts()[0] - asked_before
        again = {question for question, times in asked_now.items() if times > 1}
        print(
            f"killed after {asked_then.total():,} questions, {sent_then.total():,} answers sent, {kept:,} saved; "
            f"asked again: {len(again):,}, in flight or not saved yet when it was killed"
        )
        print(f"in all {asked_now.total():,} questions for {len(asked_now):,} pairs")
        if len(again) > asked_then.total() - kept:
            raise SystemExit("an answer that was in the study was asked for again")
        self.finish(study)
        more = (self.counts()[0] - asked_before).total() - asked_now.total()
        print(f"once more: {more} questions")
        if more:
            raise SystemExit("a finished study was asked again")

    def finish(self, study: Path) -> None:
        """Run the command to its end."""
        out, error = (process := self.judge(study)).communicate()
        if process.returncode:
            raise SystemExit(f"medreview judge failed: {error or out}")


def main() -> None:
    """Read the arguments, run all three, print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.serve:
        serve(wanted.latency)
        return
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), wanted)
        try:
            bench.whole()
            bench.killed()
        finally:
            os.kill(bench.server.pid, signal.SIGTERM)
            bench.server.wait()


if __name__ == "__main__":
    main()
