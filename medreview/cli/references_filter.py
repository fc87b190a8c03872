"""Checks of references as a filter, apart from the commands so that ``main`` can start it without them."""

import gc
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from medreview.cli.evidence_filter import print_each
from medreview.cli.output import bad_records

if TYPE_CHECKING:
    from medreview.references.jsonl_filter import Check
    from medreview.references.library_files import LibraryOfFiles
    from medreview.references.model import Reference, ReferenceCheck


def only_libraries(words: Sequence[str]) -> list[Path]:
    """The libraries of ``--jsonl --library FILE ...``; none of other words, which are the command's to read."""
    found: list[Path] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name == "--library" and (value or not equals):
            found.append(Path(value or next(rest, "")))
        elif word != "--jsonl":
            return []
    return found if "--jsonl" in words else []


def library_of_files(paths: Sequence[Path]) -> "LibraryOfFiles":
    """Files as one library; what of them could not be used is said. Raises :class:`UserError`."""
    from medreview.references.library_files import library_of

    found = library_of(paths)
    for path, bad in found.bad:
        bad_records(bad, path)
    return found


def answer_by_libraries(paths: Sequence[Path]) -> None:
    """Answer each line of standard input on standard output, as it comes, by libraries alone."""
    gc.disable()  # a sixth of the time would go into looking for garbage in a library that stays
    library = library_of_files(paths).library
    gc.freeze()
    gc.enable()

    def check(references: "Sequence[Reference]") -> "Iterable[ReferenceCheck]":
        return map(library.check, references)

    answer_lines(check)


def answer_lines(check: "Check", together: int = 1) -> None:
    """Answer each line of standard input; a byte that is no UTF-8 spoils no more than its own line."""
    from medreview.references.jsonl_filter import serve

    lines = (line.decode("utf-8-sig" if number == 0 else "utf-8", "surrogateescape") for number, line in
             enumerate(sys.stdin.buffer))  # fmt: skip
    print_each(serve(lines, check, together))
