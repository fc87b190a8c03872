"""What a model is told of a text that was read by OCR. It is our word, outside the text itself."""

from collections.abc import Iterable
from typing import Final

from medreview.sources.ocr_pages import OcrPage
from medreview.sources.read_by_ocr import BY_OCR, pages_in_words, pages_over
from medreview.text import Span


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
