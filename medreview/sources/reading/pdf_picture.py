"""A page of a PDF that has no text in it, read from its picture.

PDFium and the engine are native code that reads hostile input: call it in a child process with limits
(``sources.children``).
"""

from itertools import islice
from typing import Any, Final, NamedTuple

from medreview.sources.reading.doubtful_words import doubtful_words
from medreview.sources.reading.page_states import count_words
from medreview.sources.reading.pdf import SCAN_WORDS
from medreview.sources.reading.pdf_lines import page_text
from medreview.sources.reading.picture_layout import written
from medreview.sources.reading.picture_lines import lines_in

LONGEST_SIDE: Final = 2_000
"""Pixels of a page's longer side: what the engine takes. More cost memory and gain nothing on pages up to A3."""
MOST_PIXELS: Final = 3_000_000
"""Pixels of a picture, which bound the memory and time of reading it."""
_MOST_DPI: Final = 300
_LEAST_SIDE: Final = 16
_BLANK: Final = 24
"""Difference of the darkest and the lightest value below which a picture is blank."""


class PicturePage(NamedTuple):
    """What was read of one page: its text, the mean confidence of its characters (0..1), start, end and confidence of
    its doubtful words, and the number of its lines that could not be read."""

    text: str
    confidence: float
    doubtful: list[tuple[int, int, float]]
    unread: int


def read_picture(body: bytes, number: int) -> PicturePage | None:
    """A page of a PDF by OCR, by its index; ``None`` where there is nothing to read: it has text, or is blank."""
    import pypdfium2

    page = pypdfium2.PdfDocument(body)[number]
    words = count_words(page_text(page))
    if words >= SCAN_WORDS or (words and not _has_picture(page)):
        return None
    picture = _picture(page)
    if picture is None:
        return None
    found = lines_in(picture)
    read = written(found.lines)
    counted = [sure for line in found.lines for sure in line.confidences]
    confidence = sum(counted) / len(counted) if counted else 0.0
    return PicturePage(read.text, round(confidence, 4), doubtful_words(read), found.unread)


def _has_picture(page: Any) -> bool:
    import pypdfium2.raw as raw

    return any(islice(page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=4), 1))


def _picture(page: Any) -> Any:
    """The page as it looks (height x width x 3, BGR), of bounded size; ``None`` when nothing is on it."""
    import numpy as np

    width, height = page.get_size()
    if not (0 < width < float("inf") and 0 < height < float("inf")):
        return None
    scale = min(_MOST_DPI / 72, LONGEST_SIDE / max(width, height), (MOST_PIXELS / (width * height)) ** 0.5)
    if min(width, height) * scale < _LEAST_SIDE:
        return None
    picture = np.ascontiguousarray(page.render(scale=scale, rev_byteorder=False).to_numpy()[:, :, :3])
    return None if int(picture.max()) - int(picture.min()) < _BLANK else picture
