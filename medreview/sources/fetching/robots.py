"""Robots exclusion (robots.txt, RFC 9309), obeyed with ``--respect-robots``."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import httpx

from medreview.sources.fetching.fetched import Fetched, Unreached

if TYPE_CHECKING:
    from protego import Protego

PRODUCT: Final = "medreview"
MAX_BYTES: Final = 500_000
"""How much of a robots.txt is read; RFC 9309 section 2.5 requires at least 500 KiB, rules beyond are ignored."""

_AGENT: Final = re.compile(r"\s*user[\s-]*agent(?=[\s:])[\s:]*(.*)", re.IGNORECASE | re.DOTALL)
_TOKEN: Final = re.compile(r"[a-z_-]+|\*")


class Refusal(NamedTuple):
    """Why a page is not requested at all: its state, a sentence, and ``unreached`` as of a :class:`Fetched`."""

    state: str
    detail: str
    unreached: Unreached = ""


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of one site: those of its file, or everything allowed or ``refused`` when there is none."""

    file: "Protego | None" = None
    refused: Refusal | None = None


class Robots:
    """The robots.txt files of one fetch, each fetched once, before the first page of its site.

    ``fetch`` gets a robots.txt like any page (address guard, rate limit, redirects, retries), but reads only the first
    :data:`MAX_BYTES`. ``slow_down`` takes a host and its crawl delay, in seconds between two requests.
    """

    def __init__(self, fetch: Callable[[str], Awaitable[Fetched]], slow_down: Callable[[str, float], None]) -> None:
        self._fetch = fetch
        self._slow_down = slow_down
        self._known: dict[str, _Rules] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def refusal(self, url: str) -> Refusal | None:
        """The page state and the sentence for a page that must not be fetched; ``None`` when it may be."""
        parsed = httpx.URL(url)
        origin = str(parsed.copy_with(path="/robots.txt", query=None, fragment=None))
        async with self._locks.setdefault(origin, asyncio.Lock()):
            if origin not in self._known:
                self._known[origin] = await self._read(origin, parsed.host)
        rules = self._known[origin]
        if rules.refused is not None:
            return rules.refused
        if rules.file is None or rules.file.can_fetch(str(parsed), PRODUCT):
            return None
        why = f"robots.txt of {parsed.host} asks programs not to fetch this page (--respect-robots)."
        return Refusal("blocked", why)

    async def _read(self, address: str, host: str) -> _Rules:
        answer = await self._fetch(address)
        if answer.state is None:
            file = await asyncio.to_thread(parse, answer.body)
            if delay := file.crawl_delay(PRODUCT):
                self._slow_down(host, delay)
            return _Rules(file)
        if answer.status is not None and 300 <= answer.status < 500 and answer.state == "http_error":
            return _Rules()  # no such file, or endless redirects: RFC 9309 sections 2.3.1.2 and 2.3.1.3
        # RFC 9309 section 2.3.1.4: an unreachable file forbids everything. Where the host gave no response at all, the
        # page itself would have failed in the same way, and gets that state.
        state = answer.state if answer.status is None else "blocked"
        why = f"robots.txt of {host} could not be had, so nothing there is fetched (--respect-robots): {answer.detail}"
        return _Rules(refused=Refusal(state, why, answer.unreached))


def parse(body: bytes) -> "Protego":
    """The rules of a robots.txt.

    The names of all other crawlers are replaced by one: a hostile file that lists thousands of them in one group would
    make the parser store every rule once for each.
    """
    from protego import Protego

    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    return Protego.parse("\n".join(_one_other_agent(line) for line in text.splitlines()))


def _one_other_agent(line: str) -> str:
    match = _AGENT.match(line.partition("#")[0])
    if match is None:
        return line
    token = _TOKEN.match(match[1].strip().lower())
    name = token.group() if token else ""
    return f"User-agent: {name if name in (PRODUCT, '*') else 'other'}"
