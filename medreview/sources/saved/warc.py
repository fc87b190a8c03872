"""A WARC file (web archive, ISO 28500) in place of the network: pages that a browser or a crawler saved.

Its records are indexed by offset and read one by one; warcio does the framing: gzip members, record headers, lengths.
The HTTP messages in them are parsed with bounded memory.
"""

import contextlib
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

from medreview.bounded_reading import Body, BrokenBodyError, EncodingRefusedError, TooLargeError, encoding_of
from medreview.errors import UserError
from medreview.sources.fetching.network import Fetched, Limits, http_failure, utc_text, validator
from medreview.sources.saved.pages_folder import url_key
from medreview.visible import visible_line

_MAX_HEAD: Final = 65_536
_BLOCK: Final = 65_536
_STATUS: Final = re.compile(rb"HTTP/[0-9.]+ +([0-9]{3})\b")
_CHUNK: Final = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_LONGEST_CHUNK_LINE: Final = 1000


@dataclass(slots=True)
class Message:
    """An HTTP message without its body; header names are in lower case, of repeated headers the first counts."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)


def read_message(stream: Any) -> tuple[Message | None, bytes]:
    """The HTTP message at the start of a stream (``None`` without one), and the part of its body already read."""
    start = b""
    while len(start) < _MAX_HEAD and (more := stream.read(_MAX_HEAD - len(start))):
        start += more
    head, mark, body = start.partition(b"\r\n\r\n")
    if not mark:
        head, mark, body = start.partition(b"\n\n")
    status = _STATUS.match(head)
    if status is None:
        return None, b""
    message = Message(int(status[1]))
    for line in head.splitlines()[1:]:
        name, _, value = line.decode("latin-1").partition(":")
        message.headers.setdefault(name.strip().lower(), value.strip())
    return message, body


def blocks(stream: Any, first: bytes) -> Iterator[bytes]:
    """A body in blocks: the part already read, then the rest of the stream."""
    if first:
        yield first
    while block := stream.read(_BLOCK):
        yield block


def dechunked(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """A body with chunked transfer coding decoded (RFC 9112 section 7.1); a body without chunks is passed through.

    Some archivers decode the chunks and keep the ``Transfer-Encoding`` header. Raises :class:`BrokenBodyError`.
    """
    buffer = bytearray()
    left = 0  # bytes of the current chunk not yet yielded, its line end included
    first = True
    for block in blocks:
        buffer += block
        while buffer:
            if left > 2:
                piece = bytes(buffer[: left - 2])
                del buffer[: len(piece)]
                left -= len(piece)
                yield piece
            elif left:
                removed = min(left, len(buffer))
                del buffer[:removed]
                left -= removed
            elif (mark := _CHUNK.match(buffer)) is not None:
                size = int(mark[1], 16)
                del buffer[: mark.end()]
                first = False
                if size == 0:
                    return
                left = size + 2
            elif b"\n" not in buffer[:_LONGEST_CHUNK_LINE] and len(buffer) < _LONGEST_CHUNK_LINE:
                break
            elif first:
                yield bytes(buffer)
                yield from blocks
                return
            else:
                raise BrokenBodyError("The page in the archive has broken chunks.")
    if first and buffer:
        yield bytes(buffer)
    elif left or not first:
        raise BrokenBodyError("The page in the archive is cut short.")


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


class _NoWarnings:
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
    with path.open("rb") as file, contextlib.redirect_stderr(_NoWarnings()):
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
    with path.open("rb") as file, contextlib.redirect_stderr(_NoWarnings()):
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


_DEFAULT: Final = Limits()


class WarcPages:
    """The pages of a ``.warc`` or ``.warc.gz`` file by URL, with the same ``get`` as a folder of saved pages.

    Only file offsets are kept in memory. Of several answers for one URL the last counts, but a page is not replaced by
    a redirect. A ``revisit`` record (page unchanged) stands for the record that it refers to, if the archive has it.
    ``note`` is a sentence when the archive is truncated, else empty. Raises :class:`~medreview.errors.UserError` for a
    file that is not a WARC file or holds no web page.
    """

    def __init__(self, path: Path, *, max_bytes: int = _DEFAULT.max_bytes) -> None:
        self.path = path
        self._max_bytes = max_bytes
        records, truncated = read_records(path)
        self._records = _records_by_url(records)
        if not self._records:
            raise UserError(f"{path} breaks off before the first page." if truncated else f"{path} holds no web pages.")
        self.note = (
            f"{visible_line(str(path))} breaks off; the {len(self._records)} pages before that are used."
            if truncated
            else ""
        )

    def __len__(self) -> int:
        """The number of URLs in the archive, redirects included."""
        return len(self._records)

    def get(self, url: str) -> Fetched | None:
        """The archived answer for a URL as if just fetched; ``None`` when the archive does not have it.

        Redirects are followed within the archive; ``None`` also when a redirect leads out of it.
        """
        chain: tuple[str, ...] = (url,)
        seen = {url_key(url)}
        while True:
            record = self._records.get(url_key(chain[-1]))
            if record is None:
                return None
            if not record.location:
                return self._read(chain, record)
            to = _resolved_location(chain[-1], record.location)
            failure = ""
            if url_key(to) in seen:
                failure = "The redirects of the page go in a circle."
            elif len(chain) > _DEFAULT.redirects:
                failure = f"The page redirects more than {_DEFAULT.redirects} times."
            if failure:
                at = record.fetched_at
                return Fetched(url, chain[-1], chain, record.status, "", b"", at, "http_error", failure)
            seen.add(url_key(to))
            chain = (*chain, to)

    def _read(self, chain: tuple[str, ...], record: WarcRecord) -> Fetched:
        body, state, detail = b"", None, ""
        try:
            with open_record(self.path, record.offset) as opened:
                headers = opened.message.headers
                status = opened.message.status
                state, detail = http_failure(status)
                try:
                    body = self._body(opened)
                except (TooLargeError, BrokenBodyError, EncodingRefusedError) as error:
                    if state is None:
                        state, detail = _failure(error), str(error)
        except (OSError, StopIteration, BrokenBodyError) as error:
            raise UserError(f"{self.path} could not be read again; it was changed while it was in use.") from error
        is_page = state is None
        return Fetched(
            chain[0],
            chain[-1],
            chain,
            status,
            headers.get("content-type", ""),
            body,
            record.fetched_at,
            state,
            detail,
            validator(headers.get("etag", "")) if is_page else "",
            validator(headers.get("last-modified", "")) if is_page else "",
        )

    def _body(self, opened: OpenRecord) -> bytes:
        if opened.truncated:
            message = f"The archive holds only the beginning of the page ({opened.truncated[:40]})."
            raise TooLargeError(message) if opened.truncated == "length" else BrokenBodyError(message)
        encoding = encoding_of(opened.message.headers.get("content-encoding", ""))
        body = Body(encoding=encoding, declared="", max_bytes=self._max_bytes)
        for block in opened.body:
            body.add(block)
        return body.whole()


def _failure(error: Exception) -> str:
    if isinstance(error, TooLargeError):
        return "too_large"
    return "blocked" if isinstance(error, EncodingRefusedError) else "http_error"


def _records_by_url(records: list[WarcRecord]) -> dict[str, WarcRecord]:
    """The record to use for each URL, by canonical URL; ``revisit`` records are resolved."""
    by_id = {record.record_id: record for record in records if record.record_id}
    pages = {url_key(record.url): record for record in records if 200 <= record.status < 300}
    chosen: dict[str, WarcRecord] = {}
    for record in records:
        if record.refers_to is not None:
            original = by_id.get(record.refers_to[0]) or pages.get(url_key(record.refers_to[1]))
            if original is None:
                continue
            record = WarcRecord(record.url, original.offset, original.status, record.fetched_at, original.location)
        key = url_key(record.url)
        before = chosen.get(key)
        if not (before is not None and 200 <= before.status < 300 and 300 <= record.status < 400):
            chosen[key] = record
    return chosen


def _resolved_location(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:
        return location
