"""PDF to text by pypdfium2: the lines of its pages, its title and its bookmarks.

The PDF parser is native code that reads hostile input: call it in a child process with limits
(``medreview.sources.page_reader``).
"""

import re
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from typing import Any, Final

from medreview.sources.reading.page_states import count_words
from medreview.sources.reading.text_structure import Heading

GAP = 0.8
"""A generated space wider than this many character heights separates two cells of a row."""
LIST_ITEM = re.compile(r"^(\d{1,2}[.)]?|[a-z][.)]|[-\u2022\u2013]) \| (?=[^|]{40,}$)")
"""The number or bullet of a list item, which is not a cell of a table row."""
SIGNS = "+\\-\u2212\u2010-\u2013"
SCRIPT_START = re.compile(rf"(?<=\S)(?:[0-9{SIGNS}]|[a-j](?![A-Za-z]))")
"""What may begin a superscript or subscript (number, sign, letter of a note); its position on the page decides."""
SCRIPT_CHARACTERS = "0123456789+-\u2212\u2010\u2011\u2012\u2013.,;abcdefghij"
POWER = re.compile(rf"[{SIGNS}]?[0-9]{{1,3}}[{SIGNS}]?|[{SIGNS}]")
NOTES = re.compile(r"[0-9]{1,3}(?:[,;\u2013-][0-9]{1,3})*|[a-j](?:,?[a-j])*")
NOTED = re.compile(r"(?:[0-9%)]|(?<![A-Za-z])(?:m?g|kg|[\u00b5\u03bcm]c?g|m?[lL]|dL|IU|units?|m?mol|h|hours?|days?))\Z")
DENOMINATOR = re.compile(r"\s{0,2}[/\u2044]\s{0,2}[0-9]")
TEN = re.compile(r"(?<![\d.,])10\Z")
SUPERSCRIPT = str.maketrans("0123456789+-\u2212\u2010\u2011\u2012\u2013", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁻⁻⁻")
SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MOST_SCRIPT_STARTS = 20_000
"""Candidates on one page above which none is examined, to bound the time: a normal page has fewer."""
BASE = re.compile(r"(?:(?<!\d)10|(?<![A-Za-z])(?:[cdkm]?m|in|ft|s|n|x|[IrR]|\u03c7))\Z")
"""The base of a power; a superscript number after anything else is the mark of a note or of a reference."""
NEW_LINE = re.compile(r"(?<=\S)\r\n(?=[^\r\n])")
SOFT_HYPHEN = re.compile(r"\u00ad(?=[\r\n])")
MOST_BOOKMARKS = 2_000
NUMBER = re.compile(r"(?:(?:chapter|section|part|appendix) )?(?:\d{1,3}(?:\.\d{1,3})*|[a-z]|[ivx]{1,5})[.):]? (?=\S)")
PASSWORD_ERROR = 4
"""FPDF_ERR_PASSWORD of PDFium."""


def title_of(document: Any) -> str:
    """The title in the PDF's metadata, or ``""``."""
    try:
        title = str(document.get_metadata_value("Title"))
    except Exception:
        return ""
    return "" if title.lower() in ("untitled", "(anonymous)", "(unspecified)") else title


def outline_of(document: Any, pages: list[str]) -> list[tuple[int, int, int, int]]:
    """The bookmarks whose words are a line of their target page, in text order.

    A bookmark is left out when no line equals it, or more lines than there are such bookmarks: a line of a running head
    or of a table of contents is not a heading.
    """
    wanted: dict[int, dict[str, list[int]]] = {}
    try:
        for bookmark in islice(document.get_toc(max_depth=6), MOST_BOOKMARKS):
            target = bookmark.get_dest()
            number = target.get_index() if target is not None else None
            words = heading_words(bookmark.get_title()[:300])
            if words and number is not None and 0 <= number < len(pages):
                wanted.setdefault(number, {}).setdefault(words, []).append(min(bookmark.level + 1, 6))
    except Exception:
        return []
    found: list[tuple[int, int, int, int]] = []
    for number, bookmarks in wanted.items():
        lines: dict[str, list[tuple[int, int]]] = {}
        at = 0
        for line in pages[number].split("\n"):
            if len(line) <= 300:
                lines.setdefault(heading_words(line), []).append((at, at + len(line)))
            at += len(line) + 1
        for words, levels in bookmarks.items():
            ranges = lines.get(words, [])
            if len(ranges) == len(levels):
                found += [(number, start, end, level) for (start, end), level in zip(ranges, levels, strict=True)]
    return sorted(found)


def heading_words(text: str) -> str:
    """A heading for comparison, in folded case, with single spaces and without its number: bookmarks often omit the
    number or differ in the others."""
    words = " ".join(text.casefold().split())
    numbered = NUMBER.match(words)
    return words[numbered.end() :] if numbered else words


def page_text(page: Any) -> str:
    """Text of one page. Words far apart on a line become the cells of a row: ``a | b``.

    There is no bar at the ends of a row: a cell of several lines continues in the next line, and must read on.
    """
    import pypdfium2.raw as raw

    textpage = page.get_textpage()
    text = str(textpage.get_text_range())
    count = textpage.count_chars()
    # PDFium's character indices are indices of the text only if the lengths agree.
    if len(text) == count:
        characters = list(text)
        for index in range(1, count - 1):
            if text[index] == " " and raw.FPDFText_IsGenerated(textpage, index) == 1:
                _, bottom, right, top = textpage.get_charbox(index - 1, loose=True)
                left = textpage.get_charbox(index + 1, loose=True)[0]
                if left - right > GAP * max(top - bottom, 1.0):
                    characters[index] = " | "
        write_out_scripts(textpage, text, characters)
        join_lines(textpage, text, characters)
        text = "".join(characters)
    # PDFium gives U+FFFE (or STX) for the hyphen of a word that is hyphenated at the end of a line.
    text = SOFT_HYPHEN.sub("-", text.replace("\ufffe", "-\n").replace("\x02", "-\n"))
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return "\n".join(LIST_ITEM.sub(r"\1 ", line.strip()) for line in text.split("\n")).strip("\n")


def write_out_scripts(textpage: Any, text: str, characters: list[str]) -> None:
    """Write superscripts as superscript characters, ``^(...)`` or ``[n]``: in plain text 10 with a superscript 9 would
    be read as 109. Subscript numbers become subscript characters where a digit of the line follows them."""
    candidates = [found.start() for found in SCRIPT_START.finditer(text)]
    if len(candidates) > MOST_SCRIPT_STARTS:
        return
    boxes: dict[int, tuple[float, float]] = {}

    def box(index: int) -> tuple[float, float]:
        """Bottom and height of a character."""
        if index not in boxes:
            _, bottom, _, top = textpage.get_charbox(index, loose=True)
            boxes[index] = bottom, top - bottom
        return boxes[index]

    read = 0
    for index in candidates:
        if index < read:
            continue
        (bottom, height), (base_bottom, base) = box(index), box(index - 1)
        if height >= 0.85 * base:
            continue
        is_superscript = bottom > base_bottom + 0.15 * base and bottom + height > base_bottom + 0.7 * base
        end = index + 1
        while end < len(text) and text[end] in SCRIPT_CHARACTERS and abs(box(end)[1] - height) < 0.05 * base:
            if abs(box(end)[0] - bottom) > 0.1 * base:
                break
            end += 1
        if is_superscript:
            end = index + len(text[index:end].rstrip(".,;"))
            lower = DENOMINATOR.match(text, end)
            if text[index:end].isdecimal() and lower:
                is_lower = box(lower.end() - 1)[1] < 0.85 * base
                written = f" {text[index:end]}" if text[index - 1].isdecimal() and is_lower else ""
            else:
                written = superscript(text[index:end], text[max(0, index - 4) : index])
        else:
            is_subscript = bottom < base_bottom + 0.1 * base and text[index:end].isdecimal()
            written = text[index:end].translate(SUBSCRIPT) if is_subscript and text[end : end + 1].isdecimal() else ""
        if written:
            characters[index:end] = [written, *[""] * (end - index - 1)]
        read = end


def superscript(text: str, before: str) -> str:
    """A superscript as plain text; ``""`` when it stays as it is."""
    is_power = BASE.search(before) is not None
    if POWER.fullmatch(text) and (is_power or not text.isdecimal()):
        return text.translate(SUPERSCRIPT)
    if NOTES.fullmatch(text) and not TEN.search(before):
        return f"[{text}]" if text[0].isdecimal() or NOTED.search(before) else ""
    return f"^({text})" if any(character.isdecimal() for character in text) else ""


def join_lines(textpage: Any, text: str, characters: list[str]) -> None:
    """Remove line breaks within a line of the page: PDFium inserts one where a superscript or subscript ends."""
    for found in NEW_LINE.finditer(text):
        before, after = found.start() - 1, found.end()
        _, bottom, right, top = textpage.get_charbox(before, loose=True)
        left, next_bottom, _, next_top = textpage.get_charbox(after, loose=True)
        height = min(top - bottom, next_top - next_bottom)
        overlap = min(top, next_top) - max(bottom, next_bottom)
        # Characters of one height on one line were separated for another reason, such as columns.
        if abs((top - bottom) - (next_top - next_bottom)) < 0.1 * height or overlap < 0.3 * height:
            continue
        if -0.3 * height < left - right < 1.5 * height:
            characters[found.start() : found.end()] = [" " if left - right > 0.1 * height else "", ""]


PAGE_BREAK: Final = "\n\n"
"""What parts the texts of two pages."""
SCAN_WORDS: Final = 5
"""Words of a page below which it has no text worth the name."""


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
    """Name and version of the PDF extractor, as stored with each snapshot: the library, and the version of
    the rules for lines."""
    return f"pypdfium2 {version('pypdfium2')}, lines 3"


def read_pdf(body: bytes, most_pages: int = 300, most_characters: int = 2_000_000) -> PdfText:
    """The text of a PDF body, by native code: call it where a hostile body can do no harm (``sources.children``)."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == PASSWORD_ERROR:
            return PdfText("", "", (), "pdf_encrypted", "The PDF asks for a password.")
        return PdfText("", "", (), "not_text", "The PDF is broken and cannot be opened.")
    count = len(document)
    pages: list[str] = []
    starts: list[int] = []
    at = unread = 0
    remaining = most_characters
    for number in range(min(count, most_pages)):
        try:
            page = page_text(document[number])
        except (pypdfium2.PdfiumError, MemoryError):
            page = ""
            unread += 1
        pages.append(page[:remaining])
        starts.append(at)
        at += len(pages[-1]) + len(PAGE_BREAK)
        remaining -= len(page)
        if remaining <= 0:
            break
    title = " ".join(title_of(document).split())
    text = PAGE_BREAK.join(pages)
    words = count_words(text)
    if words < SCAN_WORDS * len(pages) or not words:
        evidence = f"The PDF has {words} words on {len(pages)} pages: images without text."
        return PdfText(title, text, tuple(starts), "pdf_scan", evidence)
    evidence = "" if len(pages) == count else f"Only the first {len(pages)} of {count} pages were read."
    if unread:
        evidence = f"{evidence} {unread} pages could not be read.".strip()
    outline = tuple(
        Heading(starts[page] + start, starts[page] + end, level)
        for page, start, end, level in outline_of(document, pages)
    )
    return PdfText(title, text, tuple(starts), None, evidence, outline)
