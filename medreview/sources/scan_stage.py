"""The stage that reads the scanned pages of stored PDFs by OCR, without a network.

A PDF's text, places and state are made again with what was read of its pictures. Readings that were recorded before
come from a file beside the pages, so that no engine is needed.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from medreview.children.asking import NotReadError, ReadingLimits
from medreview.errors import UserError
from medreview.progress import SILENT, Progress
from medreview.sources.fetching.network import Fetched
from medreview.sources.ocr_pages import NO_TEXT_BY_OCR, SEEN_BY_OCR, Doubtful, OcrPage, confidence_of, percent
from medreview.sources.page import LONGEST, Page
from medreview.sources.page_reader import PICTURE_LIMITS, picture_in_child, require_ocr
from medreview.sources.reading.ocr import PicturePage, ocr_engine
from medreview.sources.reading.page_states import THIN, count_words
from medreview.sources.reading.pdf import PAGE_BREAK, SCAN_WORDS
from medreview.sources.reading.text_structure import Heading, with_unseen
from medreview.sources.snapshots import add_snapshot
from medreview.study import Study
from medreview.text import Span, counted

STATES: Final = ("pdf_scan", "thin", "ok")
"""Page states of a PDF that may have pages without text."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """What came of the pictures of a PDF's pages: what was read of each, by index, and why others could not be read."""

    read: Mapping[int, PicturePage]
    failed: Mapping[int, str]


def page_texts(page: Page) -> list[str]:
    """The texts of a PDF's pages."""
    ends = [*(start - len(PAGE_BREAK) for start in page.page_starts[1:]), len(page.text)]
    return [page.text[start:end] for start, end in zip(page.page_starts, ends, strict=True)]


def without_text(page: Page) -> list[int]:
    """Indices of the pages of a PDF that have no text worth the name."""
    return [number for number, text in enumerate(page_texts(page)) if count_words(text) < SCAN_WORDS]


def with_pictures(page: Page, pictures: Pictures, engine: str) -> tuple[Page, tuple[OcrPage, ...]]:
    """The page with the texts of its pictures in their places, and where they stand.

    A page of the PDF on which nothing was found keeps the few words that it had. The text is as bounded as any other.
    """
    texts = page_texts(page)
    starts: list[int] = []
    by_ocr: list[OcrPage] = []
    parts: list[str] = []
    at = 0
    for number, text in enumerate(texts):
        found = pictures.read.get(number)
        if found is not None and found.text:
            text = found.text
            if at + len(text) > LONGEST:
                break
            words = tuple(Doubtful(at + start, at + end, sure) for start, end, sure in found.doubtful)
            by_ocr.append(OcrPage(number + 1, Span(at, at + len(text)), found.confidence, engine, words))
        elif at + len(text) > LONGEST:
            break
        starts.append(at)
        parts.append(text)
        at += len(text) + len(PAGE_BREAK)
    whole = PAGE_BREAK.join(parts)
    state = "pdf_scan" if not whole.strip() else "thin" if count_words(whole) < THIN else "ok"
    evidence = [page.evidence] if page.state == "ok" else []
    evidence += [f"The PDF has only {count_words(whole)} words."] if state == "thin" else []
    read = replace(
        page,
        text=whole,
        full_text=whole,
        state=state,
        evidence=" ".join(filter(None, (*evidence, _said(len(texts), by_ocr, pictures, engine)))),
        extractor=f"{page.extractor}, {engine}",
        page_starts=tuple(starts),
        outline=_moved(page, tuple(starts), by_ocr),
        set_apart=with_unseen(whole),
    )
    return read, tuple(by_ocr)


def _moved(page: Page, starts: Sequence[int], by_ocr: Sequence[OcrPage]) -> tuple[Heading, ...]:
    """The headings of the pages whose text is as it was, where these stand now."""
    read = {one.page - 1 for one in by_ocr}
    found = []
    for heading in page.outline:
        number = sum(start <= heading.start for start in page.page_starts) - 1
        if number not in read and number < len(starts):
            by = starts[number] - page.page_starts[number]
            found.append(replace(heading, start=heading.start + by, end=heading.end + by))
    return tuple(found)


def _said(count: int, by_ocr: Sequence[OcrPage], pictures: Pictures, engine: str) -> str:
    """What was read by OCR, what of it could not be, and why."""
    sentences = []
    sure = confidence_of(by_ocr)
    if sure is not None:
        read = f"{len(by_ocr)} of {counted(count, 'page')}"
        sentences.append(f"Read by OCR ({engine}): {read}, confidence {percent(sure)}.")
    else:
        sentences.append(f"OCR ({engine}) {NO_TEXT_BY_OCR}.")
    if unread := sum(one.unread for one in pictures.read.values()):
        sentences.append(f"{counted(unread, 'line')} in them could not be read.")
    if pictures.failed:
        first = min(pictures.failed)
        sentences.append(
            f"{counted(len(pictures.failed), 'page')} could not be read by OCR; page {first + 1}: "
            f"{pictures.failed[first]}"
        )
    return " ".join(sentences)


RECORDED: Final = "recorded"
"""Behind the engine's name, wherever it is shown: it read the page elsewhere."""


class RecordedScan(NamedTuple):
    """What an engine read of the PDF whose bytes have this SHA-256."""

    raw_sha256: str
    engine: str
    pictures: Pictures


def load_scans(path: Path) -> dict[str, RecordedScan]:
    """The recorded readings in a file, by the hash of the PDF. Raises :class:`UserError` for another file."""
    try:
        found = [_scan(one) for one in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"The recorded readings of scans {path} cannot be read ({error}).") from error
    return {one.raw_sha256: one for one in found}


def scans_json(scans: Iterable[RecordedScan]) -> str:
    """The same file, for readings that were made just now; pages count from 1."""
    rows = [
        {
            "raw_sha256": one.raw_sha256,
            "engine": one.engine,
            "pages": [{"page": number + 1, **page._asdict()} for number, page in sorted(one.pictures.read.items())],
        }
        for one in scans
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _scan(row: dict[str, Any]) -> RecordedScan:
    read = {
        int(page["page"]) - 1: PicturePage(
            str(page["text"]),
            float(page["confidence"]),
            [(int(start), int(end), float(sure)) for start, end, sure in page["doubtful"]],
            int(page["unread"]),
        )
        for page in row["pages"]
    }
    return RecordedScan(str(row["raw_sha256"]), str(row["engine"]), Pictures(read, {}))


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
    """Import readings of scanned PDFs from a file, of those that OCR has not looked at here.

    The number of pages that have a text now. Raises :class:`~medreview.errors.UserError` for any other file.
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
