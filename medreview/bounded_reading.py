"""Reading of bounded size: a file that somebody else's folder may hold, and the body of a response.

A file is a file, not what never ends. A body is a page's or a model's answer, whatever its status. A cap on httpx's
decoded stream does not stop a decompression bomb, because the decoder has already produced the bytes; so the raw stream
is read, and zlib is given a maximum output length.
"""

import os
import stat
import zlib
from collections.abc import AsyncIterable
from pathlib import Path
from typing import Final

MOST_DOTS: Final = 500
"""In one line of TOML; the time to read a key of many parts grows with the square of their number."""


def read_bounded(path: Path, most: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a file, at most so many, and what a stat says of that very one.

    Raises ``OSError``, and ``ValueError`` with half a sentence for a pipe, a device and a larger file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("a file is needed, and this is something else")
        body = file.read(most + 1)
    if len(body) > most:
        raise ValueError(f"there are more than {most:,} bytes")
    return body, about


def read_toml(path: Path, most: int) -> tuple[str, os.stat_result]:
    """The same for a text that is read as TOML after this; it must be UTF-8, and have no line that takes for ever."""
    body, about = read_bounded(path, most)
    text = body.decode("utf-8")
    if any(line.count(".") > MOST_DOTS for line in text.split("\n")):
        raise ValueError(f"a line has more than {MOST_DOTS} dots")
    return text, about


_GZIP_OR_ZLIB = 47  # zlib's window bits for automatic detection of a gzip or a zlib header
_RAW_DEFLATE = -15


class TooLargeError(Exception):
    """The body is larger than allowed; the message is one plain sentence."""


class BrokenBodyError(Exception):
    """The body cannot be decoded or is incomplete; the message is one plain sentence."""


class EncodingRefusedError(Exception):
    """The body has a content encoding that was not accepted; the message is one plain sentence."""


def encoding_of(header: str, what: str = "page") -> str:
    """The content encoding to decode: ``""``, ``"gzip"`` or ``"deflate"``.

    Anything else, and several encodings at once, raise :class:`EncodingRefusedError`.
    """
    encoding = header.strip().lower()
    if encoding in ("", "identity"):
        return ""
    if encoding in ("gzip", "x-gzip"):
        return "gzip"
    if encoding == "deflate":
        return "deflate"
    raise EncodingRefusedError(f"The server sent the {what} in an encoding that is not accepted ({encoding[:40]}).")


class Body:
    """A body that is received chunk by chunk.

    ``encoding`` is what :func:`encoding_of` gave, ``declared`` the Content-Length header or ``""``. As soon as more
    than ``max_bytes`` were declared, sent or decoded, :class:`TooLargeError` is raised; with ``truncate`` the first
    ``max_bytes`` are the body instead, and ``full`` says that they are there. ``what`` it is, for messages.
    """

    def __init__(
        self, *, encoding: str, declared: str, max_bytes: int, truncate: bool = False, what: str = "page"
    ) -> None:
        self._what = what
        self._max_bytes = max_bytes
        self._truncate = truncate
        self._decoder = _Decoder(encoding, what) if encoding else None
        self._out = bytearray()
        self._received = 0
        self.full = False
        if declared.isdecimal() and int(declared) > max_bytes and not truncate:
            raise self._too_large()

    def add(self, chunk: bytes) -> None:
        """Add the next chunk as sent; further chunks are useless once ``full``. Raises :class:`BrokenBodyError`."""
        self._received += len(chunk)
        room = self._max_bytes + 1 - len(self._out)
        self._out += self._decoder.decode(chunk, room) if self._decoder else chunk
        if self._received > self._max_bytes or len(self._out) > self._max_bytes:
            if not self._truncate:
                raise self._too_large()
            self.full = True

    def whole(self) -> bytes:
        """The decoded body. Raises :class:`BrokenBodyError` for a truncated compressed stream."""
        if self._decoder and self._received and not (self._decoder.finished or self.full):
            raise BrokenBodyError(f"The {self._what} was cut short on the way.")
        return bytes(self._out[: self._max_bytes])

    def _too_large(self) -> TooLargeError:
        return TooLargeError(f"The {self._what} is larger than {self._max_bytes / 1_000_000:g} MB; it was not read.")


async def read_body(chunks: AsyncIterable[bytes], body: Body) -> bytes:
    """The whole decoded body of a stream; raises what :class:`Body` raises."""
    async for chunk in chunks:
        body.add(chunk)
        if body.full:
            break
    return body.whole()


class _Decoder:
    """zlib with bounded output; handles multi-member gzip and raw deflate without a zlib header."""

    def __init__(self, encoding: str, what: str) -> None:
        self._encoding, self._what = encoding, what
        self._zlib = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._at_start = True

    @property
    def finished(self) -> bool:
        return self._zlib.eof

    def decode(self, chunk: bytes, room: int) -> bytes:
        out = bytearray()
        while chunk and len(out) < room:
            if self._zlib.eof:
                if not chunk.startswith(b"\x1f"):
                    break  # padding after the last member is ignored, as browsers do
                self._zlib = zlib.decompressobj(_GZIP_OR_ZLIB)
            out += self._inflate(chunk, room - len(out))
            chunk = self._zlib.unused_data
        return bytes(out)

    def _inflate(self, chunk: bytes, room: int) -> bytes:
        try:
            return self._zlib.decompress(chunk, room)
        except zlib.error as error:
            if not (self._at_start and self._encoding == "deflate"):
                raise BrokenBodyError(f"The {self._what} came in a broken compression.") from error
            self._zlib = zlib.decompressobj(_RAW_DEFLATE)
            try:
                return self._zlib.decompress(chunk, room)
            except zlib.error:
                raise BrokenBodyError(f"The {self._what} came in a broken compression.") from error
        finally:
            self._at_start = False
