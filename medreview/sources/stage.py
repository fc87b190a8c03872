"""The stages that keep pages of cited sources as snapshots, fetched, from a folder or file, or given with the answers.

They also write the pages of a study into a folder of saved pages, for offline use elsewhere.
"""

import json
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, Protocol

from medreview.citations import canonical_key, fetch_url, from_list
from medreview.citations.citation import by_scheme, domain
from medreview.citations.stored_sources import earlier_sources, source_id
from medreview.event_loop import run_to_end
from medreview.exchange.imports.listed_citations import GivenPage
from medreview.labels import EXCERPT, GIVEN
from medreview.progress import SILENT, Progress
from medreview.sources.fetching.network import Fetched, Network, Request, Services, addresses, http_failure, utc_text
from medreview.sources.page import Page
from medreview.sources.page_reader import PageReader, read_in_children
from medreview.sources.reading.page_states import BEST_FIRST
from medreview.sources.saved.pages_folder import FETCH_STATES, SavedPages
from medreview.sources.snapshots import add_snapshot, confirm_snapshot, holds_source
from medreview.study import Study
from medreview.text import in_words, sha256

Scope = Literal["missing", "failed", "all"]
"""Which sources to fetch: those never fetched, these and those whose fetch failed, or all of them again."""

_MISSING: Final = f"""u.url <> '' AND (c.snapshot_id IS NULL OR (c.page_state = '{EXCERPT}' AND NOT EXISTS (
    SELECT 1 FROM snapshot AS o WHERE o.source_id = u.source_id AND o.page_state <> '{EXCERPT}')))"""
"""A passage that came with an answer is not the page, which is asked for once; a document has no address."""
_WHICH: Final = {
    "missing": _MISSING,
    "failed": f"""{_MISSING}
                 OR c.page_state IN ('http_error', 'timeout', 'blocked', 'bot_check', 'cookie_wall', 'unreadable')""",
    "all": "u.url <> ''",
}


class SavedSource(Protocol):
    """Saved pages by URL: a folder, or a WARC file."""

    @property
    def note(self) -> str:
        """Sentences on what of them could not be used, or how they were matched, a line each; else ``""``."""

    def get(self, url: str) -> Fetched | None:
        """The saved answer for a URL, if there is one."""


@dataclass(slots=True)
class FetchSummary:
    """The number of fetched pages by page state, and (with saved pages) how many sources are ``missing`` there.

    Of sources with an earlier snapshot: ``unchanged`` have the same text, ``changed`` have another text now, and of
    ``kept`` the fetch failed this time, so that the earlier snapshot stays current. ``no_network`` sources were not
    fetched, since this machine had no network: nothing is stored of them, and the next fetch asks again. ``note`` has
    sentences about the saved pages, a line each, else ``""``.

    ``by_ocr`` pages of PDFs were read from their pictures now, ``not_by_ocr`` could not be; ``scans`` PDFs without any
    text are left that OCR has not looked at.
    """

    states: dict[str, int] = field(default_factory=dict)
    missing: int = 0
    unchanged: int = 0
    changed: int = 0
    kept: int = 0
    no_network: int = 0
    note: str = ""
    by_ocr: int = 0
    not_by_ocr: int = 0
    scans: int = 0


@dataclass(slots=True)
class _Target:
    """A source to fetch, the URLs left to try, and the best answer so far."""

    source_id: str
    kind: str
    addresses: list[str]
    best: tuple[Fetched, Page] | None = None


def _pending(study: Study, scope: Scope) -> list[sqlite3.Row]:
    """``source_id``, ``kind``, ``value`` and ``url`` of the sources to fetch, in order of citation."""
    return study.reader.execute(
        f"""SELECT u.source_id, u.kind, u.value, u.url
            FROM source AS u LEFT JOIN snapshot_current AS c USING (source_id)
            WHERE {_WHICH[scope]} ORDER BY u.rowid"""
    ).fetchall()


