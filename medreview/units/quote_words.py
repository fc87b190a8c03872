"""A judge's quote in words: its status, and why it is not more where the page was read by OCR."""

from medreview.labels import PROVEN_QUOTES
from medreview.sources.read_by_ocr import BY_OCR, pages_over
from medreview.units.cited_source import Source
from medreview.units.statement_view import Judgement
from medreview.words import in_words


def quote_status_words(judgement: Judgement, source: Source | None) -> str:
    """``exact``; ``near, read by OCR`` where the quote stands on a page that was: there no quote is more than that."""
    words = in_words(judgement.quote_status)
    by_ocr = source.by_ocr if source else ()
    if judgement.quote_status in PROVEN_QUOTES and any(pages_over(by_ocr, span) for span in judgement.quote_spans):
        return f"{words}, {BY_OCR}"
    return words
