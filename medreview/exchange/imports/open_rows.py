"""The rows of a file in any supported format."""

from collections.abc import Iterator
from pathlib import Path

from medreview.errors import UserError
from medreview.exchange.imports.answer_rows import read_answers
from medreview.exchange.imports.json_rows import read_json, read_jsonl
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.exchange.imports.table_rows import read_table
from medreview.exchange.imports.text_files import check_text


def open_rows(path: Path) -> tuple[Iterator[Row | BadRecord], int]:
    """The rows of a file, parsed by its file extension, and its number of lines.

    Raises :class:`UserError` at once for an unknown extension and when the file cannot be read; see ``check_text``.
    """
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