def fetch_saved(
    study: Study, saved: SavedSource, *, scope: Scope = "missing", progress: Progress = SILENT
) -> FetchSummary:
    """Take the pages from a folder or a WARC file of saved pages, without a network."""
    wanted = _pending(study, scope)
    read = _read_before(study)
    progress.begin("pages", len(wanted))
    summary = FetchSummary(note=saved.note)

    def found() -> Iterator[tuple[str, Fetched]]:
        for source in wanted:
            urls = by_scheme(source["value"], source["url"])
            fetched = next((answer for url in urls if (answer := saved.get(url)) is not None), None)
            if fetched is not None:
                yield source["source_id"], fetched
            else:
                summary.missing += 1
                progress.step()

    for some in _together(found()):
        pages = read_in_children([fetched for _, fetched in some])
        visits = [(*one, page) for one, page in zip(some, pages, strict=True)]
        _add_snapshots(study, summary, visits, read)
        progress.step(len(some))
    return summary


_MOST_TOGETHER: Final = 50
"""Pages that are read and stored together: to wait for the disk after each takes longer than to read it."""
_BYTES_TOGETHER: Final = 5_000_000
"""Bytes from which on no further page is added to these."""


def _together(pages: Iterable[tuple[str, Fetched]]) -> Iterator[list[tuple[str, Fetched]]]:
    """The pages of sources in lists of which each is stored in one transaction."""
    some: list[tuple[str, Fetched]] = []
    size = 0
    for page in pages:
        some.append(page)
        size += len(page[1].body)
        if len(some) == _MOST_TOGETHER or size >= _BYTES_TOGETHER:
            yield some
            some, size = [], 0
    if some:
        yield some


def fetch_live(
    study: Study,
    *,
    network: Network,
    services: Services,
    scope: Scope = "missing",
    progress: Progress = SILENT,
) -> FetchSummary:
    """Fetch over HTTP, several at once; every page is stored as it arrives, so that an interrupted run can resume.

    The URLs of a source with several (a PMID: its PubMed record, Europe PMC, its page) are tried one after the other
    until one of them holds the source.
    """
    from medreview.sources.fetching.address_guard import host_of
    from medreview.sources.fetching.fetch import failed_here, fetch_all

    targets, read = _targets(study, services, scope), _read_before(study)
    progress.begin("pages", len(targets))
    summary = FetchSummary()
    known = _validators(study) if scope == "all" else {}

    reader = PageReader()
    reached: set[str] = set()
    unreached: list[tuple[_Target, Fetched, Page]] = []

    async def keep(request: Request, fetched: Fetched) -> Request | None:
        target = targets[request.token]
        if fetched.status is not None or fetched.state != "blocked":
            reached.update(map(host_of, fetched.chain[:-1] if fetched.unreached else fetched.chain))
        if fetched.unchanged:
            study.write(lambda connection: confirm_snapshot(connection, target.source_id, fetched))
            summary.unchanged += 1
            progress.step()
            return None
        page = await reader.read(fetched)
        _keep_better(target, fetched, page)
        if target.addresses and page.state not in ("ok", "paywall") and not _is_final(target, page):
            return Request(target.addresses.pop(0), target.source_id)
        assert target.best is not None
        if target.best[0].unreached:  # the link's fault, or this machine's? That is known at the end
            unreached.append((target, *target.best))
        else:
            _add_snapshots(study, summary, [(target.source_id, *target.best)], read)
        progress.step()
        return None

    async def fetch() -> None:
        await fetch_all(requests, on_done=keep, network=network)
        known = [domain(services.eutils), domain(services.europe_pmc), domain(services.doi)]
        ours = await failed_here([fetched for _, fetched, _ in unreached], reached, known)
        for (target, fetched, page), is_ours in zip(unreached, ours, strict=True):
            if is_ours:
                summary.no_network += 1
            else:
                _add_snapshots(study, summary, [(target.source_id, fetched, page)], read)

    requests = []
    for target in targets.values():
        url = target.addresses.pop(0)
        final_url, etag, last_modified = known.get(target.source_id, ("", "", ""))
        requests.append(Request(url, target.source_id, etag, last_modified, validates=final_url))
    network = replace(
        network,
        delays={**services.delays(), **network.delays},
        robots_exempt=frozenset({domain(services.eutils), domain(services.europe_pmc)}),
    )
    run_to_end(fetch())
    return summary


