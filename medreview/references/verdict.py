"""Verdicts on references, for lists and flags; and sources whose page, by them, is another work than the one named."""

import sqlite3
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


# A verdict that tells no work tells nothing of the page. A reference that is of the page's work speaks for it, whatever
# another one makes of the same identifier. An address is no identifier: of it only its page could tell.
_NAMED: Final = """
SELECT n.response_id, n.source_id, max(n.verdict = 'other_work') AND NOT max(n.verdict <> 'other_work') AS other
FROM source_reference AS n JOIN source AS u USING (source_id)
WHERE n.verdict IN ('match', 'mismatch', 'other_work') AND u.kind <> 'url'
GROUP BY n.response_id, n.source_id"""


def pages_of_other_works(reader: sqlite3.Connection) -> dict[tuple[str, str], bool]:
    """By response and source: whether its page is another work than the one that the references of the response name.

    Only sources with an identifier that a checked reference names, where the check found a work.
    """
    return {(row["response_id"], row["source_id"]): bool(row["other"]) for row in reader.execute(_NAMED)}
