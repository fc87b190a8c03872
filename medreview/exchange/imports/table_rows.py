"""CSV and TSV: a header, then one record a row; streamed."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.exchange.imports.text_files import open_text

_LONGEST_CELL: Final = 1 << 24
_DELIMITERS: Final = ",;\t|"
_TOLD: Final = re.compile(r"sep=(.)\r?\n?\Z", re.IGNORECASE)
"""The first line of a table that tells Excel its delimiter."""


def read_table(path: Path) -> Iterator[Row | BadRecord]:
    """The rows of a table with a header; the delimiter (comma, semicolon, tab or bar) is detected from the header, or
    told by a line ``sep=;`` before it.

    A row with more or fewer fields than the header, or with invalid quoting, becomes a :class:`BadRecord`.
    Raises :class:`UserError` when the header cannot be parsed or has a duplicate column.
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
            if len(cells) != len(header):
                yield BadRecord(line, f"has {len(cells)} fields where the header names {len(header)}")
            else:
                yield Row(line, {name: cell for name, cell in zip(header, cells, strict=True) if name})


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
