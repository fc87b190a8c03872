"""The HTTP client: httpx over the address guard, or over an explicit proxy, and nothing from the environment."""

import ssl
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpcore
import httpx

from medreview.sources.fetching.address_guard import GuardedBackend
from medreview.sources.fetching.asked_url import check_redirect
from medreview.sources.fetching.network import Network, read_proxy
from medreview.sources.fetching.proxy import ProxyBackend

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
