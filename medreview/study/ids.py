"""Identifiers: content hashes, ULIDs for events, and the ids of units (``KIND:ID``; a statement has its own id alone).

The same content has the same id in every study; ULIDs are ordered by time.
"""

import json
import secrets
import time
from collections.abc import Collection, Mapping
from typing import Final

from medreview.text import sha256

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80


def content_id(prefix: str, *parts: object) -> str:
    """A letter prefix and 16 hex digits of the SHA-256 of the parts. Because of the letter, Excel keeps it as text."""
    return prefix + sha256(json.dumps(parts, ensure_ascii=False, separators=(",", ":")))[:16]


def judge_run_id(
    judge: str, kind: str, model: str, prompt_id: str, prompt_sha256: str, params: Mapping[str, object]
) -> str:
    """The id of a judge's run: a hash of all that it is, the same in every study."""
    return content_id("j", judge, kind, model, prompt_id, prompt_sha256, dict(sorted(params.items())))


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


STATEMENT: Final = "statement"
PAIR: Final = "pair"
REFERENCE: Final = "reference"

MADE_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "pair": ("statement", "source"),
    "response": ("response",),
    "answer": ("response",),
    "fact": ("response", "key_fact"),
    "reference": ("reference",),
    "statement_list": ("response",),
}
"""Kind -> the tables of what its units are made of, in the order of the id. Those of all other kinds, but statements,
are rows of the table ``unit``."""


def unit_id(kind: str, *ids: str) -> str:
    """The id of a unit of a kind that is made of these things."""
    return ids[0] if kind == STATEMENT else ":".join((kind, *ids))


def kind_of(unit: str) -> str:
    """The kind of a unit, by its id."""
    kind, colon, _ = unit.partition(":")
    return kind if colon else STATEMENT


def ids_of(unit: str) -> tuple[str, ...]:
    """What a unit is made of: of a pair its statement and its source."""
    return tuple(unit.split(":")[1:]) if ":" in unit else (unit,)


def is_here(unit: str, units: Collection[str], parts: Mapping[str, Collection[str]]) -> bool:
    """Whether a study has a unit: among its statements and stored ``units``, or made of what it has.

    ``parts``: table -> the ids in it, for every table of :data:`MADE_OF`.
    """
    made_of, ids = MADE_OF.get(kind_of(unit)), ids_of(unit)
    if made_of is None:
        return unit in units
    return len(ids) == len(made_of) and all(one in parts[table] for table, one in zip(made_of, ids, strict=True))