def _targets(study: Study, services: Services, scope: Scope) -> dict[str, _Target]:
    return {
        row["source_id"]: _Target(
            source_id=row["source_id"],
            kind=row["kind"],
            addresses=list(addresses(row["kind"], row["value"], row["url"], services)),
        )
        for row in _pending(study, scope)
    }


def _read_before(study: Study) -> set[str]:
    rows = study.reader.execute(
        "SELECT source_id FROM snapshot_current JOIN snapshot_content USING (snapshot_id, source_id) WHERE readable"
    )
    return {row[0] for row in rows}


def _validators(study: Study) -> dict[str, tuple[str, str, str]]:
    """By source with a snapshot of it: the URL of its page, and the page's validators (ETag, Last-Modified)."""
    rows = study.reader.execute(
        """SELECT c.source_id, c.final_url, v.etag, v.last_modified, max(v.visit_id)
           FROM snapshot_current AS c JOIN snapshot_content AS n USING (source_id, snapshot_id)
           JOIN visit AS v USING (source_id, snapshot_id)
           WHERE n.readable AND v.etag || v.last_modified <> '' GROUP BY c.source_id"""
    )
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def _keep_better(target: _Target, fetched: Fetched, page: Page) -> None:
    """Keep the better answer; of several failures that of the page itself, which a reader would see as well."""
    if target.best is None:
        target.best = fetched, page
        return
    rank, best_rank = _rank(page), _rank(target.best[1])
    if rank < best_rank:
        not_read = f"{target.best[0].url} itself was not read ({in_words(target.best[1].state)})."
        if target.kind == "doi":
            page = replace(page, evidence=f"{page.evidence} {not_read}".strip())
        target.best = fetched, page
    elif rank == best_rank == len(BEST_FIRST) and target.kind != "doi":
        target.best = fetched, page


def _rank(page: Page) -> int:
    return BEST_FIRST.index(page.state) if page.state in BEST_FIRST else len(BEST_FIRST)


def _is_final(target: _Target, page: Page) -> bool:
    """Whether trying further URLs is useless: PubMed says that it has no such record."""
    return target.kind == "pmid" and page.state == "soft_404"


def _add_snapshots(
    study: Study, summary: FetchSummary, visits: Sequence[tuple[str, Fetched, Page]], read_before: Collection[str]
) -> None:
    """Store one visit to each of some sources, in one transaction, and count what came of it."""

    def add(connection: sqlite3.Connection) -> list[tuple[str, str | None]]:
        outcomes: list[tuple[str, str | None]] = []
        for source, fetched, page in visits:
            before = connection.execute("SELECT text_sha256 FROM snapshot_current WHERE source_id = ?", (source,))
            text = next(iter(before), (None,))[0]
            outcomes.append((add_snapshot(connection, source, fetched, page), text))
        return outcomes

    for (source, _, page), (outcome, before) in zip(visits, study.write(add), strict=True):
        summary.states[page.state] = summary.states.get(page.state, 0) + 1
        if source in read_before:
            text = sha256(page.text)
            if outcome == "same" or text == before:
                summary.unchanged += 1
            elif not holds_source({"page_state": page.state, "text_sha256": text}):
                summary.kept += 1
            else:
                summary.changed += 1


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
    """Store the texts that came for cited sources, many in a transaction; idempotent.

    Several texts of one source are one page, one after the other; a whole page takes the place of passages. A page that
    was fetched stays. ``file``: where they came from.
    """
    earlier = earlier_sources(study.reader)
    known = study.reader.execute("SELECT source_id, url FROM source ORDER BY rowid DESC").fetchall()
    ids, at_url = {row["source_id"] for row in known}, {row["url"]: row["source_id"] for row in known if row["url"]}
    texts: dict[str, dict[str, bool]] = {}
    titles: dict[str, str] = {}
    unnamed = 0
    for page in pages:
        cited = from_list([page.address]).citations[:1]
        unnamed += not cited
        for citation in cited:
            named = source_id(canonical_key(citation), earlier)
            if source := named if named in ids else at_url.get(fetch_url(citation)):
                texts.setdefault(source, {})[page.text] = page.whole
                titles.setdefault(source, page.title)
    progress.begin("given pages", len(texts))
    done = {"stored": 0, "known": 0, "kept": 0}

    def new() -> Iterator[tuple[str, Fetched]]:
        for source, of_source in texts.items():
            found = _as_fetched(study, source, of_source, file)
            if isinstance(found, Fetched):
                yield source, found
            else:
                done[found] += 1
                progress.step()

    for some in _together(new()):
        read = read_in_children([fetched for _, fetched in some])
        study.write(lambda connection, some=some, read=read: _store(connection, some, read, titles))  # type: ignore[misc]
        done["stored"] += len(some)
        progress.step(len(some))
    return GivenSummary(**done, unnamed=unnamed)


