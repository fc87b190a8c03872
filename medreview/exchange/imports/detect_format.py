"""Format detection of files by their content, so that one command imports everything."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from medreview.errors import UserError
from medreview.exchange.imports import answer_records, judgements, sourcecheckup
from medreview.exchange.imports.field_mapping import AS_NAMED, Fields, columns_of, peek
from medreview.exchange.imports.open_rows import open_rows

Kind = Literal["responses", "judgements", "sourcecheckup", "export"]

FIELDS_OF: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "judgements": judgements.FIELDS,
    "sourcecheckup": sourcecheckup.FIELDS,
    "responses": answer_records.FIELDS,
}
"""The fields of the records of each kind of file."""
_CHARACTERISTIC: Final[Mapping[Kind, tuple[str, ...]]] = {
    "judgements": ("judge", "statement", "source", "label"),
    "sourcecheckup": sourcecheckup.REQUIRED,
}


def detect_format(path: Path, mapping: Mapping[str, str] = AS_NAMED) -> Kind:
    """The format of a path.

    A folder with a manifest is an export. A file whose records have a judge, a statement, a source and a label contains
    judgements, one with statement, source and decision is a SourceCheckup table, any other contains responses.
    Raises :class:`UserError` when the file cannot be read, for another folder, and for a mapping to an unknown field.
    """
    if path.is_dir():
        if (path / "manifest.json").is_file():
            return "export"
        raise UserError(f"{path} is a folder without a manifest.json; name a file in it, or the folder of an export.")
    known = dict.fromkeys(field for names in FIELDS_OF.values() for field in names)
    Fields(dict.fromkeys(known, ()), mapping)
    rows, _ = open_rows(path)
    first, _ = peek(rows)
    columns = columns_of(first)
    for kind, characteristic in _CHARACTERISTIC.items():
        if Fields.among(FIELDS_OF[kind], mapping).present(columns).issuperset(characteristic):
            return kind
    return "responses"
