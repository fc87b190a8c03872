"""Scanned PDFs that were read by OCR before: what came of it, kept beside the pages, so that no engine is needed."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from medreview.errors import UserError
from medreview.sources.reading.pdf_picture import PicturePage
from medreview.sources.scanned import Pictures

RECORDED: Final = "recorded"
"""Behind the engine's name, wherever it is told: it read the page elsewhere."""


class RecordedScan(NamedTuple):
    """What an engine read of the PDF whose bytes have this SHA-256."""

    raw_sha256: str
    engine: str
    pictures: Pictures


def load_scans(path: Path) -> dict[str, RecordedScan]:
    """The recorded readings in a file, by the hash of the PDF. Raises :class:`UserError` for one that is none."""
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
