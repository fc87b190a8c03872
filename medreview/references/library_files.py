"""Files of references as one library to look works up in."""

import hashlib
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from medreview.exchange.imports.rows import BadRecord
from medreview.references.library import Library
from medreview.references.reading_libraries import read_library


class LibraryOfFiles(NamedTuple):
    """Works of several files as one library, a hash of what these hold, and by file what could not be used."""

    library: Library
    sha256: str
    bad: tuple[tuple[Path, tuple[BadRecord, ...]], ...]


def library_of(files: Sequence[Path]) -> LibraryOfFiles:
    """The library of files in whatever formats. Raises :class:`UserError` for one that cannot be used."""
    read = [read_library(path) for path in files]
    digest = hashlib.sha256("".join(one.sha256 for one in read).encode()).hexdigest()
    bad = tuple((path, one.bad) for path, one in zip(files, read, strict=True) if one.bad)
    return LibraryOfFiles(Library(chain.from_iterable(one.records for one in read)), digest, bad)
