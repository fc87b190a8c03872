"""Live HTTP: many URLs at once, politely, within bounds, and one answer for each whatever happens."""

import asyncio
import random
import ssl
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpcore
import httpx

from medreview.sources.body import BrokenBodyError, EncodingRefusedError, TooLargeError, encoding_of, read_body
from medreview.sources.fetched import Fetched, http_failure, utc_text
from medreview.sources.guard import GuardedBackend, RefusedError, UnknownHostError
from medreview.sources.limits import Limits
from medreview.sources.pace import Pace, retry_after

__all__ = ["Limits", "fetch_all"]

_TRY_AGAIN = frozenset({429, 502, 503, 504})
_ACCEPT = "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.8,*/*;q=0.5"


async def fetch_all(
    urls: Sequence[str],
    *,
    on_done: Callable[[Fetched], Awaitable[None]],
    limits: Limits,
    user_agent: str,
    allow: frozenset[tuple[str, int]] = frozenset(),
) -> None:
    """Fetch every distinct URL and hand each answer to ``on_done`` as it comes, in no fixed order.

    The next page of a host waits until ``on_done`` is through with the one before, so that pages do not pile up.
    A bad URL, host or server never raises: its :class:`Fetched` says what happened. What ``on_done`` raises ends the
    whole fetch and is raised. Cancelling is safe at any moment; answers already handed over stand.
    ``allow`` is for tests (see :class:`~medreview.sources.guard.GuardedBackend`).
    """
    queues: dict[str, deque[str]] = {}
    for url in dict.fromkeys(urls):
        queues.setdefault(_host(url), deque()).append(url)
    async with _client(limits, user_agent, allow) as client:
        fetcher = _Fetcher(client, limits)

        async def work(queue: deque[str]) -> None:
            while queue:
                await on_done(await fetcher.fetch(queue.popleft()))

        try:
            async with asyncio.TaskGroup() as tasks:
                for queue in queues.values():
                    for _ in range(min(limits.per_host, len(queue))):
                        tasks.create_task(work(queue))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None


def _client(limits: Limits, user_agent: str, allow: frozenset[tuple[str, int]]) -> httpx.AsyncClient:
    # The environment (proxies, .netrc, certificate files) is not asked, and no cookie is ever kept.
    return httpx.AsyncClient(
        transport=_GuardedTransport(limits, allow),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(limits.deadline, connect=limits.connect_timeout),
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        headers={
            "User-Agent": user_agent,
            "Accept": _ACCEPT,
            "Accept-Language": "en, *;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        },
    )


class _GuardedTransport(httpx.AsyncHTTPTransport):
    """httpx's transport over a pool whose network backend is the guard."""

    def __init__(self, limits: Limits, allow: frozenset[tuple[str, int]]) -> None:
        context = httpx.create_ssl_context(trust_env=False)
        super().__init__(verify=context, trust_env=False)
        # httpx has no public way to hand over a backend; the dependency is bounded below 0.29 for this line.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=limits.concurrency,
            max_keepalive_connections=limits.concurrency,
            keepalive_expiry=5.0,
            network_backend=GuardedBackend(ports=limits.ports, allow=allow),
        )


class _TryAgain(Exception):
    """This try failed in a way that another may not; ``answer`` is what to say if it was the last."""

    def __init__(self, answer: Fetched, wait: float | None = None) -> None:
        super().__init__(answer.detail)
        self.answer = answer
        self.wait = wait


