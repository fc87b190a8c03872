"""The stage that stores texts of cited pages which came with the answers, as snapshots of their sources."""

import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from medreview.citations import canonical_key, fetch_url, from_list
from medreview.citations.stored_sources import earlier_sources, source_id
from medreview.exchange.imports.listed_citations import GivenPage
from medreview.labels import EXCERPT, GIVEN
from medreview.progress import SILENT, Progress
from medreview.sources.fetching.network import Fetched, utc_text
from medreview.sources.page_reader import read_in_child
from medreview.sources.snapshots import add_snapshot, holds_source
from medreview.study import Study


@dataclass(frozen=True, slots=True)
class GivenSummary:
    """Counts of sources: ``stored`` with a new text, ``known`` ones, and ``kept``, whose own page was read before.

    ``unnamed``: texts without an address or identifier of their source, which are not stored.
    """

    stored: int
    known: int
    kept: int
    unnamed: int = 0


def store_given(study: Study, pages: Iterable[GivenPage], file: str, progress: Progress = SILENT) -> GivenSummary:
    """Store the texts that came for cited sources, one transaction for each source; idempotent.

    Several texts of one source are one page, one after the other; a whole page takes the place of passages. A page that
    was fetched stays. ``file``: where they came from.
    """
    texts: dict[str, dict[str, bool]] = {}
    urls: dict[str, str] = {}
    titles: dict[str, str] = {}
    unnamed = 0
    for page in pages:
        cited = from_list([page.address]).citations[:1]
        unnamed += not cited
        for citation in cited:
            key = canonical_key(citation)
            texts.setdefault(key, {})[page.text] = page.whole
            titles.setdefault(key, page.title)
            urls.setdefault(key, fetch_url(citation))
    progress.begin("given pages", len(texts))
    done = {"stored": 0, "known": 0, "kept": 0}
    earlier = earlier_sources(study.reader)
    for key, of_source in texts.items():
        named = source_id(key, earlier)
        found = study.reader.execute(
            """SELECT u.source_id, u.url, c.page_state, c.text_sha256, c.body
               FROM source AS u LEFT JOIN snapshot_current AS c USING (source_id)
               WHERE u.source_id = ? OR (u.url = ? AND u.url <> '')
               ORDER BY u.source_id = ? DESC""",
            (named, urls[key], named),
        ).fetchone()
        if found is not None:
            done[_store(study, found, of_source, titles[key], file)] += 1
        progress.step()
    return GivenSummary(**done, unnamed=unnamed)


def _store(study: Study, source: sqlite3.Row, texts: Mapping[str, bool], title: str, file: str) -> str:
    """Which count of :class:`GivenSummary` it is."""
    before = ""
    whole = [text for text, is_whole in texts.items() if is_whole]
    state = GIVEN if whole or source["page_state"] == GIVEN else EXCERPT
    if source["page_state"] == GIVEN and not whole:
        return "kept"
    if source["page_state"] == state:
        before = zlib.decompress(source["body"]).decode("utf-8")
    elif source["page_state"] not in (None, EXCERPT) and holds_source(source):
        return "kept"
    text = _joined(before, whole or list(texts))
    if text == before:
        return "known"
    fetched = Fetched(
        url=source["url"],
        final_url=source["url"],
        chain=(source["url"],),
        status=None,
        content_type="text/plain; charset=utf-8",
        body=text.encode("utf-8"),
        fetched_at=utc_text(datetime.now(UTC)),
        state=state,
        detail=f"The text came with the answer, in {file}; the address was not asked."
        if state == GIVEN
        else f"Only a passage came with the answer, in {file}; the page itself was not fetched yet.",
    )
    page = read_in_child(fetched)
    page = replace(page, title=title or page.title)
    study.write(lambda connection: add_snapshot(connection, source["source_id"], fetched, page))
    return "stored"


def _joined(before: str, texts: list[str]) -> str:
    """All different texts of a source as one; what is a part of another one is not repeated."""
    parts = [before] if before else []
    for text in texts:
        if not any(text in part for part in parts):
            parts = [part for part in parts if part not in text] + [text]
    return "\n\n".join(parts)
