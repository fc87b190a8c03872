"""Link check: whether a cited source can be reached, asked now or taken from the snapshots of a study.

The states differ in what they mean to a reader: ``gone`` (no such page) speaks against the citation, ``blocked`` (the
site refuses programs) says nothing about it. An identifier may exist although its page was not fetched: a DOI that its
resolver redirects is registered, whatever the publisher answers.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from medreview.citations.citation import Citation, Kind, canonical_key, domain, fetch_url
from medreview.citations.identifiers import DOI_HOSTS
from medreview.labels import NOT_ASKED
from medreview.progress import SILENT, Progress

if TYPE_CHECKING:
    from medreview.sources.fetching.network import Fetched, Network

State = Literal["reached", "blocked", "gone", "error", "timeout", "refused"]
STATES: Final[tuple[State, ...]] = get_args(State)
MEANING: Final[Mapping[State, str]] = {
    "reached": "the page was there (final status 2xx)",
    "blocked": "the site lets no program in (401, 402, 403, 429, 451, a bot check)",
    "gone": "no such page (404, 410)",
    "error": "another error, or no connection",
    "timeout": "no answer in time",
    "refused": "not asked: the address is not a public one",
}

_REFUSES_PROGRAMS: Final = frozenset({401, 402, 403, 407, 429, 451})
GONE: Final = frozenset({404, 410})


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether a source was reached.

    ``at`` is the time (ISO 8601, UTC). ``exists`` says of an identifier whether it exists, ``None`` when unknown.
    ``detail`` is a sentence on what went wrong, else ``""``.
    """

    state: State
    status: int | None
    detail: str
    final_url: str
    at: str
    exists: bool | None = None


def reach_state(status: int | None, page_state: str | None) -> State:
    """The state by the last HTTP status and the page state (``medreview.labels.PAGE_STATES``), if known."""
    if page_state == "blocked":
        return "refused"
    if page_state == "timeout":
        return "timeout"
    if page_state == "bot_check" or status in _REFUSES_PROGRAMS:
        return "blocked"
    if page_state == "soft_404" or status in GONE:
        return "gone"
    return "reached" if status is not None and 200 <= status < 300 and page_state != "http_error" else "error"


def exists(kind: Kind, state: State, chain: Sequence[str]) -> bool | None:
    """Whether an identifier exists; ``None`` for a URL, and when unknown. ``chain`` is the redirect chain.

    A page for a trial number (NCT) proves nothing: the registry's site is an application that answers for any number.
    """
    if kind == "url":
        return None
    if kind == "doi" and any(domain(url) not in {*DOI_HOSTS, domain(chain[0])} for url in chain):
        return True
    if state == "reached":
        return None if kind == "nct" else True
    return False if state == "gone" else None


def stored(reader: sqlite3.Connection) -> dict[str, Reach]:
    """The result for each source by its current snapshot, by the source's key; sources never asked for are left out."""
    found = {}
    for row in reader.execute(
        "SELECT u.kind, u.value, p.status, p.page_state, p.state_evidence, p.final_url, p.chain, p.fetched_at "
        "FROM snapshot_current AS p JOIN source AS u ON u.source_id = p.source_id WHERE "
        f"p.page_state NOT IN {NOT_ASKED!r}"
    ):
        state = reach_state(row["status"], row["page_state"])
        detail = row["state_evidence"] if state != "reached" else ""
        known = exists(row["kind"], state, json.loads(row["chain"] or "[]"))
        found[canonical_key(Citation(row["kind"], row["value"]))] = Reach(
            state, row["status"], detail, row["final_url"], row["fetched_at"], known
        )
    return found


async def ask(citations: Sequence[Citation], network: "Network", progress: Progress = SILENT) -> dict[str, Reach]:
    """Request every source of these citations once, by HEAD (GET where that fails); the results by the source's key."""
    from medreview.sources.fetching.fetch import reach_all

    kinds: dict[str, dict[str, Kind]] = {}
    for citation in citations:
        kinds.setdefault(fetch_url(citation), {})[canonical_key(citation)] = citation.kind
    found: dict[str, Reach] = {}

    async def on_done(answer: "Fetched") -> None:
        state = reach_state(answer.status, answer.state)
        for key, kind in kinds[answer.url].items():
            known = exists(kind, state, answer.chain)
            found[key] = Reach(state, answer.status, answer.detail, answer.final_url, answer.fetched_at, known)
        progress.step()

    progress.begin("asking", len(kinds))
    await reach_all(list(kinds), on_done=on_done, network=network)
    return found
