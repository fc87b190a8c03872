"""A file of references in any format, told by its content: as records, with what of it could not be read."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from medreview.bounded_file import read_bounded
from medreview.errors import UserError
from medreview.exchange.imports.rows import BadRecord
from medreview.references.model import Record
from medreview.text import normalise_newlines, sha256

Format = Literal["csl", "ris", "bibtex", "nbib"]
FORMATS: Final[Mapping[Format, str]] = {
    "csl": "CSL-JSON",
    "ris": "RIS",
    "bibtex": "BibTeX",
    "nbib": "PubMed (nbib)",
}
MOST_BYTES: Final = 1 << 29
"""Of one file: 100,000 records with their abstracts have half of it."""
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SAMPLE: Final = 1 << 16
"""Characters in which a file must say what it is."""
_SIGNS: Final[Mapping[Format, re.Pattern[str]]] = {
    "ris": re.compile(r"^\s?TY[ \t]{1,4}-(?:[ \t]|$)", re.MULTILINE),
    "nbib": re.compile(r"^PMID *- ?\d", re.MULTILINE),
    "bibtex": re.compile(r"^[ \t]*@[A-Za-z]{3,20}\s{0,3}[{(]", re.MULTILINE),
}
_JSON: Final = re.compile(r"\s*(?:\[\s*)?\{\s*\"|\s*\[\s*\]")


class LibraryFile(NamedTuple):
    """What a file holds: its records in order, those that were left out, with their lines, and a hash of its text."""

    format: Format
    records: Sequence[Record]
    bad: tuple[BadRecord, ...]
    sha256: str


def read_library(path: Path) -> LibraryFile:
    """The records of a file.

    Raises :class:`UserError` when it cannot be read, is larger than 512 MB, is in no format of references, or has no
    record that can be used.
    """
    text = library_text(path)
    kind = format_of(text)
    if kind is None:
        raise UserError(
            f"{path} is no list of references that medreview reads ({', '.join(FORMATS.values())}); "
            "export the library again in one of these formats."
        )
    found = records_in(text, kind)
    if not found.records:
        raise UserError(f"{path} holds no reference that can be used.")
    return found


def library_text(path: Path) -> str:
    """The text of a file, whatever encoding it has: UTF-8, UTF-16 with its mark, else Windows-1252.

    Raises :class:`UserError`.
    """
    try:
        body, _ = read_bounded(path, MOST_BYTES)
    except IsADirectoryError as error:
        raise UserError(f"{path} is a folder; name a file in it.") from error
    except FileNotFoundError as error:
        raise UserError(f"There is no file {path}; check the name.") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error
    except ValueError as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    if b"\0" in body[:_SAMPLE] and not body.startswith(_UTF16):
        raise UserError(f"{path} is not text; export the library again, or save the text of the document.")
    return decoded(body)


def decoded(body: bytes) -> str:
    """A text from its bytes, by its mark, as UTF-8, or as the Windows-1252 of older reference managers."""
    if body.startswith(_UTF16):
        return normalise_newlines(body.decode("utf-16", "replace"))
    try:
        return normalise_newlines(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return normalise_newlines(body.decode("cp1252", "replace"))


def format_of(text: str) -> Format | None:
    """The format of a text: the one whose sign stands first in it; ``None`` without any."""
    start = text[:_SAMPLE]
    if _JSON.match(start):
        from medreview.references.formats.csl_file import holds_items

        return "csl" if holds_items(text) else None
    found = {kind: sign.search(start) for kind, sign in _SIGNS.items()}
    places = {kind: match.start() for kind, match in found.items() if match}
    return min(places, key=places.__getitem__, default=None)


def records_in(text: str, kind: Format) -> LibraryFile:
    """The records of a text in a format; a record that cannot be used is left out, and said with its line."""
    if kind == "csl":
        from medreview.references.formats.csl_file import read_csl

        records, bad = read_csl(text)
        return LibraryFile(kind, records, tuple(bad), sha256(text))
    read = list(_reader(kind)(text))
    kept = [one for one in read if isinstance(one, Record)]
    return LibraryFile(kind, kept, tuple(one for one in read if isinstance(one, BadRecord)), sha256(text))


def _reader(kind: Format) -> Callable[[str], Iterable[Record | BadRecord]]:
    """Each format is loaded only for a file of its own."""
    if kind == "ris":
        from medreview.references.formats.ris import read_ris

        return lambda text: read_ris(_lines(text))
    if kind == "nbib":
        from medreview.references.formats.nbib import read_nbib

        return lambda text: read_nbib(_lines(text))
    from medreview.references.formats.bibtex import read_bibtex

    return read_bibtex


def _lines(text: str) -> Iterator[str]:
    return iter(text.split("\n"))
