"""HTTP messages in a WARC file, parsed with bounded memory."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from medreview.bounded_body import BrokenBodyError

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
    """The HTTP message at the start of a stream (``None`` if there is none), and the part of its body already read."""
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
