"""Commands that are killed at a moment of chance and given again: what a round of each is, and what it finds.

After the blow the study is whole by ``check``, what is made under a name of its own is not there or whole, and the same
command again brings what one run without a blow brings. Of a judge that is asked over a live server, every answer that
was kept stays as it is, and nothing is asked twice but what was on its way.
"""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from medreview.review.decision import decide_in_script
from medreview.study import Study
from medreview.study.check import check
from tests.support.commands import ROOT, Program
from tests.support.http_server import Exchange, LocalServer, Route, answer, slowly
from tests.support.judge_endpoint import JudgeEndpoint, as_asked, by_prompt
from tests.support.writers import batch_state, database_state, export_state, leftovers, pages_state

ANSWERS: Final = 400
DELAY: Final = 0.02
"""Seconds that a server here takes for an answer, so that some are on their way when the blow falls."""
SAID: Final = as_asked({"reason": "Nothing on this.", "label": "not_addressed", "confidence": 0.8})
FETCH: Final = """
import sys
from pathlib import Path
from medreview import pipeline
from medreview.sources.fetching.network import Limits
from medreview.sources.fetching.network import Network
from medreview.study import Study
with Study.open(Path("s.medreview")) as study:
    network = Network(limits=Limits(host_delay=0), allow=frozenset({("127.0.0.1", int(sys.argv[1]))}))
    pipeline.fetch(study, pipeline.PageProvider(network=network))
"""
TABLES: Final = ("response", "citation", "source", "snapshot", "statement", "left_out", "judgement", "verdict", "event")


@dataclass(frozen=True)
class Result:
    """One round: whether the blow fell while the command ran, how much was lost, and what else was wrong."""

    hit: bool
    lost: int = 0
    faults: tuple[str, ...] = ()


@dataclass
class Row:
    """The rounds of one command."""

    name: str
    rounds: int = 0
    hit: int = 0
    lost: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, result: Result) -> None:
        self.rounds += 1
        self.hit += result.hit
        self.lost += result.lost
        self.faults += result.faults


