"""Whether a web archive holds a capture of a URL that gives no page today (Wayback availability API).

The format is that of https://archive.org/help/wayback_api.php: ``{"archived_snapshots": {"closest": {"available": true,
"url": "...", "timestamp": "YYYYMMDDhhmmss", "status": "200"}}}``, or ``{"archived_snapshots": {}}`` for a URL without a
capture. The service names one capture: the newest, or that closest to a given time. So an archived URL is queried
twice, for the newest and for the oldest capture; only a capture with status 200 was a page.
"""

import re
import sqlite3
from dataclasses import asdict, dataclass
from typing import Any, Final
from urllib.parse import urlencode

from medreview.citations.citation import domain
from medreview.citations.hosts import host_of, top_level
from medreview.progress import SILENT, Progress
from medreview.sources.fetching.network import Fetched, Network, Services
from medreview.sources.lookups.lookup_stage import (
    FAILED,
    Kind,
    LookupSummary,
    ask,
    json_object,
    mapping,
    no_answer,
    plain,
    stored,
)
from medreview.study import Study

LOST: Final = frozenset({"http_error", "timeout", "soft_404", "redirected_home"})
"""Page states of dead links: an error, no answer, a "not found" page, or the site's home page instead.

Not ``blocked``: such a URL was never requested, and it may belong to a private network, which must not be disclosed to
a service. Not paywalls, bot checks and unreadable files: there the URL leads to something.
"""
SQL_LOST: Final = f"({', '.join(repr(state) for state in sorted(LOST))})"

_OLDEST: Final = "19960101"
_TIMESTAMP: Final = re.compile(r"[12]\d{3}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{6}")
_LONGEST: Final = 2_000
_FIELDS: Final = ("first", "last", "copy", "status")


@dataclass(frozen=True, slots=True)
class Archived:
    """The archive's captures of a URL.

    ``first`` and ``last`` are the dates (ISO) of the oldest and newest capture with status 200, ``""`` without one;
    ``copy`` is the URL of the newest. Without such a capture, ``status`` is the status of another one (``withheld`` for
    one that the archive does not show), ``""`` without any.
    """

    first: str = ""
    last: str = ""
    copy: str = ""
    status: str = ""


def may_be_asked(url: str) -> bool:
    """Whether a URL may be disclosed to a service: a public host name, and no credentials in it."""
    return bool(top_level(host_of(url))) and "@" not in url.partition("://")[2].partition("/")[0]


def lost_addresses(reader: sqlite3.Connection) -> list[str]:
    """The dead links of a study (:data:`LOST`) that may be disclosed, in order of citation."""
    rows = reader.execute(
        f"""SELECT source.url FROM source JOIN snapshot_current AS c USING (source_id)
            WHERE c.page_state IN {SQL_LOST} ORDER BY source.rowid"""
    )
    return [row["url"] for row in rows if may_be_asked(row["url"])]


def ask_archive(study: Study, *, services: Services, network: Network, progress: Progress = SILENT) -> LookupSummary:
    """Query the archive for every dead link of a study that has no answer yet."""
    return ask(study, _Wayback(services.wayback), lost_addresses(study.reader), network=network, progress=progress)


def archived(reader: sqlite3.Connection) -> dict[str, Archived | None]:
    """The archive's answers by URL; ``None`` where the query failed."""
    return {
        key: None if FAILED in answer else Archived(**{name: plain(answer.get(name)) for name in _FIELDS})
        for key, answer in stored(reader, "archive").items()
    }


@dataclass(frozen=True, slots=True)
class _Capture:
    timestamp: str
    status: str
    url: str


class _Wayback:
    kind: Kind = "archive"

    def __init__(self, base: str) -> None:
        self._base = base
        self._newest: dict[str, _Capture] = {}

    def address(self, key: str) -> str:
        return self._query_url(key, {})

    def read(self, key: str, fetched: Fetched) -> str | dict[str, Any]:
        found = _closest(fetched)
        newest = self._newest.pop(key, None)
        if newest is None and found is not None:
            self._newest[key] = found
            return self._query_url(key, {"timestamp": _OLDEST})
        return asdict(_combined([capture for capture in (found, newest) if capture is not None]))

    def _query_url(self, key: str, more: dict[str, str]) -> str:
        return f"{self._base}{'&' if '?' in self._base else '?'}{urlencode({'url': key, **more})}"


def _combined(captures: list[_Capture]) -> Archived:
    pages = sorted((capture for capture in captures if capture.status == "200"), key=lambda capture: capture.timestamp)
    if pages:
        return Archived(_date(pages[0]), _date(pages[-1]), pages[-1].url)
    return Archived(status=captures[0].status) if captures else Archived()


def _closest(fetched: Fetched) -> _Capture | None:
    """The capture that the service names; ``None`` when it has none. Raises :class:`NoAnswerError`."""
    captures = json_object(fetched).get("archived_snapshots")
    if not isinstance(captures, dict):
        raise no_answer(fetched)
    if "closest" not in captures:
        return None
    closest = mapping(captures["closest"])
    timestamp, status, url = (closest.get(key) for key in ("timestamp", "status", "url"))
    if not (isinstance(timestamp, str) and _TIMESTAMP.fullmatch(timestamp) and isinstance(status, str)):
        raise no_answer(fetched)
    if closest.get("available") is not True:
        return _Capture(timestamp, "withheld", "")
    return _Capture(
        timestamp, status[:20], url if isinstance(url, str) and domain(url) and len(url) <= _LONGEST else ""
    )


def _date(capture: _Capture) -> str:
    return f"{capture.timestamp[:4]}-{capture.timestamp[4:6]}-{capture.timestamp[6:8]}"
