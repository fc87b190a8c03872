"""The ids of what a decision is about: ``KIND:ID`` or ``KIND:ID:ID``, and for a statement its own id alone."""

from collections.abc import Collection, Mapping
from typing import Final

STATEMENT: Final = "statement"
PAIR: Final = "pair"
REFERENCE: Final = "reference"

MADE_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "pair": ("statement", "source"),
    "response": ("response",),
    "answer": ("response",),
    "fact": ("response", "key_fact"),
    "reference": ("reference",),
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
