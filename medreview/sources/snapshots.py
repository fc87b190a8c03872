"""Storing fetched pages: immutable snapshots, the visits that fetched them, and the current snapshot of a source."""

import json
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from medreview.citations.citation import domain, is_redirect
from medreview.sources.fetching.network import Fetched, public_address
from medreview.sources.ocr_pages import SEEN_BY_OCR, OcrPage, add_ocr_pages
from medreview.sources.page import Page
from medreview.sources.reading.page_states import HOLDS_SOURCE
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import sha256

NO_TEXT: Final = sha256("")

Outcome = Literal["new", "same", "not_modified"]

_CURRENT: Final = f"""SELECT snapshot_id, page_state, state_evidence, status, text_sha256, raw_sha256,
                             {SEEN_BY_OCR} AS by_ocr
                      FROM snapshot_current WHERE source_id = ?"""
_COMPARED: Final = ("page_state", "text_sha256")
_COMPARED_WITHOUT_SOURCE: Final = (*_COMPARED, "status", "state_evidence")
"""The columns by which two snapshots differ; of pages that are not the source also the reason why they are not."""


def add_snapshot(
    connection: sqlite3.Connection, source_id: str, fetched: Fetched, page: Page, by_ocr: Sequence[OcrPage] = ()
) -> Outcome:
    """Store a visit to a source, and a new snapshot if its text or page state differ from those of the current one.

    Other bytes or another title alone do not make a new snapshot: a page that only changed its advertisements would
    make every label stale. A snapshot of the source stays current when a later visit ends at something that is not the
    source (an error page, a dead server, an empty page).
    The snapshot's id depends on content only, so that two studies of the same pages agree on it. ``by_ocr``: which
    parts of the text were read from pictures; they are stored with a new snapshot.
    """
    row = _row(source_id, fetched, page, by_ocr)
    current = connection.execute(_CURRENT, (source_id,)).fetchone()
    outcome: Outcome = "same"
    compared = _COMPARED if holds_source(row) else _COMPARED_WITHOUT_SOURCE
    # The same bytes, whose pictures were read before and are not read again.
    is_scan = current is not None and current["by_ocr"] and not by_ocr and current["raw_sha256"] == row["raw_sha256"]
    if current is not None and (is_scan or all(current[name] == row[name] for name in compared)):
        row["snapshot_id"] = current["snapshot_id"]
    else:
        versions = connection.execute("SELECT max(version) FROM snapshot WHERE source_id = ?", (source_id,))
        row["version"] = 1 + (versions.fetchone()[0] or 0)
        if insert(connection, "snapshot", [row]):
            outcome = "new"
            add_ocr_pages(connection, str(row["snapshot_id"]), by_ocr)
        if current is None or holds_source(row) or not holds_source(current):
            connection.execute(
                "UPDATE source SET current_snapshot = ? WHERE source_id = ?", (row["snapshot_id"], source_id)
            )
        if is_redirect(fetched.url) and not is_redirect(fetched.final_url):
            led_to = (domain(fetched.final_url), source_id)
            connection.execute("UPDATE source SET domain = ? WHERE source_id = ?", led_to)
    _visit(connection, source_id, str(row["snapshot_id"]), fetched, outcome, str(row["raw_sha256"]))
    return outcome


def holds_source(row: Mapping[str, Any] | sqlite3.Row) -> bool:
    """Whether a snapshot (by ``page_state`` and ``text_sha256``) has text of the cited source."""
    return row["page_state"] in HOLDS_SOURCE and row["text_sha256"] != NO_TEXT


def confirm_snapshot(connection: sqlite3.Connection, source_id: str, fetched: Fetched) -> Outcome:
    """Store a visit at which the server said (status 304) that the page has not changed since it was last fetched."""
    snapshot_id = connection.execute(_CURRENT, (source_id,)).fetchone()["snapshot_id"]
    _visit(connection, source_id, snapshot_id, fetched, "not_modified", "")
    return "not_modified"


def _visit(
    connection: sqlite3.Connection, source_id: str, snapshot_id: str, fetched: Fetched, outcome: Outcome, raw: str
) -> None:
    connection.execute(
        """INSERT INTO visit (source_id, at_utc, snapshot_id, outcome, raw_sha256, etag, last_modified)
           VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (source_id, fetched.fetched_at, snapshot_id, outcome, raw, fetched.etag, fetched.last_modified),
    )


def _row(source_id: str, fetched: Fetched, page: Page, by_ocr: Sequence[OcrPage]) -> dict[str, Any]:
    raw = sha256(fetched.body)
    # Pages that are not the source, such as those without a body, differ in the reason.
    reason = () if page.state in HOLDS_SOURCE else (fetched.status, page.evidence)
    # Another machine may read a picture otherwise, by the same engine.
    read = (sha256(page.text),) if by_ocr else ()
    return {
        "snapshot_id": content_id("p", source_id, raw, page.state, page.extractor, *reason, *read),
        "source_id": source_id,
        "version": 1,
        "fetched_at": fetched.fetched_at,
        "page_state": page.state,
        "state_evidence": page.evidence,
        "status": fetched.status,
        "content_type": fetched.content_type,
        "final_url": public_address(fetched.final_url),
        "chain": json.dumps([public_address(url) for url in fetched.chain]),
        "title": page.title,
        "extractor": page.extractor,
        "outline": json.dumps([[heading.start, heading.end, heading.level] for heading in page.outline]),
        "set_apart": json.dumps(page.set_apart),
        "page_starts": json.dumps(page.page_starts),
        "raw_size": len(fetched.body),
        "raw_sha256": raw,
        "text_sha256": sha256(page.text),
        "text": page.text,
        "full_text": "" if page.full_text == page.text else page.full_text,
        "body": zlib.compress(fetched.body, 6),
    }