@dataclass(frozen=True)
class Kind:
    """A command in a folder: its words, what is made ready for it, and what it brings when it is whole."""

    name: str
    words: tuple[str, ...]
    prepare: Callable[[Path, Program], object]
    state: Callable[[Path], object]
    made: str = ""
    """What appears whole or not at all."""
    script: str = ""
    """In place of the program's own command."""

    def start(self, program: Program) -> "subprocess.Popen[str]":
        if self.script:
            environ = {**os.environ, **program.own, "PYTHONPATH": str(ROOT)}
            command = [sys.executable, "-c", self.script, *self.words]
            return subprocess.Popen(command, cwd=program.folder, env=environ, stderr=subprocess.PIPE, text=True)
        return program.start(*self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def study_rows(name: str) -> Callable[[Path], object]:
    """How many rows of what the study of this name holds, when it is whole."""

    def count(folder: Path) -> object:
        with Study.open(folder / name, read_only=True) as study:
            assert check(study.reader) == []
            return {table: study.reader.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}

    return count


def _answers(folder: Path, base: str = "https://page.example") -> None:
    records = (
        {
            "id": f"a{number}",
            "question": f"How much, {number}?",
            "response": f"Adults take {number} mg. {base}/{number}",
        }
        for number in range(ANSWERS)
    )
    (folder / "answers.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def _settings(folder: Path, told: str) -> None:
    """Settings of the user's own, which are trusted wherever they are used."""
    (folder / "config" / "medreview").mkdir(parents=True)
    (folder / "config" / "medreview" / "medreview.toml").write_text(told)


def _sample(folder: Path) -> None:
    with as_file(files("medreview.sample_data")) as sample:
        shutil.copytree(sample, folder / "sample")


def _imported(folder: Path, program: Program) -> None:
    _answers(folder)
    program("import", "s.medreview", "answers.jsonl")


def _demo(folder: Path, program: Program) -> None:
    program("demo", "--no-open", "--study", "demo.medreview")
    _settings(folder, '[judges.atlas]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n')


def _two(folder: Path, program: Program) -> None:
    _demo(folder, program)
    shutil.copy(folder / "demo.medreview", folder / "anna.medreview")
    with Study.open(folder / "anna.medreview") as study:
        for row in study.reader.execute("SELECT statement_id FROM statement").fetchall():
            decide_in_script(study, "anna", row[0], "supported")


def _answered(folder: Path, program: Program) -> None:
    _demo(folder, program)
    program("judge", "demo.medreview", "--judge", "atlas", "--batch-out", "b.jsonl")
    message = {"choices": [{"message": {"role": "assistant", "content": json.dumps(SAID)}, "finish_reason": "stop"}]}
    with (folder / "results.jsonl").open("w") as results:
        for line in (folder / "b.jsonl").read_text().splitlines():
            key = json.loads(line)["custom_id"]
            results.write(json.dumps({"custom_id": key, "response": {"status_code": 200, "body": message}}) + "\n")


def _none(_folder: Path, _program: Program) -> None:
    pass


def _at(name: str, state: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda folder: state(folder / name)


KINDS: Final = (
    Kind("import", ("import", "s.medreview", "answers.jsonl"), lambda f, _: _answers(f), study_rows("s.medreview")),
    Kind(
        "run",
        ("run", "s.medreview", "sample/responses.jsonl", "sample/judgements.jsonl", "--pages", "sample/pages"),
        lambda f, _: _sample(f),
        study_rows("s.medreview"),
    ),
    Kind("parse", ("parse", "s.medreview"), _imported, study_rows("s.medreview")),
    Kind("judge (offline)", ("judge", "demo.medreview"), _demo, study_rows("demo.medreview")),
    Kind("merge", ("team", "merge", "demo.medreview", "anna.medreview"), _two, study_rows("demo.medreview")),
    Kind("demo", ("demo", "--no-open"), _none, study_rows("demo.medreview"), "demo.medreview"),
    Kind("backup", ("backup", "demo.medreview", "copy.db"), _demo, _at("copy.db", database_state), "copy.db"),
    Kind(
        "export",
        ("export", "demo.medreview", "labels", "--sqlite", "labels.db"),
        _demo,
        _at("labels", export_state),
        "labels",
    ),
    Kind("fetch --save-pages", ("fetch", "demo.medreview", "--save-pages", "pages"), _demo, _at("pages", pages_state)),
    Kind(
        "judge --batch-out",
        ("judge", "demo.medreview", "--judge", "atlas", "--batch-out", "b.jsonl", "--shard-mb", "1"),
        _demo,
        _at("b.jsonl", batch_state),
        "b.jsonl",
    ),
    Kind(
        "judge --batch-in",
        ("judge", "demo.medreview", "--judge", "atlas", "--batch-in", "results.jsonl"),
        _answered,
        study_rows("demo.medreview"),
    ),
)


class Ring:
    """A folder made ready once for a command, what one run without a blow brings, and how long it takes."""

    def __init__(self, kind: Kind, base: Path) -> None:
        self.kind = kind
        self.ready, self.folder = base / "ready", base / "folder"
        self.ready.mkdir(parents=True)
        kind.prepare(self.ready, Program(self.ready))
        program = self.fresh()
        began = time.monotonic()
        process = kind.start(program)
        _, told = process.communicate()
        assert process.returncode == 0, told
        self.seconds = time.monotonic() - began
        self.whole = kind.state(self.folder)

    def fresh(self) -> Program:
        """The folder as before the command."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.ready, self.folder)
        return Program(self.folder)

    def strike(self, luck: random.Random) -> Result:
        """One round."""
        program, faults = self.fresh(), []
        process = self.kind.start(program)
        time.sleep(luck.uniform(0.3, 1.0) * self.seconds)
        process.kill()
        process.communicate()
        hit = process.returncode == -9
        made = self.folder / self.kind.made
        there = bool(self.kind.made) and made.exists()
        if there and self.kind.state(self.folder) != self.whole:
            faults.append(f"{self.kind.made} is there and not whole")
        for study in self.folder.glob("*.medreview"):
            with Study.open(study, read_only=True) as opened:
                faults += check(opened.reader)
        again = self.kind.start(program)
        _, told = again.communicate()
        if again.returncode != 0 and not (there and "exists already" in told):
            faults.append(f"given again it ended with {again.returncode}: {told[-200:]}")
        if (state := self.kind.state(self.folder)) != self.whole:
            faults.append(f"given again it brought {state}, not {self.whole}")
        if not there and (left := leftovers(self.folder)):
            faults.append(f"left over: {left}")
        return Result(hit, 0, tuple(f"{self.kind.name}: {fault}" for fault in faults))


@contextmanager
def fetch_ring(base: Path) -> Iterator[Ring]:
    """Pages of a live server."""
    body = b"<!doctype html><html><body><main>" + b"<p>Adults take 5 mg of it once daily with water.</p>" * 40
    with LocalServer(slowly(DELAY, answer(body, Content_Type="text/html"))) as server:

        def prepare(folder: Path, program: Program) -> None:
            _answers(folder, server.base)
            lines = (folder / "answers.jsonl").read_text().splitlines()[:60]
            (folder / "answers.jsonl").write_text("\n".join(lines))
            program("import", "s.medreview", "answers.jsonl")

        kind = Kind("fetch (live)", (str(server.port),), prepare, study_rows("s.medreview"), script=FETCH)
        yield Ring(kind, base)


def whole(route: Route) -> Route:
    """Answers requests that came whole; of one that was cut by a kill nobody waits for the answer."""

    def play(exchange: Exchange) -> None:
        if exchange.body.endswith(b"}"):
            route(exchange)

    return play


def questions(server: LocalServer) -> Counter[bytes]:
    """How often each question came whole."""
    return Counter(request.body for request in server.received if request.body.endswith(b"}"))


class JudgeRing:
    """A judge that is asked over a live server, killed, and asked on."""

    def __init__(self, base: Path, demo: Path | None = None) -> None:
        """``demo`` is the sample study, where it was made already."""
        self.ready, self.folder = base / "ready", base / "folder"
        self.ready.mkdir(parents=True)
        if demo:
            shutil.copy(demo, self.ready / "demo.medreview")
        else:
            Program(self.ready)("demo", "--no-open", "--study", "demo.medreview")

    def strike(self, luck: random.Random) -> Result:
        """One round, with a server of its own."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.ready, self.folder)
        program, faults = Program(self.folder), []
        with JudgeEndpoint(slowly(DELAY, whole(by_prompt(lambda _: SAID)))) as server:
            _settings(self.folder, server.table("live"))
            words = ("judge", "demo.medreview", "--judge", "live")
            process = program.start(*words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            server.wait_for(luck.randrange(1, 60))
            time.sleep(luck.uniform(0, 2 * DELAY))
            process.kill()
            process.communicate()
            hit = process.returncode == -9
            server.wait_for_ends()  # what was on its way has arrived, and was answered to nobody
            before = self._kept()
            on_the_way = sum(questions(server).values()) - len(before)
            done = program.start(*words, "--json", stdin=subprocess.DEVNULL)
            out, told = done.communicate()
            if done.returncode != 0:
                faults.append(f"given again it ended with {done.returncode}: {told[-200:]}")
            elif on_the_way > (said := json.loads(out)["judges"][0]["lost_before"]):
                faults.append(f"{on_the_way} were on their way, and it says that {said} were lost")
            after = self._kept()
            lost = sum(after.get(key) != row for key, row in before.items())
            asked = questions(server)
            twice = sum(count - 1 for count in asked.values())
            if twice > on_the_way:
                faults.append(f"{twice} asked twice, {on_the_way} were on their way")
            if len(after) != len(asked):
                faults.append(f"{len(after)} answers kept of {len(asked)} questions")
        with Study.open(self.folder / "demo.medreview", read_only=True) as study:
            faults += check(study.reader)
        return Result(hit, lost, tuple(f"judge (live): {fault}" for fault in faults))

    def _kept(self) -> dict[str, tuple[str, str]]:
        """The answers in the study: when they came, and what they are."""
        with closing(sqlite3.connect(f"file:{self.folder / 'demo.medreview'}?mode=ro", uri=True)) as study:
            query = "SELECT cache_key, at_utc, raw_output FROM llm_call WHERE status = 'ok'"
            return {key: (at, raw) for key, at, raw in study.execute(query)}


def command_rounds(base: Path, seed: int, rounds: int, judged: int) -> Iterator[Row]:
    """So many rounds of each command, and of a judge that is asked over a live server."""
    for number, kind in enumerate(KINDS if rounds else ()):
        row, ring = Row(kind.name), Ring(kind, base / str(number))
        luck = random.Random(f"{seed} {kind.name}")
        for _ in range(rounds):
            row.add(ring.strike(luck))
        yield row
    with fetch_ring(base / "fetch") as ring:
        row, luck = Row(ring.kind.name), random.Random(f"{seed} fetch")
        for _ in range(rounds):
            row.add(ring.strike(luck))
        yield row
    row, luck, judge = Row("judge (live)"), random.Random(f"{seed} judge"), JudgeRing(base / "judge")
    for _ in range(judged):
        row.add(judge.strike(luck))
    yield row
