"""Which references name a source or stand behind a statement, by id and verdict alone."""

import sqlite3
from typing import Final, NamedTuple

from medreview.references.verdict import ACCUSING, Verdict
from medreview.study.unit_ids import REFERENCE, unit_id

_OF_SOURCES: Final = """
SELECT n.source_id, f.reference_id, c.verdict
FROM source_reference AS n JOIN reference AS f USING (reference_id) JOIN reference_checked AS c USING (reference_id)
WHERE n.response_id = ? ORDER BY f.ordinal"""
_CITED: Final = """
SELECT DISTINCT f.reference_id, f.ordinal, c.verdict
FROM statement_reference AS s JOIN reference AS f USING (reference_id)
JOIN reference_checked AS c USING (reference_id) WHERE s.statement_id = ? ORDER BY f.ordinal"""


class NamedBy(NamedTuple):
    """A checked reference that names a source of its response, by id and verdict."""

    reference_id: str
    verdict: Verdict


def references_of_sources(reader: sqlite3.Connection, response_id: str) -> dict[str, NamedBy]:
    """By source of a response: the reference that names it; of several the one with the gravest verdict."""
    found: dict[str, NamedBy] = {}
    for row in reader.execute(_OF_SOURCES, (response_id,)):
        if row["verdict"] is None:  # withheld
            continue
        other = NamedBy(row["reference_id"], row["verdict"])
        known = found.setdefault(row["source_id"], other)
        if _gravity(other.verdict) < _gravity(known.verdict):
            found[row["source_id"]] = other
    return found


def cited_by(reader: sqlite3.Connection, statement_id: str) -> list[NamedBy]:
    """The references that a statement cites itself, those with the gravest verdicts first."""
    rows = reader.execute(_CITED, (statement_id,))
    found = [NamedBy(row["reference_id"], row["verdict"]) for row in rows if row["verdict"] is not None]
    return sorted(found, key=lambda named: _gravity(named.verdict))


def reference_beside(reader: sqlite3.Connection, statement_id: str, response_id: str, source_id: str | None) -> str:
    """The unit to open from a statement: the reference that names the source on the screen, else the first that the
    statement cites; ``""`` where none was checked. In what order they stand tells nothing of a verdict."""
    rows = reader.execute(_OF_SOURCES, (response_id,)).fetchall()
    named = [row["reference_id"] for row in rows if row["source_id"] == source_id]
    cited = [row[0] for row in reader.execute(_CITED, (statement_id,))]
    both = [reference_id for reference_id in named if reference_id in cited]
    first = next(iter((*both, *named, *cited)), None)
    return unit_id(REFERENCE, first) if first else ""


def _gravity(verdict: Verdict) -> int:
    return ACCUSING.index(verdict) if verdict in ACCUSING else len(ACCUSING)
