"""Fetching many URLs concurrently, with rate limits, bounds and backpressure; each URL gets exactly one answer.

One URL is followed through its redirects and retries. Robots exclusion (robots.txt, RFC 9309) is obeyed with
``--respect-robots``. The client is httpx over the address guard, or over an explicit proxy; nothing is taken from the
environment. The rate limit says how many requests run at once, overall and per host, and the delay between two to one
host.
"""

import asyncio
import errno
import math
import random
import re
import ssl
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import httpcore
import httpx

from medreview.bounded_reading import (
    Body,
    BrokenBodyError,
    EncodingRefusedError,
    TooLargeError,
    encoding_of,
    read_body,
)
from medreview.sources.fetching.address_guard import (
    AddressRefusedError,
    BadRedirectError,
    GuardedBackend,
    HostCheck,
    ProxyBackend,
    ProxyFailedError,
    UnknownHostError,
    check_redirect,
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
    http_failure,
    read_proxy,
    utc_text,
    validator,
)

if TYPE_CHECKING:
    from protego import Protego

_ACCEPT = "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.8,*/*;q=0.5"


def open_client(network: Network) -> httpx.AsyncClient:
    """A client for one fetch; use it as an async context manager.

    Proxies, ``.netrc`` and certificate files of the environment are ignored; redirects are not followed, no cookie is
    kept.
    """
    limits = network.limits
    return httpx.AsyncClient(
        transport=_Transport(network),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(limits.deadline, connect=limits.connect_timeout),
        event_hooks={"response": [check_redirect]},
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        headers={
            "User-Agent": network.user_agent,
            "Accept": _ACCEPT,
            "Accept-Language": "en, *;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        },
    )


@cache
def trusted_certificates() -> ssl.SSLContext:
    """The certificates that httpx trusts by default, whatever the environment says; read once, which takes 25 ms."""
    return httpx.create_ssl_context(trust_env=False)


class _Transport(httpx.AsyncHTTPTransport):
    """httpx's transport over a connection pool with the address guard (or the proxy) as its network backend."""

    def __init__(self, network: Network) -> None:
        context = trusted_certificates()
        super().__init__(verify=context, trust_env=False)
        limits = network.limits
        # No keep-alive: bytes that a server sends after a response would be taken for its next response.
        # httpx has no public way to set a network backend; the dependency is bounded below 0.29 for these lines.
        if not network.proxy:
            self._pool = httpcore.AsyncConnectionPool(
                ssl_context=context,
                max_connections=limits.concurrency,
                max_keepalive_connections=0,
                network_backend=GuardedBackend(ports=limits.ports, allow=network.allow),
            )
            return
        proxy = read_proxy(network.proxy)
        self._pool = httpcore.AsyncHTTPProxy(
            proxy_url=httpcore.URL(scheme=proxy.scheme, host=proxy.host, port=proxy.port, target=b"/"),
            proxy_auth=None if proxy.user is None else (proxy.user, proxy.password or b""),
            proxy_ssl_context=trusted_certificates() if proxy.scheme == "https" else None,
            ssl_context=context,
            max_connections=limits.concurrency,
            max_keepalive_connections=0,
            network_backend=ProxyBackend(proxy),
        )


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


_NO_ROUTE: Final = frozenset({errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTUNREACH})
_RETRYABLE: Final = frozenset({429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """How a request is made.

    ``read_body``: read the body, of at most ``max_bytes``; a longer one is an error, or truncated with ``truncate``.
    ``obey_robots``: whether robots.txt applies, where the network's settings obey it at all.
    """

    method: str = "GET"
    read_body: bool = True
    max_bytes: int = 0
    truncate: bool = False
    obey_robots: bool = True


class RetryableError(Exception):
    """A transient failure: a retry may succeed.

    ``answer`` is the result if there is no further retry; ``retry_after`` the seconds to wait, ``None`` where the
    server did not say.
    """

    def __init__(self, answer: Fetched, retry_after: float | None = None) -> None:
        super().__init__(answer.detail)
        self.answer = answer
        self.retry_after = retry_after


class Budget:
    """The seconds of network time that one URL has left."""

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


class RequestSender:
    """Sends single requests; ``proxy`` is the name of the proxy they go through, or empty.

    ``slow_down`` gets the host and the seconds between two requests where a server states them.
    """

    def __init__(
        self, client: httpx.AsyncClient, *, deadline: float, proxy: str, slow_down: Callable[[str, float], object]
    ) -> None:
        self._client = client
        self._slow_down = slow_down
        self._deadline = deadline
        self._proxy = proxy

    async def send(
        self, answer: Fetched, request: Request, options: RequestOptions, budget: Budget
    ) -> Fetched | tuple[int, str]:
        """Request ``answer.final_url``: an answer, or the status and the URL of a redirect.

        ``answer`` is the redirect chain so far. Raises :class:`RetryableError`.
        """
        host = host_of(answer.final_url)
        by = f" through the proxy {self._proxy}" if self._proxy else ""
        headers = _conditional_headers(request) if request.validates == answer.final_url else {}
        response_started = False
        try:
            async with (
                budget.spend(),
                self._client.stream(options.method, answer.final_url, headers=headers) as response,
            ):
                response_started = True
                if self._proxy and response.status_code == 407:
                    raise ProxyFailedError(_proxy_refused(self._proxy, 407))
                answer = replace(answer, status=response.status_code, fetched_at=utc_text(datetime.now(UTC)))
                limit, interval = (response.headers.get(f"x-rate-limit-{name}", "") for name in ("limit", "interval"))
                if (seconds := advertised_delay(limit, interval)) is not None:
                    self._slow_down(host, seconds)
                if response.next_request is not None:
                    return response.status_code, str(response.next_request.url)
                if headers and response.status_code == 304:
                    return _unchanged(answer, response, request)
                return await self._read(response, answer, options)
        except RetryableError:
            raise
        except (AddressRefusedError, EncodingRefusedError) as error:
            return replace(answer, state="blocked", detail=str(error))
        except TooLargeError as error:
            return replace(answer, state="too_large", detail=str(error))
        except UnknownHostError as error:
            return replace(answer, state="http_error", detail=str(error), unreached="name")
        except ProxyFailedError as error:
            return replace(answer, state="http_error", detail=str(error), unreached="proxy")
        except BrokenBodyError as error:
            return replace(answer, state="http_error", detail=str(error))
        except BadRedirectError as error:
            nowhere = f"{host} redirects the page to an address that cannot be asked."
            return replace(answer, status=error.status, state="http_error", detail=nowhere)
        except httpx.ProxyError as error:
            status = re.match(r"\d{3}", str(error))  # httpcore gives the proxy's answer to CONNECT as a text
            known = int(status.group()) if status else 0
            by_proxy: Unreached = "proxy" if known == 407 else "" if known in _RETRYABLE else "refused by proxy"
            refused = replace(answer, state="http_error", detail=_proxy_refused(self._proxy, known), unreached=by_proxy)
            if known in _RETRYABLE:
                raise RetryableError(refused) from None
            return refused
        except httpx.ConnectTimeout:
            late = replace(
                answer, state="timeout", detail=f"{host} did not accept a connection in time{by}.", unreached="late"
            )
            raise RetryableError(late) from None
        except (TimeoutError, httpx.TimeoutException):
            slow = f"{host} did not send the page{by} within {self._deadline:g} seconds."
            return replace(answer, state="timeout", detail=slow)
        except httpx.TransportError as error:
            if _caused(error, lambda cause: isinstance(cause, ssl.SSLCertVerificationError)):
                bad = f"The certificate of {host} could not be verified."
                return replace(answer, state="http_error", detail=bad)
            if response_started:
                return replace(answer, state="http_error", detail=f"{host} broke off in the middle of the page.")
            unreachable = replace(answer, state="http_error", detail=f"{host} could not be reached{by}.")
            if _caused(error, lambda cause: isinstance(cause, OSError) and cause.errno in _NO_ROUTE):
                unreachable = replace(unreachable, unreached="route")
            raise RetryableError(unreachable) from None
        except Exception as error:
            # Whatever a server sends, one URL must not end the fetch of the others.
            malformed = f"The answer of {host} could not be understood ({type(error).__name__})."
            return replace(answer, state="http_error", detail=malformed)

    async def _read(self, response: httpx.Response, answer: Fetched, options: RequestOptions) -> Fetched:
        status, headers = response.status_code, response.headers
        state, detail = http_failure(status)
        if self._proxy and status in _RETRYABLE and status != 429:
            detail = f"The server, or the proxy {self._proxy} before it, answered with status {status}."
        body = b""
        try:
            if options.read_body:
                encoding = encoding_of(headers.get("content-encoding", ""))
                declared = headers.get("content-length", "")
                limited = Body(
                    encoding=encoding, declared=declared, max_bytes=options.max_bytes, truncate=options.truncate
                )
                body = await read_body(response.aiter_raw(), limited)
        except (TooLargeError, BrokenBodyError, EncodingRefusedError):
            if state is None:
                raise
            # the body of an error page is optional: it only helps to tell what kind of error it is
        answer = replace(answer, content_type=headers.get("content-type", ""), body=body, state=state, detail=detail)
        if state is None:
            etag, modified = validator(headers.get("etag", "")), validator(headers.get("last-modified", ""))
            answer = replace(answer, etag=etag, last_modified=modified)
        if status in _RETRYABLE:
            raise RetryableError(answer, retry_after(headers.get("retry-after", "")))
        return answer


def _conditional_headers(request: Request) -> dict[str, str]:
    headers = {"If-None-Match": validator(request.etag), "If-Modified-Since": validator(request.last_modified)}
    return {name: value for name, value in headers.items() if value}


def _unchanged(answer: Fetched, response: httpx.Response, request: Request) -> Fetched:
    """The answer for a 304; validators that it carries replace those that were sent."""
    etag = validator(response.headers.get("etag", "")) or validator(request.etag)
    modified = validator(response.headers.get("last-modified", "")) or validator(request.last_modified)
    return replace(answer, etag=etag, last_modified=modified, unchanged=True)


def _proxy_refused(proxy: str, status: int) -> str:
    if status == 407:
        return f"The proxy {proxy} asks for a user name and password (status 407); the page was not asked."
    with_status = f" (status {status})" if status else ""
    return f"The proxy {proxy} did not let the request through{with_status}; the page was not asked."


def _caused(error: BaseException | None, by: Callable[[BaseException], bool]) -> bool:
    while error is not None:
        if by(error):
            return True
        error = error.__cause__ or error.__context__
    return False


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
