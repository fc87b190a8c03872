"""Fetching through a proxy: the check of each host beforehand, and a network backend that connects to the proxy only.

The address guard cannot see the connection that a proxy makes. So the host of each request of a redirect chain is
checked beforehand, as far as that is possible locally: an address must be public, and a name that resolves here must
lead to public addresses only. A name that does not resolve here, as in a network where only the proxy has external DNS,
is left to the proxy. The proxy has the last word in any case, since it resolves the name again.
"""

import asyncio
import ipaddress
import re
import ssl
from collections.abc import Iterable
from typing import Any, Final

import httpcore

from medreview.sources.fetching.address_guard import RefusedError, UnknownHostError, check_addresses, resolve
from medreview.sources.fetching.network import Network, Proxy

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
        """Raise :class:`RefusedError` for a host that is known locally not to be a public web server.

        ``host`` is as in the URL, in ASCII, without the brackets of an IPv6 address.
        """
        name = host.lower().rstrip(".")
        key = (name, port)
        if key not in self._known:
            self._known[key] = _ip_literal(name) or await self._resolved(name, port)
        if not self._known[key] and port not in self._ports:
            raise RefusedError(f"Port {port} of {host} is not a web port; it was not asked.")
        check_addresses(host, port, self._known[key], ports=self._ports, allow=self._allow)

    async def _resolved(self, name: str, port: int) -> list[str]:
        private = any(name == suffix or name.endswith("." + suffix) for suffix in _PRIVATE_SUFFIXES)
        if private or not _NAME.fullmatch(name):
            raise RefusedError(f"{name} is not the name of a public web server; the proxy was not asked for it.")
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
        raise RefusedError(f"{name} is an address in an unusual notation; the proxy was not asked for it.") from None


class ProxyBackend(httpcore.AsyncNetworkBackend):
    """A network backend that connects to one proxy, which the user named, at whatever address, and to nothing else."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._backend = httpcore.AnyIOBackend()

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
            raise RefusedError(f"{host} is not the proxy; it was not connected to.")
        try:
            stream = await self._backend.connect_tcp(host, port, timeout, local_address, socket_options)
        except (httpcore.ConnectError, httpcore.ConnectTimeout, OSError):
            raise ProxyFailedError(f"The proxy {self._proxy.name} could not be reached.") from None
        return _ProxyTLS(stream, self._proxy) if self._proxy.scheme == "https" else stream

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Always refused: a local socket is not a proxy."""
        raise RefusedError("A local socket is not a proxy; it was not connected to.")

    async def sleep(self, seconds: float) -> None:
        """Wait, as httpcore asks of a backend."""
        await asyncio.sleep(seconds)


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
