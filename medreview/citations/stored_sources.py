"""Which source of a study a citation names, also where an earlier version stored it under another key."""

import sqlite3
from collections.abc import Mapping

from medreview.citations.citation import Citation, canonical_key
from medreview.citations.extract import from_list
from medreview.study.ids import content_id


def earlier_sources(connection: sqlite3.Connection) -> dict[str, str]:
    """By its key of today, the id of each source that an earlier version stored under another one.

    Such as an address with what only tracks readers. A source that is there under its key of today, too, is that one.
    """
    stored = connection.execute(
        """SELECT source_id, key, kind, value FROM source
           WHERE kind = 'url' AND (instr(key, '?') OR instr(key, '|')) ORDER BY rowid"""
    ).fetchall()
    found: dict[str, str] = {}
    for row in stored:
        today = canonical_key(Citation(row["kind"], row["value"]))
        if today != row["key"]:
            found.setdefault(today, row["source_id"])
    there = "SELECT 1 FROM source WHERE key = ?"
    return {key: known for key, known in found.items() if not connection.execute(there, (key,)).fetchone()}


def source_id(key: str, earlier: Mapping[str, str]) -> str:
    """The id of the source that a key of today names; ``earlier``: :func:`earlier_sources`."""
    return earlier.get(key) or content_id("u", key)


def source_at(connection: sqlite3.Connection, address: str) -> str | None:
    """The id of the source that an address or identifier names, however it is written; ``None`` when none is stored.

    Of several, one that has a page; then the one of this very address; then the one under its key of today.
    """
    cited = from_list([address]).citations
    key = canonical_key(cited[0]) if cited else ""
    row = connection.execute(
        """SELECT source_id FROM source WHERE key = :key OR source_id = :earlier OR url = :url
           ORDER BY current_snapshot IS NULL, url = :url DESC, key = :key DESC LIMIT 1""",
        {"key": key, "earlier": earlier_sources(connection).get(key, "") if key else "", "url": address},
    ).fetchone()
    return row[0] if row else None
