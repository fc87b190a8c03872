"""The text of a source as a reviewer gives it: a file or a pasted text, held against what the source is, then stored.

Looked at first, stored after: whoever asks the reviewer in between has the doubts in words.
"""

import sqlite3
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from medreview.bounded_reading import read_bounded
from medreview.children.asking import NotReadError
from medreview.citations.stage import extract_all
from medreview.errors import UserError
from medreview.judges.claimed_quotes import ground_claims
from medreview.judges.offline_stage import judge_offline, pairs_waiting
from medreview.labels import GIVEN, GIVEN_BY_REVIEWER
from medreview.pipeline.rolling_up import rolled_up
from medreview.progress import SILENT, Progress
from medreview.references.matched_folder import SourceWorks, other_work
from medreview.references.stage import find_all
from medreview.review.snapshot_diff import sources_named
from medreview.sources.fetching.network import Fetched, Limits, utc_text
from medreview.sources.page import Page
from medreview.sources.page_reader import names_in_child, read_in_child
from medreview.sources.reading.own_names import OwnNames
from medreview.sources.reading.page_states import HOLDS_SOURCE
from medreview.sources.snapshots import add_snapshot, holds_source
from medreview.storable import storable_text
from medreview.study import Study
from medreview.text import counted, sha256
from medreview.visible import visible_line

_MOST_NAMED = 5
_SEARCHED = 20_000
"""Code points of a text in which a title is looked for."""
_WHOLE = ("ok", GIVEN, GIVEN_BY_REVIEWER)
"""States in which the study has the whole page; an abstract or a passage gives way without a question."""
_CURRENT = "SELECT version, fetched_at, page_state, text_sha256 FROM snapshot_current WHERE source_id = ?"


@dataclass(frozen=True, slots=True)
class GivenText:
    """A text for a source, as it was looked at. ``name``: what it is called, a file's name.

    ``shown_by``: what shows that it is the source's, in words; ``doubt``: why it looks like another work, half a
    sentence. ``replaces``: which page of the source, read before, it would take the place of; ``known``: its text is
    that of this page. Each ``""``, or False, where that is not so.
    """

    source_id: str
    url: str
    name: str
    body: bytes
    page: Page
    shown_by: str
    doubt: str
    replaces: str
    known: bool

    @property
    def question(self) -> str:
        """What to ask before it is stored, a sentence without an end; ``""`` for nothing, also of a known text."""
        if self.known:
            return ""
        doubt = f"this looks like another work: {self.doubt}" if self.doubt else ""
        replaces = f"it would take the place of {self.replaces}" if self.replaces else ""
        return "; ".join(filter(None, (doubt, replaces)))


@dataclass(frozen=True, slots=True)
class Attached:
    """What came of it: ``stored`` as snapshot number ``version`` of the source.

    ``stale``: labels on an earlier text that are stale now; ``pairs``: pairs that the offline judge compared with it.
    """

    source_id: str
    url: str
    stored: bool
    version: int
    words: int
    shown_by: str
    doubt: str
    stale: int = 0
    pairs: int = 0


def bytes_of(file: Path) -> bytes:
    """What a file holds that a reviewer named. Raises :class:`UserError` where it cannot be read, or is too large."""
    try:
        return read_bounded(file.expanduser(), Limits().max_bytes)[0]
    except (OSError, ValueError) as error:
        raise UserError(f"{file} cannot be read ({getattr(error, 'strerror', '') or error}).") from error