class _Budget:
    """The seconds that one URL may still spend on the network."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    @asynccontextmanager
    async def spend(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(self.left):
                yield
        finally:
            self.left -= loop.time() - began


class _Fetcher:
    def __init__(self, client: httpx.AsyncClient, limits: Limits) -> None:
        self._client = client
        self._limits = limits
        self._pace = Pace(limits)

    async def fetch(self, url: str) -> Fetched:
        """One answer for one URL, after as many tries as it takes and the limits allow."""
        budget = _Budget(self._limits.deadline)
        tries = 0
        while True:
            tries += 1
            try:
                return await self._follow(url, budget)
            except _TryAgain as again:
                wait = again.wait
                if wait is None:
                    wait = self._limits.retry_delay * 2.0 ** (tries - 1) * random.uniform(0.5, 1.0)
                if tries > self._limits.retries or wait > self._limits.longest_wait or budget.left <= 0:
                    return again.answer
                self._pace.hold(_host(again.answer.final_url), wait)

    async def _follow(self, url: str, budget: _Budget) -> Fetched:
        """Follow one URL over its redirects to an answer. Raises :class:`_TryAgain`."""
        answer = Fetched(url, url, (url,), None, "", b"", utc_text(datetime.now(UTC)))
        while True:
            if (why := _refused_url(answer.final_url)) is not None:
                return replace(answer, state="blocked", detail=why)
            async with self._pace.turn(_host(answer.final_url)):
                step = await self._ask(answer, budget)
            if isinstance(step, Fetched):
                return step
            if step in answer.chain:
                return replace(answer, state="http_error", detail="The redirects of the page go in a circle.")
            if len(answer.chain) > self._limits.redirects:
                many = f"The page redirects more than {self._limits.redirects} times."
                return replace(answer, state="http_error", detail=many)
            answer = replace(answer, final_url=step, chain=(*answer.chain, step))

    async def _ask(self, answer: Fetched, budget: _Budget) -> Fetched | str:
        """One request: an answer, or the URL that a redirect names. Raises :class:`_TryAgain`."""
        host = _host(answer.final_url)
        begun = False
        try:
            async with budget.spend(), self._client.stream("GET", answer.final_url) as response:
                begun = True
                answer = replace(answer, status=response.status_code, fetched_at=utc_text(datetime.now(UTC)))
                if response.next_request is not None:
                    return str(response.next_request.url)
                return await self._read(response, answer)
        except _TryAgain:
            raise
        except (RefusedError, EncodingRefusedError) as error:
            return replace(answer, state="blocked", detail=str(error))
        except TooLargeError as error:
            return replace(answer, state="too_large", detail=str(error))
        except (UnknownHostError, BrokenBodyError) as error:
            return replace(answer, state="http_error", detail=str(error))
        except httpx.ConnectTimeout:
            late = replace(answer, state="timeout", detail=f"{host} did not accept a connection in time.")
            raise _TryAgain(late) from None
        except (TimeoutError, httpx.TimeoutException):
            slow = f"{host} did not send the page within {self._limits.deadline:g} seconds."
            return replace(answer, state="timeout", detail=slow)
        except httpx.TransportError as error:
            if _certificate_failed(error):
                bad = f"The certificate of {host} could not be verified."
                return replace(answer, state="http_error", detail=bad)
            if begun:
                return replace(answer, state="http_error", detail=f"{host} broke off in the middle of the page.")
            raise _TryAgain(replace(answer, state="http_error", detail=f"{host} could not be reached.")) from None
        except Exception as error:
            # Whatever a server sends, one URL must not end the fetch of the others.
            odd = f"The answer of {host} could not be understood ({type(error).__name__})."
            return replace(answer, state="http_error", detail=odd)

    async def _read(self, response: httpx.Response, answer: Fetched) -> Fetched:
        state, detail = http_failure(response.status_code)
        headers = response.headers
        try:
            body = await read_body(
                response.aiter_raw(),
                encoding=encoding_of(headers.get("content-encoding", "")),
                declared=headers.get("content-length", ""),
                max_bytes=self._limits.max_bytes,
            )
        except (TooLargeError, BrokenBodyError, EncodingRefusedError):
            if state is None:
                raise
            body = b""  # an error page is only of interest for what it says, if it can be had
        answer = replace(
            answer, content_type=headers.get("content-type", ""), body=body, state=state, detail=detail
        )  # fmt: skip
        if response.status_code in _TRY_AGAIN:
            raise _TryAgain(answer, retry_after(headers.get("retry-after", "")))
        return answer


def _host(url: str) -> str:
    try:
        return httpx.URL(url).host
    except (httpx.InvalidURL, ValueError, TypeError):
        return ""


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


def _certificate_failed(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
