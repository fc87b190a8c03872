"""The ids of what a decision is about: ``KIND:ID`` or ``KIND:ID:ID``, and for a statement its own id alone."""

from collections.abc import Collection
from typing import Final

STATEMENT: Final = "statement"


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


def is_here(unit: str, units: Collection[str], parts: Collection[str]) -> bool:
    """Whether a study has a unit: among its statements and stored ``units``, or made of ``parts`` that it has."""
    return unit in units or (":" in unit and all(part in parts for part in ids_of(unit)))
