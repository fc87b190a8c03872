"""How much a fetch may take: sizes, times, concurrency."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of fetching; the defaults are those of everyday work.

    ``deadline`` counts the seconds on the network for one URL, over all redirects and tries; the waiting that
    politeness asks for is not counted. ``max_bytes`` holds for the body as sent and for the body as decoded.
    ``host_delay`` is the least time between the starts of two requests to one host. ``retries`` are further tries after
    a failed connection or a status of 429 or 502-504. A ``Retry-After`` longer than ``longest_wait`` ends the tries.
    """

    deadline: float = 30.0
    connect_timeout: float = 10.0
    max_bytes: int = 15_000_000
    redirects: int = 5
    concurrency: int = 8
    per_host: int = 2
    host_delay: float = 1.0
    retries: int = 2
    retry_delay: float = 1.0
    longest_wait: float = 30.0
    ports: frozenset[int] = frozenset({80, 443})
