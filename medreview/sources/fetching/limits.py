"""Limits of fetching: sizes, times, concurrency, redirects, retries."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of fetching; all times are in seconds, the defaults are those of everyday work.

    ``deadline`` is the network time for one URL, over all redirects and retries; time spent waiting for the rate limit
    is not counted. ``max_bytes`` applies to the body as sent and to the body as decoded. ``concurrency`` requests run
    at once, ``per_host`` of them to one host. ``host_delay`` is the minimum time between the starts of two requests to
    one host. ``retries`` follow a failed connection or a status of 429 or 502-504, the first about ``retry_delay``
    later, with exponential backoff; a ``Retry-After`` longer than ``longest_wait`` ends them.
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
