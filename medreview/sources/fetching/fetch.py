"""Live HTTP: many addresses at once, politely, within bounds, and one answer for each whatever happens."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from medreview.sources.fetching.client import open_client
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.fetching.fetcher import Fetcher
from medreview.sources.fetching.limits import Limits
from medreview.sources.fetching.network import Network, Request
from medreview.sources.fetching.single_request import host_of

__all__ = ["Limits", "Network", "Request", "fetch_all", "reach_all"]

IN_HAND: Final = 64_000_000
"""How many bytes of pages may wait to be kept before the next request is held back."""

_T = TypeVar("_T")


async def fetch_all(
    requests: Sequence[Request],
    *,
    on_done: Callable[[Request, Fetched], Awaitable[Request | None]],
    network: Network,
) -> None:
    """Fetch every distinct request and hand each answer to ``on_done`` as it comes, in no fixed order.

    ``on_done`` may return a further request, the next address to try for the same thing; it is fetched, with all the
    seconds of a request of its own, and handed to ``on_done`` again. Requests are held back while pages of more than
    :data:`IN_HAND` bytes wait for ``on_done``. A bad URL, host or server never raises: its :class:`Fetched` says what
    happened. What ``on_done`` raises ends the whole fetch and is raised. Cancelling is safe at any moment; answers
    already handed over stand.
    """
    hands = _Hands()
    async with open_client(network) as client:
        fetcher = Fetcher(client, network, hands.room)

        async def work(first: Request) -> None:
            request: Request | None = first
            while request is not None:
                fetched = await fetcher.fetch(request)
                with hands.hold(len(fetched.body)):
                    request = await on_done(request, fetched)

        await _spread(dict.fromkeys(requests), lambda request: host_of(request.url), work, network.limits.concurrency)


async def reach_all(urls: Sequence[str], *, on_done: Callable[[Fetched], Awaitable[None]], network: Network) -> None:
    """Ask of every distinct URL whether there is a page, without reading it, and hand each answer to ``on_done``.

    HEAD is asked first, then GET where HEAD is refused or fails. The guard, the pace, the redirects and robots.txt are
    as in :func:`fetch_all`; a body is always empty. A page that redirects elsewhere is reached; ``final_url`` and
    ``chain`` tell where to.
    """
    async with open_client(network) as client:
        fetcher = Fetcher(client, network, _Hands().room)

        async def work(url: str) -> None:
            await on_done(await fetcher.reach(url))

        await _spread(dict.fromkeys(urls), host_of, work, network.limits.concurrency)


async def _spread(
    things: Iterable[_T], host: Callable[[_T], str], work: Callable[[_T], Awaitable[None]], workers: int
) -> None:
    """Do all the work, with several workers for each host, so that a slow host keeps none of the others waiting.

    How many requests run at once, in all and for each host, is the pace's to say, not theirs.
    """
    queues: dict[str, deque[_T]] = {}
    for thing in things:
        queues.setdefault(host(thing), deque()).append(thing)

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


class _Hands:
    """The pages handed over and not yet done with, by size; used in one event loop."""

    def __init__(self) -> None:
        self._bytes = 0
        self._free = asyncio.Event()
        self._free.set()

    async def room(self) -> None:
        """Wait until little enough is in hand."""
        await self._free.wait()

    @contextmanager
    def hold(self, size: int) -> Iterator[None]:
        self._count(size)
        try:
            yield
        finally:
            self._count(-size)

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > IN_HAND:
            self._free.clear()
        else:
            self._free.set()
