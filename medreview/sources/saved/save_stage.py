"""Writing the pages of a study into a folder of saved pages, for a colleague without a network."""

import json
import sqlite3
import zlib
from pathlib import Path
from typing import Final

from medreview.progress import SILENT, Progress
from medreview.sources.fetching.fetched import Fetched, http_failure
from medreview.sources.saved.page_writer import SavedPages
from medreview.study import Study

_BY_FETCHING: Final = frozenset({"http_error", "timeout", "blocked", "too_large"})
"""States that are told while fetching; all others are found again in the page."""


def write_pages(study: Study, folder: Path, progress: Progress = SILENT) -> int:
    """Write the pages of a study into a folder that ``--pages`` reads; how many are in it that the study has.

    Pages that are in the folder already are not written again.
    """
    total = study.reader.execute("SELECT count(*) FROM source WHERE current_snapshot IS NOT NULL").fetchone()[0]
    progress.begin("saving", total)
    rows = study.reader.execute(
        """SELECT u.url, c.final_url, c.status, c.content_type, c.body, c.fetched_at, c.page_state, c.state_evidence,
                  c.chain FROM source AS u JOIN snapshot_current AS c USING (source_id) ORDER BY u.rowid"""
    )
    with SavedPages(folder) as saved:
        for row in rows:
            saved.add(_fetched(row))
            progress.step()
    return int(total)


def _fetched(row: sqlite3.Row) -> Fetched:
    """A snapshot as it came over the network."""
    state, detail = http_failure(row["status"]) if row["status"] else (None, "")
    if state is None and row["page_state"] in _BY_FETCHING:
        state, detail = row["page_state"], row["state_evidence"]
    chain = tuple(json.loads(row["chain"]))
    return Fetched(
        url=row["url"],
        final_url=row["final_url"],
        chain=chain if chain[:1] == (row["url"],) else (row["url"], *chain),
        status=row["status"],
        content_type=row["content_type"],
        body=zlib.decompress(row["body"]),
        fetched_at=row["fetched_at"],
        state=state,
        detail=detail,
    )
