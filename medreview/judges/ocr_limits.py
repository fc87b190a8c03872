"""Limits of a text that was read by OCR: how much a quote's status may say, and what a model is told of the text.

The note to the model is our word, outside the text itself.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from medreview.labels import PROVEN_QUOTES, SAME_WORDS
from medreview.sources.ocr_pages import BY_OCR, OcrPage, pages_in_words, pages_over
from medreview.text import Span


def status_as_read(status: str, spans: Iterable[Span], by_ocr: Sequence[OcrPage]) -> str:
    """A quote's status in a text of which ``by_ocr`` are the pages that were read by OCR.

    A quote that stands there word for word is true to the reading, which may be wrong: on such a page none is more than
    ``near``. What is altered or absent stays so: the judge had the same text.
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


_NEARLY_ALL: Final = 0.95
"""Share of a text above which all of it was read by OCR: what is left are the breaks between pages."""
