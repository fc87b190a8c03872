"""The stage that holds the passages that an answer itself shows as its proof against the pages that they are from.

Some systems give with each stretch of an answer the words of the source that it rests on. The page is fetched here all
the same, so that a passage which is not in it, or says something else there, is found: a fabricated quote of the answer
itself, whatever judges say of the statement. A page that is only that passage proves nothing, and is not asked.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Final

from medreview.citations import canonical_key, from_list
from medreview.citations.citation import Citation
from medreview.evidence.grounding import QuoteIndex, ground
from medreview.labels import GIVEN_BY_REVIEWER
from medreview.progress import SILENT, Progress
from medreview.statements.own_citations import shares
from medreview.study import Study
from medreview.study.rows import insert
from medreview.text import Span

_WHOLE: Final = ("ok", GIVEN_BY_REVIEWER)
"""The states of pages that did not come with the answer and that are all there."""
_SHORTEST: Final = 12
"""Characters; a shorter passage is in nearly every page, or in none for no reason."""


def ground_claims(study: Study, progress: Progress = SILENT) -> int:
    """Hold every passage that was not looked at yet against the page of today; how many statements have one.

    One transaction for each response.
    """
    waiting = study.reader.execute(
        """SELECT response_id, ranges FROM response AS r WHERE ranges <> '[]' AND parser IS NOT NULL
           AND EXISTS (SELECT 1 FROM json_each(r.ranges) AS c WHERE json_extract(c.value, '$[3]') <> '')
           ORDER BY ordinal"""
    ).fetchall()
    if waiting:
        progress.begin("passages of answers", len(waiting))
    found = 0
    for row in waiting:
        rows = list(_rows(study.reader, row["response_id"], json.loads(row["ranges"])))
        if rows:
            study.write(lambda connection, rows=rows: insert(connection, "claimed_quote", rows))  # type: ignore[misc]
        found += len(rows)
        progress.step()
    return found


def _rows(reader: sqlite3.Connection, response_id: str, ranges: Iterable[Any]) -> Iterator[dict[str, Any]]:
    pages = _pages(reader, response_id)
    statements: dict[str, list[Span]] = {}
    for row in reader.execute(
        'SELECT statement_id, "start", "end" FROM statement_place WHERE response_id = ? AND "start" IS NOT NULL',
        (response_id,),
    ):
        statements.setdefault(row["statement_id"], []).append(Span(row["start"], row["end"]))
    known = {
        tuple(row)
        for row in reader.execute(
            """SELECT statement_id, snapshot_id, quote FROM claimed_quote JOIN statement USING (statement_id)
               WHERE response_id = ?""",
            (response_id,),
        )
    }
    for start, end, cited, quote in ranges:
        if len(quote) < _SHORTEST:
            continue
        for snapshot_id in {pages[key] for one in from_list(cited).citations if (key := canonical_key(one)) in pages}:
            wanted = [
                statement_id
                for statement_id, places in statements.items()
                if shares(places, Span(start, end)) and (statement_id, snapshot_id, quote) not in known
            ]
            if wanted:
                status = ground(quote, _index(reader, snapshot_id)).status
                yield from (
                    {"statement_id": one, "snapshot_id": snapshot_id, "quote": quote, "status": status}
                    for one in wanted
                )


def _pages(reader: sqlite3.Connection, response_id: str) -> dict[str, str]:
    """The snapshots of the pages that a response cites and that are all here, by the key of their source."""
    rows = reader.execute(
        f"""SELECT c.kind, c.value, p.snapshot_id FROM citation AS c JOIN snapshot_current AS p USING (source_id)
            WHERE c.response_id = ? AND p.page_state IN ({", ".join(f"'{state}'" for state in _WHOLE)})""",
        (response_id,),
    )
    return {canonical_key(Citation(row["kind"], row["value"])): row["snapshot_id"] for row in rows}


def _index(reader: sqlite3.Connection, snapshot_id: str) -> QuoteIndex:
    """The whole text of a page, so that what stands in a menu or a footnote of it is found, too."""
    query = "SELECT iif(full_text = '', text, full_text) FROM snapshot WHERE snapshot_id = ?"
    return QuoteIndex(reader.execute(query, (snapshot_id,)).fetchone()[0])


def false_claims(reader: sqlite3.Connection, where: str, values: tuple[str, ...]) -> dict[str, list[tuple[str, str]]]:
    """By statement: status and snapshot of each passage that is not in the page of now, or says something else."""
    rows = reader.execute(
        f"""SELECT q.statement_id, q.status, snapshot_id FROM claimed_quote AS q JOIN snapshot_current
            USING (snapshot_id)
            {where} AND q.status IN ('absent', 'altered') ORDER BY q.statement_id, q.status, snapshot_id""",
        values,
    )
    found: dict[str, list[tuple[str, str]]] = {}
    for statement_id, status, snapshot_id in rows:
        found.setdefault(statement_id, []).append((status, snapshot_id))
    return found
