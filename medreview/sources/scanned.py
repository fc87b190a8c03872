"""A PDF's page with some of its pages read from their pictures: text, places and state made anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from medreview.sources.ocr_pages import NO_TEXT_BY_OCR, Doubtful, OcrPage
from medreview.sources.page import LONGEST, Page
from medreview.sources.read_by_ocr import confidence_of, percent
from medreview.sources.reading.outline import Heading
from medreview.sources.reading.page_states import THIN, count_words
from medreview.sources.reading.pdf import PAGE_BREAK, SCAN_WORDS
from medreview.sources.reading.pdf_picture import PicturePage
from medreview.sources.reading.set_apart import with_unseen
from medreview.text import Span
from medreview.words import counted

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
