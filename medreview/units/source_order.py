"""Which source of a response stands first beside a statement: the one place that says so for screens, export and API.

- Opens: what the statement itself cites and can be read; then what has the best evidence by the offline rules (the
  lowest ``unsupported``); then the response's order. The view ``source_order`` of the study holds this rule. It asks no
  judge but the rules, so that blind and open queues open alike.
- In a queue with a cause (:func:`cause`) opens what the cause is about.
- One goes on through the statement's own citations, then through the response's other sources.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from medreview.statements.own_citations import own_citations
from medreview.units.cited_source import Source, load_sources


def sources_beside(reader: sqlite3.Connection, statement_id: str, response_id: str) -> tuple[Source, ...]:
    """The sources of a statement's response in the order in which one goes through them."""
    sources = load_sources(reader, response_id, own_citations(reader, statement_id))
    found = {source.source_id: source for source in sources}
    turns = reader.execute(
        "SELECT source_id, opens FROM source_order WHERE statement_id = ? ORDER BY turn", (statement_id,)
    )
    return tuple(replace(found[row["source_id"]], opens=bool(row["opens"])) for row in turns)


def cause(
    reader: sqlite3.Connection, sources: Iterable[Source], queue: str, statement_id: str, decided_on: str | None
) -> Source | None:
    """The source that a statement is in a queue for, ``None`` where that is not about one.

    In the flagged queue that of the gravest flag about a page: of the quote that is not there or altered, of the
    judgement that contradicts, of the numbers that differ. In the stale queue that of the page it was ``decided_on``.
    """
    page = decided_on if queue == "stale" else None
    if queue == "flagged":
        row = reader.execute("SELECT snapshot_id FROM verdict WHERE statement_id = ?", (statement_id,)).fetchone()
        page = row["snapshot_id"] if row else None
    found = reader.execute("SELECT source_id FROM snapshot WHERE snapshot_id = ?", (page,)).fetchone()
    return next((source for source in sources if found and source.source_id == found["source_id"]), None)
