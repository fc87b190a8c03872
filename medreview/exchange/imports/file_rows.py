"""The rows of a file and its invalid records, the check of a text before it is parsed, and CSV and TSV.

An invalid text is rejected before a row is stored. Tables have a header, then one record a row; they are streamed.
"""

import codecs
import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
    b"PK\x03\x04": "is an Excel, Word or zip file; save the sheet as CSV (UTF-8) and import that",
    b"\xd0\xcf\x11\xe0": "is an old Excel or Word file; save the sheet as CSV (UTF-8) and import that",
    b"%PDF": "is a PDF; save its text in a .txt file and import that",
    b"\x1f\x8b": "is compressed; unpack it first",
    b"SQLite format 3": "is a database; a study is joined to another with `medreview merge STUDY OTHER`",
}


def check_text(path: Path) -> int:
    """Check that a file is UTF-8 text and not empty; the number of lines.

    Reads the whole file in blocks. Raises :class:`UserError` for a missing, empty, unreadable or binary file, a
    folder, and bytes that are not UTF-8 (with their offset).
    """
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise UserError(f"There is no file {path}; check the name.")
    if not path.is_file():
        raise UserError(f"{path} is not an ordinary file; save its content in one and import that.")
    try:
        return _scan(path)
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error


def open_text(path: Path) -> TextIO:
    """Open a checked file for reading; a byte order mark is skipped, line ends are unchanged."""
    return path.open(encoding="utf-8-sig", newline="")


def _scan(path: Path) -> int:
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines, position, blank = 1, 0, True
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if position == 0:
                _refuse_binary(path, chunk)
            incomplete = len(decoder.getstate()[0])
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as error:
                raise _not_utf8(path, position - incomplete + error.start, error.object[error.start]) from error
            blank = blank and not text.strip().strip("\ufeff").strip()
            lines += chunk.count(b"\n")
            position += len(chunk)
        incomplete = len(decoder.getstate()[0])
    if incomplete:
        raise UserError(
            f"{path} ends in the middle of a character (byte {position - incomplete:,}): copy or save it again."
        )
    if blank:
        raise UserError(f"{path} is empty; there is nothing to import.")
    return lines


def _refuse_binary(path: Path, start: bytes) -> None:
    if start.startswith(_UTF16):
        raise UserError(f"{path} is UTF-16, not UTF-8 (byte 0 is 0x{start[0]:02X}); save it again as UTF-8.")
    for magic, sentence in _BINARY.items():
        if start.startswith(magic):
            raise UserError(f"{path} {sentence}.")
    if b"\0" in start[:8192]:
        raise UserError(f"{path} is a binary file, not text; medreview reads JSON, JSONL, CSV, TSV, text and Markdown.")


def _not_utf8(path: Path, position: int, byte: int) -> UserError:
    return UserError(
        f"{path} is not UTF-8: byte {position:,} is 0x{byte:02X}, as in files saved as Windows-1252 or Latin-1; "
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
            raise UserError(f"The first line of {path} is no header that can be read ({error}).") from error
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
