"""What goes between a child and who asks it: frames of JSON, never a pickle, for the child has read hostile input.

A job is a frame that says what is wanted, and the limits, and the body after it. An answer is one frame or several with
what was wanted, and one that ends it; or a frame ``failed`` with what ended the reading.
"""

import json
from typing import Any, Final

LENGTH: Final = 8
"""Bytes before a frame that say how long it is, the highest first."""


class BadMessageError(Exception):
    """A frame is not what was agreed on."""


def framed(message: dict[str, Any]) -> bytes:
    """A message as a frame."""
    data = json.dumps(message).encode("ascii")
    return len(data).to_bytes(LENGTH, "big") + data


def length_of(head: bytes, longest: int) -> int:
    """The length of the frame that follows. Raises :class:`BadMessageError` for one that is too long."""
    length = int.from_bytes(head, "big")
    if length > longest:
        raise BadMessageError(f"a frame of {length} bytes")
    return length


def message_in(data: bytes) -> dict[str, Any]:
    """The message of a frame. Raises :class:`BadMessageError`."""
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadMessageError("no JSON") from error
    if not isinstance(message, dict):
        raise BadMessageError("no object")
    return message