def _store(
    connection: sqlite3.Connection,
    given: Sequence[tuple[str, Fetched]],
    pages: Sequence[Page],
    titles: Mapping[str, str],
) -> None:
    for (source, fetched), page in zip(given, pages, strict=True):
        add_snapshot(connection, source, fetched, replace(page, title=titles[source] or page.title))


def _as_fetched(study: Study, source: str, texts: Mapping[str, bool], file: str) -> Fetched | Literal["known", "kept"]:
    """The texts of a source, with what is there, as a page that was fetched; else their count of
    :class:`GivenSummary`."""
    row = study.reader.execute(
        """SELECT u.url, c.page_state, c.text_sha256, c.body
           FROM source AS u LEFT JOIN snapshot_current AS c USING (source_id) WHERE u.source_id = ?""",
        (source,),
    ).fetchone()
    before = ""
    whole = [text for text, is_whole in texts.items() if is_whole]
    state = GIVEN if whole or row["page_state"] == GIVEN else EXCERPT
    if row["page_state"] == GIVEN and not whole:
        return "kept"
    if row["page_state"] == state:
        before = zlib.decompress(row["body"]).decode("utf-8")
    elif row["page_state"] not in (None, EXCERPT) and holds_source(row):
        return "kept"
    text = _joined(before, whole or list(texts))
    if text == before:
        return "known"
    return Fetched(
        url=row["url"],
        final_url=row["url"],
        chain=(row["url"],),
        status=None,
        content_type="text/plain; charset=utf-8",
        body=text.encode("utf-8"),
        fetched_at=utc_text(datetime.now(UTC)),
        state=state,
        detail=f"The text came with the answer, in {file}; the address was not asked."
        if state == GIVEN
        else f"Only a passage came with the answer, in {file}; the page itself was not fetched yet.",
    )


def _joined(before: str, texts: list[str]) -> str:
    """All different texts of a source as one; what is a part of another one is not repeated."""
    parts = [before] if before else []
    for text in texts:
        if not any(text in part for part in parts):
            parts = [part for part in parts if part not in text] + [text]
    return "\n\n".join(parts)


def write_pages(study: Study, folder: Path, progress: Progress = SILENT) -> int:
    """Write the pages of a study into a folder that ``--pages`` reads; the number of pages of the study.

    Pages that are in the folder already are not written again.
    """
    total = study.reader.execute("SELECT count(*) FROM source WHERE current_snapshot IS NOT NULL").fetchone()[0]
    progress.begin("saving", total)
    rows = study.reader.execute(
        """SELECT u.url, c.final_url, c.status, c.content_type, c.body, c.fetched_at, c.page_state, c.state_evidence,
                  c.chain FROM source AS u JOIN snapshot_current AS c USING (source_id) ORDER BY u.rowid"""
    )
    with SavedPages(folder) as saved:
        for row in rows:
            saved.add(_fetched(row))
            progress.step()
    return int(total)


def _fetched(row: sqlite3.Row) -> Fetched:
    """A snapshot as the answer that was fetched over the network."""
    state, detail = http_failure(row["status"]) if row["status"] else (None, "")
    body = zlib.decompress(row["body"])
    # All other states are decided again from the page; without a body nothing was added to what fetching said.
    if row["page_state"] in FETCH_STATES and (state is None or not body):
        state, detail = row["page_state"], row["state_evidence"]
    chain = tuple(json.loads(row["chain"]))
    return Fetched(
        url=row["url"],
        final_url=row["final_url"],
        chain=chain if chain[:1] == (row["url"],) else (row["url"], *chain),
        status=row["status"],
        content_type=row["content_type"],
        body=body,
        fetched_at=row["fetched_at"],
        state=state,
        detail=detail,
    )
