"""Run in a process of its own by ``pdf``: a PDF on stdin, JSON on stdout. Imports nothing of this project.

The PDF parser is native code that reads hostile input, so this process gives up its right to memory, time and files
before it reads the first byte. What it prints: ``state``, ``evidence``, ``title``, ``pages`` (texts), ``page_count``.
"""

import contextlib
import json
import re
import sys
from typing import Any

GAP = 0.8
"""A generated space wider than this many character heights separates two cells of a row."""
LIST_ITEM = re.compile(r"^(\d{1,2}[.)]?|[a-z][.)]|[-\u2022\u2013]) \| (?=[^|]{40,}$)")
"""The number or bullet of a list item, which is no cell of a row."""
PASSWORD_ERROR = 4
"""FPDF_ERR_PASSWORD of PDFium."""


def main() -> None:
    """Arguments: bytes of memory, seconds of processor time, most pages, most characters."""
    memory, seconds, most_pages, most_characters = (int(argument) for argument in sys.argv[1:5])
    with contextlib.suppress(ImportError):  # not on Windows, where the wall clock of the parent has to do
        import resource

        for limit, value in (
            (resource.RLIMIT_AS, memory),
            (resource.RLIMIT_CPU, seconds),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
        ):
            with contextlib.suppress(ValueError, OSError):  # a stricter limit of the system stays
                resource.setrlimit(limit, (value, value))
    json.dump(read(sys.stdin.buffer.read(), most_pages, most_characters), sys.stdout)


def read(body: bytes, most_pages: int, most_characters: int) -> dict[str, Any]:
    """Texts of the pages, up to the caps."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == PASSWORD_ERROR:
            return {"state": "pdf_encrypted", "evidence": "The PDF asks for a password."}
        return {"state": "not_text", "evidence": "The PDF is broken and cannot be opened."}
    count = len(document)
    pages: list[str] = []
    room = most_characters
    unread = 0
    for number in range(min(count, most_pages)):
        try:
            text = page_text(document[number])
        except (pypdfium2.PdfiumError, MemoryError):
            text = ""
            unread += 1
        pages.append(text[:room])
        room -= len(text)
        if room <= 0:
            break
    return {"pages": pages, "page_count": count, "unread": unread, "title": title_of(document)}


def title_of(document: Any) -> str:
    """The title that the PDF states of itself, or ``""``."""
    try:
        title = str(document.get_metadata_value("Title"))
    except Exception:
        return ""
    return "" if title.lower() in ("untitled", "(anonymous)", "(unspecified)") else title


def page_text(page: Any) -> str:
    """Text of one page. Words that stand far apart on a line become the cells of a row: ``a | b``.

    There is no bar at the ends of a row: a cell of several lines goes on in the next line, and must read on.
    """
    import pypdfium2.raw as raw

    textpage = page.get_textpage()
    text = str(textpage.get_text_range())
    count = textpage.count_chars()
    # Positions are asked for by character index, which is the index in the text only while the lengths agree.
    if len(text) == count:
        characters = list(text)
        for index in range(1, count - 1):
            if text[index] == " " and raw.FPDFText_IsGenerated(textpage, index) == 1:
                _, bottom, right, top = textpage.get_charbox(index - 1, loose=True)
                left = textpage.get_charbox(index + 1, loose=True)[0]
                if left - right > GAP * max(top - bottom, 1.0):
                    characters[index] = " | "
        text = "".join(characters)
    # PDFium gives U+FFFE (or STX) for the hyphen of a word that is broken at the end of a line.
    text = text.replace("\ufffe", "-\n").replace("\x02", "-\n")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return "\n".join(LIST_ITEM.sub(r"\1 ", line.strip()) for line in text.split("\n")).strip("\n")


if __name__ == "__main__":
    main()
