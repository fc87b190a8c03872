"""How much a quote's status may say: the one home of what is known of the text it is found in."""

from collections.abc import Iterable, Sequence

from medreview.labels import PROVEN_QUOTES, SAME_WORDS
from medreview.sources.ocr_pages import OcrPage
from medreview.sources.read_by_ocr import pages_over
from medreview.text import Span


def status_as_read(status: str, spans: Iterable[Span], by_ocr: Sequence[OcrPage]) -> str:
    """A quote's status in a text of which ``by_ocr`` are the pages that were read by OCR.

    A quote that stands there word for word is true to the reading, which may be wrong: on such a page none is more than
    ``near``. What is altered or absent stays so: the judge had the same text.
    """
    if status in SAME_WORDS and by_ocr and any(pages_over(by_ocr, span) for span in spans):
        return PROVEN_QUOTES[-1]
    return status
