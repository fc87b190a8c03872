"""Reading a response body within bounds.

A cap on httpx's decoded stream does not stop a compression bomb, because the decoder has already made the bytes;
so the raw stream is read, and zlib is told how much it may give.
"""

import zlib
from collections.abc import AsyncIterator

_EITHER_HEADER = 47  # zlib's window bits for "a gzip or a zlib header, find out which"
_NO_HEADER = -15


class TooLargeError(Exception):
    """The body is larger than allowed; the message is one plain sentence."""


class BrokenBodyError(Exception):
    """The body cannot be decoded or is not whole; the message is one plain sentence."""


class EncodingRefusedError(Exception):
    """The body came in an encoding that was not asked for; the message is one plain sentence."""


def encoding_of(header: str) -> str:
    """The content encoding to undo: ``""``, ``"gzip"`` or ``"deflate"``.

    Anything else, and encodings one upon another, raise :class:`EncodingRefusedError`.
    """
    encoding = header.strip().lower()
    if encoding in ("", "identity"):
        return ""
    if encoding in ("gzip", "x-gzip"):
        return "gzip"
    if encoding == "deflate":
        return "deflate"
    raise EncodingRefusedError(f"The server sent the page in an encoding that is not accepted ({encoding[:40]}).")


async def read_body(chunks: AsyncIterator[bytes], *, encoding: str, declared: str, max_bytes: int) -> bytes:
    """The whole decoded body.

    ``encoding`` is what :func:`encoding_of` gave, ``declared`` the Content-Length header or ``""``. Raises
    :class:`TooLargeError` as soon as more than ``max_bytes`` were declared, sent or decoded, and
    :class:`BrokenBodyError` for a stream that cannot be decoded or ends before its end.
    """
    too_large = TooLargeError(f"The page is larger than {max_bytes / 1_000_000:g} MB; it was not read.")
    if declared.isdecimal() and int(declared) > max_bytes:
        raise too_large
    decoder = _Decoder(encoding) if encoding else None
    out = bytearray()
    received = 0
    async for chunk in chunks:
        received += len(chunk)
        out += decoder.decode(chunk, max_bytes + 1 - len(out)) if decoder else chunk
        if received > max_bytes or len(out) > max_bytes:
            raise too_large
    if decoder and received and not decoder.finished:
        raise BrokenBodyError("The page was cut short on the way.")
    return bytes(out)


class _Decoder:
    """zlib with a bound on what comes out; understands gzip in several members and deflate without a header."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._zlib = zlib.decompressobj(_EITHER_HEADER)
        self._fresh = True

    @property
    def finished(self) -> bool:
        return self._zlib.eof

    def decode(self, chunk: bytes, room: int) -> bytes:
        out = bytearray()
        while chunk and len(out) < room:
            if self._zlib.eof:
                if not chunk.startswith(b"\x1f"):
                    break  # padding after the last member is ignored, as browsers do
                self._zlib = zlib.decompressobj(_EITHER_HEADER)
            out += self._inflate(chunk, room - len(out))
            chunk = self._zlib.unused_data
        return bytes(out)

    def _inflate(self, chunk: bytes, room: int) -> bytes:
        try:
            return self._zlib.decompress(chunk, room)
        except zlib.error as error:
            if not (self._fresh and self._encoding == "deflate"):
                raise BrokenBodyError("The page came in a broken compression.") from error
            self._zlib = zlib.decompressobj(_NO_HEADER)
            try:
                return self._zlib.decompress(chunk, room)
            except zlib.error:
                raise BrokenBodyError("The page came in a broken compression.") from error
        finally:
            self._fresh = False
