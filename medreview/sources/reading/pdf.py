"""PDF to text by pypdfium2, in a child process with hard limits."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from medreview.sources.reading.outline import Heading
from medreview.sources.reading.page_states import count_words

_CHILD: Final = Path(__file__).with_name("pdf_child.py")
# Only these variables are passed on: the environment may hold keys, and the child process reads hostile input.
_ENVIRONMENT: Final = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_PAGE_BREAK: Final = "\n\n"
_SCAN_WORDS_PER_PAGE: Final = 5


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """Limits for one PDF: memory in bytes, CPU and wall-clock time in seconds, pages, characters."""

    memory: int = 700_000_000
    cpu_seconds: int = 20
    wall_seconds: float = 30.0
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
    ``pdf_child``."""
    return f"pypdfium2 {version('pypdfium2')}, lines 3"


def read_pdf(body: bytes, limits: PdfLimits | None = None) -> PdfText:
    """The text of a PDF body; never raises, whatever the body. Starting the child process takes about 0.2 s.

    Raises ``OSError`` only when the system cannot start a process at all.
    """
    limits = limits or PdfLimits()
    arguments = [limits.memory, limits.cpu_seconds, limits.pages, limits.characters]
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_CHILD), *map(str, arguments)],
            input=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            timeout=limits.wall_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _no_text("not_text", f"Reading the PDF took more than {limits.wall_seconds:g} seconds.")
    answer = _answer(done.stdout) if done.returncode == 0 else None
    if answer is None:
        return _no_text("not_text", "The PDF is broken, or reading it takes more memory or time than allowed.")
    if "state" in answer:
        return _no_text(answer["state"], answer["evidence"])
    return _joined(answer)


def _answer(output: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(output)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _joined(answer: dict[str, Any]) -> PdfText:
    pages: list[str] = answer["pages"]
    title = " ".join(answer["title"].split())
    count: int = answer["page_count"]
    starts: list[int] = []
    at = 0
    for page in pages:
        starts.append(at)
        at += len(page) + len(_PAGE_BREAK)
    text = _PAGE_BREAK.join(pages)
    words = count_words(text)
    if words < _SCAN_WORDS_PER_PAGE * len(pages) or not words:
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
