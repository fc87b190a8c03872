"""The stage that gets every cited source once, whole, and keeps what it got as a snapshot."""

import asyncio
import json
import sqlite3
import zlib
from collections import Counter
from dataclasses import dataclass

from medreview.progress import SILENT, Progress
from medreview.sources.fetched import Fetched
from medreview.sources.folder import PagesFolder
from medreview.sources.limits import Limits
from medreview.sources.page import Page, read_page
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import sha256

_FAILED = "'http_error', 'timeout', 'blocked'"


@dataclass(frozen=True, slots=True)
class FetchSummary:
    """Sources that got a snapshot, by page state, and (with a folder) those that it does not hold."""

    states: dict[str, int]
    missing: int


def pending(study: Study, *, failed_too: bool = False) -> list[tuple[str, str]]:
    """(source id, URL) of the sources to fetch, in order of citation: those never fetched, on request failed ones."""
    failed = f"OR c.page_state IN ({_FAILED})" if failed_too else ""
    rows = study.reader.execute(
        f"""SELECT source.source_id, source.url FROM source LEFT JOIN snapshot_current AS c USING (source_id)
            WHERE c.snapshot_id IS NULL {failed} ORDER BY source.rowid"""
    )
    return [(row["source_id"], row["url"]) for row in rows]


def fetch_from_folder(
    study: Study, folder: PagesFolder, *, failed_too: bool = False, progress: Progress = SILENT
) -> FetchSummary:
    """Take the pages from a folder of saved pages; nothing touches the network."""
    wanted = pending(study, failed_too=failed_too)
    progress.begin("pages", len(wanted))
    states: Counter[str] = Counter()
    missing = 0
    for source_id, url in wanted:
        fetched = folder.get(url)
        if fetched is None:
            missing += 1
        else:
            states[_keep(study, source_id, fetched)] += 1
        progress.step()
    return FetchSummary(dict(states), missing)


def fetch_live(
    study: Study,
    *,
    limits: Limits,
    user_agent: str,
    failed_too: bool = False,
    progress: Progress = SILENT,
    allow: frozenset[tuple[str, int]] = frozenset(),
) -> FetchSummary:
    """Fetch over HTTP, several at once; every page is saved as it arrives, so that an interrupted run goes on.

    ``allow``: addresses that the guard lets through although they are not public; for tests.
    """
    from medreview.sources.fetch import fetch_all

    wanted = pending(study, failed_too=failed_too)
    progress.begin("pages", len(wanted))
    states: Counter[str] = Counter()
    by_url: dict[str, list[str]] = {}
    for source_id, url in wanted:
        by_url.setdefault(url, []).append(source_id)

    async def keep(fetched: Fetched) -> None:
        page = await asyncio.to_thread(read_page, fetched)
        for source_id in by_url[fetched.url]:
            states[_keep(study, source_id, fetched, page)] += 1
            progress.step()

    asyncio.run(fetch_all(list(by_url), on_done=keep, limits=limits, user_agent=user_agent, allow=allow))
    return FetchSummary(dict(states), 0)


def _keep(study: Study, source_id: str, fetched: Fetched, page: Page | None = None) -> str:
    page = page or read_page(fetched)
    study.write(lambda connection: add_snapshot(connection, source_id, fetched, page))
    return page.state


def add_snapshot(connection: sqlite3.Connection, source_id: str, fetched: Fetched, page: Page) -> None:
    """Store what was fetched as the source's next version; the same bytes in the same state are not stored again.

    The snapshot's id depends on content only, so that two studies of the same pages agree on it.
    """
    raw = sha256(fetched.body)
    version = connection.execute(
        "SELECT coalesce(max(version), 0) + 1 FROM snapshot WHERE source_id = ?", (source_id,)
    ).fetchone()[0]
    row = {
        "snapshot_id": content_id("p", source_id, raw, page.state, page.extractor),
        "source_id": source_id,
        "version": version,
        "fetched_at": fetched.fetched_at,
        "page_state": page.state,
        "state_evidence": page.evidence,
        "status": fetched.status,
        "content_type": fetched.content_type,
        "final_url": fetched.final_url,
        "chain": json.dumps(fetched.chain),
        "title": page.title,
        "extractor": page.extractor,
        "raw_size": len(fetched.body),
        "raw_sha256": raw,
        "text_sha256": sha256(page.text),
        "text": page.text,
        "full_text": "" if page.full_text == page.text else page.full_text,
        "body": zlib.compress(fetched.body, 6),
    }
    insert(connection, "snapshot", [row])
