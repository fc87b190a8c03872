"""The address guard: public web servers only, directly or through a proxy, against server-side request forgery (SSRF).

A citation is text that a model wrote, so its URL may point anywhere, also into the network that this program runs
in. Every URL from outside is checked before anything else is done with it. The guard sits at the network backend, below
URLs and redirects: it resolves a host name once, checks every resulting address, and connects to the checked address
itself, so that a second resolution cannot give another answer (DNS rebinding).

The guard cannot see the connection that a proxy makes. So the host of each request of a redirect chain is checked
beforehand, as far as that is possible locally: an address must be public, and a name that resolves here must lead to
public addresses only. A name that does not resolve here, as in a network where only the proxy has external DNS, is left
to the proxy. The proxy has the last word in any case, since it resolves the name again.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Iterable
from typing import Any, Final

import httpcore
import httpx

from medreview.sources.fetching.network import Network, Proxy

_LAST_PORT = 65535


def parsed_url(url: str) -> httpx.URL | None:
    """A URL as it can be asked; ``None`` for other texts, or a host that is no name (``xn--a``)."""
    try:
        parsed = httpx.URL(url)
        # Only here the host's Punycode is decoded; the errors of idna are ValueErrors.
        return parsed if parsed.host is not None else None
    except (httpx.InvalidURL, ValueError, TypeError):
        return None


def host_of(url: str) -> str:
    """The host of a URL, ``""`` for one without a host and for other texts."""
    parsed = parsed_url(url)
    return parsed.host if parsed is not None else ""


def url_refusal(url: str) -> str | None:
    """Why a URL is not requested at all, as a sentence; ``None`` when it may be."""
    parsed = parsed_url(url)
    if parsed is None:
        return "This is not a web address that can be asked."
    if parsed.scheme not in ("http", "https"):
        return f"Only http and https addresses are fetched, not {parsed.scheme or 'an address without a scheme'}."
    if not parsed.host:
        return "The web address names no host."
    if parsed.userinfo:
        return "The web address carries a user name or a password; it was not asked."
    if parsed.port is not None and not 0 < parsed.port <= _LAST_PORT:
        return f"The web address names a port that there is not ({parsed.port}); it was not asked."
    return None


class BadRedirectError(Exception):
    """A server redirects to an invalid URL; ``status`` is that of its answer."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


async def check_redirect(response: httpx.Response) -> None:
    """Raise :class:`BadRedirectError` for a redirect to an invalid URL; httpx would raise errors of many kinds."""
    if not response.has_redirect_location:
        return
    try:
        target = str(response.request.url.join(response.headers["location"]))
    except (httpx.InvalidURL, ValueError):
        raise BadRedirectError(response.status_code) from None
    if parsed_url(target) is None:
        raise BadRedirectError(response.status_code)


IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

WEB_PORTS = frozenset({80, 443})
SECONDS_PER_ADDRESS = 5.0

# A table of our own, because the result of ``ipaddress.is_global`` has changed between patch releases of Python.
_REFUSED_V4 = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # a public number, yet inside Azure it is the machine's own metadata server
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_REFUSED_V6 = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23",  # IETF protocol assignments, Teredo (2001::/32) among them
        "2001:db8::/32",
        "2002::/16",  # 6to4: carries any IPv4 address inside
        "3fff::/20",
    )
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class AddressRefusedError(Exception):
    """The address guard refused to connect; the message is one plain sentence."""


class UnknownHostError(Exception):
    """The host name has no address; the message is one plain sentence."""


def refusal(address: str) -> str | None:
    """Why an IP address must not be connected to, in a few words; ``None`` for a public unicast address.

    IPv6 forms that embed an IPv4 address (mapped, NAT64) are judged by that address; 6to4, Teredo and every form
    outside the global unicast range are refused whole. A text that is not an address is refused.
    """
    try:
        ip: IPAddress = ipaddress.ip_address(address)
    except ValueError:
        return "not an address"
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id is not None:
            return "a link-local address"
        if ip.ipv4_mapped is not None:
            ip = ip.ipv4_mapped
        elif ip in _NAT64:
            ip = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if isinstance(ip, ipaddress.IPv4Address):
        refused = any(ip in network for network in _REFUSED_V4)
    else:
        refused = ip not in _GLOBAL_V6 or any(ip in network for network in _REFUSED_V6)
    return "not a public address" if refused or not ip.is_global or ip.is_multicast else None


def check_addresses(
    host: str, port: int, addresses: Iterable[str], *, ports: frozenset[int], allow: frozenset[tuple[str, int]]
) -> None:
    """Raise :class:`AddressRefusedError` unless every address of a host is public and the port is a web port."""
    for address in addresses:
        if (address, port) in allow:
            continue
        if (why := refusal(address)) is not None:
            raise AddressRefusedError(f"{host} leads to {address}, {why}; it was not connected to.")
        if port not in ports:
            raise AddressRefusedError(f"Port {port} of {host} is not a web port; it was not connected to.")


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host by the system's resolver, at least one. Raises :class:`UnknownHostError`."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnknownHostError(f"The host name {host} could not be resolved.") from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not addresses:
        raise UnknownHostError(f"The host name {host} has no address.")
    return addresses


