"""The stage that extracts the citations of every response and the sources that they name.

Also the pairs that a table lists: by which sources a statement that came with it is judged.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.citations import Citation, canonical_key, cited_in, domain, fetch_url
from medreview.citations.citation import is_redirect
from medreview.citations.extract import from_list
from medreview.citations.stored_sources import earlier_sources, source_id
from medreview.exchange.imports.judgements import JudgementRecord
from medreview.exchange.imports.sourcecheckup import PARSER
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.study.rows import insert

_BATCH = 500
_HOST: Final = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,24}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CitationSummary:
    """Counts: responses processed, citations found, and ``unusable``, list entries that cite nothing that can be
    fetched."""

    responses: int
    citations: int
    unusable: int


def extract_all(study: Study, progress: Progress = SILENT) -> CitationSummary:
    """Extract the citations of the responses that are not processed yet, in transactions of 500 responses.

    They are those of the response's text, and those of its structured list that the text does not name (SourceCheckup:
    the list, or without one every URL).
    """
    waiting = study.reader.execute("SELECT count(*) FROM response WHERE cited = 0").fetchone()[0]
    if waiting:
        progress.begin("citations", waiting)
    done = citations = unusable = 0
    while rows := study.reader.execute(
        "SELECT response_id, text, listed, invalid FROM response WHERE cited = 0 ORDER BY ordinal LIMIT ?", (_BATCH,)
    ).fetchall():
        found = []
        for row in rows:
            listed = json.loads(row["listed"] or "[]")
            cited = cited_in(row["text"], listed, invalid=row["invalid"])
            found.append((row["response_id"], cited.citations, listed))
            citations += len(cited.citations)
            unusable += len(cited.unusable)
        study.write(lambda connection, found=found: _store(connection, found))  # type: ignore[misc]
        done += len(rows)
        progress.step(len(rows))
    return CitationSummary(done, citations, unusable)


def _store(connection: sqlite3.Connection, found: Sequence[tuple[str, Sequence[Citation], Sequence[str]]]) -> None:
    sources, citations = [], []
    earlier = earlier_sources(connection)
    for response_id, cited, listed in found:
        for ordinal, citation in enumerate(cited, 1):
            key = canonical_key(citation)
            url = fetch_url(citation)
            what = {"source_id": source_id(key, earlier), "kind": citation.kind, "value": citation.value}
            sources.append({**what, "key": key, "url": url, "domain": _domain(url, listed)})
            place = {"start": citation.start, "end": citation.end}
            citations.append({**what, **place, "response_id": response_id, "ordinal": ordinal})
    insert(connection, "source", sources)
    insert(connection, "citation", citations)
    connection.executemany(
        "UPDATE response SET cited = 1, marked = NULL WHERE response_id = ?", [(item[0],) for item in found]
    )


def _domain(url: str, listed: Sequence[str]) -> str:
    """The host of a source; of an address that only leads to it, the host that its entry names as the title."""
    if is_redirect(url):
        titles = (entry.partition(url)[0] for entry in listed if url in entry)
        return next((found[0].lower() for title in titles if (found := _HOST.search(title))), domain(url))
    return domain(url)


def list_pairs(study: Study, decisions: Iterable[JudgementRecord]) -> int:
    """Store the pairs of a table's decisions whose statements came with it, in one transaction; how many are new.

    A statement of a response that was split here is judged by all sources of its response, as ever.
    """
    wanted = [(record.response, record.statement, _key(record.source)) for record in decisions]

    def change(connection: sqlite3.Connection) -> int:
        known = {row[0] for row in connection.execute("SELECT source_id FROM source")}
        given = {
            (row[0], row[1]): row[2]
            for row in connection.execute(
                "SELECT response_id, s.text, statement_id FROM statement AS s JOIN response USING (response_id) "
                "WHERE parser = ?",
                (PARSER,),
            )
        }
        earlier = earlier_sources(connection)
        pairs = ((given.get((response, text)), source_id(key, earlier)) for response, text, key in wanted)
        rows = [{"statement_id": one, "source_id": other} for one, other in pairs if one and other in known]
        return insert(connection, "listed_pair", rows)

    return study.write(change)


def _key(source: str) -> str:
    cited = from_list([source]).citations
    return canonical_key(cited[0]) if cited else ""
