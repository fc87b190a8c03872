"""The rate limit: how many requests run at once, overall and per host, and the delay between two to one host."""

import asyncio
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from medreview.sources.fetching.limits import Limits


class RateLimiter:
    """Gives out slots for requests to a host; created inside a running event loop and used in that loop only.

    ``delays`` gives, for single hosts, the seconds between two starts in place of ``limits.host_delay``.
    """

    def __init__(self, limits: Limits, delays: Mapping[str, float] | None = None) -> None:
        self._limits = limits
        self._delays = {_normalised(host): seconds for host, seconds in (delays or {}).items()}
        self._overall_slots = asyncio.Semaphore(limits.concurrency)
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def slot(self, host: str) -> AsyncIterator[None]:
        """Wait until a request to this host may start, and occupy a slot while the block runs.

        A request waits for its host before it takes one of the overall slots, so that a busy host never blocks others.
        """
        loop = asyncio.get_running_loop()
        queue = self._host(host)
        async with queue.slots:
            async with queue.gate:
                while (wait := queue.next_at - loop.time()) > 0:
                    await asyncio.sleep(wait)
                await self._overall_slots.acquire()
                queue.last_start = loop.time()
                queue.next_at = queue.last_start + queue.delay
            try:
                yield
            finally:
                self._overall_slots.release()

    def pause(self, host: str, seconds: float) -> None:
        """Start no request to this host for so many seconds from now."""
        queue = self._host(host)
        queue.next_at = max(queue.next_at, asyncio.get_running_loop().time() + seconds)

    def slow_down(self, host: str, seconds: float) -> None:
        """Keep the starts of requests to this host at least so many seconds apart, counted from the last start."""
        queue = self._host(host)
        if seconds > queue.delay:
            queue.delay = seconds
            queue.next_at = max(queue.next_at, queue.last_start + seconds)

    def _host(self, host: str) -> "_Host":
        name = _normalised(host)
        if name not in self._hosts:
            delay = self._delays.get(name, self._limits.host_delay)
            self._hosts[name] = _Host(asyncio.Semaphore(self._limits.per_host), delay)
        return self._hosts[name]


class _Host:
    """The state of one host; times are in seconds of the event loop's clock."""

    def __init__(self, slots: asyncio.Semaphore, delay: float) -> None:
        self.slots = slots
        self.gate = asyncio.Lock()
        self.delay = delay
        self.last_start = -math.inf
        self.next_at = 0.0


def advertised_delay(limit: str, interval: str) -> float | None:
    """The seconds between two requests by the headers ``X-Rate-Limit-Limit: 3`` and ``X-Rate-Limit-Interval: 1s``
    (Crossref); ``None`` when they say nothing."""
    count, seconds = limit.strip(), interval.strip().removesuffix("s")
    if not all(text.isascii() and text.isdecimal() and len(text) < 8 and int(text) for text in (count, seconds)):
        return None
    return int(seconds) / int(count)


def _normalised(host: str) -> str:
    """A host name in lower case without a trailing dot: both spellings are the same server."""
    return host.lower().rstrip(".")


def retry_after(header: str) -> float | None:
    """The seconds of a ``Retry-After`` header (RFC 9110 section 10.2.3); ``None`` when it cannot be parsed."""
    value = header.strip()
    if value.isascii() and value.isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
