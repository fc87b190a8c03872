"""References of a file and what authorities know of them, as rows and as JSON; those of a study: ``reference_rows``."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from medreview.atomic_output import atomic_output, check_own
from medreview.exchange.exports.reference_rows import REFERENCES, check_cells, reading_cells
from medreview.exchange.files.columns import Column
from medreview.exchange.files.csv_file import Cell, CsvFile, sign_of
from medreview.references.input_file import CheckedReference
from medreview.references.jsonl_filter import answered
from medreview.references.model import to_json

_NAMES: Final = [column.name for column in REFERENCES]


def _from_to(first: str, last: str) -> tuple[Column, ...]:
    return REFERENCES[_NAMES.index(first) : _NAMES.index(last) + 1]


COLUMNS: Final = (
    Column("id", "text", "The answer that it stands in, or its own id in the file; empty without one."),
    Column("line", "integer", "The line that it, or its answer, begins at; empty of an entry of a library."),
    Column("model", "text", "The model that gave the answer."),
    Column("origin", "text", "Where the question came from."),
    *_from_to("number", "standing"),
    *_from_to("text", "unsure"),
    *_from_to("verdict", "asked"),
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
    unchecked = (None,) * len(_from_to("verdict", "asked"))
    for one in checked:
        told, reference = one.brought, one.brought.reference
        yield (
            told.name, told.line or None, told.model, told.origin, reference.number, reference.standing,
            reference.text, *reading_cells(reference), *(unchecked if one.check is None else check_cells(one.check)),
        )  # fmt: skip