class _TcpBackend(httpcore.AsyncNetworkBackend):
    """A network backend for httpcore that connects to no local socket."""

    def __init__(self) -> None:
        self._backend = httpcore.AnyIOBackend()

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Always refused: a local socket is neither a source nor a proxy."""
        raise AddressRefusedError("A local socket is not a server on the web; it was not connected to.")

    async def sleep(self, seconds: float) -> None:
        """Wait, as httpcore asks of a backend."""
        await asyncio.sleep(seconds)


class GuardedBackend(_TcpBackend):
    """A network backend for httpcore that resolves once and connects to public addresses on web ports only.

    ``allow`` names (ip, port) pairs that are exempt from the check; it is for tests and has no other way in.
    """

    def __init__(self, *, ports: frozenset[int] = WEB_PORTS, allow: frozenset[tuple[str, int]] = frozenset()) -> None:
        super().__init__()
        self._ports = ports
        self._allow = allow

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Raises :class:`AddressRefusedError`, :class:`UnknownHostError` or httpcore's connect errors."""
        addresses = await resolve(host, port)
        check_addresses(host, port, addresses, ports=self._ports, allow=self._allow)
        limit = SECONDS_PER_ADDRESS if timeout is None else min(timeout, SECONDS_PER_ADDRESS)
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return await self._backend.connect_tcp(address, port, limit, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


_NAME: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PRIVATE_SUFFIXES: Final = ("localhost", "local", "internal", "lan", "home.arpa")


class ProxyFailedError(Exception):
    """The proxy itself could not be used; the message is one plain sentence without user name and password."""


class HostCheck:
    """Checks the hosts of requests that go through a proxy; each name is resolved once."""

    def __init__(self, network: Network) -> None:
        self._ports = network.limits.ports
        self._allow = network.allow
        self._known: dict[tuple[str, int], list[str]] = {}

    async def check(self, host: str, port: int) -> None:
        """Raise :class:`AddressRefusedError` for a host that is known locally not to be a public web server.

        ``host`` is as in the URL, in ASCII, without the brackets of an IPv6 address.
        """
        name = host.lower().rstrip(".")
        key = (name, port)
        if key not in self._known:
            self._known[key] = _ip_literal(name) or await self._resolved(name, port)
        if not self._known[key] and port not in self._ports:
            raise AddressRefusedError(f"Port {port} of {host} is not a web port; it was not asked.")
        check_addresses(host, port, self._known[key], ports=self._ports, allow=self._allow)

    async def _resolved(self, name: str, port: int) -> list[str]:
        private = any(name == suffix or name.endswith("." + suffix) for suffix in _PRIVATE_SUFFIXES)
        if private or not _NAME.fullmatch(name):
            raise AddressRefusedError(f"{name} is not the name of a public web server; the proxy was not asked for it.")
        try:
            return await resolve(name, port)
        except UnknownHostError:
            return []


def _ip_literal(name: str) -> list[str]:
    """The address of a host that is an IP literal, empty for a name.

    Only the dotted-decimal notation is accepted: proxies differ in how they read octal, hexadecimal and short forms.
    """
    if ":" in name:
        return [name]
    if not _NUMBER.fullmatch(name.rpartition(".")[2]):
        return []
    try:
        return [str(ipaddress.IPv4Address(name))]
    except ValueError:
        raise AddressRefusedError(
            f"{name} is an address in an unusual notation; the proxy was not asked for it."
        ) from None


class ProxyBackend(_TcpBackend):
    """A network backend that connects to one proxy, which the user named, at whatever address, and to nothing else."""

    def __init__(self, proxy: Proxy) -> None:
        super().__init__()
        self._proxy = proxy

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the proxy; raises :class:`ProxyFailedError`."""
        if (host, port) != (self._proxy.host, self._proxy.port):
            raise AddressRefusedError(f"{host} is not the proxy; it was not connected to.")
        try:
            stream = await self._backend.connect_tcp(host, port, timeout, local_address, socket_options)
        except (httpcore.ConnectError, httpcore.ConnectTimeout, OSError):
            raise ProxyFailedError(f"The proxy {self._proxy.name} could not be reached.") from None
        return _ProxyTLS(stream, self._proxy) if self._proxy.scheme == "https" else stream


class _ProxyTLS(httpcore.AsyncNetworkStream):
    """The plain connection to an ``https`` proxy: a failure of its TLS is the proxy's failure, not the site's."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, proxy: Proxy) -> None:
        self._stream = stream
        self._proxy = proxy

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        try:
            return await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except (httpcore.ConnectError, httpcore.ConnectTimeout):
            raise ProxyFailedError(f"The proxy {self._proxy.name} offers no secure connection.") from None

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
