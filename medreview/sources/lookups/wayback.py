"""Whether a web archive ever held an address that gives no page today (Wayback availability API).

The format is that of https://archive.org/help/wayback_api.php: ``{"archived_snapshots": {"closest": {"available": true,
"url": "...", "timestamp": "YYYYMMDDhhmmss", "status": "200"}}}``, or ``{"archived_snapshots": {}}`` for an address that
the archive does not hold. The service names one copy: the newest, or that closest to a moment. So an address that it
holds is asked for twice, for the newest and for the oldest copy; only a copy with status 200 was a page.
"""

import re
import sqlite3
from dataclasses import asdict, dataclass
from typing import Any, Final
from urllib.parse import urlencode

from medreview.citations.canonical import domain
from medreview.citations.hosts import host_of, top_level
from medreview.progress import SILENT, Progress
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.fetching.network import Network
from medreview.sources.fetching.services import Services
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
"""Page states in which an address gave no page: an error, no answer, a "not found" page, or the site's home page.

Not ``blocked``: such an address was never asked, and it may be one of a private network, which is no service's concern.
Not the walls and the unreadable: there the address leads to something.
"""
SQL_LOST: Final = f"({', '.join(repr(state) for state in sorted(LOST))})"

_OLDEST: Final = "19960101"
_MOMENT: Final = re.compile(r"[12]\d{3}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{6}")
_LONGEST: Final = 2_000
_FIELDS: Final = ("first", "last", "copy", "status")


@dataclass(frozen=True, slots=True)
class Archived:
    """What the archive holds of an address.

    ``first`` and ``last`` are the days (ISO) of the oldest and newest copy with status 200 that it named, empty without
    one; ``copy`` is the address of the newest. ``status`` is that of a copy which was no page, empty without any.
    """

    first: str = ""
    last: str = ""
    copy: str = ""
    status: str = ""


def may_be_asked(url: str) -> bool:
    """Whether an address may be shown to a service outside: a public name, and nothing like a password in it."""
    return bool(top_level(host_of(url))) and "@" not in url.partition("://")[2].partition("/")[0]


def lost_addresses(reader: sqlite3.Connection) -> list[str]:
    """The addresses of a study that gave no page and may be asked about, in order of citation."""
    rows = reader.execute(
        f"""SELECT source.url FROM source JOIN snapshot_current AS c USING (source_id)
            WHERE c.page_state IN {SQL_LOST} ORDER BY source.rowid"""
    )
    return [row["url"] for row in rows if may_be_asked(row["url"])]


def ask_archive(study: Study, *, services: Services, network: Network, progress: Progress = SILENT) -> LookupSummary:
    """Ask the archive about every lost address of a study that it has not answered for yet."""
    return ask(study, _Wayback(services.wayback), lost_addresses(study.reader), network=network, progress=progress)


def archived(reader: sqlite3.Connection) -> dict[str, Archived | None]:
    """What the archive said, by address; ``None`` where it was asked and gave no answer."""
    return {
        key: None if FAILED in answer else Archived(**{name: plain(answer.get(name)) for name in _FIELDS})
        for key, answer in stored(reader, "archive").items()
    }


@dataclass(frozen=True, slots=True)
class _Copy:
    moment: str
    status: str
    url: str


class _Wayback:
    kind: Kind = "archive"

    def __init__(self, base: str) -> None:
        self._base = base
        self._newest: dict[str, _Copy] = {}

    def address(self, key: str) -> str:
        return self._asking(key, {})

    def read(self, key: str, fetched: Fetched) -> str | dict[str, Any]:
        found = _closest(fetched)
        newest = self._newest.pop(key, None)
        if newest is None and found is not None:
            self._newest[key] = found
            return self._asking(key, {"timestamp": _OLDEST})
        return asdict(_together([copy for copy in (found, newest) if copy is not None]))

    def _asking(self, key: str, more: dict[str, str]) -> str:
        return f"{self._base}{'&' if '?' in self._base else '?'}{urlencode({'url': key, **more})}"


def _together(copies: list[_Copy]) -> Archived:
    pages = sorted((copy for copy in copies if copy.status == "200"), key=lambda copy: copy.moment)
    if pages:
        return Archived(_day(pages[0]), _day(pages[-1]), pages[-1].url)
    return Archived(status=copies[0].status) if copies else Archived()


def _closest(fetched: Fetched) -> _Copy | None:
    """The copy that the service names; ``None`` when it has none. Raises :class:`NoAnswerError`."""
    copies = json_object(fetched).get("archived_snapshots")
    if not isinstance(copies, dict):
        raise no_answer(fetched)
    if "closest" not in copies:
        return None
    closest = mapping(copies["closest"])
    moment, status, url = (closest.get(key) for key in ("timestamp", "status", "url"))
    if not (isinstance(moment, str) and _MOMENT.fullmatch(moment) and isinstance(status, str)):
        raise no_answer(fetched)
    if closest.get("available") is not True:
        return _Copy(moment, "withheld", "")
    return _Copy(moment, status[:20], url if isinstance(url, str) and domain(url) and len(url) <= _LONGEST else "")


def _day(copy: _Copy) -> str:
    return f"{copy.moment[:4]}-{copy.moment[4:6]}-{copy.moment[6:8]}"
