"""Identifiers: content hashes (the same content has the same id in every study) and ULIDs for events (by time)."""

import json
import secrets
import time

from medreview.text import sha256

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80


def content_id(prefix: str, *parts: object) -> str:
    """A letter prefix and 16 hex digits of the SHA-256 of the parts. Because of the letter, Excel keeps it as text."""
    return prefix + sha256(json.dumps(parts, ensure_ascii=False, separators=(",", ":")))[:16]


class Ulids:
    """A monotonic generator of ULIDs: increasing also within a millisecond and when the clock is set back.

    Two decisions of a fast reviewer may share a millisecond, and the later one determines the label, so that a random
    order within it is not enough.
    """

    def __init__(self) -> None:
        self._last = 0

    def next(self, floor: str = "") -> str:
        """A new id, greater than all earlier ones and than ``floor``, the newest id in the study (``""``: none)."""
        candidate = (time.time_ns() // 1_000_000) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
        self._last = max(candidate, self._last + 1, decode(floor) + 1 if floor else 0)
        return encode(self._last)


def encode(number: int) -> str:
    """26 characters of Crockford's base 32."""
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def decode(ulid: str) -> int:
    """The number of a ULID. Raises ``ValueError`` for other text."""
    number = 0
    for character in ulid:
        number = number << 5 | _CROCKFORD.index(character)
    return number
