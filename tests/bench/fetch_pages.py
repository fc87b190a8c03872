"""Fetch pages from a slow local server: how near to the ideal, and what a kill half-way costs.

    python -m tests.bench.fetch_pages --pages 200 --latency 0.1

The server answers on many addresses of this machine, so that each is a host of its own, and every answer takes the
latency. First the wall time of `fetch_all` alone and of the whole stage (pages read and stored in a study) is set
against the ideal, pages x latency / concurrency. Then the stage runs in a child process that is killed (SIGKILL) when
half of the pages are served, and runs again. It fails when a page that was stored is asked for again, when one is
missing at the end, or when `medreview check` finds a fault.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from medreview import pipeline
from medreview.progress import Progress
from medreview.sources.fetching.fetch import Limits, Network, Request, fetch_all
from medreview.study import Study
from medreview.study.check import check
from tests.support.commands import ROOT
from tests.support.http_server import Exchange, LocalServer

PAGE = """<!doctype html><html><head><title>Dosing {name}</title></head><body><main><h1>Dosing {name}</h1>
<p>The usual starting dose in adults is 5 mg once daily, taken in the morning with a glass of water; page {name}.</p>
<p>It should not be stopped suddenly without talking to a doctor, because symptoms may come back within days.</p>
<p>Blood tests for kidney function are done before treatment and again after two weeks of treatment.</p>
</main></body></html>"""


class Server(LocalServer):
    """Pages on many addresses; after ``hold_after`` requests the next ones wait until ``go_on``."""

    def __init__(self, hosts: int, latency: float) -> None:
        super().__init__(self._page, host="0.0.0.0")
        self.hosts = [f"127.0.{1 + number // 250}.{1 + number % 250}" for number in range(hosts)]
        self.latency = latency
        self.hold_after = sys.maxsize
        self.go_on = threading.Event()

    def _page(self, exchange: Exchange) -> None:
        if len(self.received) > self.hold_after:
            self.go_on.wait(60)
        self.over.wait(self.latency)
        body = PAGE.format(name=exchange.path.strip("/")).encode()
        exchange.answer(body, headers={"Content-Type": "text/html; charset=utf-8"})

    def url(self, number: int) -> str:
        return f"http://{self.hosts[number % len(self.hosts)]}:{self.port}/p{number}"

    def close(self) -> None:
        self.go_on.set()
        super().close()


class Lines(Progress):
    """Prints a line for every page that is stored."""

    def begin(self, title: str, total: int) -> None:
        pass

    def step(self, count: int = 1) -> None:
        print("stored", flush=True)


def network(port: int, hosts: list[str]) -> Network:
    return Network(limits=Limits(host_delay=0.0), allow=frozenset((host, port) for host in hosts))


def make_study(path: Path, server: Server, pages: int) -> None:
    answers = path.with_suffix(".jsonl")
    with answers.open("w", encoding="utf-8") as file:
        for number in range(pages):
            text = f"The usual starting dose is 5 mg once daily.\n\nSource: {server.url(number)}"
            file.write(json.dumps({"id": f"q{number}", "question": "How?", "response": text, "model": "m"}) + "\n")
    with Study.create(path) as study:
        pipeline.bring_in(study, answers, {})


def run_stage(path: Path, port: int, hosts: list[str]) -> None:
    with Study.open(path) as study:
        pipeline.fetch(study, pipeline.PageProvider(network=network(port, hosts)), progress=Lines())


def stored(path: Path) -> set[str]:
    with Study.open(path, read_only=True) as study:
        rows = study.reader.execute(
            "SELECT DISTINCT u.url FROM source AS u JOIN snapshot AS s USING (source_id) WHERE s.page_state = 'ok'"
        )
        return {"/" + row[0].rpartition("/")[2] for row in rows}


def child(path: Path, server: Server) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.bench.fetch_pages", "--child", str(path), str(server.port), *server.hosts]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def timed(server: Server, pages: int, ideal: float, folder: Path) -> None:
    async def keep(request: Request, fetched: object) -> None:
        pass

    requests = [Request(server.url(number)) for number in range(pages)]
    began = time.monotonic()
    asyncio.run(fetch_all(requests, on_done=keep, network=network(server.port, server.hosts)))
    alone = time.monotonic() - began
    print(f"fetch_all    {alone:6.2f} s   ideal {ideal:.2f} s   ratio {alone / ideal:.2f}")

    study = folder / "whole.medreview"
    make_study(study, server, pages)
    with Study.open(study) as opened:
        began = time.monotonic()
        pipeline.fetch(opened, pipeline.PageProvider(network=network(server.port, server.hosts)))
        whole = time.monotonic() - began
    assert len(stored(study)) == pages
    print(f"whole stage  {whole:6.2f} s   ideal {ideal:.2f} s   ratio {whole / ideal:.2f}")


def killed(server: Server, pages: int, folder: Path) -> list[str]:
    """Kill the stage half-way and run it again; what is wrong then."""
    study = folder / "killed.medreview"
    make_study(study, server, pages)
    server.received.clear()
    server.hold_after = pages // 2
    first = child(study, server)
    assert first.stdout is not None
    for _ in range(pages // 4):
        if not first.stdout.readline():
            raise SystemExit("the stage ended before it could be killed")
    first.kill()
    first.wait()
    first.stdout.close()
    before, asked = stored(study), len(server.received)

    server.hold_after = sys.maxsize
    server.go_on.set()
    server.received.clear()
    second = child(study, server)
    second.communicate(timeout=120)
    again = server.paths()
    with Study.open(study, read_only=True) as opened:
        unsound = check(opened.reader)

    print(f"killed       {asked} asked, {len(before)} stored; resumed: {len(again)} asked, {len(stored(study))} stored")
    faults = {
        "fewer pages are stored than were reported": len(before) < pages // 4,
        "the kill came too late to show anything": len(before) >= pages,
        "a page that was stored was asked for again": bool(before & set(again)),
        "a page was asked for twice in one run": len(again) != len(set(again)),
        "a page is missing at the end": len(stored(study)) != pages,
        "the second run failed": second.returncode != 0,
        f"check: {unsound}": bool(unsound),
    }
    return [fault for fault, there in faults.items() if there]


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        run_stage(Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--only-kill", action="store_true", help="leave out the timing")
    options = parser.parse_args()
    ideal = options.pages * options.latency / Limits().concurrency
    with Server(options.hosts, options.latency) as server, tempfile.TemporaryDirectory() as folder:
        if not options.only_kill:
            timed(server, options.pages, ideal, Path(folder))
        if found := killed(server, options.pages, Path(folder)):
            raise SystemExit("\n".join(found))


if __name__ == "__main__":
    main()
