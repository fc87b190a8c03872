"""One request from its address to its answer: redirects, further tries, and what is not asked at all."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime

import httpx

from medreview.sources.fetching.address_guard import RefusedError
from medreview.sources.fetching.fetched import Fetched, utc_text
from medreview.sources.fetching.network import Network, Request, read_proxy
from medreview.sources.fetching.proxy import HostCheck
from medreview.sources.fetching.rate_limit import Pace
from medreview.sources.fetching.robots import MAX_BYTES, Robots
from medreview.sources.fetching.single_request import Asker, Budget, How, TryAgain, host_of


class Fetcher:
    """Asks for pages through one client, at one pace; whatever happens, each request gets one answer.

    ``room`` is awaited before each request is sent; it may hold the requests back while too much waits to be kept.
    """

    def __init__(self, client: httpx.AsyncClient, network: Network, room: Callable[[], Awaitable[object]]) -> None:
        proxy = read_proxy(network.proxy).name if network.proxy else ""
        self._asker = Asker(client, deadline=network.limits.deadline, proxy=proxy)
        self._limits = network.limits
        self._room = room
        self._pace = Pace(network.limits, network.delays)
        self._page = How(max_bytes=network.limits.max_bytes)
        self._check = HostCheck(network) if network.proxy else None
        self._for_programs = network.for_programs
        self._robots = Robots(self._robots_txt, self._slow_down) if network.respect_robots else None

    async def fetch(self, request: Request) -> Fetched:
        """The page, after as many tries as it takes and the limits allow."""
        return await self._try(request, self._page, Budget(self._limits.deadline))

    async def reach(self, url: str) -> Fetched:
        """Whether there is a page, without its body: HEAD, and GET where a server does not do well with HEAD.

        Each of the two may take half of the deadline, GET also what HEAD left over.
        """
        request = Request(url)
        budget = Budget(self._limits.deadline / 2)
        try:
            answer = await self._follow(request, replace(self._page, method="HEAD", body=False), budget)
        except TryAgain as again:
            answer = again.answer
            if again.wait is not None and again.wait > self._limits.longest_wait:
                return answer
            self._pace.hold(host_of(answer.final_url), again.wait or 0.0)
        if answer.state not in ("http_error", "timeout"):
            return answer
        budget.left = max(budget.left, 0.0) + self._limits.deadline / 2
        return await self._try(request, replace(self._page, body=False), budget)

    async def _robots_txt(self, url: str) -> Fetched:
        how = How(max_bytes=MAX_BYTES, cut=True, robots=False)
        return await self._try(Request(url), how, Budget(self._limits.deadline))

    def _slow_down(self, host: str, seconds: float) -> None:
        self._pace.slow_down(host, min(seconds, self._limits.longest_wait))

    async def _try(self, request: Request, how: How, budget: Budget) -> Fetched:
        tries = 0
        while True:
            tries += 1
            try:
                return await self._follow(request, how, budget)
            except TryAgain as again:
                wait = again.wait
                if wait is None:
                    wait = self._limits.retry_delay * 2.0 ** (tries - 1) * random.uniform(0.5, 1.0)
                if tries > self._limits.retries or wait > self._limits.longest_wait or budget.left <= 0:
                    return again.answer
                self._pace.hold(host_of(again.answer.final_url), wait)

    async def _follow(self, request: Request, how: How, budget: Budget) -> Fetched:
        """Follow one request over its redirects to an answer. Raises :class:`TryAgain`."""
        url = request.url
        answer = Fetched(url, url, (url,), None, "", b"", utc_text(datetime.now(UTC)))
        while True:
            if (why := await self._refused(answer.final_url, how)) is not None:
                return replace(answer, state=why[0], detail=why[1])
            async with self._pace.turn(host_of(answer.final_url)):
                await self._room()
                step = await self._asker.ask(answer, request, how, budget)
            if isinstance(step, Fetched):
                return step
            status, to = step
            if to in answer.chain:
                circle = "The redirects of the page go in a circle."
                return replace(answer, status=status, state="http_error", detail=circle)
            if len(answer.chain) > self._limits.redirects:
                many = f"The page redirects more than {self._limits.redirects} times."
                return replace(answer, status=status, state="http_error", detail=many)
            answer = replace(answer, final_url=to, chain=(*answer.chain, to))

    async def _refused(self, url: str, how: How) -> tuple[str, str] | None:
        """State and sentence for a URL that is not asked at all; ``None`` when it may be."""
        if (why := _refused_url(url)) is not None:
            return "blocked", why
        if self._check is not None:
            parsed = httpx.URL(url)
            port = parsed.port or (443 if parsed.scheme == "https" else 80)
            try:
                await self._check.check(parsed.raw_host.decode("ascii"), port)
            except RefusedError as error:
                return "blocked", str(error)
        if self._robots is not None and how.robots and host_of(url) not in self._for_programs:
            return await self._robots.refusal(url)
        return None


def _refused_url(url: str) -> str | None:
    """Why a URL is not asked at all, as a sentence; ``None`` when it may be."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError, TypeError):
        return "This is not a web address that can be asked."
    if parsed.scheme not in ("http", "https"):
        return f"Only http and https addresses are fetched, not {parsed.scheme or 'an address without a scheme'}."
    if not parsed.host:
        return "The web address names no host."
    if parsed.userinfo:
        return "The web address carries a user name or a password; it was not asked."
    return None
