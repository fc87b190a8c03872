"""How a reference compares with what authorities know, apart from what that is told of: lists and flags ask for it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

Verdict = Literal["match", "mismatch", "other_work", "not_found", "ambiguous", "not_checkable"]
VERDICTS: Final[Mapping[Verdict, str]] = MappingProxyType(
    {
        "match": "that work; what differs misleads nobody",
        "mismatch": "that work, described wrongly",
        "other_work": "the identifier is another work's",
        "not_found": "no authority that was asked has it, which does not prove that it was invented",
        "ambiguous": "several works fit",
        "not_checkable": "there is nothing to look up",
    }
)
"""How a reference compares with what authorities know, and what that means."""

ACCUSING: Final[tuple[Verdict, ...]] = ("other_work", "mismatch", "not_found")
"""The verdicts that speak against a reference, the gravest first."""

ON_REFERENCE: Final = "reference: "
"""How a badge begins that says what the rules found of a reference."""
