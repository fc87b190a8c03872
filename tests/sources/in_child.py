"""One thing done to hostile input in a process of its own, and what it cost.

The process is a copy (``fork``) of one that has loaded all it needs and read a page before: what is measured is the
work, and starting it takes no time. ``python -m tests.sources.in_child`` is that process; it reads jobs from standard
input, a line of JSON with the body after it, and writes a line of JSON for each.
"""

import asyncio
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

from medreview.children.asking import end_idle
from medreview.sources.fetching.network import Fetched
from medreview.sources.page import read_page
from medreview.sources.page_reader import read_in_child
from tests.support.commands import ROOT
from tests.support.fetched import fetched

WARM_UP = (
    b"<p>Warm up: the dose is 5 mg.</p>" * 20,
    b"<article article-type='x'><body><p>The dose is <xref ref-type='bibr'>1</xref> 5 mg.</p></body></article>",
)
PATIENCE = 600
"""Seconds after which a job that does not end is taken to hang."""


class Forks:
    """Runs jobs one after the other, each in a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.sources.in_child"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def fetch(self, url: str, port: int) -> dict[str, Any]:
        """Fetch a page from 127.0.0.1:PORT and read it; before that ``/warm-up`` is fetched."""
        return self._run({"url": url, "port": port}, b"")

    def read(self, content_type: str, body: bytes, cpu_seconds: int = 0, *, in_child: bool = False) -> dict[str, Any]:
        """Read a body as a page, in so much processor time; ``in_child``, as the stages do.

        ``growth_mb`` is the growth of the largest resident memory of the process, ``child_mb`` the largest of its
        children and ``child_seconds`` the processor time of all of them; ``state``, ``evidence``, ``text`` (its
        beginning) and ``length`` (of the full text) tell of the page.
        """
        return self._run({"type": content_type, "cpu_seconds": cpu_seconds, "in_child": in_child}, body)

    def _run(self, job: dict[str, Any], body: bytes) -> dict[str, Any]:
        streams = self._process.stdin, self._process.stdout
        assert streams[1] is not None
        streams[0].write(json.dumps({**job, "size": len(body)}).encode() + b"\n" + body)
        streams[0].flush()
        assert select.select([streams[1]], [], [], PATIENCE)[0], f"{job} does not end"
        answer: dict[str, Any] = json.loads(streams[1].readline())
        assert "failed" not in answer, answer
        return answer


def memory(key: str) -> float:
    """A line of this process's status (VmRSS, VmHWM), in MB. The counts of ``getrusage`` begin with the parent's."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1000
    raise KeyError(key)


def _fetch(urls: list[str], port: int) -> Fetched:
    from medreview.sources.fetching.fetch import Limits, Network, Request, fetch_all

    got: list[Fetched] = []

    async def keep(request: Request, answer: Fetched) -> None:
        got.append(answer)

    limits = Limits(host_delay=0.0, retries=0, deadline=20.0)
    network = Network(limits=limits, allow=frozenset({("127.0.0.1", port)}))
    asyncio.run(fetch_all([Request(url) for url in urls], on_done=keep, network=network))
    return got[-1]


def _cost(job: dict[str, Any], body: bytes) -> dict[str, Any]:
    if seconds := job.get("cpu_seconds"):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    _warm_up()  # a copy has the memory of what it copies, but not yet the pages of its libraries
    if "url" in job:
        _fetch([f"http://127.0.0.1:{job['port']}/warm-up"], job["port"])
    before = memory("VmRSS")
    began = time.monotonic()
    if job.get("in_child"):
        page = read_in_child(fetched(body, content_type=job["type"]))
        end_idle()
    else:
        page = read_page(_fetch([job["url"]], job["port"]) if "url" in job else fetched(body, content_type=job["type"]))
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "state": page.state,
        "evidence": page.evidence,
        "text": page.text[:2000],
        "length": len(page.full_text),
        "growth_mb": memory("VmHWM") - before,
        "child_mb": children.ru_maxrss / 1000,
        "child_seconds": children.ru_utime + children.ru_stime,
        "seconds": time.monotonic() - began,
    }


def _warm_up() -> None:
    for body in WARM_UP:
        read_page(fetched(body))


def main() -> None:

    _warm_up()
    # Without a buffer: the body is read by the copy. This process must never hold it, for what it once held and gave
    # back changes how the copies get their memory.
    with open(0, "rb", buffering=0) as jobs:
        while line := jobs.readline():
            _in_a_copy(json.loads(line))


def _in_a_copy(job: dict[str, Any]) -> None:
    child = os.fork()
    if child == 0:
        with open(0, "rb", closefd=False) as stream:
            body = stream.read(job["size"])
        os.write(1, json.dumps(_cost(job, body)).encode() + b"\n")
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        ended = signal.Signals(-status).name if status < 0 else f"exit code {status}"
        os.write(1, json.dumps({"failed": ended}).encode() + b"\n")


if __name__ == "__main__":
    main()
