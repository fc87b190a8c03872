"""Pages of a snapshot whose words were read from pictures (OCR), as they are stored beside it."""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from medreview.sources.reading.ocr_name import ENGINE
from medreview.study.rows import insert
from medreview.text import Span

OCR_OFFER: Final = "medreview[ocr] can read such pages, by `medreview fetch STUDY --ocr`."
NO_TEXT_BY_OCR: Final = "found no text in the pictures of its pages"
"""What the evidence of a page state says where OCR was tried in vain."""
"""What is said where a PDF has no text and OCR has not looked at it."""

SEEN_BY_OCR: Final = f"instr(extractor, '{ENGINE}') > 0"
"""Whether OCR has looked at a snapshot's pictures, in SQL; it may have found nothing."""


class Doubtful(NamedTuple):
    """A word or number that may have been read wrong: code points of the snapshot's text, and a confidence 0..1."""

    start: int
    end: int
    confidence: float


class OcrPage(NamedTuple):
    """One page that was read by OCR: ``page`` counts from 1, ``span`` is its text in the snapshot's (code points).

    ``confidence`` is the mean of its characters, 0..1, as the engine gives it, which is no probability. ``engine`` is
    name and version of what read it.
    """

    page: int
    span: Span
    confidence: float
    engine: str
    doubtful: tuple[Doubtful, ...] = ()


def ocr_pages(reader: sqlite3.Connection, snapshot_id: str) -> tuple[OcrPage, ...]:
    """The pages of a snapshot that were read by OCR, in order; none for every other snapshot."""
    rows = reader.execute(
        """SELECT page, start_cp, end_cp, confidence, engine, doubtful FROM snapshot_ocr
           WHERE snapshot_id = ? ORDER BY page""",
        (snapshot_id,),
    )
    return tuple(
        OcrPage(page, Span(start, end), confidence, engine, tuple(Doubtful(*word) for word in json.loads(doubtful)))
        for page, start, end, confidence, engine, doubtful in rows
    )


def add_ocr_pages(connection: sqlite3.Connection, snapshot_id: str, pages: Iterable[OcrPage]) -> None:
    """Store the pages of a snapshot that were read by OCR."""
    insert(connection, "snapshot_ocr", [_row(snapshot_id, page) for page in pages])


def _row(snapshot_id: str, page: OcrPage) -> dict[str, Any]:
    return {
        "snapshot_id": snapshot_id,
        "page": page.page,
        "start_cp": page.span.start,
        "end_cp": page.span.end,
        "confidence": page.confidence,
        "engine": page.engine,
        "doubtful": json.dumps(page.doubtful),
    }
