"""Files of references in any format, recognised by content, read in a child process with limits.

A library is hostile text: a few hundred bytes of it can stand for gigabytes, and a parser can take hours over others.
The child returns rows of fields, each checked.
"""

import codecs
import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from medreview.bounded_reading import read_bounded
from medreview.children.child import BadMessageError
from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.model import IDENTIFIER_KINDS, Author, Identifier, Notice, NoticeKind, Record, WorkKind
from medreview.text import normalise_newlines, sha256

Format = Literal["csl", "ris", "bibtex", "nbib"]
FORMATS: Final[Mapping[Format, str]] = {
    "csl": "CSL-JSON",
    "ris": "RIS",
    "bibtex": "BibTeX",
    "nbib": "PubMed (nbib)",
}
UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SIGN_SAMPLE: Final = 1 << 16
"""Characters in which a file must say what it is."""
_SIGNS: Final[Mapping[Format, re.Pattern[str]]] = {
    "ris": re.compile(r"^\s?TY[ \t]{1,4}-(?:[ \t]|$)", re.MULTILINE),
    "nbib": re.compile(r"^PMID *- ?\d", re.MULTILINE),
    "bibtex": re.compile(r"^[ \t]*@[A-Za-z]{3,20}\s{0,3}[{(]", re.MULTILINE),
}
_JSON: Final = re.compile(r"\s*(?:\[\s*)?\{\s*\"|\s*\[\s*\]")


