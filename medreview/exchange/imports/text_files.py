"""Validation of text files before they are parsed, so that an invalid one is rejected before a row is stored."""

import codecs
from pathlib import Path
from typing import Final, TextIO

from medreview.errors import UserError

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
