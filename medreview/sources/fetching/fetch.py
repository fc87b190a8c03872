"""Fetching many URLs concurrently, with rate limits, bounds and backpressure; each URL gets exactly one answer.

One URL is followed through its redirects and retries. Robots exclusion (robots.txt, RFC 9309) is obeyed with
``--respect-robots``. ``single_request`` sends one request.
"""

import asyncio
import random
import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import httpx

from medreview.sources.fetching.address_guard import (
    AddressRefusedError,
    HostCheck,
    host_of,
    resolve,
    url_refusal,
)
from medreview.sources.fetching.network import (
    Fetched,
    Limits,
    Network,
    Request,
    Unreached,
    read_proxy,
    utc_text,
)

if TYPE_CHECKING:
    from protego import Protego
from medreview.sources.fetching.single_request import (
    Budget,
    RateLimiter,
    RequestOptions,
    RequestSender,
    RetryableError,
    open_client,
)

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
    """The rules of one site: those of its file; without one, everything allowed or ``refused``."""

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


class Fetcher:
    """Fetches pages through one client under one rate limit; whatever happens, each request gets one answer.

    ``backpressure`` is awaited before each request is sent; it may delay requests while too many pages wait to be
    stored.
    """

    def __init__(
        self, client: httpx.AsyncClient, network: Network, backpressure: Callable[[], Awaitable[object]]
    ) -> None:
        proxy = read_proxy(network.proxy).name if network.proxy else ""
        self._sender = RequestSender(client, deadline=network.limits.deadline, proxy=proxy, slow_down=self._slow_down)
        self._limits = network.limits
        self._backpressure = backpressure
        self._rate_limiter = RateLimiter(network.limits, network.delays)
        self._page_options = RequestOptions(max_bytes=network.limits.max_bytes)
        self._host_check = HostCheck(network) if network.proxy else None
        self._robots_exempt = network.robots_exempt
        self._robots = Robots(self._robots_txt, self._slow_down) if network.respect_robots else None

    async def fetch(self, request: Request) -> Fetched:
        """The page, with as many retries as it needs and the limits allow."""
        return await self._with_retries(request, self._page_options, Budget(self._limits.deadline))

    async def reach(self, url: str) -> Fetched:
        """Whether there is a page, without its body: HEAD, then GET where HEAD fails.

        Each of the two may take half of the deadline, GET also what HEAD left over.
        """
        request = Request(url)
        budget = Budget(self._limits.deadline / 2)
        try:
            options = replace(self._page_options, method="HEAD", read_body=False)
            answer = await self._follow_redirects(request, options, budget)
        except RetryableError as failure:
            answer = failure.answer
            if failure.retry_after is not None and failure.retry_after > self._limits.longest_wait:
                return answer
            self._rate_limiter.pause(host_of(answer.final_url), failure.retry_after or 0.0)
        if answer.state not in ("http_error", "timeout"):
            return answer
        budget.left = max(budget.left, 0.0) + self._limits.deadline / 2
        return await self._with_retries(request, replace(self._page_options, read_body=False), budget)

    async def _robots_txt(self, url: str) -> Fetched:
        options = RequestOptions(max_bytes=MAX_BYTES, truncate=True, obey_robots=False)
        return await self._with_retries(Request(url), options, Budget(self._limits.deadline))

    def _slow_down(self, host: str, seconds: float) -> None:
        self._rate_limiter.slow_down(host, min(seconds, self._limits.longest_wait))

    async def _with_retries(self, request: Request, options: RequestOptions, budget: Budget) -> Fetched:
        tries = 0
        while True:
            tries += 1
            try:
                return await self._follow_redirects(request, options, budget)
            except RetryableError as failure:
                wait = failure.retry_after
                if wait is None:  # exponential backoff with jitter
                    wait = self._limits.retry_delay * 2.0 ** (tries - 1) * random.uniform(0.5, 1.0)
                if tries > self._limits.retries or wait > self._limits.longest_wait or budget.left <= 0:
                    return failure.answer
                self._rate_limiter.pause(host_of(failure.answer.final_url), wait)

    async def _follow_redirects(self, request: Request, options: RequestOptions, budget: Budget) -> Fetched:
        """The answer at the end of the redirect chain. Raises :class:`RetryableError`."""
        url = request.url
        answer = Fetched(url, url, (url,), None, "", b"", utc_text(datetime.now(UTC)))
        while True:
            if (refused := await self._refusal(answer.final_url, options)) is not None:
                return replace(answer, state=refused.state, detail=refused.detail, unreached=refused.unreached)
            async with self._rate_limiter.slot(host_of(answer.final_url)):
                await self._backpressure()
                outcome = await self._sender.send(answer, request, options, budget)
            if isinstance(outcome, Fetched):
                return outcome
            status, location = outcome
            if location in answer.chain:
                loop = "The redirects of the page go in a circle."
                return replace(answer, status=status, state="http_error", detail=loop)
            if len(answer.chain) > self._limits.redirects:
                too_many = f"The page redirects more than {self._limits.redirects} times."
                return replace(answer, status=status, state="http_error", detail=too_many)
            answer = replace(answer, final_url=location, chain=(*answer.chain, location))

    async def _refusal(self, url: str, options: RequestOptions) -> Refusal | None:
        """Why a URL is not requested at all; ``None`` when it may be."""
        if (why := url_refusal(url)) is not None:
            return Refusal("blocked", why)
        if self._host_check is not None:
            parsed = httpx.URL(url)
            port = parsed.port or (443 if parsed.scheme == "https" else 80)
            try:
                await self._host_check.check(parsed.raw_host.decode("ascii"), port)
            except AddressRefusedError as error:
                return Refusal("blocked", str(error))
        if self._robots is not None and options.obey_robots and host_of(url) not in self._robots_exempt:
            return await self._robots.refusal(url)
        return None


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
    happened. An error in ``on_done`` ends the whole fetch and is raised. Cancelling is safe at any moment; answers
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
