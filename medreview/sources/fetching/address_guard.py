"""The address guard: connections to public web servers only, against server-side request forgery (SSRF).

A citation is text that a model wrote, so its URL may point anywhere, also into the network that this program runs
in. The guard sits at the network backend, below URLs and redirects: it resolves a host name once, checks every
resulting address, and connects to the checked address itself, so that a second resolution cannot give another answer
(DNS rebinding).
"""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable
from typing import Any

import httpcore

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


class RefusedError(Exception):
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
    """Raise :class:`RefusedError` unless every address of a host is public and the port is a web port."""
    for address in addresses:
        if (address, port) in allow:
            continue
        if (why := refusal(address)) is not None:
            raise RefusedError(f"{host} leads to {address}, {why}; it was not connected to.")
        if port not in ports:
            raise RefusedError(f"Port {port} of {host} is not a web port; it was not connected to.")


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


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """A network backend for httpcore that resolves once and connects to public addresses on web ports only.

    ``allow`` names (ip, port) pairs that are exempt from the check; it is for tests and has no other way in.
    """

    def __init__(self, *, ports: frozenset[int] = WEB_PORTS, allow: frozenset[tuple[str, int]] = frozenset()) -> None:
        self._ports = ports
        self._allow = allow
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host; raises :class:`RefusedError`, :class:`UnknownHostError` or httpcore's connect errors."""
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

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Always refused: a local socket is not a source."""
        raise RefusedError("A local socket is not a web server; it was not connected to.")

    async def sleep(self, seconds: float) -> None:
        """Wait, as httpcore asks of a backend."""
        await asyncio.sleep(seconds)
