"""The stage that reads pages without text from their pictures, of the PDFs that the study has: without a network."""

import json
import sqlite3
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.children.asking import NotReadError, ReadingLimits
from medreview.progress import SILENT, Progress
from medreview.sources.children.picture_reader import PICTURE_LIMITS, picture_in_child, require_ocr
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.ocr_pages import SEEN_BY_OCR
from medreview.sources.page import Page
from medreview.sources.reading.outline import Heading
from medreview.sources.reading.pdf_picture import PicturePage
from medreview.sources.reading.picture_lines import ocr_engine
from medreview.sources.recorded_scans import RECORDED, load_scans
from medreview.sources.scanned import STATES, Pictures, with_pictures, without_text
from medreview.sources.snapshots import add_snapshot
from medreview.study import Study

MOST_PAGES: Final = 100
"""Pages of one PDF that are read from their pictures: those after them stay without text."""
_MOST_FAILURES: Final = 3
"""Pages of one PDF in a row that cannot be read, after which its others are not tried."""

# Of a source the page that is current, and the one that came last, where it has none that could be read. What a
# colleague's OCR read came with labels on it, is not shown here, and is no reason to leave the picture unread.
_TO_READ: Final = f"""SELECT p.snapshot_id FROM source AS u JOIN snapshot AS p USING (source_id)
    WHERE p.page_state IN ({", ".join(f"'{state}'" for state in STATES)}) AND p.page_starts <> '[]'
          AND (p.snapshot_id = u.current_snapshot OR p.snapshot_id = (
               SELECT v.snapshot_id FROM visit AS v WHERE v.source_id = u.source_id ORDER BY v.visit_id DESC LIMIT 1))
          AND NOT EXISTS (SELECT 1 FROM snapshot AS o WHERE o.source_id = u.source_id AND o.raw_sha256 = p.raw_sha256
                          AND {SEEN_BY_OCR} AND (o.snapshot_id = u.current_snapshot
                               OR o.snapshot_id IN (SELECT v.snapshot_id FROM visit AS v)))
    ORDER BY u.rowid, p.version"""


@dataclass(slots=True)
class ScanSummary:
    """Pages of PDFs that were read by OCR now, and pages that could not be read."""

    read: int = 0
    failed: int = 0


def scans_left(reader: sqlite3.Connection) -> int:
    """How many PDFs without any text OCR has not looked at."""
    query = f"SELECT count(*) FROM snapshot WHERE page_state = 'pdf_scan' AND snapshot_id IN ({_TO_READ})"
    return int(reader.execute(query).fetchone()[0])


def read_scans(study: Study, progress: Progress = SILENT, limits: ReadingLimits = PICTURE_LIMITS) -> ScanSummary:
    """Read the pages without text of every PDF that OCR has not looked at; a PDF that was read is a new snapshot.

    Each PDF is stored when its last page was read, so that an interrupted run can resume. One of which no page could be
    read stays as it is, and is tried again the next time; one that was read and has no text says so then. Raises
    :class:`~medreview.errors.UserError` when ``medreview[ocr]`` is not installed.
    """
    require_ocr()
    waiting = [row[0] for row in study.reader.execute(_TO_READ)]
    wanted = {name: without_text(_page(_row(study, name)))[:MOST_PAGES] for name in waiting}
    progress.begin("scanned pages", sum(map(len, wanted.values())))
    summary = ScanSummary()
    for name, numbers in wanted.items():
        row = _row(study, name)
        pictures = _pictures(zlib.decompress(row["body"]), numbers, limits, progress)
        summary.failed += len(pictures.failed)
        if pictures.read or (row["page_state"] == "pdf_scan" and not pictures.failed):
            summary.read += _store(study, row, pictures, ocr_engine())
    return summary


def take_recorded(study: Study, path: Path) -> int:
    """Take from a file what was read of scanned PDFs elsewhere, of those that OCR has not looked at here.

    The number of pages that have a text now. Raises :class:`~medreview.errors.UserError` for a file that is none.
    """
    scans, read = load_scans(path), 0
    for name in [row[0] for row in study.reader.execute(_TO_READ)]:
        row = _row(study, name)
        if scan := scans.get(row["raw_sha256"]):
            read += _store(study, row, scan.pictures, f"{scan.engine}, {RECORDED}")
    return read


def _pictures(body: bytes, numbers: Iterable[int], limits: ReadingLimits, progress: Progress) -> Pictures:
    read: dict[int, PicturePage] = {}
    failed: dict[int, str] = {}
    failures = 0
    for number in numbers:
        if failures < _MOST_FAILURES:
            try:
                found = picture_in_child(body, number, limits)
                failures = 0
                if found is not None:
                    read[number] = found
            except NotReadError as error:
                failures += 1
                failed[number] = str(error)
        progress.step()
    return Pictures(read, failed)


def _store(study: Study, row: sqlite3.Row, pictures: Pictures, engine: str) -> int:
    """Store what was read; the number of pages that have a text now."""
    page, by_ocr = with_pictures(_page(row), pictures, engine)
    study.write(lambda connection: add_snapshot(connection, row["source_id"], _fetched(row), page, by_ocr))
    return len(by_ocr)


def _row(study: Study, snapshot_id: str) -> sqlite3.Row:
    """A stored page, and what its server said of it when it came last."""
    query = """SELECT p.*, u.url, coalesce(v.etag, '') AS etag, coalesce(v.last_modified, '') AS last_modified
               FROM snapshot AS p JOIN source AS u USING (source_id) LEFT JOIN visit AS v USING (snapshot_id)
               WHERE p.snapshot_id = ? ORDER BY v.visit_id DESC LIMIT 1"""
    found: sqlite3.Row = study.reader.execute(query, (snapshot_id,)).fetchone()
    return found


def _page(row: sqlite3.Row) -> Page:
    outline = tuple(Heading(*heading) for heading in json.loads(row["outline"]))
    starts = tuple(json.loads(row["page_starts"]))
    text, evidence, extractor = row["text"], row["state_evidence"], row["extractor"]
    return Page(row["title"], text, text, row["page_state"], evidence, extractor, starts, outline)


def _fetched(row: sqlite3.Row) -> Fetched:
    """What came when the page was fetched, so that the snapshot says of itself when and from where that was."""
    return Fetched(
        url=row["url"],
        final_url=row["final_url"],
        chain=tuple(json.loads(row["chain"])),
        status=row["status"],
        content_type=row["content_type"],
        body=zlib.decompress(row["body"]),
        fetched_at=row["fetched_at"],
        etag=row["etag"],
        last_modified=row["last_modified"],
    )
