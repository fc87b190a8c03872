"""References of a file and what authorities know of them, as rows and as JSON; those of a study: ``reference_rows``."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from medreview.atomic_output import atomic_output, check_own
from medreview.exchange.exports.reference_rows import CHECKED, PLACE, READ
from medreview.exchange.files.columns import Cell, Column, cells
from medreview.exchange.files.csv_file import CsvFile, sign_of
from medreview.references.input_file import CheckedReference
from medreview.references.jsonl_filter import answered
from medreview.references.model import to_json

COLUMNS: Final = (
    Column("id", "text", "The answer that it stands in, or its own id in the file; empty without one."),
    Column("line", "integer", "The line that it, or its answer, begins at; empty of an entry of a library."),
    Column("model", "text", "The model that gave the answer."),
    Column("origin", "text", "Where the question came from."),
    *PLACE,
    *READ,
    *CHECKED,
)


def check_csv(path: Path) -> None:
    """Raise :class:`UserError` where :func:`write_csv` would: before the work, not after it."""
    check_own(path, sign_of(COLUMNS))


def write_csv(checked: Iterable[CheckedReference], path: Path) -> Path:
    """Write a row for each reference, in the dialect for Excel: what is printed is text from outside.

    Raises :class:`UserError` when another file is there, or it cannot be written.
    """
    with atomic_output(path, sign_of(COLUMNS)) as place, CsvFile(place, COLUMNS, "excel") as file:
        file.add_all(_rows(checked))
    return path


def payload(checked: Iterable[CheckedReference]) -> Iterator[dict[str, Any]]:
    """Each reference for JSON: as printed, as it was read, and what a line of the filter says of it."""
    for one in checked:
        told = one.brought
        yield {
            "id": told.name or None,
            "line": told.line or None,
            "model": told.model,
            "origin": told.origin,
            "reference": told.reference.text,
            "reading": to_json(told.reference),
            **({"verdict": None} if one.check is None else answered(one.check)),
        }


def _rows(checked: Iterable[CheckedReference]) -> Iterator[Sequence[Cell]]:
    for one in checked:
        told, read = one.brought, one.brought.reference
        yield cells(COLUMNS, SimpleNamespace(
            id=told.name, line=told.line or None, model=told.model, origin=told.origin,
            number=read.number, standing=read.standing, text=read.text,
            read=read, check=one.check, made_check=one.check,
        ))  # fmt: skip