def decoded(body: bytes) -> str:
    """A text from its bytes, by its mark, as UTF-8, or as the Windows-1252 of older reference managers."""
    if body.startswith(UTF16):
        return normalise_newlines(body.decode("utf-16", "replace"))
    try:
        return normalise_newlines(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return normalise_newlines(body.decode("cp1252", "replace"))


def sign_of(text: str) -> Format | None:
    """The format whose sign stands first in a text; ``None`` without any. JSON is a sign of CSL, whatever it holds."""
    start = text[:_SIGN_SAMPLE]
    if _JSON.match(start):
        return "csl"
    found = {kind: sign.search(start) for kind, sign in _SIGNS.items()}
    places = {kind: match.start() for kind, match in found.items() if match}
    return min(places, key=places.__getitem__, default=None)


def format_of(text: str) -> Format | None:
    """The format of a text; ``None`` when it is in no format of references. JSON is parsed: call it in a child."""
    kind = sign_of(text)
    if kind == "csl":
        from medreview.references.formats.csl import holds_items

        return kind if holds_items(text) else None
    return kind


def records_in(text: str, kind: Format) -> Iterator[Record | BadRecord]:
    """The records of a text in a format; one that cannot be used is a :class:`BadRecord` with its line.

    Call it in a child: the text may be hostile. Each format is loaded only for a file of its own.
    """
    if kind == "csl":
        from medreview.references.formats.csl import read_csl

        return read_csl(text)
    if kind == "ris":
        from medreview.references.formats.tagged import read_ris

        return read_ris(_lines(text))
    if kind == "nbib":
        from medreview.references.formats.tagged import read_nbib

        return read_nbib(_lines(text))
    from medreview.references.formats.bibtex import read_bibtex

    return read_bibtex(text)


def _lines(text: str) -> Iterator[str]:
    """The lines, one at a time: a list of all would be twice as large as the text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


MOST_BYTES: Final = 1 << 29
"""Of one file: 100,000 records with their abstracts have half of it."""
MOST_MEMORY: Final = 3_500_000_000
"""Bytes that a child takes at most over one file: over 512 MB of BibTeX, the largest, it takes 2.8 GB."""
MOST_ANSWERED: Final = 600_000_000
"""Bytes of the records of one file: 1,200,000 works with their authors have as many."""
CPU_SECONDS: Final = (60, 2)
"""Seconds of processor time for any file, and for each megabyte; BibTeX, the slowest, takes half a second for one."""
_BUSY: Final = 5
"""How much longer the clock may run: other programs want the processor, too."""
_SAMPLE: Final = 1 << 16
"""Bytes in which a file shows that it is not text."""
_TOGETHER: Final = 500
"""Records in one part of an answer, so that both sides hold few of them twice, and work at the same time."""
_WORK_KINDS: Final = frozenset(get_args(WorkKind))
_IDENTIFIER_KINDS: Final = frozenset(IDENTIFIER_KINDS)
_NOTICE_KINDS: Final = frozenset(get_args(NoticeKind))


class LibraryFile(NamedTuple):
    """What a file holds: its records in order, those that were left out, with their lines, and a hash of its text."""

    format: Format
    records: Sequence[Record]
    bad: tuple[BadRecord, ...]
    sha256: str


def read_library(path: Path) -> LibraryFile:
    """The records of a file.

    Raises :class:`UserError` when it cannot be read, is larger than 512 MB, is in no format of references, has no
    record that can be used, or takes more memory or time than the child has.
    """
    found = library_in(library_body(path), str(path))
    if found is None:
        raise UserError(
            f"{path} is not a list of references that medreview reads ({', '.join(FORMATS.values())}); "
            "export the library again in one of these formats."
        )
    if not found.records:
        raise UserError(f"{path} holds no reference that can be used.")
    return found


def library_body(path: Path) -> bytes:
    """The bytes of a file that may be a library, or any text. Raises :class:`UserError`."""
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
    if b"\0" in body[:_SAMPLE] and not body.startswith(UTF16):
        raise UserError(f"{path} is not text; export the library again, or save the text of the document.")
    return body


def library_in(body: bytes, name: str) -> LibraryFile | None:
    """The records of a file's bytes; ``None`` when they are in no format of references.

    Raises :class:`UserError` where reading them takes more than the child has; ``name`` says of what.
    """
    from medreview.children.asking import NotReadError, ReadingLimits, ask
    from medreview.event_loop import run_to_end

    base, each = CPU_SECONDS
    seconds = base + each * len(body) // 1_000_000
    limits = ReadingLimits(MOST_MEMORY, seconds, float(_BUSY * seconds), answer=MOST_ANSWERED)
    read = _ChildAnswer()
    try:
        run_to_end(ask("libraries", {}, body, limits, read.take, name))
    except NotReadError as error:
        told = str(error).removesuffix(".")
        raise UserError(f"{told}; export the library again, as several smaller files if it is large.") from error
    if read.refused:
        raise UserError(read.refused)
    return read.format and LibraryFile(read.format, read.records, tuple(read.bad), read.sha256)


def answer_library(_: dict[str, Any], body: bytes) -> Iterator[dict[str, Any]]:
    """What a child answers: the format and a hash of the text, then the records, and lines of those left out."""
    gc.disable()  # a quarter of the time would go into looking for garbage among what was read
    text = decoded(body)
    del body  # of half a gigabyte, as the text
    kind = format_of(text)
    yield {"format": kind, "sha256": sha256(text)}
    if kind is None:
        return
    read = records_in(text, kind)
    del text
    try:
        while part := list(islice(read, _TOGETHER)):
            yield {
                "records": [one for one in part if isinstance(one, Record)],
                "bad": [[one.line, one.reason] for one in part if isinstance(one, BadRecord)],
            }
    except UserError as error:
        yield {"refused": str(error)}


class _ChildAnswer:
    """What a child has answered so far."""

    def __init__(self) -> None:
        self.format: Format | None = None
        self.sha256 = self.refused = ""
        self.records: list[Record] = []
        self.bad: list[BadRecord] = []

    def take(self, part: dict[str, Any]) -> None:
        """Add a part of the answer. Raises :class:`BadMessageError` for anything else."""
        try:
            if "format" in part:
                self.format, self.sha256 = part["format"], part["sha256"]
                fits = (self.format is None or self.format in FORMATS) and type(self.sha256) is str
            elif "refused" in part:
                self.refused = part["refused"]
                fits = type(self.refused) is str
            else:
                bad = [BadRecord(line, reason) for line, reason in part["bad"]]
                fits = all(type(one.line) is int and type(one.reason) is str for one in bad)
                self.bad += bad
                self.records += map(_record, part["records"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadMessageError("no part of a library") from error
        if not fits:
            raise BadMessageError("a field of another type")


def _record(row: list[Any]) -> Record:
    """The record that a child wrote as a row. Raises ``TypeError`` or ``ValueError`` for anything else."""
    read = Record(*row)
    read = read._replace(
        other_titles=tuple(read.other_titles),
        authors=tuple([Author(*one) for one in read.authors]),
        containers=tuple(read.containers),
        years=tuple(read.years),
        identifiers=tuple([Identifier(*one) for one in read.identifiers]),
        notices=tuple([Notice(*one) for one in read.notices]),
    )
    texts = [read.record_id, read.title, read.volume, read.issue, read.pages, read.publisher, read.edition, read.url]
    texts += read.other_titles + read.containers
    flags = [read.complete]
    for author in read.authors:
        texts += author[:2]
        flags.append(author.body)
    for identifier in read.identifiers:
        texts.append(identifier.value)
    for notice in read.notices:
        texts += notice[1:]
    if not (
        read.authority == "library"
        and {*map(type, texts)} == {str}
        and {*map(type, flags)} == {bool}
        and {*map(type, read.years)} <= {int}
        and read.kind in _WORK_KINDS
        and {one.kind for one in read.identifiers} <= _IDENTIFIER_KINDS
        and {one.kind for one in read.notices} <= _NOTICE_KINDS
    ):
        raise ValueError("a field of another type")
    return read
