"""The stages that find the references of every response, and hold them against what authorities have."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from medreview.progress import SILENT, Progress
from medreview.references.library import LibraryOfFiles
from medreview.references.model import Reference, ReferenceCheck, is_unanswered, reference_of
from medreview.references.printed.find import find_references
from medreview.references.services.client import StudyAnswers
from medreview.references.services.look_up import look_up
from medreview.references.study_references import (
    COMPARED_BY,
    FOUND_BY,
    CheckedBy,
    store_check,
    store_references,
    waiting,
)
from medreview.references.verdict import Verdict
from medreview.sources.fetching.network import Services
from medreview.study import Study

if TYPE_CHECKING:
    from medreview.sources.fetching.network import Network

_BATCH: Final = 200
_WAITING: Final = "FROM response WHERE cited = 1 AND references_by IS NOT ?"


def find_all(study: Study, progress: Progress = SILENT) -> int:
    """Find the references of the responses that these rules did not see yet, in transactions of 200; how many there
    were.

    A response waits until its citations were extracted: its references name their sources.
    """
    responses = int(study.reader.execute(f"SELECT count(*) {_WAITING}", (FOUND_BY,)).fetchone()[0])
    if responses:
        progress.begin("reference lists", responses)
    while rows := study.reader.execute(
        f"SELECT response_id, text, listed, invalid {_WAITING} ORDER BY ordinal LIMIT ?", (FOUND_BY, _BATCH)
    ).fetchall():
        found = [(row["response_id"], _found(row)) for row in rows]
        study.write(lambda connection, found=found: _store(connection, found))  # type: ignore[misc]
        progress.step(len(rows))
    return responses


def _found(row: sqlite3.Row) -> list[Reference]:
    """An invalid response says nothing, so that it names nothing."""
    return [] if row["invalid"] else find_references(row["text"], json.loads(row["listed"] or "[]"))


def _store(connection: sqlite3.Connection, found: Sequence[tuple[str, list[Reference]]]) -> None:
    for response_id, references in found:
        store_references(connection, response_id, references, FOUND_BY)


@dataclass(frozen=True, slots=True)
class Authorities:
    """The libraries and services that check references.

    ``library``: works of one's own. With ``ask`` the ``services`` are asked over the ``network``; without it only
    earlier answers count. ``say`` gets a text on what is sent where, before the first request. ``again``: ask again for
    what nobody had.
    """

    services: Services
    network: "Network"
    library: LibraryOfFiles | None = None
    ask: bool = False
    say: Callable[[str], None] | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """Counts: references of the study that are ``current``, of which ``bare_urls`` are never checked; ``checked`` now,
    ``changed`` of these (another check than before), ``left`` because nobody could be asked, ``unanswered`` because
    those asked gave no answer, and ``requests`` sent.

    ``stopped``: why services were given up, by name; ``verdicts``: how many of the study's references have each now.
    """

    current: int
    bare_urls: int = 0
    checked: int = 0
    changed: int = 0
    left: int = 0
    unanswered: int = 0
    requests: int = 0
    stopped: Mapping[str, str] = field(default_factory=dict)
    verdicts: Mapping[Verdict, int] = field(default_factory=dict)


def check_all(study: Study, authorities: Authorities, progress: Progress = SILENT) -> CheckSummary:
    """Check the references that these rules and authorities did not look at yet, or of which a service failed.

    Each check is stored as it comes, so that interrupted work goes on. The same result is not stored again.
    """
    library = authorities.library
    by = CheckedBy(f"{FOUND_BY} {COMPARED_BY}", library.sha256 if library else "", authorities.ask)
    rows = waiting(study.reader, by, again=authorities.again)
    changed = 0

    def store(place: int, check: ReferenceCheck) -> None:
        nonlocal changed
        stored = study.submit(
            lambda connection: store_check(connection, rows[place][0], check, by), through_power_loss=False
        )
        changed += stored.result()

    done = look_up(
        [reference_of(json.loads(reading)) for _, reading in rows],
        authorities.services,
        authorities.network,
        StudyAnswers(study, again=authorities.again),
        library=library.library if library else None,
        on_done=store,
        progress=progress,
        ask=authorities.ask,
        say=authorities.say,
    )
    current, bare = study.reader.execute(
        "SELECT count(*), coalesce(sum(bare_url), 0) FROM reference_current"
    ).fetchone()
    verdicts, unanswered = _verdicts(study.reader)
    return CheckSummary(
        current=current,
        bare_urls=bare,
        checked=done.checked,
        changed=changed,
        left=done.left,
        unanswered=unanswered,
        requests=done.requests,
        stopped=done.stopped,
        verdicts=verdicts,
    )


def _verdicts(reader: sqlite3.Connection) -> tuple[Mapping[Verdict, int], int]:
    """How many references have each verdict, and on how many those asked gave no answer."""
    rows = reader.execute(
        """SELECT c.verdict, json_extract(c.result, '$.asked') AS asked
           FROM reference_current JOIN reference_checked AS c USING (reference_id) WHERE c.verdict IS NOT NULL"""
    ).fetchall()
    told = [row["verdict"] for row in rows if not is_unanswered(row["verdict"], _outcomes(row["asked"]))]
    return dict(Counter(told)), len(rows) - len(told)


def _outcomes(asked: str | None) -> list[str]:
    return [one["outcome"] for one in json.loads(asked or "[]")]
