"""robots.txt, for those who want a fetch to ask it first (``--respect-robots``); RFC 9309."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import httpx

from medreview.sources.fetching.fetched import Fetched

if TYPE_CHECKING:
    from protego import Protego

PRODUCT: Final = "medreview"
MAX_BYTES: Final = 500_000
"""How much of a robots.txt is read; RFC 9309 section 2.5 asks for 500 KiB at least, what is beyond is not obeyed."""

_AGENT: Final = re.compile(r"\s*user[\s-]*agent(?=[\s:])[\s:]*(.*)", re.IGNORECASE | re.DOTALL)
_TOKEN: Final = re.compile(r"[a-z_-]+|\*")


@dataclass(frozen=True, slots=True)
class _Rules:
    """What one site allows: by its file, or all or nothing when there is none."""

    file: "Protego | None" = None
    refused: tuple[str, str] | None = None
    delay: float = 0.0


class Robots:
    """The robots.txt files of one fetch, each asked for once, when its first page comes up.

    ``ask`` fetches a robots.txt like any page (guard, pace, redirects, tries), but reads only the first
    :data:`MAX_BYTES`. ``slow_down`` takes a host and the seconds that its file asks for between two requests.
    """

    def __init__(self, ask: Callable[[str], Awaitable[Fetched]], slow_down: Callable[[str, float], None]) -> None:
        self._ask = ask
        self._slow_down = slow_down
        self._known: dict[str, _Rules] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def refusal(self, url: str) -> tuple[str, str] | None:
        """The page state and the sentence for a page that is not to be asked; ``None`` when it may be."""
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
        return "blocked", (
            f"robots.txt of {parsed.host} asks programs not to fetch this page (--respect-robots)."
        )  # fmt: skip

    async def _read(self, address: str, host: str) -> _Rules:
        answer = await self._ask(address)
        if answer.state is None:
            file = await asyncio.to_thread(parse, answer.body)
            if delay := file.crawl_delay(PRODUCT):
                self._slow_down(host, delay)
            return _Rules(file)
        if answer.status is not None and 300 <= answer.status < 500 and answer.state == "http_error":
            return _Rules()  # no such file, or redirects without an end: RFC 9309 sections 2.3.1.2 and 2.3.1.3
        # RFC 9309 section 2.3.1.4: a file that cannot be had forbids everything. Where the host gave no answer at all,
        # the page itself would have ended alike, and is given that state.
        state = answer.state if answer.status is None else "blocked"
        why = f"robots.txt of {host} could not be had, so nothing there is fetched (--respect-robots): {answer.detail}"
        return _Rules(refused=(state, why))


def parse(body: bytes) -> "Protego":
    """The rules of a robots.txt.

    The names of other programs are levelled first: a hostile file with thousands of them, all in one group, would
    make the parser keep every rule once for each.
    """
    from protego import Protego

    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    return Protego.parse("\n".join(_levelled(line) for line in text.splitlines()))


def _levelled(line: str) -> str:
    match = _AGENT.match(line.partition("#")[0])
    if match is None:
        return line
    token = _TOKEN.match(match[1].strip().lower())
    name = token.group() if token else ""
    return f"User-agent: {name if name in (PRODUCT, '*') else 'other'}"
