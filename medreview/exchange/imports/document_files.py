"""Documents as files: Word, Excel, OpenDocument, PDF, saved web pages, RTF. Told by their first bytes, read in a child.

A document is hostile input: a small file can stand for gigabytes. The child (``medreview.exchange.documents``) gives
back a text in Markdown or the rows of a sheet, each checked here.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

from medreview.bounded_reading import read_bounded
from medreview.children.child import BadMessageError
from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord, NamedRow, Stamp, check_file, stamp_of

Container = Literal["zip", "pdf", "html", "mhtml", "rtf"]

MOST_BYTES: Final = 200_000_000
"""Of one file."""
_START: Final = 8_192
_OFFICE: Final = (b"[Content_Types].xml", b"word/", b"xl/", b"mimetypeapplication/vnd.oasis.opendocument")
_OFFICE_IN: Final = 4_096
"""Bytes in which a zip that is a document names one of its parts."""
_PDF: Final = 1_024
"""Bytes in which a PDF must say that it is one."""
_PAGE: Final = re.compile(
    r"\s*(?:<\?xml[^>]{0,300}\?>\s*)?(?:<!--.{0,2000}?-->\s*){0,5}<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_MAIL: Final = re.compile(rb"(?:[A-Za-z-]{2,40}:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){1,40}")
_SAVED_PAGE: Final = re.compile(
    rb"^content-type:\s*multipart/related|^snapshot-content-location:", re.IGNORECASE | re.MULTILINE
)


def container_of(start: bytes) -> Container | None:
    """What a file is by its first bytes; ``None`` for a text."""
    if start.startswith(b"PK\x03\x04"):
        return "zip" if any(mark in start[:_OFFICE_IN] for mark in _OFFICE) else None
    if b"%PDF-" in start[:_PDF]:
        return "pdf"
    if start.startswith(b"{\\rtf"):
        return "rtf"
    text = start.removeprefix(b"\xef\xbb\xbf")
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        decoded = text[: len(text) // 2 * 2].decode("utf-16", "replace")
    else:
        decoded = text.decode("latin-1")
    if _PAGE.match(decoded):
        return "html"
    head = _MAIL.match(text.lstrip(b"\r\n"))
    return "mhtml" if head and _SAVED_PAGE.search(head[0]) else None


@dataclass(slots=True)
class AnswerDocument:
    """What a document holds: one ``text`` in Markdown, with the ``citations`` that stand beside it, or ``rows``.

    ``kind`` is what it is in words, ``notes`` are sentences on how it was read and what of it was not.
    """

    kind: str = ""
    text: str | None = None
    citations: list[dict[str, str]] = field(default_factory=list)
    rows: list[NamedRow | BadRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_document(path: Path) -> AnswerDocument | None:
    """What a document holds; ``None`` for a file that is a text.

    Raises :class:`UserError` for a file that cannot be read, or not within the limits of the child, and one without a
    text.
    """
    check_file(path)
    try:
        with path.open("rb") as file:
            container = container_of(file.read(_START))
        return None if container is None else _read(path, stamp_of(path), container)
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error


@lru_cache(maxsize=2)
def _read(path: Path, _: Stamp, container: Container) -> AnswerDocument:
    """The document; an import asks for it several times, and it is read once."""
    from medreview.children.asking import NotReadError, ReadingLimits, ask
    from medreview.event_loop import run_to_end

    try:
        body, _about = read_bounded(path, MOST_BYTES)
    except ValueError as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    limits = ReadingLimits(memory=1_500_000_000, cpu_seconds=60, wall_seconds=300.0, answer=400_000_000)
    taken = _Taken()
    try:
        run_to_end(ask("documents", {"container": container}, body, limits, taken.take, "the document"))
    except NotReadError as error:
        told = str(error).removesuffix(".")
        raise UserError(f"{path}: {told}; save the answers as text, Markdown or CSV and import that.") from error
    if taken.refused:
        raise UserError(f"{path} {taken.refused}.")
    return taken.document


class _Taken:
    """What a child has answered so far."""

    def __init__(self) -> None:
        self.document = AnswerDocument()
        self.refused = ""

    def take(self, part: dict[str, Any]) -> None:
        """Add a part of the answer. Raises :class:`BadMessageError` for anything that is not one."""
        try:
            if "refused" in part:
                self.refused = _text(part["refused"])
                return
            if "kind" in part:
                self.document.kind = _text(part["kind"])
                self.document.text = None if part["text"] is None else _text(part["text"])
                self.document.citations = [_citation(one) for one in part["citations"]]
                self.document.notes = [_text(note) for note in part["notes"]]
                return
            self.document.rows += [NamedRow(_number(line), _values(values)) for line, values in part["rows"]]
            self.document.rows += [BadRecord(_number(line), _text(reason)) for line, reason in part["bad"]]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadMessageError("no part of a document") from error


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError("no text")
    return value


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("no number")
    return value


def _citation(value: dict[str, Any]) -> dict[str, str]:
    return {_text(name): _text(member) for name, member in value.items()}


def _values(values: dict[str, Any]) -> dict[str, Any]:
    return {
        _text(name): [_citation(one) for one in value] if type(value) is list else _text(value)
        for name, value in values.items()
    }
