"""The rows of a file and its invalid records, the check of a text before it is parsed, and CSV and TSV.

An invalid text is rejected before a row is stored. Tables have a header, then one record a row; they are streamed.
"""

import codecs
import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TextIO

from medreview.errors import UserError


@dataclass(frozen=True, slots=True)
class NamedRow:
    """The named values of one record, and its first line in the file (counted from 1)."""

    line: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that was rejected, and the reason; the rest of the file is imported."""

    line: int
    reason: str


_CHUNK: Final = 1 << 20
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BINARY: Final = {
    b"\xd0\xcf\x11\xe0": "is an old Word or Excel file (.doc, .xls), or one with a password; save it as .docx or .xlsx "
    "without a password and import that",
    b"PK\x03\x04": "is a zip file; unpack it and import what is in it",
    b"\x1f\x8b": "is compressed; unpack it first",
    b"SQLite format 3": "is a database; a study is joined to another with `medreview team merge STUDY OTHER`",
}
_NO_WINDOWS: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x19\x1b-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
"""Bytes that no text in Windows-1252 holds."""
_MOST_HIGH: Final = 0.3
"""The part of a text from which on letters beyond ASCII are another alphabet's."""
_MOST_OF_UTF8: Final = 0.1
"""The part of these letters from which on a text is UTF-8 with a mistake in it."""

ENCODINGS: Final = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16", "cp1252": "Windows-1252"}
"""The encodings in which texts are read, by Python's names, and what they are called."""


def check_file(path: Path) -> None:
    """Raise :class:`UserError` for a missing file, a folder, and what is no ordinary file."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise UserError(f"There is no file {path}; check the name.")
    if not path.is_file():
        raise UserError(f"{path} is not an ordinary file; save its content in one and import that.")


def check_text(path: Path) -> int:
    """Check that a file is a text and not empty; the number of lines.

    The text is UTF-8, UTF-16 with its mark, or Windows-1252. Reads the whole file in blocks. Raises :class:`UserError`
    for a missing, empty, unreadable or binary file, a folder, and bytes in no such encoding (with their offset).
    """
    return _checked(path)[0]


def encoding_of(path: Path) -> str:
    """The encoding of a text, one of :data:`ENCODINGS`. Raises what :func:`check_text` raises."""
    return _checked(path)[1]


def open_text(path: Path) -> TextIO:
    """Open a checked file for reading; a byte order mark is skipped, line ends are unchanged."""
    return path.open(encoding=encoding_of(path), newline="")


def _checked(path: Path) -> tuple[int, str]:
    check_file(path)
    try:
        return _scan(path, stamp_of(path))
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error


Stamp = tuple[int, int, int]


def stamp_of(path: Path) -> Stamp:
    """What tells whether a file is still the one that was read: its number, size and time of change."""
    about = path.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns


@lru_cache(maxsize=8)
def _scan(path: Path, _: Stamp) -> tuple[int, str]:
    """The number of lines and the encoding; a file is read by several readers, and scanned once."""
    with path.open("rb") as file:
        start = file.read(8192)
    is_utf16 = start.startswith(_UTF16)
    if not is_utf16:
        _refuse_binary(path, start)
    decoder = codecs.getincrementaldecoder("utf-16" if is_utf16 else "utf-8")()
    lines, position, blank, text = 0, 0, True, ""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            incomplete = len(decoder.getstate()[0])
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as error:
                where = position - incomplete + error.start
                if is_utf16:
                    raise UserError(f"{path} is damaged UTF-16 (byte {where:,}); save it again as UTF-8.") from error
                if _is_windows(path):
                    return _count_lines(path), "cp1252"
                raise _not_utf8(path, where, error.object[error.start]) from error
            blank = blank and not text.strip().strip("\ufeff").strip()
            lines += text.count("\n")
            position += len(chunk)
        incomplete = len(decoder.getstate()[0])
    if incomplete:
        if not is_utf16 and _is_windows(path):
            return _count_lines(path), "cp1252"
        raise UserError(
            f"{path} ends in the middle of a character (byte {position - incomplete:,}): copy or save it again."
        )
    if blank:
        raise UserError(f"{path} is empty; there is nothing to import.")
    return lines + (not text.endswith("\n")), "utf-16" if is_utf16 else "utf-8-sig"


def _is_windows(path: Path) -> bool:
    """Whether a file that is no UTF-8 can be a text in Windows-1252, and not one in UTF-8 with a mistake in it."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    signs = of_utf8 = broken = 0
    with path.open("rb") as file:
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            if _NO_WINDOWS.search(chunk):
                return False
            text = decoder.decode(chunk)
            signs += len(text)
            broken += (damage := text.count("\ufffd"))
            of_utf8 += len(text) - len(text.encode("ascii", "ignore")) - damage
    broken += len(decoder.decode(b"", final=True))
    return of_utf8 <= _MOST_OF_UTF8 * broken and broken <= max(1, _MOST_HIGH * signs)


