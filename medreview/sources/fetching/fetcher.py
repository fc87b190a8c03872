"""One request from its URL to its answer: redirects, retries, and URLs that are not requested at all."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime

import httpx

from medreview.sources.fetching.address_guard import RefusedError
from medreview.sources.fetching.asked_url import host_of, url_refusal
from medreview.sources.fetching.fetched import Fetched, utc_text
from medreview.sources.fetching.network import Network, Request, read_proxy
from medreview.sources.fetching.proxy import HostCheck
from medreview.sources.fetching.rate_limit import RateLimiter
from medreview.sources.fetching.robots import MAX_BYTES, Refusal, Robots
from medreview.sources.fetching.single_request import Budget, RequestOptions, RequestSender, RetryableError


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
            except RefusedError as error:
                return Refusal("blocked", str(error))
        if self._robots is not None and options.obey_robots and host_of(url) not in self._robots_exempt:
            return await self._robots.refusal(url)
        return None
