"""Politeness: how many requests run at once, in all and to one host, and how far apart."""

import asyncio
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from medreview.sources.fetching.limits import Limits


class Pace:
    """Hands out turns to ask a host; made inside a running event loop and used in that loop only.

    ``delays`` gives, for single hosts, the seconds between two starts in place of ``limits.host_delay``.
    """

    def __init__(self, limits: Limits, delays: Mapping[str, float] | None = None) -> None:
        self._limits = limits
        self._delays = {_name(host): seconds for host, seconds in (delays or {}).items()}
        self._places = asyncio.Semaphore(limits.concurrency)
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait until this host may be asked again and a place is free, and hold that place.

        A request waits for its host before it takes one of the few places, so that a busy host never idles the others.
        """
        loop = asyncio.get_running_loop()
        queue = self._host(host)
        async with queue.slots:
            async with queue.gate:
                while (wait := queue.next_at - loop.time()) > 0:
                    await asyncio.sleep(wait)
                await self._places.acquire()
                queue.begun = loop.time()
                queue.next_at = queue.begun + queue.delay
            try:
                yield
            finally:
                self._places.release()

    def hold(self, host: str, seconds: float) -> None:
        """Let nobody ask this host for so many seconds from now."""
        queue = self._host(host)
        queue.next_at = max(queue.next_at, asyncio.get_running_loop().time() + seconds)

    def slow_down(self, host: str, seconds: float) -> None:
        """Keep the starts of requests to this host at least so many seconds apart, the last start included."""
        queue = self._host(host)
        if seconds > queue.delay:
            queue.delay = seconds
            queue.next_at = max(queue.next_at, queue.begun + seconds)

    def _host(self, host: str) -> "_Host":
        name = _name(host)
        if name not in self._hosts:
            delay = self._delays.get(name, self._limits.host_delay)
            self._hosts[name] = _Host(asyncio.Semaphore(self._limits.per_host), delay)
        return self._hosts[name]


class _Host:
    """Who may ask one host, and when next (in the loop's time)."""

    def __init__(self, slots: asyncio.Semaphore, delay: float) -> None:
        self.slots = slots
        self.gate = asyncio.Lock()
        self.delay = delay
        self.begun = -math.inf
        self.next_at = 0.0


def _name(host: str) -> str:
    """A host as the pace knows it: a trailing dot and capitals make no other server."""
    return host.lower().rstrip(".")


def retry_after(header: str) -> float | None:
    """Seconds that a ``Retry-After`` header asks for (RFC 9110 section 10.2.3); ``None`` when it cannot be read."""
    value = header.strip()
    if value.isascii() and value.isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
