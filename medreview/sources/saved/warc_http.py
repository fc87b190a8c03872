"""HTTP messages as they stand in a web archive, read within bounds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from medreview.sources.fetching.body import BrokenBodyError

_HEAD: Final = 65_536
_BLOCK: Final = 65_536
_STATUS: Final = re.compile(rb"HTTP/[0-9.]+ +([0-9]{3})\b")
_CHUNK: Final = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_LONGEST_CHUNK_LINE: Final = 1000


@dataclass(slots=True)
class Message:
    """An HTTP message without its body; header names are in lower case, the first of a name counts."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)


def read_message(stream: Any) -> tuple[Message | None, bytes]:
    """The HTTP message at the start of a stream, and what was already read of its body; no message: ``None``."""
    start = b""
    while len(start) < _HEAD and (more := stream.read(_HEAD - len(start))):
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
    """A body in pieces: what was already read of it, then the rest of the stream."""
    if first:
        yield first
    while block := stream.read(_BLOCK):
        yield block


def dechunked(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """A body without its chunk marks (RFC 9112 section 7.1); a body that has none passes as it is.

    Some archivers take the marks out and leave the header that announces them. Raises :class:`BrokenBodyError`.
    """
    buffer = bytearray()
    left = 0  # of the chunk that is being given out, its line end included
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
                taken = min(left, len(buffer))
                del buffer[:taken]
                left -= taken
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
