"""What every format is read into: rows of named values, and the places where that failed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medreview.errors import UserError
from medreview.exchange.files import check_text


@dataclass(frozen=True, slots=True)
class Row:
    """The named values that begin at one line of a file (counted from 1)."""

    line: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that was left out, and why; the rest of the file is kept."""

    line: int
    reason: str


def open_rows(path: Path) -> tuple[Iterator[Row | BadRecord], int]:
    """The rows of a file by the ending of its name, and how many lines it has.

    Raises :class:`UserError` at once when the file as a whole cannot be read; see ``check_text``.
    """
    from medreview.exchange.answer_rows import read_answers
    from medreview.exchange.json_rows import read_json, read_jsonl
    from medreview.exchange.table_rows import read_table

    lines = check_text(path)
    match path.suffix.lower():
        case ".json":
            return read_json(path), lines
        case ".jsonl" | ".ndjson":
            return read_jsonl(path), lines
        case ".csv" | ".tsv":
            return read_table(path), lines
        case ".txt" | ".md" | ".markdown":
            return read_answers(path), lines
    raise UserError(f"{path} is of no kind that medreview reads (.json, .jsonl, .ndjson, .csv, .tsv, .txt, .md).")
