"""Run in a process of its own by ``test_security_table``: one thing done to hostile input, and what it cost, as JSON.

    python in_child.py fetch URL PORT     fetches from 127.0.0.1:PORT
    python in_child.py read TYPE          reads the body on standard input as a page

``growth_mb`` is the growth of the largest resident memory of this process, ``child_mb`` the largest of its children.
"""

import asyncio
import json
import resource
import sys
import time
from pathlib import Path

from medreview.sources.fetching.fetched import Fetched
from medreview.sources.page import read_page

WARM_UP = "<p>Warm up: the dose is 5 mg.</p>" * 20


def memory(key: str) -> float:
    """A line of this process's status (VmRSS, VmHWM), in MB. The counts of ``getrusage`` begin with the parent's."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1000
    raise KeyError(key)


def fetched(body: bytes, content_type: str) -> Fetched:
    url = "https://example.org/a"
    return Fetched(url, url, (url,), 200, content_type, body, "2026-01-01T00:00:00Z")


def fetch(urls: list[str], port: int) -> Fetched:
    from medreview.sources.fetching.fetch import Limits, Network, Request, fetch_all

    got: list[Fetched] = []

    async def keep(request: Request, answer: Fetched) -> None:
        got.append(answer)

    limits = Limits(host_delay=0.0, retries=0, deadline=20.0)
    network = Network(limits=limits, allow=frozenset({("127.0.0.1", port)}))
    asyncio.run(fetch_all([Request(url) for url in urls], on_done=keep, network=network))
    return got[-1]


def main() -> None:
    what, *arguments = sys.argv[1:]
    body = b""
    if arguments[0] == "text/html":
        read_page(fetched(WARM_UP.encode(), ""))
    if what == "fetch":
        url, port = arguments[0], int(arguments[1])
        fetch([f"http://127.0.0.1:{port}/warm-up"], port)
    else:
        body = sys.stdin.buffer.read()
    before = memory("VmRSS")
    began = time.monotonic()
    answer = fetch([url], port) if what == "fetch" else fetched(body, arguments[0])
    page = read_page(answer)
    cost = {
        "growth_mb": memory("VmHWM") - before,
        "child_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000,
        "seconds": time.monotonic() - began,
    }
    json.dump({"state": page.state, "evidence": page.evidence, "text": page.text[:2000], **cost}, sys.stdout)


if __name__ == "__main__":
    main()
