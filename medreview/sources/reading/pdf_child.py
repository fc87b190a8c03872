"""Run in a process of its own by ``pdf``: a PDF on stdin, JSON on stdout. Imports nothing of this project.

The PDF parser is native code that reads hostile input, so this process gives up its right to memory, time and files
before it reads the first byte. What it prints: ``state``, ``evidence``, ``title``, ``pages`` (texts), ``page_count``,
``outline`` (page, start and end in its text, level).
"""

import contextlib
import json
import re
import sys
from itertools import islice
from typing import Any

GAP = 0.8
"""A generated space wider than this many character heights separates two cells of a row."""
LIST_ITEM = re.compile(r"^(\d{1,2}[.)]?|[a-z][.)]|[-\u2022\u2013]) \| (?=[^|]{40,}$)")
"""The number or bullet of a list item, which is no cell of a row."""
SIGNS = "+\\-\u2212\u2010-\u2013"
RAISED = re.compile(rf"(?<=\S)(?:[0-9{SIGNS}]|[a-j](?![A-Za-z]))")
"""What may be a raised figure, or the letter of a note; the positions tell."""
GO_ON = "0123456789+-\u2212\u2010\u2011\u2012\u2013.,;abcdefghij"
POWER = re.compile(rf"[{SIGNS}]?[0-9]{{1,3}}[{SIGNS}]?|[{SIGNS}]")
NOTES = re.compile(r"[0-9]{1,3}(?:[,;\u2013-][0-9]{1,3})*|[a-j](?:,?[a-j])*")
NOTED = re.compile(r"(?:[0-9%)]|(?<![A-Za-z])(?:m?g|kg|[\u00b5\u03bcm]c?g|m?[lL]|dL|IU|units?|m?mol|h|hours?|days?))\Z")
LOWER_PART = re.compile(r"\s{0,2}[/\u2044]\s{0,2}[0-9]")
TEN = re.compile(r"(?<![\d.,])10\Z")
SUPERSCRIPT = str.maketrans("0123456789+-\u2212\u2010\u2011\u2012\u2013", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁻⁻⁻")
SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MOST_RAISED = 20_000
"""Figures and signs of one page above which none is looked at: a page for reading has fewer."""
BASE = re.compile(r"(?:(?<!\d)10|(?<![A-Za-z])(?:[cdkm]?m|in|ft|s|n|x|[IrR]|\u03c7))\Z")
"""What a raised number is a power of; after all else it is the mark of a note or of a reference."""
NEW_LINE = re.compile(r"(?<=\S)\r\n(?=[^\r\n])")
SOFT_HYPHEN = re.compile(r"\u00ad(?=[\r\n])")
MOST_BOOKMARKS = 2_000
NUMBER = re.compile(r"(?:(?:chapter|section|part|appendix) )?(?:\d{1,3}(?:\.\d{1,3})*|[a-z]|[ivx]{1,5})[.):]? (?=\S)")
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
    outline = outline_of(document, pages)
    return {"pages": pages, "page_count": count, "unread": unread, "title": title_of(document), "outline": outline}


def title_of(document: Any) -> str:
    """The title that the PDF states of itself, or ``""``."""
    try:
        title = str(document.get_metadata_value("Title"))
    except Exception:
        return ""
    return "" if title.lower() in ("untitled", "(anonymous)", "(unspecified)") else title


def outline_of(document: Any, pages: list[str]) -> list[tuple[int, int, int, int]]:
    """The bookmarks whose words are a line of the page that they lead to, in the order of the text.

    A bookmark is left out when no line says the same, or more lines than there are such bookmarks: a line of a running
    head or of a table of contents is no heading.
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
            places = lines.get(words, [])
            if len(places) == len(levels):
                found += [(number, start, end, level) for (start, end), level in zip(places, levels, strict=True)]
    return sorted(found)


def heading_words(text: str) -> str:
    """A heading without its number, spaces and case: bookmarks often leave out the one or change the others."""
    words = " ".join(text.casefold().split())
    numbered = NUMBER.match(words)
    return words[numbered.end() :] if numbered else words


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
        write_out_raised(textpage, text, characters)
        join_lines(textpage, text, characters)
        text = "".join(characters)
    # PDFium gives U+FFFE (or STX) for the hyphen of a word that is broken at the end of a line.
    text = SOFT_HYPHEN.sub("-", text.replace("\ufffe", "-\n").replace("\x02", "-\n"))
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return "\n".join(LIST_ITEM.sub(r"\1 ", line.strip()) for line in text.split("\n")).strip("\n")


def write_out_raised(textpage: Any, text: str, characters: list[str]) -> None:
    """Raised figures become superscript characters, ``^(...)`` or ``[n]``: in plain text 10 with a raised 9 is read as
    109. Lowered figures become subscript characters where a figure of the line follows them."""
    places = [found.start() for found in RAISED.finditer(text)]
    if len(places) > MOST_RAISED:
        return
    boxes: dict[int, tuple[float, float]] = {}

    def box(index: int) -> tuple[float, float]:
        """Bottom and height of a character."""
        if index not in boxes:
            _, bottom, _, top = textpage.get_charbox(index, loose=True)
            boxes[index] = bottom, top - bottom
        return boxes[index]

    read = 0
    for index in places:
        if index < read:
            continue
        (bottom, height), (base_bottom, base) = box(index), box(index - 1)
        if height >= 0.85 * base:
            continue
        is_raised = bottom > base_bottom + 0.15 * base and bottom + height > base_bottom + 0.7 * base
        end = index + 1
        while end < len(text) and text[end] in GO_ON and abs(box(end)[1] - height) < 0.05 * base:
            if abs(box(end)[0] - bottom) > 0.1 * base:
                break
            end += 1
        if is_raised:
            end = index + len(text[index:end].rstrip(".,;"))
            lower = LOWER_PART.match(text, end)
            if text[index:end].isdecimal() and lower:
                is_lower = box(lower.end() - 1)[1] < 0.85 * base
                written = f" {text[index:end]}" if text[index - 1].isdecimal() and is_lower else ""
            else:
                written = raised(text[index:end], text[max(0, index - 4) : index])
        else:
            is_lowered = bottom < base_bottom + 0.1 * base and text[index:end].isdecimal()
            written = text[index:end].translate(SUBSCRIPT) if is_lowered and text[end : end + 1].isdecimal() else ""
        if written:
            characters[index:end] = [written, *[""] * (end - index - 1)]
        read = end


def raised(text: str, before: str) -> str:
    """Raised characters as a line of text has them; ``""`` when they stay as they are."""
    is_power = BASE.search(before) is not None
    if POWER.fullmatch(text) and (is_power or not text.isdecimal()):
        return text.translate(SUPERSCRIPT)
    if NOTES.fullmatch(text) and not TEN.search(before):
        return f"[{text}]" if text[0].isdecimal() or NOTED.search(before) else ""
    return f"^({text})" if any(character.isdecimal() for character in text) else ""


def join_lines(textpage: Any, text: str, characters: list[str]) -> None:
    """Take out line breaks within a line of the page: PDFium makes one where a raised or lowered figure ends."""
    for found in NEW_LINE.finditer(text):
        before, after = found.start() - 1, found.end()
        _, bottom, right, top = textpage.get_charbox(before, loose=True)
        left, next_bottom, _, next_top = textpage.get_charbox(after, loose=True)
        height = min(top - bottom, next_top - next_bottom)
        overlap = min(top, next_top) - max(bottom, next_bottom)
        # Characters of one height on one line were parted for another reason, such as columns.
        if abs((top - bottom) - (next_top - next_bottom)) < 0.1 * height or overlap < 0.3 * height:
            continue
        if -0.3 * height < left - right < 1.5 * height:
            characters[found.start() : found.end()] = [" " if left - right > 0.1 * height else "", ""]


if __name__ == "__main__":
    main()
