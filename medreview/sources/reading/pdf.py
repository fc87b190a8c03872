"""PDF to text by pypdfium2."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from medreview.sources.reading.outline import Heading
from medreview.sources.reading.page_states import count_words
from medreview.sources.reading.pdf_lines import read

PAGE_BREAK: Final = "\n\n"
"""What parts the texts of two pages."""
SCAN_WORDS: Final = 5
"""Words of a page below which it has no text worth the name."""


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """Limits for one PDF: pages, characters."""

    pages: int = 300
    characters: int = 2_000_000


@dataclass(frozen=True, slots=True)
class PdfText:
    """Text of a PDF. Page ``i`` (from 0) begins at code point ``page_starts[i]``; pages are separated by a blank line.

    ``outline`` holds the bookmarks that are lines of the text.

    ``state`` is ``None`` when there is text, else ``pdf_scan``, ``pdf_encrypted`` or ``not_text``; ``evidence`` is one
    sentence, also for a text that was truncated at a limit.
    """

    title: str
    text: str
    page_starts: tuple[int, ...]
    state: str | None
    evidence: str
    outline: tuple[Heading, ...] = ()


def pdf_extractor() -> str:
    """Name and version of the PDF extractor, as stored with each snapshot: the library, and the rules for lines in
    ``pdf_lines``."""
    return f"pypdfium2 {version('pypdfium2')}, lines 3"


def read_pdf(body: bytes, limits: PdfLimits | None = None) -> PdfText:
    """The text of a PDF body, by native code: call it where a hostile body can do no harm (``sources.children``)."""
    limits = limits or PdfLimits()
    answer = read(body, limits.pages, limits.characters)
    return _no_text(answer["state"], answer["evidence"]) if "state" in answer else _joined(answer)


def _joined(answer: dict[str, Any]) -> PdfText:
    pages: list[str] = answer["pages"]
    title = " ".join(answer["title"].split())
    count: int = answer["page_count"]
    starts: list[int] = []
    at = 0
    for page in pages:
        starts.append(at)
        at += len(page) + len(PAGE_BREAK)
    text = PAGE_BREAK.join(pages)
    words = count_words(text)
    if words < SCAN_WORDS * len(pages) or not words:
        evidence = f"The PDF has {words} words on {len(pages)} pages: images without text."
        return PdfText(title, text, tuple(starts), "pdf_scan", evidence)
    evidence = "" if len(pages) == count else f"Only the first {len(pages)} of {count} pages were read."
    if answer["unread"]:
        evidence = f"{evidence} {answer['unread']} pages could not be read.".strip()
    outline = tuple(
        Heading(starts[page] + start, starts[page] + end, level) for page, start, end, level in answer["outline"]
    )
    return PdfText(title, text, tuple(starts), None, evidence, outline)


def _no_text(state: str, evidence: str) -> PdfText:
    return PdfText("", "", (), state, evidence)
