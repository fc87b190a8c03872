"""The records of a WARC file (ISO 28500): an index with offsets, and random access to one record.

warcio does the framing: gzip members, record headers, lengths.
"""

import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from medreview.bounded_body import BrokenBodyError
from medreview.errors import UserError
from medreview.sources.fetching.fetched import utc_text
from medreview.sources.saved.warc_http import Message, blocks, dechunked, read_message

_COMPRESSED_BLOCK: Final = 4096
"""Compressed bytes that warcio decompresses at once: bounds a decompression bomb (gzip expands a thousandfold at
most)."""

_LARGEST_HEAD: Final = 1_000_000
_LEAST_LINE: Final = 50
"""Bytes of the header of a record, where a line counts as so many at least: each is kept as several objects."""

logging.getLogger("warcio").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """The index entry of a record: ``offset`` in bytes in the file; ``location`` is set for a redirect only.

    ``refers_to`` is set for a ``revisit`` record (page unchanged): id and URL of the record with the page.
    """

    url: str
    offset: int
    status: int
    fetched_at: str
    location: str = ""
    record_id: str = ""
    refers_to: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class OpenRecord:
    """An open record: its HTTP message, its body in blocks as sent, and why the body is truncated (or ``""``)."""

    message: Message
    body: Iterator[bytes]
    truncated: str


class _Silent:
    """Discards what warcio prints as warnings; a broken archive is reported by us."""

    def write(self, _: str) -> int:
        return 0

    def flush(self) -> None:
        pass


class _HeadLines:
    """The lines of one record's header, as many as a header has."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._left = stream, _LARGEST_HEAD

    def readline(self) -> bytes:
        line: bytes = self._stream.readline(self._left)
        self._left -= max(len(line), _LEAST_LINE)
        if self._left <= 0:
            raise BrokenBodyError("A record in the archive has too long a header.")
        return line


def _raw_records(file: Any) -> Any:
    """What warcio finds in a file, with bounded headers: it would keep ten million lines of 100 kB as 2 GB."""
    from warcio.archiveiterator import ArchiveIterator

    records = ArchiveIterator(file, no_record_parse=True, block_size=_COMPRESSED_BLOCK)
    parser = records.loader.warc_parser
    parse = parser.parse
    parser.parse = lambda stream, status=None: parse(_HeadLines(stream), status)
    return records


def read_records(path: Path) -> tuple[list[WarcRecord], bool]:
    """All answers in an archive, in file order, and whether the archive is truncated or damaged.

    Reading stops at the damage: after it, the text of a page could pass itself off as a record. Raises
    :class:`UserError` for a file that is not a WARC file, or is compressed as a whole.
    """
    _check_format(path)
    saved_at = utc_text(datetime.fromtimestamp(path.stat().st_mtime, UTC))
    found: list[WarcRecord] = []
    empty = True
    with path.open("rb") as file, contextlib.redirect_stderr(_Silent()):
        records = _raw_records(file)
        try:
            for raw in records:
                empty = False
                if raw.length is None:
                    return found, True
                record = _record(raw, saved_at)
                offset = records.get_record_offset()  # reads on to the end of the record
                if raw.raw_stream.limit > 0:
                    return found, True
                if record is not None:
                    found.append(replace(record, offset=offset))
        except Exception as error:
            # warcio raises exceptions of many types; this one is a file that can be used after a simple step.
            if "non-chunked gzip" in str(error):
                raise UserError(
                    f"{path} is compressed as a whole, not record by record; unpack it with gunzip and give that file."
                ) from error
            return found, True
    return found, empty


@contextlib.contextmanager
def open_record(path: Path, offset: int) -> Iterator[OpenRecord]:
    """The record at an offset that :func:`read_records` gave."""
    with path.open("rb") as file, contextlib.redirect_stderr(_Silent()):
        file.seek(offset)
        raw = next(_raw_records(file))
        truncated = raw.rec_headers.get_header("WARC-Truncated") or ""
        if raw.rec_type == "resource":
            kind = raw.rec_headers.get_header("Content-Type") or ""
            yield OpenRecord(Message(200, {"content-type": kind}), blocks(raw.raw_stream, b""), truncated)
            return
        message, rest = read_message(raw.raw_stream)
        if message is None:
            raise BrokenBodyError("The archive has no page there.")
        body = blocks(raw.raw_stream, rest)
        chunked = message.headers.get("transfer-encoding", "").strip().lower() == "chunked"
        yield OpenRecord(message, dechunked(body) if chunked else body, truncated)


def _check_format(path: Path) -> None:
    if not path.is_file():
        raise UserError(f"There is no file {path}.")
    try:
        with path.open("rb") as file:
            start = file.read(5)
    except OSError as error:
        raise UserError(f"{path} could not be read: {error.strerror}.") from error
    if start.startswith(b"PK") or path.suffix.lower() == ".wacz":
        raise UserError(f"{path} is a package: unzip it and give a .warc.gz file from its folder `archive`.")
    if not start.startswith((b"WARC/", b"\x1f\x8b")):
        raise UserError(f"{path} is not a WARC file.")


def _record(raw: Any, saved_at: str) -> WarcRecord | None:
    """The index entry of a raw record, with offset 0; ``None`` for a record that is not an answer of a web server."""
    header = raw.rec_headers.get_header
    url = (header("WARC-Target-URI") or "").strip().removeprefix("<").removesuffix(">")
    if raw.format != "warc" or not url.lower().startswith(("http://", "https://")):
        return None
    at = _timestamp(header("WARC-Date") or "", saved_at)
    name = header("WARC-Record-ID") or ""
    if raw.rec_type == "resource":
        return WarcRecord(url, 0, 200, at, record_id=name)
    if raw.rec_type == "revisit":
        refers_to = (header("WARC-Refers-To") or "", header("WARC-Refers-To-Target-URI") or url)
        return WarcRecord(url, 0, 0, at, refers_to=refers_to)
    if raw.rec_type != "response":
        return None
    message, _ = read_message(raw.raw_stream)
    if message is None:
        return None
    redirects = message.status in (301, 302, 303, 307, 308)
    return WarcRecord(url, 0, message.status, at, message.headers.get("location", "") if redirects else "", name)


def _timestamp(text: str, otherwise: str) -> str:
    try:
        return utc_text(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return otherwise
