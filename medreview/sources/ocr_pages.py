"""Pages of a snapshot that were read by OCR, as stored beside it, and what that means for a place in the text."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from medreview.labels import PROVEN_QUOTES, SAME_WORDS
from medreview.sources.reading.text_structure import ENGINE
from medreview.study.rows import insert
from medreview.text import Span, counted, name_list

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

    ``confidence`` is the mean of its characters, 0..1, as the engine gives it, not a probability. ``engine`` is
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


BY_OCR: Final = "read by OCR"


def pages_over(pages: Iterable[OcrPage], span: Span) -> tuple[OcrPage, ...]:
    """The pages read by OCR on which a place of the text stands, in whole or in part."""
    return tuple(page for page in pages if page.span.overlap(span))


def least_sure(doubtful: Iterable[Doubtful], span: Span) -> float | None:
    """The lowest confidence, 0..1, of a word in doubt in a place of the text; ``None`` where none is in doubt."""
    return min((word.confidence for word in doubtful if span.overlap(Span(word.start, word.end))), default=None)


def words_in_doubt(pages: Iterable[OcrPage]) -> tuple[Doubtful, ...]:
    """The words and numbers of a text that may have been read wrong, in order."""
    return tuple(word for page in pages for word in page.doubtful)


def every_word_in_doubt(reader: sqlite3.Connection) -> Mapping[str, tuple[Doubtful, ...]]:
    """The words in doubt by snapshot, of all snapshots that have some."""
    read = [row[0] for row in reader.execute("SELECT DISTINCT snapshot_id FROM snapshot_ocr WHERE doubtful <> '[]'")]
    return {snapshot_id: words_in_doubt(ocr_pages(reader, snapshot_id)) for snapshot_id in read}


def confidence_of(pages: Sequence[OcrPage]) -> float | None:
    """The mean confidence of a text's pages that were read by OCR, 0..1, by their characters; ``None`` without any."""
    lengths = [max(1, page.span.end - page.span.start) for page in pages]
    if not lengths:
        return None
    return sum(page.confidence * length for page, length in zip(pages, lengths, strict=True)) / sum(lengths)


OCR_CONFIDENCE: Final = """(
    SELECT sum(o.confidence * max(1, o.end_cp - o.start_cp)) / sum(max(1, o.end_cp - o.start_cp))
    FROM snapshot_ocr AS o WHERE o.snapshot_id = p.snapshot_id)"""
"""The same in SQL, of the snapshot ``p``; ``NULL`` where none of its pages was read by OCR."""


def percent(confidence: float) -> str:
    """A confidence as it is written: ``93%``. Any doubt gives at most 99."""
    return f"{100 if confidence >= 1 else min(99, round(100 * confidence))}%"


def number_in_doubt(confidence: float) -> str:
    """What is said of a number that may have been read wrong, after what it is compared with."""
    return f"{BY_OCR} with {percent(confidence)}: look at the page"


def pages_in_words(pages: Sequence[OcrPage]) -> str:
    """Which pages: ``page 3``, ``pages 2-4 and 6``; counted where they are many scattered ones."""
    runs: list[list[int]] = []
    for number in (page.page for page in pages):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    if len(runs) > _MOST:
        return counted(len(pages), "page")
    words = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return f"page{'' if len(pages) == 1 else 's'} {name_list(words)}"


_MOST: Final = 4
_NEARLY_ALL: Final = 0.95
"""Share of a text above which all of it was read by OCR: what is left are the breaks between pages."""


def status_as_read(status: str, spans: Iterable[Span], by_ocr: Sequence[OcrPage]) -> str:
    """A quote's status in a text of which ``by_ocr`` are the pages that were read by OCR.

    A quote that stands there word for word is true to the reading, which may be wrong: on such a page none is more than
    ``near``. An altered or absent quote stays so: the judge had the same text.
    """
    if status in SAME_WORDS and by_ocr and any(pages_over(by_ocr, span) for span in spans):
        return PROVEN_QUOTES[-1]
    return status


def ocr_note(pages: Iterable[OcrPage], part: Span) -> str:
    """What is to be known of a ``part`` of a text: empty where none of it was read by OCR, so that a prompt for any
    other text is what it always was."""
    read = pages_over(pages, part)
    if not read:
        return ""
    whole = sum(page.span.overlap(part) for page in read) >= _NEARLY_ALL * (part.end - part.start)
    what = f"{pages_in_words(read)} of the document {'was' if len(read) == 1 else 'were'} {BY_OCR}"
    return f"{BY_OCR if whole else what}, so letters and numbers may be wrong; copy them as they stand"
