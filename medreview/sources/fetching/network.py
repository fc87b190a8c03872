"""Settings of the network (limits, proxy, robots exclusion) and the description of a single request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes, urlsplit

from medreview.errors import UserError
from medreview.sources.fetching.limits import Limits


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy as httpcore takes it; ``user`` and ``password`` are ``None`` for one without authentication."""

    scheme: str
    host: str
    port: int
    user: bytes | None = field(default=None, repr=False)
    password: bytes | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """Host and port without credentials, as they may be shown."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Network:
    """Settings of a fetch.

    ``proxy`` is ``http://[user:password@]host:port`` (or ``https://``), or empty; proxies of the environment are
    ignored. ``respect_robots``: obey each site's robots.txt, except for the hosts in ``robots_exempt``, which are
    programming interfaces. ``delays`` gives, for single hosts, the minimum seconds between the starts of two requests,
    in place of ``limits.host_delay``. ``allow`` names (ip, port) pairs that the address guard does not check; it is for
    tests. Raises :class:`UserError` for a proxy that cannot be used, and for a user agent that no header can hold.
    """

    limits: Limits = field(default_factory=Limits)
    user_agent: str = "medreview"
    proxy: str = field(default="", repr=False)
    respect_robots: bool = False
    robots_exempt: frozenset[str] = frozenset()
    delays: Mapping[str, float] = field(default_factory=dict)
    allow: frozenset[tuple[str, int]] = frozenset()

    def __post_init__(self) -> None:
        if self.proxy:
            read_proxy(self.proxy)
        if not (self.user_agent.isascii() and self.user_agent.isprintable()):
            raise UserError(
                "The contact of the settings cannot be sent to servers: it may hold letters without accents, digits "
                "and signs (ASCII), in one line."
            )


@dataclass(frozen=True, slots=True)
class Request:
    """One page to fetch.

    ``token`` is opaque: the caller's key for the request. ``etag`` and ``last_modified`` are the validators of the
    version that is already stored; they are sent only to the URL ``validates``, since validators belong to one URL of a
    redirect chain.
    """

    url: str
    token: str = ""
    etag: str = ""
    last_modified: str = ""
    validates: str = ""


def read_proxy(text: str) -> Proxy:
    """The proxy of a setting. Raises :class:`UserError`, which never repeats the text: it may hold a password."""
    wrong = UserError("The proxy is not understood; give it as http://host:port or http://user:password@host:port.")
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme.startswith("socks"):
        raise UserError("SOCKS proxies are not supported; give an HTTP proxy as http://host:port.")
    if parts.scheme not in ("http", "https") or not host or port is None or not host.isascii():
        raise wrong
    if parts.path not in ("", "/") or parts.query or parts.fragment or not 0 < port < 65536:
        raise wrong
    if parts.username is None:
        return Proxy(parts.scheme, host, port)
    return Proxy(
        parts.scheme, host, port, unquote_to_bytes(parts.username), unquote_to_bytes(parts.password or "")
    )  # fmt: skip
