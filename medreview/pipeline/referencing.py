"""The references of a study: found in its responses, held against libraries and services, and triage told of them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from medreview.citations.stage import extract_all
from medreview.exchange.imports.rows import BadRecord
from medreview.pipeline.rolling_up import rolled_up
from medreview.progress import SILENT, Progress
from medreview.references.check_stage import Authorities, CheckSummary, check_all
from medreview.references.formats.library_file import read_library
from medreview.references.library import Library
from medreview.references.stage import find_all
from medreview.statements.marker_stage import mark_all
from medreview.study import Study


class LibraryOfFiles(NamedTuple):
    """Works of several files as one library, a hash of what they hold, and by file what could not be used."""

    library: Library
    sha256: str
    bad: tuple[tuple[Path, tuple[BadRecord, ...]], ...]


def library_of(files: Sequence[Path]) -> LibraryOfFiles | None:
    """The library of files in whatever formats; ``None`` without a file. Raises :class:`UserError`."""
    if not files:
        return None
    read = [(path, read_library(path)) for path in files]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    works = read[0][1].records if len(read) == 1 else [work for _, found in read for work in found.records]
    bad = tuple((path, found.bad) for path, found in read if found.bad)
    return LibraryOfFiles(Library(works), digest.hexdigest(), bad)


def find_references(study: Study, progress: Progress = SILENT) -> int:
    """Find the references of every response that the rules did not see yet; how many responses those were.

    Offline, and a matter of milliseconds a response.
    """
    with rolled_up(study, progress):
        return _find(study, progress)


def check_references(study: Study, authorities: Authorities, progress: Progress = SILENT) -> CheckSummary:
    """Find the references that were not found yet, and check those that these authorities did not look at.

    What is asked and kept: :func:`medreview.references.stage.check_all`.
    """
    with rolled_up(study, progress):
        _find(study, progress)
        return check_all(study, authorities, progress)


def _find(study: Study, progress: Progress) -> int:
    extract_all(study, progress)
    mark_all(study, progress)
    return find_all(study, progress)
