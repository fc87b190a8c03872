"""The rows of the tables on sources and their pages, for the exported database."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from medreview.exchange.files.event_payload import Cell
from medreview.exchange.files.page_columns import SNAPSHOTS
from medreview.sources.read_by_ocr import OCR_CONFIDENCE

_SOURCES: Final = "SELECT source_id, kind, value, url, domain, key FROM source ORDER BY domain, url, source_id"

# Ids are sorted by themselves, and pages then read one by one: a sort over whole rows would hold all their texts.
# They are numbered by their time: the number that a file itself gave depends on the order in which copies were merged.
_IDS: Final = """
SELECT p.snapshot_id, row_number() OVER (PARTITION BY u.source_id ORDER BY p.fetched_at, p.snapshot_id) AS version
FROM source AS u JOIN snapshot AS p USING (source_id)
ORDER BY u.domain, u.url, u.source_id, version"""

_SNAPSHOT: Final = f"""
SELECT p.snapshot_id, p.source_id, u.url, p.title, ? AS version, p.snapshot_id IS u.current_snapshot, p.page_state,
       p.status, p.fetched_at, p.final_url, p.content_type, p.extractor, p.text_sha256, p.set_apart,
       {OCR_CONFIDENCE}, p.text
FROM snapshot AS p JOIN source AS u USING (source_id) WHERE p.snapshot_id = ?"""

_ELSEWHERE: Final = """
SELECT DISTINCT snapshot FROM event
WHERE snapshot IS NOT NULL AND snapshot NOT IN (SELECT snapshot_id FROM snapshot) ORDER BY snapshot"""


def source_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of :data:`~medreview.exchange.files.page_columns.SOURCES`, by address."""
    return (tuple(row) for row in reader.execute(_SOURCES))


def snapshot_rows(reader: sqlite3.Connection, *, text: bool = True) -> Iterator[Sequence[Cell]]:
    """The rows of :data:`~medreview.exchange.files.page_columns.SNAPSHOTS`, every version of every source.

    A page that events were made on in another copy of the study, and that is not here, has a row of its id alone.
    """
    for snapshot_id, version in reader.execute(_IDS).fetchall():
        *cells, page = reader.execute(_SNAPSHOT, (version, snapshot_id)).fetchone()
        yield *cells, len(page), page if text else None
    for (snapshot_id,) in reader.execute(_ELSEWHERE):
        yield snapshot_id, *(None for _ in SNAPSHOTS[1:])
