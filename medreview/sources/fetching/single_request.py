"""One HTTP request to one URL: the client, the rate limit, what is sent, the response, the page state of a failure.

The client is httpx over the address guard, or over an explicit proxy; nothing is taken from the environment. The rate
limit says how many requests run at once, overall and per host, and the delay between two to one host.
"""

import asyncio
import errno
import math
import re
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Final

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
    ProxyBackend,
    ProxyFailedError,
    UnknownHostError,
    check_redirect,
    host_of,
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
    pass


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

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """As httpx's; a request that fails leaves no connection in the pool.

        httpcore keeps a tunnel whose TLS fails or is cancelled for good: after some of them nobody gets a connection.
        """
        try:
            return await super().handle_async_request(request)
        except BaseException:
            in_use = {id(one.connection) for one in self._pool._requests}
            for left in [one for one in self._pool._connections if id(one) not in in_use]:
                self._pool._connections.remove(left)
                await left.aclose()
            raise


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
