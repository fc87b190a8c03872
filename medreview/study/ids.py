"""Identifiers: of content (the same content has the same id in every study) and of events (ordered in time)."""

import json
import secrets
import time

from medreview.text import sha256

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80


def content_id(prefix: str, *parts: object) -> str:
    """A letter prefix and 16 hex digits of the hash of the parts. Starts with a letter so that Excel keeps it text."""
    return prefix + sha256(json.dumps(parts, ensure_ascii=False, separators=(",", ":")))[:16]


class Ulids:
    """Makes ULIDs that never go backwards: not within a millisecond, not when the clock is set back.

    ``floor`` is the newest id already in the study, or ``""``. Two decisions of a fast reviewer share a
    millisecond, and which came last decides which label stands, so random order within it will not do.
    """

    def __init__(self, floor: str = "") -> None:
        self._last = decode(floor) if floor else 0

    def next(self) -> str:
        """A new id, greater than every id made or given before."""
        fresh = (time.time_ns() // 1_000_000) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
        self._last = max(fresh, self._last + 1)
        return encode(self._last)


def encode(number: int) -> str:
    """26 characters of Crockford's base 32."""
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def decode(ulid: str) -> int:
    """The number behind a ULID; raises ``ValueError`` for other text."""
    number = 0
    for character in ulid:
        number = number << 5 | _CROCKFORD.index(character)
    return number
