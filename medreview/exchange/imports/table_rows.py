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
_LOOKED_AT: Final = 100
"""Lines in which a column without a name is looked for: those that are read before anything is stored."""
_DELIMITERS: Final = ",;\t|"
_TOLD: Final = re.compile(r"sep=(.)\r?\n?\Z", re.IGNORECASE)
"""The first line of a table that tells Excel its delimiter."""


def read_table(path: Path) -> Iterator[Row | BadRecord]:
    """The rows of a table with a header; the delimiter (comma, semicolon, tab or bar) is detected from the header, or
    told by a line ``sep=;`` before it.

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
                yield Row(line, {name: cell for name, cell in zip(header, cells, strict=True) if name})


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