def look_at(study: Study, source: str, body: bytes, name: str) -> GivenText:
    """Look at a text that is given for a source: named by its address, DOI, PMID or id, or by a part of its address.

    Nothing is stored but the references of the responses, whose titles it is held against. Raises :class:`UserError`
    for no such source or several, and for what is too large or holds no text.
    """
    named = sources_named(study.reader, source)
    if len(named) != 1:
        some = ", ".join(row["url"] or row["source_id"] for row in named[:_MOST_NAMED])
        more = ", ..." if len(named) > _MOST_NAMED else ""
        raise UserError(f"{counted(len(named), 'source')} of the study fit {source!r}: {some}{more}. Name one of them.")
    source_id, url = named[0]["source_id"], named[0]["url"]
    most = Limits().max_bytes
    if len(body) > most:
        raise UserError(f"{name} is larger than {most / 1_000_000:g} MB.")
    page = read_in_child(Fetched(url, url, (url,), None, "", body, _now(), GIVEN_BY_REVIEWER))
    if page.state not in HOLDS_SOURCE or not page.text.strip():
        raise UserError(f"{name} holds no text that can be read. {page.evidence}".strip())
    if study.writable:
        extract_all(study)
        find_all(study)
    shown_by, doubt = _shown(study.reader, source_id, _names(body), page)
    before = study.reader.execute(_CURRENT, (source_id,)).fetchone()
    known = before is not None and holds_source(before) and before["text_sha256"] == sha256(page.text)
    whole = before is not None and before["page_state"] in _WHOLE and holds_source(before)
    replaces = f"snapshot {before['version']} of {before['fetched_at'][:10]}" if whole else ""
    return GivenText(source_id, url, name, body, page, shown_by, doubt, "" if known else replaces, known)


def attach(
    study: Study,
    given: GivenText,
    reviewer: str,
    *,
    force: bool = False,
    progress: Progress = SILENT,
    synonyms: Path | None = None,
) -> Attached:
    """Store it as a snapshot of its source, which says who gave it and when; earlier snapshots stay.

    The offline judge compares it with the statements, if it has compared all others. Raises :class:`UserError` when it
    cannot be saved, and unless with ``force`` where something is to be asked first.
    """
    if given.question and not force:
        raise UserError(f"{given.name} was not attached: {given.question}. To keep it all the same, use --force.")
    words = len(given.page.text.split())
    if given.known:
        version = study.reader.execute(_CURRENT, (given.source_id,)).fetchone()["version"]
        return Attached(given.source_id, given.url, False, version, words, given.shown_by, given.doubt)
    at = _now()
    kept = f" Kept although it looked like another work: {given.doubt}." if given.doubt else ""
    told = f"Given by {reviewer} on {at[:10]}: {given.name}; the address was not asked.{kept}"
    fetched = Fetched(given.url, given.url, (given.url,), None, "", given.body, at, GIVEN_BY_REVIEWER)
    page = replace(given.page, evidence=storable_text(f"{told} {given.page.evidence}".strip()))
    waiting, stale = pairs_waiting(study.reader), _stale(study.reader)
    pairs = 0
    with rolled_up(study, progress):
        study.write(lambda connection: add_snapshot(connection, given.source_id, fetched, page))
        if not waiting:
            pairs = judge_offline(study, progress, 0, synonyms)
            ground_claims(study, progress)
    version = study.reader.execute(_CURRENT, (given.source_id,)).fetchone()["version"]
    return Attached(
        given.source_id, given.url, True, version, words, given.shown_by, given.doubt,
        max(0, _stale(study.reader) - stale), pairs,
    )  # fmt: skip


def _names(body: bytes) -> OwnNames:
    try:
        return names_in_child(body)
    except NotReadError:
        return OwnNames()


def _shown(reader: sqlite3.Connection, source_id: str, names: OwnNames, page: Page) -> tuple[str, str]:
    """What shows that a text is a source's, else why it looks like another work; both ``""`` where nothing tells."""
    works = SourceWorks.of(reader)
    work = works.works.get(source_id)
    if work is None:
        return "", ""
    found = sorted(works.fits(names._replace(opening=page.text[:_SEARCHED])), key=lambda fit: fit.sign)
    own = next((fit for fit in found if fit.source_id == source_id), None)
    if own is not None:
        return own.by, ""
    if found:
        return "", f"it is the page of {works.works[found[0].source_id].url}, by {found[0].by}"
    return "", visible_line(other_work(work, names))


def _stale(reader: sqlite3.Connection) -> int:
    return int(reader.execute("SELECT count(*) FROM decision_stale").fetchone()[0])


def _now() -> str:
    return utc_text(datetime.now(UTC))
