"""Writing the pages of a study into a folder of saved pages, for offline use elsewhere."""

import json
import sqlite3
import zlib
from pathlib import Path

from medreview.progress import SILENT, Progress
from medreview.sources.fetching.network import Fetched, http_failure
from medreview.sources.saved.pages_folder import FETCH_STATES, SavedPages
from medreview.study import Study


def write_pages(study: Study, folder: Path, progress: Progress = SILENT) -> int:
    """Write the pages of a study into a folder that ``--pages`` reads; the number of pages of the study.

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
    """A snapshot as the answer that was fetched over the network."""
    state, detail = http_failure(row["status"]) if row["status"] else (None, "")
    body = zlib.decompress(row["body"])
    # All other states are decided again from the page; without a body nothing was added to what fetching said.
    if row["page_state"] in FETCH_STATES and (state is None or not body):
        state, detail = row["page_state"], row["state_evidence"]
    chain = tuple(json.loads(row["chain"]))
    return Fetched(
        url=row["url"],
        final_url=row["final_url"],
        chain=chain if chain[:1] == (row["url"],) else (row["url"], *chain),
        status=row["status"],
        content_type=row["content_type"],
        body=body,
        fetched_at=row["fetched_at"],
        state=state,
        detail=detail,
    )
