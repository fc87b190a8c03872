"""The way to one service: when it may be asked again, how many requests run at once, and when it is given up."""

import asyncio
from typing import TYPE_CHECKING, Final

from medreview.citations.canonical import domain
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.fetching.network import Network, Request
from medreview.sources.lookups.lookup_stage import GIVE_UP_AFTER

if TYPE_CHECKING:
    from medreview.sources.fetching.fetcher import Fetcher

MOST_AT_ONCE: Final = 10


class Channel:
    """Asks one service; used in one event loop.

    A request waits here for its turn, before what it asks for is put together, so that what came up meanwhile goes into
    it. At once run as many as the service allows in a second. ``name`` is that of sentences, ``sent`` counts the
    requests, and ``stopped`` is a sentence once the service failed ten times in a row, and it is asked no more.
    """

    def __init__(self, name: str, base: str, fetcher: "Fetcher", network: Network) -> None:
        self._name = name
        self._fetcher = fetcher
        self._delay = network.delays.get(domain(base), network.limits.host_delay)
        a_second = round(1 / self._delay) if self._delay > 1 / MOST_AT_ONCE else MOST_AT_ONCE
        self._slots = asyncio.Semaphore(max(1, a_second))
        self._gate = asyncio.Lock()
        self._next_at = 0.0
        self._failures = 0
        self.sent = 0
        self.stopped = ""

    async def begin(self) -> None:
        """Wait for a turn; :meth:`end` gives its slot back."""
        loop = asyncio.get_running_loop()
        await self._slots.acquire()
        try:
            async with self._gate:
                while (wait := self._next_at - loop.time()) > 0 and not self.stopped:
                    await asyncio.sleep(wait)
                self._next_at = loop.time() + self._delay
        except BaseException:
            self._slots.release()
            raise

    def end(self) -> None:
        """The turn is over."""
        self._slots.release()

    async def fetch(self, url: str) -> Fetched:
        """The answer to one request, tried again as the limits allow."""
        self.sent += 1
        return await self._fetcher.fetch(Request(url))

    def answered(self) -> None:
        """The service answered in its own format."""
        self._failures = 0

    def failed(self, words: str) -> None:
        """The service gave no answer; ``words`` say why."""
        self._failures += 1
        if self._failures == GIVE_UP_AFTER:
            self.stopped = f"{self._name} failed {GIVE_UP_AFTER} times in a row and was asked no more: {words}"
