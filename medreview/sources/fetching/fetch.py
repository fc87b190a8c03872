"""Fetching many URLs concurrently, with rate limits, bounds and backpressure; each URL gets exactly one answer."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Final, TypeVar

from medreview.sources.fetching.address_guard import resolve
from medreview.sources.fetching.asked_url import host_of
from medreview.sources.fetching.client import open_client
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.fetching.fetcher import Fetcher
from medreview.sources.fetching.limits import Limits
from medreview.sources.fetching.network import Network, Request

__all__ = ["Limits", "Network", "Request", "failed_here", "fetch_all", "open_fetcher", "reach_all"]

MAX_UNSTORED_BYTES: Final = 64_000_000
"""Backpressure: while more bytes of fetched pages than this wait to be stored, no further request is sent."""

_T = TypeVar("_T")


async def fetch_all(
    requests: Sequence[Request],
    *,
    on_done: Callable[[Request, Fetched], Awaitable[Request | None]],
    network: Network,
) -> None:
    """Fetch every distinct request and pass each answer to ``on_done`` as it arrives, in no fixed order.

    ``on_done`` may return a further request, the next address to try for the same source; it is fetched, with a full
    deadline of its own, and passed to ``on_done`` again. While ``on_done`` has more than :data:`MAX_UNSTORED_BYTES` of
    pages unfinished, no request is sent. A bad URL, host or server never raises: its :class:`Fetched` says what
    happened. What ``on_done`` raises ends the whole fetch and is raised. Cancelling is safe at any moment; answers
    already passed on are not lost.
    """
    backpressure = _Backpressure()
    async with open_client(network) as client:
        fetcher = Fetcher(client, network, backpressure.wait)

        async def work(first: Request) -> None:
            request: Request | None = first
            while request is not None:
                fetched = await fetcher.fetch(request)
                with backpressure.unstored(len(fetched.body)):
                    request = await on_done(request, fetched)

        await _run_by_host(
            dict.fromkeys(requests), lambda request: host_of(request.url), work, network.limits.concurrency
        )


async def failed_here(failures: Sequence[Fetched], reached: Iterable[str], known: Iterable[str]) -> list[bool]:
    """Of each failure to reach a server, whether it is this machine's: it has no network, or its proxy does not serve.

    ``reached`` are the hosts that answered in the same run, ``known`` some that surely exist. A name without an address
    is a dead link where any of these names has one. Anything but the proxy's own failure is the machine's only where no
    host answered; connections that do not come in time, only where several hosts were tried.
    """
    hosts = list(dict.fromkeys(reached))
    late = {host_of(one.final_url) for one in failures if one.unreached == "late"}
    names_known = any(one.unreached == "name" for one in failures) and await _any_resolves(hosts or known)

    def is_ours(failure: Fetched) -> bool:
        match failure.unreached:
            case "proxy":
                return True
            case "name":
                return not names_known
            case "late":
                return not hosts and len(late) > 1
        return not hosts

    return [is_ours(failure) for failure in failures]


async def _any_resolves(hosts: Iterable[str]) -> bool:
    found = await asyncio.gather(*(resolve(host, 443) for host in list(hosts)[:3]), return_exceptions=True)
    return any(not isinstance(one, BaseException) for one in found)


@asynccontextmanager
async def open_fetcher(network: Network) -> AsyncIterator[Fetcher]:
    """A fetcher for requests that come up one after the other, each made of the answers before it.

    Rate limits, retries and the address guard are as in :func:`fetch_all`; who asks bounds how many run at once.
    """
    async with open_client(network) as client:
        yield Fetcher(client, network, _Backpressure().wait)


async def reach_all(urls: Sequence[str], *, on_done: Callable[[Fetched], Awaitable[None]], network: Network) -> None:
    """Check of every distinct URL whether there is a page, without reading it, and pass each answer to ``on_done``.

    HEAD is sent first, then GET where HEAD is refused or fails. Address guard, rate limit, redirects and robots.txt are
    as in :func:`fetch_all`; a body is always empty. A page that redirects elsewhere counts as reached; ``final_url``
    and ``chain`` hold the redirect chain.
    """
    async with open_client(network) as client:
        fetcher = Fetcher(client, network, _Backpressure().wait)

        async def work(url: str) -> None:
            await on_done(await fetcher.reach(url))

        await _run_by_host(dict.fromkeys(urls), host_of, work, network.limits.concurrency)


async def _run_by_host(
    items: Iterable[_T], host: Callable[[_T], str], work: Callable[[_T], Awaitable[None]], workers: int
) -> None:
    """Run ``work`` on every item, with several workers for each host, so that a slow host delays no other.

    How many requests run at once, overall and per host, is decided by the rate limiter, not by the number of workers.
    """
    queues: dict[str, deque[_T]] = {}
    for item in items:
        queues.setdefault(host(item), deque()).append(item)

    async def worker(queue: deque[_T]) -> None:
        while queue:
            await work(queue.popleft())

    try:
        async with asyncio.TaskGroup() as tasks:
            for queue in queues.values():
                for _ in range(min(workers, len(queue))):
                    tasks.create_task(worker(queue))
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None


class _Backpressure:
    """Counts the bytes of pages that are passed on and not yet stored; used in one event loop."""

    def __init__(self) -> None:
        self._bytes = 0
        self._below_limit = asyncio.Event()
        self._below_limit.set()

    async def wait(self) -> None:
        """Wait until no more than :data:`MAX_UNSTORED_BYTES` are unstored."""
        await self._below_limit.wait()

    @contextmanager
    def unstored(self, size: int) -> Iterator[None]:
        """Count so many bytes as unstored while the block runs."""
        self._count(size)
        try:
            yield
        finally:
            self._count(-size)

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > MAX_UNSTORED_BYTES:
            self._below_limit.clear()
        else:
            self._below_limit.set()
