"""What a file of answers is read as, where every record of it must be one that can be used."""

from pathlib import Path

from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.open_rows import open_rows


def rows_in(path: Path) -> list[NamedRow]:
    """The records of a file."""
    found = []
    for row in open_rows(path)[0]:
        assert not isinstance(row, BadRecord)
        found.append(row)
    return found
