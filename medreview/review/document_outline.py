"""The places of a source: the headings above an offset, the page of a PDF, and what does not stand open on the page."""

import json
import sqlite3
from bisect import bisect_left, bisect_right
from typing import NamedTuple

from medreview.sources.ocr_pages import OcrPage, ocr_pages
from medreview.sources.read_by_ocr import percent, words_in_doubt
from medreview.sources.reading.outline import Heading, heading_path
from medreview.sources.reading.set_apart import SetApart


class DocumentOutline(NamedTuple):
    """The headings of a snapshot's text, the offsets at which a PDF's pages begin, the parts that do not stand open on
    the page, and the pages that were read by OCR, in text order; all may be empty."""

    outline: tuple[Heading, ...] = ()
    page_starts: tuple[int, ...] = ()
    set_apart: tuple[SetApart, ...] = ()
    by_ocr: tuple[OcrPage, ...] = ()

    def told(self, text: str, start: int, end: int) -> str:
        """``text[start:end]`` with each part that is set apart in brackets, with its kind: ``[hidden: ...]``, and each
        word that OCR may have read wrong: ``[71% sure: 500]``."""
        pieces: list[str] = []
        at = start
        doubtful = (SetApart(*word[:2], f"{percent(word.confidence)} sure") for word in words_in_doubt(self.by_ocr))
        for part in sorted((*self.set_apart, *doubtful)):
            first, last = max(part.start, start, at), min(part.end, end)
            if first < last:
                pieces += text[at:first], f"[{part.kind}: {text[first:last]}]"
                at = last
        return "".join((*pieces, text[at:end]))

    def apart_in(self, start: int, end: int) -> tuple[SetApart, ...]:
        """The parts that are set apart and have characters of ``text[start:end]``."""
        first = bisect_right(self.set_apart, start, key=lambda part: part.end)
        return self.set_apart[first : bisect_left(self.set_apart, end, key=lambda part: part.start)]

    def path(self, text: str, offset: int) -> tuple[str, ...]:
        """The texts of the headings above an offset, the outermost first."""
        words = (" ".join(text[heading.start : heading.end].split()) for heading in heading_path(self.outline, offset))
        return tuple(filter(None, words))

    def page(self, offset: int) -> tuple[int, int] | None:
        """The page of an offset, counted from 1, and the number of pages; ``None`` for a text without pages."""
        if not self.page_starts:
            return None
        return max(1, bisect_right(self.page_starts, offset)), len(self.page_starts)

    def ocr_confidence(self, offset: int) -> float | None:
        """How sure OCR was of the page of an offset, 0..1; ``None`` for a page that it did not read."""
        number, _ = self.page(offset) or (1, 1)
        return next((page.confidence for page in self.by_ocr if page.page == number), None)


def load_outline(reader: sqlite3.Connection, snapshot_id: str) -> DocumentOutline:
    """The outline and pages of a snapshot."""
    row = reader.execute(
        "SELECT outline, page_starts, set_apart FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)
    ).fetchone()
    return DocumentOutline(
        outline=tuple(Heading(*heading) for heading in json.loads(row["outline"])),
        page_starts=tuple(json.loads(row["page_starts"])),
        set_apart=tuple(SetApart(*part) for part in json.loads(row["set_apart"])),
        by_ocr=ocr_pages(reader, snapshot_id),
    )
