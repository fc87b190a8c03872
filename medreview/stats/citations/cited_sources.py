"""The cited sources of a study as the URL analysis sees them: what each is, and what is known of it from outside."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal

from medreview.citations.hosts import host_of, registrable, top_level, under, us_by_rule
from medreview.sources.lookups.rdap import countries, is_us
from medreview.sources.lookups.wayback import LOST, Archived, archived, may_be_asked

Outcome = Literal["once_there", "no_page", "never", "failed", "not_asked", "private"]
"""What an archive says of a lost address: it held a page; it held copies, but none was a page; it holds nothing; it
gave no answer; it was not asked; it is never asked, because the name is of a private network or none at all."""
Decided = Literal["registry", "rule", ""]

_GONE: Final = frozenset({404, 410})

_SOURCES: Final = """
SELECT u.source_id, u.kind, u.url, p.page_state, p.status, p.final_url, n.valid,
       EXISTS (SELECT 1 FROM snapshot_ocr AS o WHERE o.snapshot_id = u.current_snapshot) AS by_ocr
FROM source AS u LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
LEFT JOIN snapshot_content AS n ON n.snapshot_id = u.current_snapshot ORDER BY u.rowid"""

_CITED: Final = """
SELECT r.ordinal AS response, r.model, r.origin, c.source_id
FROM response AS r LEFT JOIN citation AS c ON c.response_id = r.response_id ORDER BY r.ordinal, c.ordinal"""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """One source.

    ``host`` is that of its address; an identifier has its resolver's. ``state`` is the page state, ``None`` before it
    was fetched; ``valid``: status 200 and text (SourceCheckup). ``listed``: its host, or the one that its address led
    to, is on the list of paywalled domains. ``us`` is ``None`` where nothing can tell; ``decided`` says what told.
    ``outcome`` and ``archived`` are for a lost source only, ``not_found`` for one of which the server itself said that
    it is not there. ``by_ocr``: pages of it were read by OCR.
    """

    kind: str
    url: str
    host: str
    tld: str
    domain: str
    state: str | None
    valid: bool
    listed: bool
    us: bool | None
    decided: Decided
    outcome: Outcome | None
    not_found: bool
    archived: Archived | None
    by_ocr: bool = False


@dataclass(frozen=True, slots=True)
class CitingResponse:
    """A response and the sources that it cites, each once."""

    model: str
    origin: str
    sources: tuple[str, ...]


def cited_sources(reader: sqlite3.Connection, paywalled: Collection[str]) -> dict[str, CitedSource]:
    """Every source of a study by its id, in order of citation."""
    registered, copies = countries(reader), archived(reader)
    rows = reader.execute(_SOURCES)
    return {row["source_id"]: _source(row, paywalled, registered, copies) for row in rows}


def citing_responses(reader: sqlite3.Connection) -> Iterator[CitingResponse]:
    """Every response in order, also those that cite nothing: they are resampled with the others."""
    for _, group in groupby(reader.execute(_CITED), key=itemgetter("response")):
        rows = list(group)
        sources = dict.fromkeys(row["source_id"] for row in rows if row["source_id"] is not None)
        yield CitingResponse(rows[0]["model"], rows[0]["origin"], tuple(sources))


def _source(
    row: sqlite3.Row,
    paywalled: Collection[str],
    registered: Mapping[str, str | None],
    copies: Mapping[str, Archived | None],
) -> CitedSource:
    url, state = row["url"], row["page_state"]
    host = host_of(url)
    domain = registrable(host)
    country = registered.get(domain)
    us = is_us(country) if country else us_by_rule(host)
    lost = state in LOST
    return CitedSource(
        kind=row["kind"],
        url=url,
        host=host,
        tld=top_level(host),
        domain=domain,
        state=state,
        valid=bool(row["valid"]),
        listed=any(under(name, paywalled) for name in (host, host_of(row["final_url"] or ""))),
        us=us,
        decided="registry" if country else "" if us is None else "rule",
        outcome=_outcome(url, copies) if lost else None,
        not_found=lost and (state in ("soft_404", "redirected_home") or row["status"] in _GONE),
        archived=copies.get(url) if lost else None,
        by_ocr=bool(row["by_ocr"]),
    )


def _outcome(url: str, copies: Mapping[str, Archived | None]) -> Outcome:
    if not may_be_asked(url):
        return "private"
    if url not in copies:
        return "not_asked"
    found = copies[url]
    if found is None:
        return "failed"
    if found.last:
        return "once_there"
    return "no_page" if found.status else "never"