def _count_lines(path: Path) -> int:
    lines, chunk = 0, b""
    with path.open("rb") as file:
        while more := file.read(_CHUNK):
            chunk = more
            lines += chunk.count(b"\n")
    return lines + (not chunk.endswith(b"\n"))


def _refuse_binary(path: Path, start: bytes) -> None:
    for magic, sentence in _BINARY.items():
        if start.startswith(magic):
            raise UserError(f"{path} {sentence}.")
    if b"\0" in start:
        raise UserError(f"{path} is a binary file that medreview does not read; save its text and import that.")


def _not_utf8(path: Path, position: int, byte: int) -> UserError:
    return UserError(
        f"{path} is not UTF-8: byte {position:,} is 0x{byte:02X}, and it is not Windows-1252 or UTF-16 either; "
        "save it again as UTF-8."
    )


_LONGEST_CELL: Final = 1 << 24
_LOOKED_AT: Final = 100
"""Lines in which a column without a name is looked for: those that are read before anything is stored."""
_DELIMITERS: Final = ",;\t|"
_TOLD: Final = re.compile(r"sep=(.)\r?\n?\Z", re.IGNORECASE)
"""The first line of a table that tells Excel its delimiter."""


def read_table(path: Path) -> Iterator[NamedRow | BadRecord]:
    """The rows of a table with a header; the delimiter (comma, semicolon, tab or bar) is detected from the header, or
    set by a line ``sep=;`` before it.

    A row with more or fewer fields than the header, or with invalid quoting, becomes a :class:`BadRecord`.
    Raises :class:`UserError` when the header cannot be parsed, has a duplicate column, or leaves a column other than
    the first, which may number the rows, without a name that one of the first rows fills.
    """
    csv.field_size_limit(_LONGEST_CELL)
    with open_text(path) as file:
        first = file.readline()
        told = _TOLD.match(first)
        delimiter = told[1] if told else sniff(first)
        skipped = 1 if told else 0
        if not told:
            file.seek(0)
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            header = [name.strip() for name in next(reader)]
        except csv.Error as error:
            raise UserError(f"The first line of {path} is not a header that can be read ({error}).") from error
        duplicates = sorted({name for name in header if name and header.count(name) > 1})
        if duplicates:
            raise UserError(f"{path} names the column {duplicates[0]} twice; rename one of them.")
        while True:
            line = reader.line_num + skipped + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield BadRecord(line, _reason(str(error)))
                continue
            if not any(cell.strip() for cell in cells):
                continue
            unnamed = [number for number, name in enumerate(header[1:], 2) if not name]
            if line <= _LOOKED_AT and any(cells[number - 1 : number] not in ([], [""]) for number in unnamed):
                raise _no_header(path, header, cells, line, unnamed)
            if len(cells) != len(header):
                yield BadRecord(line, f"has {len(cells)} fields where the header names {len(header)}")
            else:
                yield NamedRow(line, {name: cell for name, cell in zip(header, cells, strict=True) if name})


def _no_header(path: Path, header: list[str], cells: list[str], line: int, unnamed: list[int]) -> UserError:
    number = next(number for number in unnamed if cells[number - 1 : number] not in ([], [""]))
    named = ", ".join(name for name in header if name)
    return UserError(
        f"{path} has no name for column {number}, which holds {cells[number - 1][:40]!r} in line {line}: its first "
        f"line ({named[:80]}) is a title or has merged cells; leave one line that names every column, and import that."
    )


def sniff(header: str) -> str:
    """The delimiter that occurs most often outside quotation marks; a comma when none does."""
    bare = "".join(header.split('"')[::2])
    return max(_DELIMITERS, key=bare.count)


def _reason(message: str) -> str:
    if "unexpected end" in message:
        return "opens a quotation mark that is never closed, so that everything after it was read as one field"
    if "field limit" in message:
        return f"has a field of more than {_LONGEST_CELL:,} characters"
    return "has a quotation mark inside a quoted field that is not doubled"
