"""The result of fetching one URL, from the network or from saved pages."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Unreached = Literal["", "name", "route", "proxy", "refused by proxy", "late"]
"""The name has no address, there is no way to the address, the proxy was not reached or wants a password, the proxy let
the request not through, no connection came in time."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The answer for one URL; every requested URL yields exactly one.

    ``chain`` is the redirect chain, every URL requested in order: the first is ``url``, the last is ``final_url``.
    ``status`` is the last HTTP status, ``None`` without a response. ``body`` is the decoded body (no content encoding
    left), empty when it could not be read completely. ``fetched_at`` is ISO 8601 in UTC. ``state`` is a page state
    (``medreview.labels.PAGE_STATES``) when fetching alone decided it, else ``None``; ``detail`` then says why, in one
    plain sentence. ``etag`` and ``last_modified`` are the page's validators for later conditional requests.
    ``unchanged``: the server confirmed (status 304) that the version with the validators sent is still current; there
    is no body and no state then. ``unreached``: what was in the way where no server was reached at all.
    """

    url: str
    final_url: str
    chain: tuple[str, ...]
    status: int | None
    content_type: str
    body: bytes
    fetched_at: str
    state: str | None = None
    detail: str = ""
    etag: str = ""
    last_modified: str = ""
    unchanged: bool = False
    unreached: Unreached = ""


def utc_text(moment: datetime) -> str:
    """A timestamp as stored: ISO 8601 in UTC, to the second, with ``Z``. One without a time zone is taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def validator(header: str) -> str:
    """An ``ETag`` or ``Last-Modified`` value that is safe to store and send back (short, printable ASCII), else ``""``.

    A bare ``*`` is rejected: as ``If-None-Match`` it would mean any version at all (RFC 9110 section 13.1.2).
    """
    value = header.strip()
    return value if len(value) <= 500 and value.isascii() and value.isprintable() and value != "*" else ""


def http_failure(status: int) -> tuple[str | None, str]:
    """The page state and the sentence for an HTTP status; ``(None, "")`` when the status is a success."""
    if 200 <= status < 300:
        return None, ""
    meaning = {401: "a login is needed", 402: "payment is needed", 403: "access was refused", 404: "no such page",
               410: "the page was removed", 429: "too many requests"}.get(status, "")  # fmt: skip
    return "http_error", f"The server answered with status {status}{': ' + meaning if meaning else ''}."
